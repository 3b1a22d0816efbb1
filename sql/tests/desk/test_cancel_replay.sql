-- cancel, replay, reprioritize.
BEGIN;
SELECT plan(27);
CREATE TEMP TABLE ids
    AS SELECT board.enqueue('k', '{"n": 1}', unique_key => 'u', correlation_id => 'c') AS a,
        board.enqueue('k', '{}', run_at => clock_timestamp() + '1 day') AS later;
DO $$ BEGIN PERFORM board.claim_task((SELECT a FROM ids), 'bot'); END $$;
SELECT throws_ok(format($$SELECT board.replay(%L, 'op')$$, a), 'TB003',
    'cannot replay a task that is in_progress', 'replay of an open task') FROM ids;
SELECT is(board.cancel(a, 'op', '{"why": "twice"}'), 'cancelled', 'a held task') FROM ids;
SELECT results_eq($$SELECT t.status::text, t.finished_by, t.leased_by FROM board.tasks AS t, ids
    WHERE t.id = ids.a$$, $$VALUES ('cancelled', 'op', NULL::text)$$, 'the row');
SELECT throws_ok(format($$SELECT board.complete(%L, 'bot')$$, a), 'TB001', 'lease lost',
    'the holder learns of it') FROM ids;
SELECT is(board.cancel(later, 'op'), 'cancelled', 'a scheduled task') FROM ids;
SELECT throws_ok(format($$SELECT board.cancel(%L, 'op')$$, a), 'TB003',
    'cannot cancel a task that is cancelled', 'a second time') FROM ids;
SELECT throws_ok($$SELECT board.cancel(gen_random_uuid(), 'op')$$, 'TB002', 'task not found',
    'nothing to cancel');
SELECT throws_ok($$SELECT board.cancel(gen_random_uuid(), E'\n')$$, '22023',
    'invalid value for argument "actor"', 'actor malformed');

SELECT is(board.replay(a, 'op'), a, 'replay: the same id') FROM ids;
SELECT results_eq($$SELECT t.status::text, t.claim_count, t.finished_at, t.payload,
    t.unique_key FROM board.tasks AS t, ids WHERE t.id = ids.a$$,
    $$VALUES ('pending', 1, NULL::timestamptz, '{"n": 1}'::jsonb, 'u')$$,
        'pending again, the attempt goes on counting');
SELECT is((SELECT c.claim_count FROM ids, board.claim_task(ids.a, 'bot') AS c), 2,
    'its next claim is attempt 2');
DO $$ BEGIN PERFORM board.complete((SELECT a FROM ids), 'bot', '1'); END $$;
CREATE TEMP TABLE copy AS SELECT board.replay(a, 'op', as_new => true) AS id FROM ids;
SELECT results_eq($$SELECT t.status::text, t.claim_count, t.payload, t.unique_key,
    t.correlation_id FROM board.tasks AS t JOIN copy USING (id)$$,
    $$VALUES ('pending', 0, '{"n": 1}'::jsonb, 'u', 'c')$$, 'as new: a copy');
SELECT is((SELECT t.status FROM board.tasks AS t, ids
    WHERE t.id = ids.a), 'completed', 'the first stays done');
SELECT is((SELECT e.payload ->> 'as_new' FROM board.task_events AS e, ids
    WHERE e.task_id = ids.a ORDER BY e.seq DESC LIMIT 1), (SELECT id::text FROM copy),
        'the log of the first names the copy');
SELECT is(
    (SELECT e.type || ' '
        || e.actor FROM board.task_events AS e JOIN copy ON copy.id = e.task_id), 'enqueued op',
            'the copy begins with enqueued');
SELECT throws_ok(format($$SELECT board.replay(%L, 'op')$$, a), 'TB003',
    'another open task holds the unique key', 'another open task holds the unique key') FROM ids;
SELECT throws_ok(format($$SELECT board.replay(%L, 'op', true)$$, a), 'TB003', NULL,
    'also for a copy') FROM ids;
DO $$ BEGIN PERFORM board.cancel((SELECT id FROM copy), 'op'); END $$;
SELECT is(board.replay(a, 'op'), a, 'free again: replayed') FROM ids;
SELECT throws_ok($$SELECT board.replay(gen_random_uuid(), 'op')$$, 'TB002', 'task not found',
    'nothing to replay');
SELECT throws_ok($$SELECT board.replay(gen_random_uuid(), 'op', NULL)$$, '22023',
    'invalid value for argument "as_new"', 'as_new NULL');

SELECT is(board.reprioritize(a, 'op', 5), 5::bigint, 'reprioritize') FROM ids;
SELECT is(board.reprioritize(a, 'op', 5), 5::bigint, 'the same again') FROM ids;
SELECT is((SELECT jsonb_agg(e.payload) FROM board.task_events AS e
    WHERE e.type = 'reprioritized'), '[{"from": 0, "to": 5}]', 'is one event');
SELECT throws_ok(format($$SELECT board.reprioritize(%L, 'op', 5)$$, later), 'TB003',
    'cannot reprioritize a task that is cancelled', 'a finished task') FROM ids;
SELECT throws_ok($$SELECT board.reprioritize(gen_random_uuid(), 'op', NULL)$$, '22023',
    'invalid value for argument "priority"', 'priority NULL');
SELECT throws_ok($$SELECT board.reprioritize(gen_random_uuid(), 'op', 1)$$, 'TB002',
    'task not found', 'no such task');

CREATE TEMP TABLE withheld AS SELECT board.enqueue('withheld') AS id;
DO $$ BEGIN PERFORM board.pause('task:' || w.id, 'op'), board.cancel(w.id, 'op'),
    board.replay(w.id, 'op') FROM withheld AS w; END $$;
SELECT is((SELECT count(*) FROM board.claim('bot', kinds => ARRAY['withheld'])), 1::bigint,
    'a task that was paused when it was cancelled is done again like any other');

SELECT * FROM finish();
ROLLBACK;
