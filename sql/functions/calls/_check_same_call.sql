CREATE OR REPLACE FUNCTION board._check_same_call(
    first    board.calls,
    provider text,
    account  text,
    request  jsonb)
RETURNS void
LANGUAGE plpgsql
STABLE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    _differs text;
BEGIN
    -- Compares JSON with JSON: neither key order nor 1 against 1.0 makes another request. The
    -- account counts because a provider keeps idempotency keys by account.
    IF provider <> first.provider OR provider IS NOT NULL AND first.provider IS NULL THEN
        _differs := format('it went to provider %s, not to "%s"',
                           coalesce('"' || first.provider || '"', 'none'), provider);
    ELSIF account <> first.account THEN
        _differs := format('it went through account "%s", not "%s"', first.account, account);
    ELSIF request IS DISTINCT FROM first.body::jsonb THEN
        _differs := 'its request had another content';
    ELSE
        RETURN;
    END IF;
    RAISE EXCEPTION USING
        ERRCODE = 'TB005',
        MESSAGE = format('step "%s" was begun with another request', first.step),
        DETAIL = format('Task %s began it at attempt %s, and %s.', first.task_id, first.attempt,
                        _differs),
        HINT = 'A step always sends what it first sent: its key stands for that request. Give another request another step name, or replay the task as new.';
END;
$$;

COMMENT ON FUNCTION board._check_same_call IS
    'Private: TB005 unless the arguments ask for what the step''s first call asked for; an '
    'omitted provider or account asks for nothing.';
