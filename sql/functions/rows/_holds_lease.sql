CREATE OR REPLACE FUNCTION board._holds_lease(
    task    board.tasks,
    who     text,
    attempt bigint,
    at      timestamptz)
RETURNS boolean
LANGUAGE sql
IMMUTABLE
SET search_path = pg_catalog, pg_temp
AS $$
    SELECT coalesce(
        (task).status = 'in_progress'
            AND (task).leased_by = who
            AND (task).leased_until > at
            AND (attempt IS NULL OR (task).claim_count = attempt),
        false);
$$;

COMMENT ON FUNCTION board._holds_lease IS
    'Private: the one rule: whether who holds a live lease on the task at that moment, of that '
    'attempt if one is given.';
