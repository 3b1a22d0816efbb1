-- enqueue and enqueue_many: what they make, what they refuse, what a unique key does.
BEGIN;
SELECT plan(37);
CREATE TEMP TABLE made AS
SELECT board.enqueue('mail', '{"to": "ada"}', 7, NULL, 'order_1', 'evt-1') AS id;

SELECT results_eq(
    $$SELECT t.kind::text, t.status::text, t.priority, t.payload, t.unique_key,
             t.correlation_id, t.claim_count
        FROM board.tasks AS t JOIN made USING (id)$$,
    $$VALUES ('mail', 'pending', 7, '{"to": "ada"}'::jsonb, 'order_1', 'evt-1', 0)$$,
    'a task as asked for');
SELECT results_eq(
    $$SELECT e.type::text, e.actor, e.db_user, e.attempt, e.payload
        FROM board.task_events AS e JOIN made ON e.task_id = made.id$$,
    $$SELECT 'enqueued', current_user::text COLLATE "default",
        current_user::text COLLATE "default", 0, '{"to": "ada"}'::jsonb$$,
    'one event, under the database role');
SELECT is(board.enqueue('mail', '{}', unique_key => 'order_1'), (SELECT id FROM made),
    'the same key while it is open: the same task');
SELECT isnt(board.enqueue('fax', '{}', unique_key => 'order_1'), (SELECT id FROM made),
    'the same key in another kind: another task');
SELECT is(board.enqueue('mail', unique_key => 'order_1'), (SELECT id FROM made),
    'still no second event or task')
  FROM board.claim('a', kinds => ARRAY['mail']);
SELECT is((SELECT count(*) FROM board.task_events AS e JOIN made ON e.task_id = made.id
            WHERE e.type = 'enqueued'), 1::bigint, 'absorbed while in progress');
DO $$ BEGIN PERFORM board.complete((SELECT id FROM made), 'a'); END $$;
SELECT isnt(board.enqueue('mail', unique_key => 'order_1'), (SELECT id FROM made),
    'after it is finished: a new one');

CREATE TEMP TABLE timed AS SELECT board.enqueue('mail', run_at => clock_timestamp() + '1 hour')
    AS later,
    board.enqueue('mail', run_at => clock_timestamp() - interval '1 hour') AS past;
SELECT is(t.status, 'scheduled', 'a moment to come: scheduled') FROM board.tasks AS t, timed
    WHERE t.id = timed.later;
SELECT is(t.status, 'pending', 'a moment that is past: pending') FROM board.tasks AS t, timed
    WHERE t.id = timed.past;
SELECT is(substr(board.enqueue('mail')::text, 15, 1), '7', 'ids are UUIDs of version 7');
SELECT ok((SELECT bool_and(b.id > a.id) FROM
    (SELECT n, board._uuid7('2026-01-01'::timestamptz + n * interval '1 microsecond') AS id
       FROM generate_series(1, 2000) AS n) AS a
    JOIN (SELECT n, board._uuid7('2026-01-01'::timestamptz + n * interval '1 microsecond') AS id
       FROM generate_series(1, 2000) AS n) AS b ON b.n = a.n + 1),
    'ids of later microseconds are larger');

CREATE TEMP TABLE many AS
SELECT m.id, m.n FROM board.enqueue_many('bulk',
    ARRAY(SELECT jsonb_build_object('n', n) FROM generate_series(1, 500) AS n), 3)
    WITH ORDINALITY AS m (id, n);
SELECT is((SELECT count(*) FROM many), 500::bigint, 'one task per payload');
SELECT is((SELECT count(*) FROM many JOIN board.tasks AS t USING (id)
            WHERE (t.payload ->> 'n')::int = many.n AND t.priority = 3), 500::bigint,
    'ids come in the order of the payloads');
SELECT results_eq(
    $$SELECT (c.payload ->> 'n')::int FROM board.claim('a', kinds => ARRAY['bulk'],
        max_tasks => 500)
        WITH ORDINALITY AS c ORDER BY c.ordinality$$,
    $$SELECT generate_series(1, 500)$$, 'and are claimed in that order');
SELECT is((SELECT count(*) FROM board.enqueue_many('bulk', '{}')), 0::bigint,
    'nothing in, nothing out');

SELECT throws_ok($$SELECT board.enqueue(NULL)$$, '22023', 'invalid value for argument "kind"',
    'kind NULL');
SELECT throws_ok($$SELECT board.enqueue('')$$, '22023', 'invalid value for argument "kind"',
    'kind empty');
SELECT throws_ok($$SELECT board.enqueue(repeat('x', 201))$$, '22023',
    'invalid value for argument "kind"', 'kind too long');
SELECT lives_ok($$SELECT board.enqueue(repeat('ü', 200))$$, '200 characters of two bytes are 200');
SELECT throws_ok($$SELECT board.enqueue(E'a\tb')$$, '22023', 'invalid value for argument "kind"',
    'control character');
SELECT throws_ok($$SELECT board.enqueue(U&'a\0085b')$$, '22023',
    'invalid value for argument "kind"', 'C1 control character');
SELECT throws_ok($$SELECT board.enqueue('k', NULL)$$, '22023',
    'invalid value for argument "payload"', 'payload NULL');
SELECT throws_ok($$SELECT board.enqueue('k', '{}', NULL)$$, '22023',
    'invalid value for argument "priority"', 'priority NULL');
SELECT throws_ok($$SELECT board.enqueue('k', run_at => 'infinity')$$, '22023',
    'invalid value for argument "run_at"', 'run_at never');
SELECT throws_ok($$SELECT board.enqueue('k', unique_key => '')$$, '22023',
    'invalid value for argument "unique_key"', 'key empty');
SELECT throws_ok($$SELECT board.enqueue('k', unique_key => repeat('k', 401))$$, '22023',
    'invalid value for argument "unique_key"', 'key too long');
SELECT lives_ok(
    $$SELECT board.enqueue(repeat('😀', 200),
        unique_key => (SELECT string_agg(chr(128512 + n), '') FROM generate_series(1, 400) AS n))$$,
    'the longest kind and key of four bytes each fit the index');
SELECT throws_ok($$SELECT board.enqueue('k', correlation_id => repeat('k', 401))$$, '22023',
    'invalid value for argument "correlation_id"', 'correlation id too long');
SELECT throws_ok($$SELECT board.enqueue_many('k', NULL)$$, '22023',
    'invalid value for argument "payloads"', 'payloads NULL');
SELECT throws_ok($$SELECT board.enqueue_many('k', ARRAY['{}', NULL]::jsonb[])$$, '22023',
    'invalid value for argument "payloads"', 'a payload NULL');
SELECT throws_ok($$SELECT board.enqueue_many('k', '{}', run_at => '-infinity')$$, '22023',
    'invalid value for argument "run_at"', 'run_at before time');
-- Within years 1 to 9999: clients cannot read others.
SELECT throws_ok(c.call, '22023', 'invalid value for argument "' || c.argument || '"', c.call)
  FROM (VALUES
       ($$SELECT board.enqueue('k', run_at => '10000-01-01 00:00+00')$$, 'run_at'),
       ($$SELECT board.enqueue('k', run_at => '0001-12-31 00:00+00 BC')$$, 'run_at'),
       ($$SELECT board.enqueue_many('k', '{}', run_at => '294276-12-31 00:00+00')$$, 'run_at'),
       ($$SELECT board.schedule('n', '@daily', 'k', starts_at => '20000-01-01 00:00+00',
                                actor => 'a')$$, 'starts_at')) AS c (call, argument);
SELECT throws_ok($$INSERT INTO board.tasks (kind, created_at) VALUES ('k', '-infinity')$$, '23514',
    'row of tasks violates rule "tasks_times"', 'nor a row that is typed by hand');
SELECT throws_ok($$UPDATE board.tasks SET run_at = '10000-01-01 00:00+00'$$, '23514',
    'row of tasks violates rule "tasks_times"', 'nor a change');

SELECT * FROM finish();
ROLLBACK;
