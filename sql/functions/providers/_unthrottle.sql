CREATE OR REPLACE FUNCTION board._unthrottle(
    who      text,
    provider text,
    account  text)
RETURNS boolean
LANGUAGE plpgsql
VOLATILE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    _now timestamptz;
    _until timestamptz;
BEGIN
    -- Locks the throttles that it lifts, and nothing after them but what the log appends.
    -- Touches tasks first, as every verb does: an upgrade locks in that order.
    PERFORM FROM board.tasks AS t WHERE false;
    PERFORM board._check_provider(_unthrottle.provider, coalesce(_unthrottle.account, ''));
    WITH lifted AS (
        DELETE FROM board.throttles AS t
         WHERE t.provider = _unthrottle.provider
           AND (t.account = _unthrottle.account OR _unthrottle.account IS NULL)
        RETURNING t.throttled_until)
    SELECT max(l.throttled_until) INTO _until FROM lifted AS l;
    _now := clock_timestamp();
    IF _until IS NULL OR _until <= _now THEN
        RETURN false;
    END IF;
    PERFORM board._recall_postponed(_unthrottle.provider);
    PERFORM board._audit(who, 'unthrottle', 'provider:' || _unthrottle.provider,
        jsonb_build_object('account', _unthrottle.account, 'throttled_until', _until));
    RETURN true;
END;
$$;

COMMENT ON FUNCTION board._unthrottle IS
    'Private: body of unthrottle for the checked name who (NULL: the database role).';
