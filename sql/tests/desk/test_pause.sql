-- pause and resume: board, kind, provider, task.
BEGIN;
SELECT plan(33);
CREATE TEMP TABLE ids AS SELECT board.enqueue('k') AS id;
SELECT is(board.pause('kind:k', 'op', 'why'), 'paused', 'a kind');
SELECT is(board.pause('kind:k', 'op2', 'again'), 'paused', 'twice');
SELECT is((SELECT k.paused_by || ': ' || k.pause_reason FROM board.kinds AS k
    WHERE k.name = 'k'), 'op: why', 'who was first stays');
SELECT is_empty($$SELECT * FROM board.claim('a')$$, 'nothing is given out');
SELECT is_empty($$SELECT * FROM board.queue$$, 'nor is it in the queue');
SELECT is(board.resume('kind:k', 'op'), 'resumed', 'resume');
SELECT is(board.resume('kind:k', 'op'), 'resumed', 'twice');
SELECT is((SELECT array_agg(l.action || ' ' || l.actor ORDER BY l.seq) FROM board.audit_log AS l),
    ARRAY['pause op', 'resume op'], 'one entry each in the audit log');
SELECT is(board.pause('kind:not seen yet', 'op'), 'paused', 'a kind that does not exist yet');
DO $$ BEGIN PERFORM board.enqueue('not seen yet'); END $$;
SELECT is_empty($$SELECT * FROM board.claim('a', kinds => ARRAY['not seen yet'])$$,
    'is paused when it comes');
SELECT is(board.pause('board', 'op'), 'paused', 'the board');
SELECT is_empty($$SELECT * FROM board.claim('a')$$, 'gives out nothing');
SELECT is(board.resume('board', 'op'), 'resumed', 'resumes');
SELECT is(board.pause('provider:p', 'op'), 'paused', 'a provider that does not exist yet');
SELECT is(board.resume('provider:p', 'op'), 'resumed', 'resumes');
SELECT is(board.pause('task:' || id, 'op', 'look first'), 'paused', 'a waiting task') FROM ids;
SELECT is_empty($$SELECT * FROM board.claim('a')$$, 'is not given out');
SELECT is(board.resume('task:' || upper(id::text), 'op'), 'resumed',
    'resumes, its id in capitals') FROM ids;
SELECT results_eq($$SELECT e.type::text, e.actor, e.payload FROM board.task_events AS e, ids
    WHERE e.task_id = ids.id ORDER BY e.seq OFFSET 1$$,
    $$VALUES ('paused', 'op', '{"reason": "look first"}'::jsonb), ('resumed', 'op', NULL)$$,
        'both are events of the task');
SELECT is((SELECT c.id FROM board.claim('a') AS c), id, 'it is given out again') FROM ids;
SELECT throws_ok(format($$SELECT board.pause('task:%s', 'op')$$, id), 'TB003',
    'cannot pause a task that is in_progress', 'a task in progress cannot be paused') FROM ids;
SELECT throws_ok($$SELECT board.pause('task:' || gen_random_uuid(), 'op')$$, 'TB002',
    'task not found', 'no such task');
SELECT throws_ok(format($$SELECT board.pause(%L, 'op')$$, x.target), '22023',
    'invalid value for argument "target"', 'target ' || coalesce(left(x.target, 20), 'NULL'))
  FROM (VALUES (NULL), (''), ('kind'), ('kind:'), ('everything'), ('task:7'), ('Board'),
      (E'kind:\n'), ('provider:' || repeat('p', 201))) AS x (target);
SELECT throws_ok($$SELECT board.pause('board', NULL)$$, '22023',
    'invalid value for argument "actor"', 'actor NULL');
SELECT throws_ok($$SELECT board.resume('x', 'op')$$, '22023',
    'invalid value for argument "target"', 'resume of nothing');

SELECT * FROM finish();
ROLLBACK;
