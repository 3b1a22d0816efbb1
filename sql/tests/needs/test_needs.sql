-- Tasks that wait for tasks: enqueue and release with needs, what completes, cancels, drops.
BEGIN;
SELECT plan(58);

CREATE TEMP TABLE t (name text PRIMARY KEY, id uuid NOT NULL);
CREATE FUNCTION pg_temp.id(name text) RETURNS uuid LANGUAGE sql STABLE AS
    $$SELECT t.id FROM t WHERE t.name = $1$$;
CREATE FUNCTION pg_temp.ids(VARIADIC names text[]) RETURNS uuid[] LANGUAGE sql STABLE AS
    $$SELECT array_agg(pg_temp.id(n)) FROM unnest(names) AS n$$;
CREATE FUNCTION pg_temp.status(name text) RETURNS text LANGUAGE sql STABLE AS
    $$SELECT k.status FROM board.tasks AS k WHERE k.id = pg_temp.id($1)$$;
CREATE FUNCTION pg_temp.types(name text) RETURNS text LANGUAGE sql STABLE AS
    $$SELECT string_agg(e.type, ' ' ORDER BY e.seq) FROM board.task_events AS e
       WHERE e.task_id = pg_temp.id($1)$$;
CREATE FUNCTION pg_temp.done(name text) RETURNS text LANGUAGE sql AS
    $$SELECT board.complete(c.id, 'w', to_jsonb($1))
        FROM board.claim_task(pg_temp.id($1), 'w') AS c$$;

-- enqueue(needs)
INSERT INTO t VALUES ('a', board.enqueue('n')), ('b', board.enqueue('n'));
INSERT INTO t VALUES ('c', board.enqueue('n', priority => 9, needs => pg_temp.ids('a', 'b', 'a')));
SELECT is(pg_temp.status('c'), 'blocked', 'a task with open needs is blocked');
SELECT is((SELECT (k.rank, k.due_at, k.unmet_needs)::text FROM board.tasks AS k
            WHERE k.id = pg_temp.id('c')), '(,,2)', 'and stands in no ready index');
SELECT is((SELECT count(*)::int FROM board.queue AS q WHERE q.id = pg_temp.id('c')), 0,
    'the queue does not list it');
SELECT is((SELECT count(*)::int FROM board.claim_task(pg_temp.id('c'), 'w')), 0,
    'nobody can claim it by its id');
SELECT alike(board.explain(pg_temp.id('c')), 'waits for 2 of 2: % is pending', 'explain says so');
SELECT is((SELECT b.waits FROM board.blocked AS b WHERE b.id = pg_temp.id('c')), '2 of 2',
    'the view too');
SELECT is(pg_temp.done('a'), 'completed', 'one need is completed');
SELECT is(pg_temp.status('c'), 'blocked', 'one is not enough');
SELECT is(pg_temp.done('b'), 'completed', 'and the other');
SELECT is(pg_temp.status('c'), 'pending', 'the last need unblocks');
SELECT is(pg_temp.types('c'), 'enqueued unblocked', 'with an event');
SELECT is((SELECT c.id FROM board.claim('w') AS c), pg_temp.id('c'), 'and it is claimed');
SELECT results_eq(
    $$SELECT r.task_id, r.kind, r.result FROM board.needed_results(pg_temp.id('c')) AS r$$,
    $$VALUES (pg_temp.id('a'), 'n', '"a"'::jsonb), (pg_temp.id('b'), 'n', '"b"')$$,
    'what the needs gave, in the order of their completion');
SELECT throws_ok($$SELECT board.needed_results('00000000-0000-0000-0000-000000000001')$$, 'TB002',
    NULL, 'of a task that is not there: TB002');

-- met, unknown, cancelled
SELECT is((SELECT k.status::text FROM board.tasks AS k
            WHERE k.id = board.enqueue('n', needs => pg_temp.ids('a'))), NULL, 'a statement sees no new row');
INSERT INTO t VALUES ('m', board.enqueue('n', needs => pg_temp.ids('a', 'b')));
SELECT is(pg_temp.status('m'), 'pending', 'needs that are completed are met');
SELECT throws_ok(
    $$SELECT board.enqueue('n', needs => ARRAY['00000000-0000-0000-0000-000000000001'::uuid])$$,
    'TB002', 'task not found', 'an unknown need');
INSERT INTO t VALUES ('x', board.enqueue('n'));
SELECT is(board.cancel(pg_temp.id('x'), 'ann'), 'cancelled', 'a task is cancelled');
SELECT throws_ok($$SELECT board.enqueue('n', needs => pg_temp.ids('x'))$$,
    'TB003', 'cannot wait for a task that is cancelled', 'a cancelled need');
SELECT throws_ok($$SELECT board.enqueue('n', needs => ARRAY[NULL]::uuid[])$$, '22023', NULL,
    'a NULL among the needs');

-- run_at, pause and priority while blocked
INSERT INTO t VALUES ('p', board.enqueue('n'));
INSERT INTO t VALUES
    ('later', board.enqueue('n', run_at => clock_timestamp() + '1 hour', needs => pg_temp.ids('p'))),
    ('held', board.enqueue('n', needs => pg_temp.ids('p')));
SELECT lives_ok($$SELECT board.pause('task:' || pg_temp.id('held'), 'ann')$$, 'a blocked task pauses');
SELECT is(board.reprioritize(pg_temp.id('held'), 'ann', 5), 5::bigint, 'and is reprioritized');
SELECT is(pg_temp.done('p'), 'completed', 'their need is completed');
SELECT is(pg_temp.status('later'), 'scheduled', 'a later one is scheduled');
SELECT is((SELECT (k.status, k.rank)::text FROM board.tasks AS k WHERE k.id = pg_temp.id('held')),
    '(pending,)', 'a paused one is pending, and withheld');

-- cancelling a need
INSERT INTO t VALUES ('r', board.enqueue('n'));
INSERT INTO t VALUES ('s', board.enqueue('n', needs => pg_temp.ids('r')));
INSERT INTO t VALUES ('u', board.enqueue('n', needs => pg_temp.ids('s')));
SELECT is(board.cancel(pg_temp.id('r'), 'ann'), 'cancelled', 'a need is cancelled');
SELECT is((SELECT (k.status, k.escalation_reason)::text FROM board.tasks AS k
            WHERE k.id = pg_temp.id('s')), '(escalated,need_cancelled)', 'who needs it goes to a person');
SELECT is((SELECT k.last_failure ->> 'need' FROM board.tasks AS k WHERE k.id = pg_temp.id('s')),
    pg_temp.id('r')::text, 'who is told which one');
SELECT is(pg_temp.status('u'), 'blocked', 'an escalated need leaves what needs it blocked');
SELECT alike(board.explain(pg_temp.id('u')), 'waits for 1 of 1: % is escalated since %',
    'and explain says since when');
SELECT is((SELECT h.holds_up FROM board.human_queue AS h WHERE h.id = pg_temp.id('s')), 1::bigint,
    'the card says how many wait for it');
SELECT is(board.retry(pg_temp.id('s'), 'ann'), 'pending', 'retry runs it without');
SELECT is(pg_temp.done('s'), 'completed', 'it is done');
SELECT is(pg_temp.status('u'), 'pending', 'and what needs it goes on');
SELECT is(board.replay(pg_temp.id('s'), 'ann'), pg_temp.id('s'), 'the need is done again');
SELECT is(pg_temp.status('u'), 'pending', 'which blocks nobody again');

-- cancelling downstream
INSERT INTO t VALUES ('d1', board.enqueue('n'));
INSERT INTO t VALUES ('d2', board.enqueue('n', needs => pg_temp.ids('d1')));
INSERT INTO t VALUES ('d3', board.enqueue('n', needs => pg_temp.ids('d2', 'd1')));
INSERT INTO t VALUES ('o', board.enqueue('n'));
INSERT INTO t VALUES ('d4', board.enqueue('n', needs => pg_temp.ids('d3', 'o')));
SELECT is(board.cancel(pg_temp.id('d2'), 'ann', dependents => true), 'cancelled', 'downstream');
SELECT results_eq($$SELECT pg_temp.status(n) FROM unnest(ARRAY['d1', 'd2', 'd3', 'd4', 'o']) AS n$$,
    $$VALUES ('pending'), ('cancelled'), ('cancelled'), ('cancelled'), ('pending')$$,
    'all that wait for it end with it, and nothing else');

-- release(needs)
INSERT INTO t VALUES ('parent', board.enqueue('n', priority => 50));
INSERT INTO t SELECT 'got', c.id FROM board.claim('w') AS c;
SELECT is(pg_temp.id('got'), pg_temp.id('parent'), 'an agent holds a task');
INSERT INTO t VALUES ('k1', board.enqueue('n')), ('k2', board.enqueue('n'));
SELECT is(board.release(pg_temp.id('parent'), 'w', needs => pg_temp.ids('k1', 'k2'), attempt => 1),
    'blocked', 'it breaks it down and hands it back until the parts are done');
SELECT is(count(*)::int, 1, 'another agent takes a part')
    FROM board.claim_task(pg_temp.id('k1'), 'v');
SELECT throws_ok($$SELECT board.release(pg_temp.id('k1'), 'v', needs => pg_temp.ids('parent'))$$,
    '22023', NULL, 'a part cannot wait for the whole');
SELECT is(board.complete(pg_temp.id('k1'), 'v', '1'), 'completed', 'a part is done');
SELECT is(pg_temp.done('k2'), 'completed', 'and the last');
SELECT is(pg_temp.status('parent'), 'pending', 'the whole goes on');
SELECT is((SELECT count(*)::int FROM board.needed_results(pg_temp.id('parent'))), 2,
    'with what the parts gave');

-- drop_need
INSERT INTO t VALUES ('f', board.enqueue('n'));
INSERT INTO t VALUES ('g', board.enqueue('n', needs => pg_temp.ids('f')));
SELECT ok(NOT board.drop_need(pg_temp.id('g'), pg_temp.id('a'), 'ann'), 'not a need: false');
SELECT ok(board.drop_need(pg_temp.id('g'), pg_temp.id('f'), 'ann'), 'a person drops the need');
SELECT is(pg_temp.status('g'), 'pending', 'and it is claimable');
SELECT is(pg_temp.types('g'), 'enqueued unblocked', 'with an event');

-- sequence_key
INSERT INTO t VALUES ('q1', board.enqueue('s', sequence_key => 'cust'));
INSERT INTO t VALUES ('q2', board.enqueue('s', sequence_key => 'cust'));
INSERT INTO t VALUES ('q3', board.enqueue('s', sequence_key => 'cust'));
INSERT INTO t VALUES ('other', board.enqueue('s', sequence_key => 'cust2'));
SELECT results_eq($$SELECT pg_temp.status(n) FROM unnest(ARRAY['q1', 'q2', 'q3', 'other']) AS n$$,
    $$VALUES ('pending'), ('blocked'), ('blocked'), ('pending')$$, 'one after another, for each key');
SELECT is(board.cancel(pg_temp.id('q2'), 'ann'), 'cancelled', 'one in the middle is cancelled');
SELECT is(pg_temp.status('q3'), 'blocked', 'the next one still waits for the first');
SELECT alike(board.explain(pg_temp.id('q3')), 'waits for 1 of 1: the one before it, %',
    'explain calls it by its name');
SELECT is(pg_temp.done('q1'), 'completed', 'the first is done');
SELECT is(pg_temp.status('q3'), 'pending', 'and lets the next one pass');

-- typed by hand
INSERT INTO t VALUES ('h', board.enqueue('n'));
INSERT INTO t VALUES ('i', board.enqueue('n', needs => pg_temp.ids('h')));
UPDATE board.tasks SET status = 'completed' WHERE id = pg_temp.id('h');
SELECT is(pg_temp.status('i'), 'pending', 'a need that a DBA completes unblocks too');
SELECT throws_ok($$UPDATE board.tasks SET status = 'blocked' WHERE id = pg_temp.id('o')$$, '23514',
    NULL, 'nothing is blocked without a need');

SELECT * FROM finish();
ROLLBACK;
