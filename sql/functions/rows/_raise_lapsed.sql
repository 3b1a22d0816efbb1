CREATE OR REPLACE FUNCTION board._raise_lapsed(
    id           uuid,
    leased_until timestamptz)
RETURNS void
LANGUAGE plpgsql
STABLE
SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
    RAISE EXCEPTION USING
        ERRCODE = 'TB001',
        MESSAGE = 'lease lost',
        DETAIL = format('Your lease on task %s lapsed at %s.', id, leased_until),
        HINT = 'Nobody has taken it yet: board.claim_task() can take it again.';
END;
$$;

COMMENT ON FUNCTION board._raise_lapsed IS
    'Private: raises TB001 for a lease that has run out.';
