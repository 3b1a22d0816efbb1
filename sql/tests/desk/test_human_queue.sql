-- claim_escalated, retry and the person's side: what is a person's stays among people.
BEGIN;
SELECT plan(29);
CREATE FUNCTION pg_temp.escalated(kind text, priority int DEFAULT 0) RETURNS uuid LANGUAGE plpgsql
    AS $f$
DECLARE _id uuid := board.enqueue(kind, '{}', priority);
BEGIN
    PERFORM board.claim_task(_id, 'bot');
    PERFORM board.escalate(_id, 'bot', '{"q": 1}');
    RETURN _id;
END $f$;
SELECT is_empty($$SELECT * FROM board.claim_escalated('maria')$$, 'an empty queue gives zero rows');
CREATE TEMP TABLE ids AS SELECT pg_temp.escalated('k') AS old, pg_temp.escalated('k') AS young,
    pg_temp.escalated('k', 5) AS urgent;
SELECT is((SELECT count(*) FROM board.human_queue), 3::bigint, 'three cards in the view');
SELECT is_empty($$SELECT * FROM board.claim('bot')$$, 'agents get none of them');
SELECT is((SELECT c.id FROM board.claim_escalated('maria') AS c), urgent,
    'the urgent one first') FROM ids;
SELECT is((SELECT c.id FROM board.claim_escalated('pedro') AS c), old,
    'then the one that has waited longest') FROM ids;
SELECT is((SELECT q.held_by FROM board.human_queue AS q, ids
    WHERE q.id = ids.old), 'pedro', 'the view says who has it');
SELECT is_empty($$SELECT c.* FROM ids, board.claim_escalated('maria', id => ids.old) AS c$$,
    'a card that another holds: zero rows');
SELECT results_eq($$SELECT c.status::text, c.leased_by, c.leased_until - c.heartbeat_at FROM ids,
    board.claim_escalated('maria', id => ids.young) AS c$$,
    $$VALUES ('in_progress', 'maria', interval '1 hour')$$, 'a card by its id, for an hour');
SELECT is(board.fail(old, 'pedro', '{"why": "no"}'), 'escalated',
    'a person''s fail: back to people') FROM ids;
SELECT is(board.release(young, 'maria'), 'escalated',
    'a person''s release: back to people') FROM ids;
SELECT is_empty($$SELECT * FROM board.claim('bot')$$, 'never among the agents');
DO $$ BEGIN PERFORM board.claim_escalated('pedro', id => (SELECT old FROM ids)); END $$;
UPDATE board.tasks SET leased_until = clock_timestamp() - interval '1 s'
    WHERE id = (SELECT old FROM ids);
SELECT is_empty($$SELECT * FROM board.claim('bot')$$, 'a person''s lapse is nothing for agents');
SELECT is_empty($$SELECT c.* FROM ids, board.claim_task(ids.old, 'bot') AS c$$, 'also not by id');
SELECT is((SELECT c.claim_count FROM ids, board.claim_escalated('maria', id => ids.old) AS c), 4,
    'another person takes it over, attempt 4');
UPDATE board.tasks SET leased_until = clock_timestamp() - interval '1 s', priority = 9
    WHERE id = (SELECT old FROM ids);
SELECT is((SELECT c.id FROM board.claim_escalated('pedro') AS c), old,
    'also without an id') FROM ids;
SELECT is(board.complete(old, 'pedro', '{"done": "by hand"}'), 'completed',
    'a person completes it') FROM ids;

SELECT throws_ok(format($$SELECT board.retry(%L, 'pedro')$$, urgent), 'TB003',
    'cannot retry a task that is in_progress', 'retry of what another person holds') FROM ids;
UPDATE board.tasks SET failure_count = 2, lapse_count = 2 WHERE id = (SELECT urgent FROM ids);
SELECT is(board.retry(urgent, 'maria', '{"why": "fixed"}'), 'pending',
    'retry by who holds it') FROM ids;
SELECT is(board.retry(young, 'pedro'), 'pending', 'retry straight from the queue') FROM ids;
SELECT results_eq($$SELECT t.status::text, t.failure_count, t.lapse_count, t.escalated_at,
    t.escalation_reason, t.claim_count FROM board.tasks AS t, ids WHERE t.id = ids.urgent$$,
    $$VALUES ('pending', 0, 0, NULL::timestamptz, NULL::text, 2)$$,
        'strikes cleared, the attempt goes on counting');
SELECT is((SELECT e.payload FROM board.task_events AS e, ids
    WHERE e.task_id = ids.urgent AND e.type = 'retried'), '{"why": "fixed"}',
        'the note is in the log');
SELECT is((SELECT c.id FROM board.claim('bot') AS c), urgent, 'agents get it again') FROM ids;
SELECT throws_ok(format($$SELECT board.retry(%L, 'maria')$$, urgent), 'TB003', NULL,
    'retry of what an agent holds') FROM ids;
SELECT throws_ok(format($$SELECT board.retry(%L, 'maria')$$, old), 'TB003',
    'cannot retry a task that is completed', 'retry of what is done') FROM ids;
SELECT throws_ok($$SELECT board.retry(gen_random_uuid(), 'maria')$$, 'TB002', 'task not found',
    'retry of nothing');
SELECT throws_ok($$SELECT board.retry(gen_random_uuid(), '')$$, '22023',
    'invalid value for argument "actor"', 'actor empty');
SELECT throws_ok($$SELECT board.claim_escalated('maria', id => gen_random_uuid())$$, 'TB002',
    'task not found', 'no such card');
SELECT throws_ok($$SELECT board.claim_escalated('maria', '0')$$, '22023',
    'invalid value for argument "ttl"', 'ttl 0');
SELECT throws_ok($$SELECT board.claim_escalated(NULL)$$, '22023',
    'invalid value for argument "agent"', 'agent NULL');

SELECT * FROM finish();
ROLLBACK;
