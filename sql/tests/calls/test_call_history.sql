-- What a task did to the outside world, in words.
BEGIN;
SELECT plan(3);

SELECT board.configure_provider('pay', base_url => 'https://pay.example/',
    sandbox_url => 'https://sandbox.example/',
                                honours_idempotency => true);
SELECT board.configure_kind('work', provider => 'pay');
CREATE TEMP TABLE task AS SELECT board.enqueue('work') AS id;

DO $$
DECLARE
    _id uuid := (SELECT t.id FROM task AS t);
BEGIN
    PERFORM board.claim('ada', '1 hour');
    UPDATE board.kinds SET mode = 'dry_run';
    PERFORM board.begin_call(_id, 'ada', 'charge', 'pay', '1');
    UPDATE board.kinds SET mode = 'shadow';
    PERFORM board.begin_call(_id, 'ada', 'charge', 'pay', '1');
    UPDATE board.kinds SET mode = 'live';
    PERFORM board.begin_call(_id, 'ada', 'print', request => '1');
    PERFORM board.begin_call(_id, 'ada', 'charge', 'pay', '1');
    UPDATE board.tasks SET leased_until = clock_timestamp() - interval '1 second';
    PERFORM board.claim('bob', '1 hour');
    PERFORM board.begin_call(_id, 'bob', 'charge', 'pay', '1');
    PERFORM board.finish_call(_id, 'ada', 'charge', '{"id": 1}', attempt => 1);
    PERFORM board.finish_call(_id, 'bob', 'charge', NULL, false);
    PERFORM board.finish_call(_id, 'bob', 'charge', '{"charge": "ch_1"}');
END $$;

SELECT results_eq(
    $$ SELECT h.what FROM board.call_history AS h, task WHERE h.task_id = task.id
       ORDER BY h.what COLLATE "C" $$,
    $$ VALUES ('ada says that step "charge" succeeded at attempt 1, too late to count: {"id": 1}'),
              ('ada sends step "charge" to pay (attempt 1)'),
              ('ada sends step "charge" to pay''s sandbox (attempt 1, shadow)'),
              ('ada sends step "print" to pay (attempt 1)'),
              ('ada would have sent step "charge" to pay (attempt 1, dry_run)'),
              ('bob says that step "charge" failed'),
              ('bob says that step "charge" succeeded: {"charge": "ch_1"}'),
              ('bob sends step "charge" to pay (attempt 2)') $$,
    'every call and every outcome');
SELECT results_eq(
    $$ SELECT h.what FROM board.call_history AS h, task WHERE h.task_id = task.id
       ORDER BY h.at DESC LIMIT 1 $$,
    $$ VALUES ('bob says that step "charge" succeeded: {"charge": "ch_1"}') $$,
    'with the time');

CREATE FUNCTION pg_temp.seen() RETURNS bigint LANGUAGE plpgsql SET role = board_viewer AS $$
BEGIN
    RETURN (SELECT count(h.what) FROM board.call_history AS h);
END $$;
SELECT is(pg_temp.seen(), 8::bigint, 'a viewer may read it');

SELECT * FROM finish();
ROLLBACK;
