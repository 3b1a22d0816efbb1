CREATE OR REPLACE FUNCTION board.request(
    token     text,
    action    text,
    arguments jsonb DEFAULT '{}')
RETURNS jsonb
LANGUAGE plpgsql
VOLATILE SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
SET timezone = 'UTC'
SET datestyle = 'ISO, YMD'
SET intervalstyle = 'postgres'
SET extra_float_digits = 1
SET array_nulls = on
SET quote_all_identifiers = off
SET enable_seqscan = off
SET jit = off
AS $$
DECLARE
    _token board.access_tokens;
    _action record;
    _given jsonb;
    _answer jsonb;
BEGIN
    -- Locks nothing itself; the verb locks what it locks for anybody. The token comes first: who
    -- has none learns nothing, not even whether an action exists. What follows runs as the owner,
    -- and therefore only this fixed list of verbs, with the token's agent and checked arguments.
    _token := board._authenticate(token);
    SELECT a.* INTO _action FROM board._actions() AS a WHERE a.action = request.action;
    IF NOT FOUND THEN
        PERFORM board._invalid_argument('action', 'names no action',
            format('Actions are %s.', board._action_list()));
    ELSIF NOT board._scope_allows(_token.scopes, _action.action, _action.scope, arguments) THEN
        PERFORM board._deny_access('42501');
    END IF;
    _given := board._arguments(_token.agent, action, coalesce(arguments, '{}'::jsonb));
    -- Each knows its own actions and is NULL for the rest; none is tried after the one that acted.
    _answer := coalesce(
        board._request_tasks(_token.agent, action, _given),
        board._request_desk(_token.agent, action, _given),
        board._request_calls(_token.agent, action, _given),
        board._request_modes(_token.agent, action, _given),
        board._request_providers(_token.agent, action, _given),
        board._request_schedules(_token.agent, action, _given),
        board._request_locks(_token.agent, action, _given),
        board._request_signing(action, _given),
        board._request_maintenance(_token.agent, action, _given),
        board._request_looks(_token, action, _given));
    IF _answer IS NULL THEN
        RAISE EXCEPTION USING
            ERRCODE = '0A000',
            MESSAGE = format('no part of request() runs %s', action),
            DETAIL = 'It stands in board._actions() and in no board._request_WING().',
            HINT = 'This is a fault of the board itself: tell its maintainers.';
    END IF;
    RETURN _answer;
END;
$$;

COMMENT ON FUNCTION board.request IS
$$Runs one verb for the bearer of a token, as the token's agent: the only function that
board_gateway may call, and all that an HTTP front or a webhook receiver needs.

token      of issue_token; pass it as a parameter and not inside the statement, which the server
           may log
action     name of a verb, as in 'claim'
arguments  jsonb, the verb's arguments by name: intervals, times and UUIDs as strings, arrays as
           arrays; what is left out has the verb's default; agent and actor are the token's; a time
           without a zone is UTC, a day 24 hours, whatever the session's settings are

Returns the verb's result as JSON: rows as an array of objects, NULL as null.
Errors: 28000 for a token that is unknown, expired or revoked; 42501 with the same text when the
action is outside its scopes, and for another agent's name; 22023 for an action that does not exist
(the hint lists them) or an argument that is unknown, missing or of the wrong type; 40001 when the
token was revoked during a transaction stricter than READ COMMITTED; and whatever the verb raises.
Example: SELECT board.request($1, 'claim', '{"ttl": "5 minutes", "kinds": ["send_invoice"]}');$$;
