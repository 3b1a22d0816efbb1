CREATE OR REPLACE FUNCTION board._provider_free_at(
    provider text,
    at       timestamptz)
RETURNS timestamptz
LANGUAGE plpgsql
STABLE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    _free_at timestamptz;
BEGIN
    -- Locks nothing.
    SELECT CASE WHEN p.paused THEN 'infinity' ELSE greatest(at, every.throttled_until) END
      INTO _free_at
      FROM board.providers AS p
      LEFT JOIN board.throttles AS every
        ON every.provider = p.name AND every.account IS NULL
     WHERE p.name = _provider_free_at.provider;
    RETURN coalesce(_free_at, at);
END;
$$;

COMMENT ON FUNCTION board._provider_free_at IS
    'Private: the earliest moment, not before at, when a provider grants anything to any account: '
    'its pause and its throttle for all accounts; infinity: paused.';
