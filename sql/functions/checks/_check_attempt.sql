CREATE OR REPLACE FUNCTION board._check_attempt(attempt bigint)
RETURNS void
LANGUAGE plpgsql
STABLE
SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
    IF attempt IS NULL AND (SELECT s.require_attempt FROM board.settings AS s) THEN
        PERFORM board._invalid_argument('attempt', 'is NULL',
            'Pass the claim_count that claim returned: settings.require_attempt is on.');
    END IF;
END;
$$;

COMMENT ON FUNCTION board._check_attempt IS
    'Private: 22023 for an attempt that is missing where settings.require_attempt wants it.';
