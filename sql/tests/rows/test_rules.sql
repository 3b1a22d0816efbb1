-- What a row of tasks and task_events may hold, whoever types it: 23514 with the rule's name.
BEGIN;
SELECT plan(20);
CREATE FUNCTION pg_temp.broken(command text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
    _rule text;
BEGIN
    EXECUTE command;
    RETURN 'nothing';
EXCEPTION
    WHEN check_violation THEN
        GET STACKED DIAGNOSTICS _rule = CONSTRAINT_NAME;
        RETURN _rule;
END;
$$;
CREATE TEMP TABLE ids AS SELECT board.enqueue('k') AS id;

SELECT is(pg_temp.broken(c.command), c.rule, c.command)
  FROM (VALUES
    ($$UPDATE board.tasks SET status = 'done'$$, 'tasks_status'),
    ($$INSERT INTO board.tasks (kind, status) VALUES ('k', 'done')$$, 'tasks_status'),
    ($$UPDATE board.tasks SET kind = ''$$, 'tasks_kind'),
    ($$UPDATE board.tasks SET kind = repeat('x', 201)$$, 'tasks_kind'),
    ($$INSERT INTO board.tasks (kind) VALUES ('')$$, 'tasks_kind'),
    ($$UPDATE board.tasks SET status = 'in_progress'$$, 'tasks_lease'),
    ($$UPDATE board.tasks SET status = 'in_progress', leased_by = 'a'$$, 'tasks_lease'),
    ($$UPDATE board.tasks SET status = 'in_progress', leased_until = clock_timestamp()$$,
     'tasks_lease'),
    ($$INSERT INTO board.tasks (kind, status) VALUES ('k', 'in_progress')$$, 'tasks_lease'),
    ($$INSERT INTO board.tasks (kind, leased_by) VALUES ('k', 'a')$$, 'tasks_lease'),
    ($$INSERT INTO board.tasks (kind, leased_until) VALUES ('k', clock_timestamp())$$,
     'tasks_lease'),
    ($$INSERT INTO board.tasks (kind, status) VALUES ('k', 'escalated')$$, 'tasks_escalated'),
    ($$INSERT INTO board.tasks (kind, status) VALUES ('k', 'completed')$$, 'tasks_finished'),
    ($$INSERT INTO board.tasks (kind, status) VALUES ('k', 'cancelled')$$, 'tasks_finished'),
    ($$INSERT INTO board.tasks (kind, finished_at) VALUES ('k', clock_timestamp())$$,
     'tasks_finished'),
    ($$INSERT INTO board.task_events (task_id, kind, type, actor, db_user, attempt)
       SELECT i.id, 'k', 'begun', 'a', 'a', 0 FROM ids AS i$$, 'task_events_type'))
       AS c (command, rule);

SELECT is((SELECT t.status || ' ' || t.kind FROM board.tasks AS t), 'pending k',
    'and nothing of it is left');

-- A verb that has gone wrong is held to the same rules.
DO $$ BEGIN PERFORM board.claim('a'); END $$;
SELECT is(pg_temp.broken($$UPDATE board.tasks SET leased_by = NULL$$), 'tasks_lease',
    'a holder cannot be taken away from a task in progress');
SELECT is(pg_temp.broken($$UPDATE board.tasks SET leased_until = NULL$$), 'tasks_lease',
    'nor the end of its lease');

SELECT set_eq(
    $$SELECT a.attname::text FROM pg_attribute AS a
       WHERE a.attrelid = 'board.tasks'::regclass AND a.attnum > 0 AND NOT a.attisdropped
         AND a.attnotnull$$,
    $$VALUES ('id'), ('kind'), ('status'), ('priority'), ('payload'), ('created_at'), ('run_at'),
             ('claim_count'), ('failure_count'), ('lapse_count'), ('unmet_needs'), ('dependents'),
             ('paused'), ('turn')$$,
    'what must not be NULL');

SELECT * FROM finish();
ROLLBACK;
