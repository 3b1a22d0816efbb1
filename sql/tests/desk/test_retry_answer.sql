-- retry: the answer reaches the next holder, and a payload may take the old one's place.
BEGIN;
SELECT plan(9);
CREATE TEMP TABLE ids AS SELECT board.enqueue('k', '{"to": "a"}') AS id;
DO $$ BEGIN PERFORM board.claim('A'); PERFORM board.escalate((SELECT id FROM ids), 'A'); END $$;
SELECT is(board.retry(id, 'maria', '"use b"', '{"to": "b"}'), 'pending', 'retry') FROM ids;
SELECT results_eq($$SELECT c.payload, c.answer FROM board.claim('A') AS c$$,
    $$VALUES ('{"to": "b"}'::jsonb, '"use b"'::jsonb)$$, 'the next claim returns both');
SELECT results_eq($$SELECT e.type::text, e.actor, e.payload FROM board.task_events AS e
    JOIN ids ON ids.id = e.task_id WHERE e.type IN ('retried', 'replaced') ORDER BY e.seq$$,
    $$VALUES ('retried', 'maria', '"use b"'::jsonb), ('replaced', 'maria',
        '{"to": {"payload": {"to": "b"}}, "from": {"payload": {"to": "a"}}}')$$,
    'both versions are in the log');
SELECT ok(EXISTS (SELECT FROM board.history AS h JOIN ids ON ids.id = h.task_id
    WHERE h.what LIKE 'maria changed its payload from %a% to %b%'), 'history tells who');
DO $$ BEGIN PERFORM board.escalate((SELECT id FROM ids), 'A');
    PERFORM board.retry((SELECT id FROM ids), 'maria'); END $$;
SELECT results_eq($$SELECT c.payload, c.answer FROM board.claim('A') AS c$$,
    $$VALUES ('{"to": "b"}'::jsonb, NULL::jsonb)$$, 'without payload it stays; no note, no answer');
DO $$ BEGIN PERFORM board.escalate((SELECT id FROM ids), 'A'); END $$;
SELECT throws_ok(format($$SELECT board.retry(%L, 'maria',
    payload => to_jsonb(repeat('x', 1100000)))$$, id), '22023', NULL, 'too large') FROM ids;
SELECT is(board.retry(id, 'maria', '"again"', '{"to": "b"}'), 'pending', 'the same')
  FROM ids;
SELECT is((SELECT count(*) FROM board.task_events AS e JOIN ids ON ids.id = e.task_id
    WHERE e.type = 'replaced'), 1::bigint, 'is no change');
SELECT is(board._task_json(t) -> 'answer', '"again"', 'request() shows the answer too')
  FROM board.tasks AS t JOIN ids USING (id);
SELECT * FROM finish();
ROLLBACK;
