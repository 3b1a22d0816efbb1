-- claim_task: this very task, if it is claimable.
BEGIN;
SELECT plan(16);
CREATE TEMP TABLE ids AS
SELECT board.enqueue('k', '{}') AS free,
       board.enqueue('k', '{}', run_at => clock_timestamp() + '1 hour') AS later,
       board.enqueue('k', '{}') AS held, board.enqueue('k', '{}') AS human;
DO $$ BEGIN
    PERFORM board.claim_task((SELECT held FROM ids), 'other');
    PERFORM board.claim_task((SELECT human FROM ids), 'other');
    PERFORM board.escalate((SELECT human FROM ids), 'other');
END $$;
SELECT results_eq($$SELECT c.id, c.leased_by, c.claim_count FROM ids,
    board.claim_task(ids.free, 'maria', '5 minutes') AS c$$,
    $$SELECT free, 'maria', 1 FROM ids$$, 'a pending task');
SELECT is_empty($$SELECT c.* FROM ids, board.claim_task(ids.later, 'maria') AS c$$,
    'not before its time');
SELECT is_empty($$SELECT c.* FROM ids, board.claim_task(ids.held, 'maria') AS c$$,
    'not while another holds it');
SELECT is_empty($$SELECT c.* FROM ids, board.claim_task(ids.held, 'other') AS c$$,
    'not even the holder himself');
SELECT is_empty($$SELECT c.* FROM ids, board.claim_task(ids.human, 'maria') AS c$$,
    'not from the human queue');
UPDATE board.tasks SET leased_until = clock_timestamp() - interval '1 second'
    WHERE id = (SELECT held FROM ids);
SELECT results_eq($$SELECT c.claim_count, c.lapse_count FROM ids,
    board.claim_task(ids.held, 'other') AS c$$,
    $$VALUES (2, 1)$$, 'a lapsed one again, by the same name too: attempt 2');
UPDATE board.tasks SET run_at = clock_timestamp() WHERE id = (SELECT later FROM ids);
DO $$ BEGIN PERFORM board.pause('kind:k', 'op'); END $$;
SELECT is_empty($$SELECT c.* FROM ids, board.claim_task(ids.later, 'maria') AS c$$,
    'not while its kind is paused');
DO $$ BEGIN PERFORM board.resume('kind:k',
    'op'); PERFORM board.pause('task:' || (SELECT later FROM ids), 'op'); END $$;
SELECT is_empty($$SELECT c.* FROM ids, board.claim_task(ids.later, 'maria') AS c$$,
    'not while it is paused itself');
DO $$ BEGIN PERFORM board.resume('task:' || (SELECT later FROM ids), 'op'); END $$;
SELECT isnt_empty($$SELECT c.* FROM ids, board.claim_task(ids.later, 'maria') AS c$$,
    'when it is due and nothing is paused');

DO $$ BEGIN PERFORM board.configure_kind('one', max_in_progress => 1); END $$;
CREATE TEMP TABLE one AS SELECT board.enqueue('one') AS a, board.enqueue('one') AS b;
SELECT isnt_empty($$SELECT c.* FROM one, board.claim_task(one.a, 'maria') AS c$$,
    'a capped kind: the first');
SELECT is_empty($$SELECT c.* FROM one, board.claim_task(one.b, 'maria') AS c$$,
    'but not above the cap');
DO $$ BEGIN PERFORM board.release((SELECT a FROM one), 'maria'); END $$;
SELECT isnt_empty($$SELECT c.* FROM one, board.claim_task(one.b, 'maria') AS c$$,
    'a given back slot is free');

SELECT throws_ok($$SELECT board.claim_task(gen_random_uuid(), 'maria')$$, 'TB002',
    'task not found', 'no such task');
SELECT throws_ok($$SELECT board.claim_task(NULL, 'maria')$$, '22023',
    'invalid value for argument "id"', 'id NULL');
SELECT throws_ok($$SELECT board.claim_task(gen_random_uuid(), '')$$, '22023',
    'invalid value for argument "agent"', 'agent empty');
SELECT throws_ok($$SELECT board.claim_task(gen_random_uuid(), 'm', '-1 s')$$, '22023',
    'invalid value for argument "ttl"', 'ttl negative');

SELECT * FROM finish();
ROLLBACK;
