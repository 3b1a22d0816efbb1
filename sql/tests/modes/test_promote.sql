-- One step up at a time, down always; one event for each change; an override is a reason on record.
BEGIN;
SELECT plan(37);

CREATE FUNCTION pg_temp.mode(kind text DEFAULT 'work') RETURNS text LANGUAGE sql
AS $$ SELECT (board._kind_policy(kind)).mode $$;
CREATE FUNCTION pg_temp.promotions() RETURNS int LANGUAGE sql
AS $$ SELECT count(*)::int FROM board.audit_log AS a WHERE a.action = 'promote' $$;
CREATE FUNCTION pg_temp.last_detail() RETURNS jsonb LANGUAGE sql
AS $$ SELECT a.detail FROM board.audit_log AS a
    WHERE a.action = 'promote' ORDER BY a.seq DESC LIMIT 1 $$;

SELECT board.enqueue('work');
SELECT is(pg_temp.mode(), 'live', 'a new kind is live');
SELECT is(board.promote('work', 'live', 'ana'), 'live', 'where it is already');
SELECT is(pg_temp.promotions(), 0, 'nothing is logged for that');
SELECT is(board.promote('work', 'dry_run', 'ana'), 'dry_run', 'down, two steps at once');
SELECT results_eq(
    $$ SELECT a.action, a.target, a.actor, a.db_user, a.detail ->> 'from', a.detail ->> 'to'
           FROM board.audit_log AS a WHERE a.action = 'promote' $$,
    $$ SELECT 'promote', 'kind:work', 'ana', session_user::text COLLATE "default", 'live',
           'dry_run' $$,
        'one event says who, what, from and to');
SELECT is(board.promote('work', 'dry_run', 'ben'), 'dry_run', 'said again, by anybody');
SELECT is(pg_temp.promotions(), 1, 'it is no event');

SELECT throws_ok($$ SELECT board.promote('work', 'live', 'ana') $$, 'TB007', 'promotion of "work" to live refused',
    'two steps up are refused');
SELECT throws_ok($$ SELECT board.promote('work', 'live', 'ana', 'in a hurry') $$, 'TB007', NULL, 'also with a reason');
SELECT is(pg_temp.mode(), 'dry_run', 'it stays where it is');
SELECT is(pg_temp.promotions(), 1, 'a refusal is no event');

CREATE TEMPORARY TABLE before AS SELECT k.mode_since FROM board.kinds AS k WHERE k.name = 'work';
SELECT is(board.promote('work', 'shadow', 'ana'), 'shadow', 'dry_run to shadow is free');
SELECT ok((SELECT k.mode_since FROM board.kinds AS k WHERE k.name = 'work') > b.mode_since,
    'and begins a new count')
  FROM before AS b;

SELECT throws_ok($$ SELECT board.promote('work', 'live', 'ana') $$, 'TB007', 'promotion of "work" to live refused',
    'shadow to live is not free');
SELECT throws_ok($$ SELECT board.promote('work', 'live', 'ana', '') $$, '22023', 'invalid value for argument "override_reason"',
    'an override without a reason is refused');
SELECT throws_ok($$ SELECT board.promote('work', 'live', 'ana', E' \t\n') $$, '22023', 'invalid value for argument "override_reason"',
    'blanks are no reason');
SELECT throws_ok($$ SELECT board.promote('work', 'live', 'ana', repeat('x', 10001)) $$, '22023', 'invalid value for argument "override_reason"',
    'a novel is none either');
SELECT is(pg_temp.promotions(), 2, 'none of that is an event');
SELECT is(board.promote('work', 'live', 'ana', 'the old server is being switched off'), 'live', 'an override with a reason');
SELECT is(pg_temp.promotions(), 3, 'is one');
SELECT is(pg_temp.last_detail() ->> 'override_reason', 'the old server is being switched off', 'with the reason');
SELECT is(jsonb_array_length(pg_temp.last_detail() -> 'unmet'), 3, 'and everything that was unmet');
SELECT is(pg_temp.last_detail() ->> 'comparisons', '0', 'and the figures');
SELECT is(board.promote('work', 'live', 'ben', 'me too'), 'live', 'an override of what has happened');
SELECT is(pg_temp.promotions(), 3, 'is no event');

SELECT is(board.promote('work', 'shadow', 'ben', 'something is odd'), 'shadow', 'down by one, with a reason if one likes');
SELECT is(pg_temp.last_detail() ->> 'override_reason', 'something is odd', 'which is kept');
SELECT ok(NOT pg_temp.last_detail() ? 'unmet', 'down asks for nothing');

-- When the gate is open, no override is needed, and the event has the figures.
SELECT board.configure_kind('work', min_comparisons => 1, min_shadow_time => '0',
    min_agreement => 0.2);
SELECT board.record_actual('work', 'e1', 'fee', '1');
SELECT board.record_decision(t.id, 'A', 'fee',
    '1')
  FROM board.claim_task(board.enqueue('work', correlation_id => 'e1'), 'A') AS t;
SELECT is(board.promote('work', 'live', 'ana'), 'live', 'the gate is open');
SELECT ok(pg_temp.last_detail() @> '{"from": "shadow", "to": "live", "comparisons": 1, "agreed": 1, "diverged": 0, "missing": 0, "agreement_low": 0.2065}'
          AND NOT pg_temp.last_detail() ?| '{unmet,override_reason}', 'the event has the figures');

-- Names.
SELECT is(board.promote('brand new', 'dry_run', 'ana'), 'dry_run', 'a kind may begin in dry_run before its first task');
SELECT throws_ok($$ SELECT board.promote('typo', 'live', 'ana') $$, '22023', 'invalid value for argument "kind"',
    'but live needs a kind that is there');
SELECT throws_ok($$ SELECT board.promote('work', 'sandbox', 'ana') $$, '22023', 'invalid value for argument "mode"',
    'three modes');
SELECT throws_ok($$ SELECT board.promote('work', NULL, 'ana') $$, '22023', 'invalid value for argument "mode"',
    'NULL is none');
SELECT throws_ok($$ SELECT board.promote('work', 'shadow', NULL) $$, '22023', 'invalid value for argument "actor"',
    'somebody decides');
SELECT throws_ok($$ SELECT board.promote('', 'shadow', 'ana') $$, '22023', 'invalid value for argument "kind"',
    'about something');
SELECT is(pg_temp.promotions(), 6, 'six events in all');

SELECT * FROM finish();
ROLLBACK;
