-- Binding agent names to database roles.

BEGIN;

SELECT plan(19);

SELECT is((board.register_agent('billing-1', 'board_agent')).role, 'board_agent',
          'register_agent returns the binding');
SELECT results_eq(
    $$SELECT a.name, a.role, a.registered_by FROM board.agents AS a$$,
    $$VALUES ('billing-1', 'board_agent', session_user::text COLLATE "default")$$,
    'it is in board.agents, with who did it');
SELECT throws_ok(
    $$SELECT board.enqueue('k'); SELECT * FROM board.claim('billing-1')$$,
    '42501', 'agent "billing-1" belongs to another database role',
    'another role may not act under the name, be it the owner');
SELECT lives_ok($$SELECT board.register_agent('billing-1', session_user)$$, 'it can be bound anew');
SELECT lives_ok($$SELECT * FROM board.claim('billing-1')$$, 'and then that role may act');

SELECT throws_ok(
    $$SELECT board.register_agent('x', 'no such role')$$,
    '22023', 'invalid value for argument "role"', 'the role must exist');
SELECT throws_ok(
    $$SELECT board.register_agent('x', NULL)$$,
    '22023', 'invalid value for argument "role"', 'the role must be given');
SELECT throws_ok(
    $$SELECT board.register_agent('', 'board_agent')$$,
    '22023', 'invalid value for argument "name"', 'the name must be one');

SELECT lives_ok($$SELECT board.configure(require_registered_agents => true)$$,
                'the rest can be closed');
SELECT throws_ok(
    $$SELECT * FROM board.claim('stranger')$$,
    '42501', 'agent "stranger" is not registered', 'then a name that is not bound may not act');

SELECT is(board.unregister_agent('billing-1'), true, 'unregister_agent tells that it was bound');
SELECT is(board.unregister_agent('billing-1'), false, 'and then that it was not');
SELECT results_eq(
    $$SELECT l.action, l.target, l.detail - 'seq' FROM board.audit_log AS l
       WHERE l.target = 'agent:billing-1' ORDER BY l.seq$$,
    $$VALUES ('register_agent', 'agent:billing-1', '{"role": "board_agent"}'::jsonb),
             ('register_agent', 'agent:billing-1', jsonb_build_object('role', session_user)),
             ('unregister_agent', 'agent:billing-1', jsonb_build_object('role', session_user))$$,
    'each change is in the audit log');

-- It is the role that is bound.
CREATE FUNCTION pg_temp.claim_as(role text, agent text) RETURNS text LANGUAGE plpgsql AS $f$
DECLARE
    _said text := 'may';
BEGIN
    PERFORM set_config('role', claim_as.role, true);
    BEGIN
        PERFORM board.claim(agent);
    EXCEPTION WHEN OTHERS THEN
        _said := SQLSTATE;
    END;
    PERFORM set_config('role', 'none', true);
    RETURN _said;
END $f$;
SELECT lives_ok($$SELECT board.configure(require_registered_agents => false)$$, 'open again');
CREATE ROLE board_t_first;
CREATE ROLE board_t_second;
GRANT board_agent TO board_t_first, board_t_second;
DO $$ BEGIN PERFORM board.register_agent('r', 'board_t_first'); END $$;
ALTER ROLE board_t_first RENAME TO board_t_renamed;
SELECT is(pg_temp.claim_as('board_t_renamed', 'r'), 'may', 'renamed it keeps the agent name');
ALTER ROLE board_t_second RENAME TO board_t_first;
SELECT is(pg_temp.claim_as('board_t_first', 'r'), '42501',
    'a role that took the old name does not get it');
DO $$ BEGIN PERFORM board.register_agent('r', 'board_t_first'); END $$;
SELECT is(pg_temp.claim_as('board_t_first', 'r'), 'may', 'until it is bound itself');
DROP ROLE board_t_first;
CREATE ROLE board_t_first;
GRANT board_agent TO board_t_first;
SELECT is(pg_temp.claim_as('board_t_first', 'r'), '42501',
    'nor does one that was dropped and made anew');
DO $$ BEGIN PERFORM board.register_agent('r', 'board_t_first'); END $$;
SELECT is(pg_temp.claim_as('board_t_first', 'r'), 'may', 'until it is bound anew');

SELECT * FROM finish();

ROLLBACK;
