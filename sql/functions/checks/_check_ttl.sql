CREATE OR REPLACE FUNCTION board._check_ttl(
    ttl      interval,
    argument text DEFAULT 'ttl')
RETURNS void
LANGUAGE plpgsql
STABLE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    _longest interval;
BEGIN
    IF ttl IS NULL THEN
        PERFORM board._invalid_argument(
            argument, 'is NULL', 'Pass how long the lease shall last, as in ''2 minutes''.');
    END IF;
    -- Before the clock is added: a longer one may lie beyond the end of time.
    _longest := (SELECT s.max_ttl FROM board.settings AS s);
    IF ttl > _longest THEN
        PERFORM board._invalid_argument(argument, format('is %s', ttl),
            format('The longest lease is %s (settings.max_ttl); heartbeats hold a task for longer.',
                   _longest));
    ELSIF ttl <= '0' OR clock_timestamp() + ttl <= clock_timestamp() THEN
        PERFORM board._invalid_argument(argument, format('is %s', ttl), 'A lease lasts longer than nothing.');
    END IF;
END;
$$;

COMMENT ON FUNCTION board._check_ttl IS
    'Private: positive and at most settings.max_ttl; else 22023 naming the argument.';
