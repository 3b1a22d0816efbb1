CREATE OR REPLACE FUNCTION board._due_at(
    status       text,
    paused       boolean,
    run_at       timestamptz,
    leased_until timestamptz,
    escalated_at timestamptz)
RETURNS timestamptz
LANGUAGE sql
IMMUTABLE
SET search_path = pg_catalog, pg_temp
AS $$
    SELECT CASE
        WHEN paused THEN NULL
        WHEN status = 'scheduled' THEN run_at
        WHEN status = 'in_progress' AND escalated_at IS NULL THEN leased_until
    END;
$$;

COMMENT ON FUNCTION board._due_at IS
    'Private: what tasks.due_at has to be: when time alone makes a task with these values claimable '
    'by agents; NULL: time changes nothing. A card in a person''s hands goes back to the human '
    'queue, so it has none.';
