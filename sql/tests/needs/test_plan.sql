-- enqueue_plan: a whole graph, all or nothing.
BEGIN;
SELECT plan(22);

CREATE TEMP TABLE p AS SELECT * FROM board.enqueue_plan('[
    {"name": "draft", "kind": "write", "payload": {"a": 1}, "priority": 3},
    {"name": "check", "kind": "review", "needs": ["draft", "facts"]},
    {"name": "facts", "kind": "research", "run_at": "2000-01-01T00:00:00Z"},
    {"name": "print", "kind": "print", "needs": ["check"]}]', 'evt-1');
SELECT results_eq('SELECT p.name FROM p',
    $$VALUES ('draft'), ('check'), ('facts'), ('print')$$, 'the names in the order of the plan');
SELECT results_eq(
    $$SELECT k.kind::text, k.status::text, k.priority, k.correlation_id, k.unmet_needs
        FROM p JOIN board.tasks AS k USING (id) ORDER BY p.name$$,
    $$VALUES ('review', 'blocked', 0, 'evt-1', 2), ('write', 'pending', 3, 'evt-1', 0),
             ('research', 'pending', 0, 'evt-1', 0), ('print', 'blocked', 0, 'evt-1', 1)$$,
    'the tasks and what they wait for');
SELECT is((SELECT count(*)::int FROM board.task_events), 4, 'an event each');

CREATE FUNCTION pg_temp.detail(plan jsonb) RETURNS text LANGUAGE plpgsql AS $$
DECLARE _detail text;
BEGIN
    PERFORM * FROM board.enqueue_plan(plan);
    RETURN 'no error';
EXCEPTION
    WHEN invalid_parameter_value THEN
        GET STACKED DIAGNOSTICS _detail = PG_EXCEPTION_DETAIL;
        RETURN _detail;
END $$;
SELECT is(pg_temp.detail('{}'), '"tasks" is not a JSON array.', 'not an array');
SELECT is(pg_temp.detail('[]'), '"tasks" has 0 elements.', 'empty');
SELECT is(pg_temp.detail('[1]'), '"tasks[1]" is not a JSON object.', 'not an object');
SELECT is(pg_temp.detail('[{"name": "a", "kind": "k", "need": []}]'),
    '"tasks[1]" has a field "need".', 'an unknown field');
SELECT is(pg_temp.detail('[{"kind": "k"}]'), '"tasks[1].name" is NULL.', 'no name');
SELECT is(pg_temp.detail('[{"name": "a"}]'), '"tasks[1].kind" is NULL.', 'no kind');
SELECT is(pg_temp.detail('[{"name": "a", "kind": "k", "priority": "high"}]'),
    '"tasks[1].priority" is of the wrong type.', 'a priority that is no number');
SELECT is(pg_temp.detail('[{"name": "a", "kind": "k", "priority": 1.5}]'),
    '"tasks[1]" has a priority or a run_at that is none.', 'a priority that is no whole number');
SELECT is(pg_temp.detail('[{"name": "a", "kind": "k", "priority": 3000000000}]'),
    '"tasks[1].priority" is 3000000000.', 'a priority out of range');
SELECT is(pg_temp.detail('[{"name": "a", "kind": "k"}, {"name": "a", "kind": "k"}]'),
    '"tasks" has two tasks with the name "a".', 'a doubled name');
SELECT is(pg_temp.detail('[{"name": "a", "kind": "k", "needs": ["b"]}]'),
    '"tasks" has a task "a" that needs "b".', 'an unknown name');
SELECT is(pg_temp.detail('[{"name": "a", "kind": "k", "needs": ["a"]}]'),
    '"tasks" has a cycle: "a" needs "a".', 'a task that needs itself');
SELECT is(pg_temp.detail('[{"name": "a", "kind": "k", "needs": ["b"]},
                           {"name": "b", "kind": "k", "needs": ["c"]},
                           {"name": "c", "kind": "k", "needs": ["a"]},
                           {"name": "d", "kind": "k", "needs": ["a"]}]'),
    '"tasks" has a cycle: "a" needs "b" needs "c" needs "a".', 'a cycle is spelt out');
SELECT is((SELECT count(*)::int FROM board.tasks), 4, 'and nothing of it was made');

SELECT is(board.enqueue('write', unique_key => 'one') IS NOT NULL, true, 'an open task with a key');
CREATE TEMP TABLE q AS SELECT * FROM board.enqueue_plan('[
    {"name": "one", "kind": "write", "unique_key": "one"},
    {"name": "two", "kind": "write", "needs": ["one"]}]');
SELECT is((SELECT q.id FROM q WHERE q.name = 'one'),
    (SELECT k.id FROM board.tasks AS k WHERE k.unique_key = 'one'), 'takes its place in the plan');
SELECT is((SELECT k.unmet_needs FROM board.tasks AS k JOIN q USING (id) WHERE q.name = 'two'), 1,
    'and is waited for');
CREATE TEMP TABLE z AS
SELECT * FROM board.enqueue_plan(jsonb_build_array(jsonb_build_object(
    'name', 'z', 'kind', 'k', 'needs', (SELECT jsonb_agg(q.id) FROM q WHERE q.name = 'two'))));
SELECT is((SELECT k.unmet_needs FROM board.tasks AS k JOIN z USING (id)), 1,
    'a need may be a task on the board');
SELECT is((SELECT count(*)::int FROM board.enqueue_plan((
        SELECT jsonb_agg(jsonb_build_object('name', 't' || n, 'kind', 'chain', 'needs',
               CASE WHEN n > 1 THEN jsonb_build_array('t' || (n - 1)) ELSE '[]' END))
          FROM generate_series(1, 1000) AS n))), 1000, 'a thousand in one call');

SELECT * FROM finish();
ROLLBACK;
