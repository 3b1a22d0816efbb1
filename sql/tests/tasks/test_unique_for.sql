-- enqueue(unique_for, on_taken): tasks that are finished absorb too, waiting ones are replaced.
BEGIN;
SELECT plan(44);
CREATE FUNCTION pg_temp.put(key text, payload jsonb, unique_for interval DEFAULT NULL,
    on_taken text DEFAULT 'keep', run_at timestamptz DEFAULT NULL, priority int DEFAULT 0)
RETURNS uuid LANGUAGE sql
    AS $f$ SELECT board.enqueue('k', payload, priority, run_at, key, unique_for => unique_for,
                                on_taken => on_taken) $f$;
CREATE FUNCTION pg_temp.open() RETURNS TABLE (status text, payload jsonb, priority int)
LANGUAGE sql AS $f$ SELECT t.status::text, t.payload, t.priority FROM board.tasks AS t
    WHERE t.kind = 'k' AND t.finished_at IS NULL ORDER BY t.created_at, t.id $f$;

-- unique_for
CREATE TEMP TABLE a AS SELECT pg_temp.put('x', '1', '1 hour') AS id;
SELECT is(pg_temp.put('x', '2', '1 hour'), id, 'an open task absorbs') FROM a;
DO $$ BEGIN PERFORM board.claim('A'); PERFORM board.complete((SELECT id FROM a), 'A'); END $$;
SELECT is(pg_temp.put('x', '2', '1 hour'), id, 'a finished one too') FROM a;
SELECT is(pg_temp.put('y', '2', '1 hour') <> id, true, 'another key not') FROM a;
SELECT is((SELECT count(*) FROM pg_temp.open()), 1::bigint, 'one task is open: y');
UPDATE board.tasks AS t SET finished_at = clock_timestamp() - interval '61 minutes'
  FROM a WHERE t.id = a.id;
SELECT is(pg_temp.put('x', '3', '1 hour') <> id, true, 'longer ago: a new one') FROM a;
SELECT is(board.enqueue('k', '4', unique_key => 'x', unique_for => '1 hour'),
    pg_temp.put('x', '5'), 'which is open now');
DO $$ BEGIN PERFORM board.cancel(t.id, 'op') FROM board.tasks AS t
    WHERE t.finished_at IS NULL; END $$;
SELECT is(pg_temp.put('y', '2', '1 day'), (SELECT t.id FROM board.tasks AS t
    WHERE t.unique_key = 'y'), 'cancelled is finished');
SELECT is((SELECT count(*) FROM pg_temp.open()), 0::bigint, 'nothing is open');
SELECT isnt(pg_temp.put('y', '2'), (SELECT t.id FROM board.tasks AS t WHERE t.unique_key = 'y'
    AND t.finished_at IS NOT NULL), 'without unique_for only an open one counts');
DO $$ BEGIN PERFORM board.cancel(t.id, 'op') FROM board.tasks AS t
    WHERE t.finished_at IS NULL; END $$;
CREATE TEMP TABLE seq AS SELECT board.enqueue('s', unique_key => 'q', sequence_key => 's',
    unique_for => '1 day') AS id;
DO $$ BEGIN PERFORM board.cancel((SELECT id FROM seq), 'op'); END $$;
SELECT is(board.enqueue('s', unique_key => 'q', sequence_key => 's', unique_for => '1 day'), id,
    'with a sequence too') FROM seq;

-- replace: waiting
CREATE TEMP TABLE b AS SELECT pg_temp.put('z', '1') AS id;
SELECT is(pg_temp.put('z', '2', on_taken => 'replace', priority => 7), id, 'replace: the same id')
  FROM b;
SELECT results_eq('SELECT * FROM pg_temp.open()', $$VALUES ('pending', '2'::jsonb, 7)$$,
    'the new payload and priority');
SELECT results_eq($$SELECT e.type::text, e.payload #> '{from,payload}', e.payload #> '{to,payload}'
    FROM board.task_events AS e JOIN b ON b.id = e.task_id ORDER BY e.seq$$,
    $$VALUES ('enqueued', NULL::jsonb, NULL::jsonb), ('replaced', '1', '2')$$, 'logged, both');
SELECT ok(EXISTS (SELECT FROM board.history AS h JOIN b ON b.id = h.task_id
    WHERE h.what LIKE '%changed its payload from 1 to 2'), 'and told');
SELECT is(pg_temp.put('z', '3', on_taken => 'replace', run_at => clock_timestamp() + '1 hour'), id,
    'put off') FROM b;
SELECT results_eq('SELECT * FROM pg_temp.open()', $$VALUES ('scheduled', '3'::jsonb, 0)$$,
    'scheduled now');
SELECT is((SELECT count(*) FROM board.claim('A')), 0::bigint, 'and not claimable');
SELECT is(pg_temp.put('z', '4', on_taken => 'replace'), id, 'at once again') FROM b;
SELECT is((SELECT c.payload FROM board.claim('A') AS c), '4', 'claimed with the last payload');

-- replace: in progress
SELECT is(pg_temp.put('z', '5', on_taken => 'replace', priority => 3), id, 'in progress: its id')
  FROM b;
SELECT is(pg_temp.put('z', '6', on_taken => 'replace', priority => 3), id, 'the last one counts')
  FROM b;
SELECT is(pg_temp.put('z', '7'), id, 'keep changes nothing') FROM b;
SELECT is((SELECT t.payload FROM board.tasks AS t JOIN b USING (id)), '4', 'the run is untouched');
SELECT is(board.fail(id, 'A'), 'pending', 'a strike does not finish it') FROM b;
SELECT is((SELECT count(*) FROM board.claim('A')), 1::bigint, 'it is claimed again');
SELECT is(board.complete(id, 'A', attempt => 2), 'completed', 'complete') FROM b;
SELECT results_eq('SELECT * FROM pg_temp.open()', $$VALUES ('pending', '6'::jsonb, 3)$$,
    'what was brought during the run is a task now');
SELECT is(t.rank, ~3, 'ready') FROM board.tasks AS t WHERE t.kind = 'k' AND t.finished_at IS NULL;
SELECT is((SELECT c.payload FROM board.claim('A') AS c), '6', 'and claimed');
DO $$ BEGIN PERFORM pg_temp.put('z', '8', on_taken => 'replace'); END $$;
SELECT is((SELECT count(*) FROM board.complete_many(ARRAY(SELECT t.id FROM board.tasks AS t
    WHERE t.kind = 'k' AND t.status = 'in_progress'), 'A')), 1::bigint, 'complete_many');
SELECT results_eq('SELECT * FROM pg_temp.open()', $$VALUES ('pending', '8'::jsonb, 0)$$, 'does so too');
DO $$ BEGIN PERFORM board.claim('A'); PERFORM pg_temp.put('z', '9', on_taken => 'replace');
    PERFORM board.cancel(t.id, 'op') FROM board.tasks AS t WHERE t.finished_at IS NULL
        AND t.status = 'in_progress'; END $$;
SELECT results_eq('SELECT * FROM pg_temp.open()', $$VALUES ('pending', '9'::jsonb, 0)$$,
    'and cancel');
DO $$ BEGIN PERFORM board.claim('A'); PERFORM pg_temp.put('z', '10', on_taken => 'replace'); END $$;
UPDATE board.tasks SET status = 'completed' WHERE kind = 'k' AND status = 'in_progress';
SELECT results_eq('SELECT * FROM pg_temp.open()', $$VALUES ('pending', '10'::jsonb, 0)$$,
    'and a change typed by hand');
DO $$ BEGIN PERFORM board.claim('A'); PERFORM pg_temp.put('z', '11', on_taken => 'replace',
    run_at => clock_timestamp() + '1 day'); PERFORM board.release(t.id, 'A') FROM board.tasks AS t
    WHERE t.kind = 'k' AND t.status = 'in_progress'; END $$;
DO $$ BEGIN PERFORM pg_temp.put('z', '12', on_taken => 'replace'); PERFORM board.claim('A');
    PERFORM board.complete(t.id, 'A') FROM board.tasks AS t WHERE t.kind = 'k'
        AND t.status = 'in_progress'; END $$;
SELECT is((SELECT count(*) FROM pg_temp.open()), 0::bigint,
    'replaced while it waits again: what was brought before is superseded');

-- blocked
CREATE TEMP TABLE w AS SELECT board.enqueue('need') AS need, NULL::uuid AS id;
UPDATE w SET id = board.enqueue('k', '1', unique_key => 'w', needs => ARRAY[need]);
SELECT is(pg_temp.put('w', '2', on_taken => 'replace', priority => 4), id, 'blocked: replaced')
  FROM w;
SELECT results_eq('SELECT * FROM pg_temp.open()', $$VALUES ('blocked', '2'::jsonb, 4)$$,
    'and still blocked');
DO $$ BEGIN PERFORM board.cancel((SELECT need FROM w), 'op', dependents => true); END $$;

-- refusals
SELECT throws_ok($$SELECT board.enqueue('k', unique_for => '1 hour')$$, '22023', NULL, 'no key');
SELECT throws_ok($$SELECT board.enqueue('k', on_taken => 'replace')$$, '22023', NULL, 'no key');
SELECT throws_ok($$SELECT board.enqueue('k', unique_key => 'x', on_taken => 'drop')$$, '22023',
    NULL, 'no such way');
SELECT throws_ok($$SELECT board.enqueue('k', unique_key => 'x', on_taken => NULL)$$, '22023',
    NULL, 'NULL');
SELECT throws_ok($$SELECT board.enqueue('k', unique_key => 'x', unique_for => '-1 day')$$,
    '22023', NULL, 'negative');
SELECT throws_ok($$SELECT board.enqueue('k', unique_key => 'x', sequence_key => 's',
    on_taken => 'replace')$$, '22023', NULL, 'replace in a sequence');
SELECT throws_ok($$SELECT board.enqueue('k', unique_key => '', unique_for => '1 day')$$, '22023',
    NULL, 'an empty key');
SELECT ok(pg_get_indexdef('board.tasks_finished_key'::regclass) LIKE '%unique_key IS NOT NULL%',
    'tasks without a key pay nothing for it');
SELECT * FROM finish();
ROLLBACK;
