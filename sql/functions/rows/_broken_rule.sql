CREATE OR REPLACE FUNCTION board._broken_rule(
    status       text,
    leased_by    text,
    leased_until timestamptz,
    escalated_at timestamptz,
    finished_at  timestamptz,
    unmet_needs  int)
RETURNS text
LANGUAGE sql
IMMUTABLE
SET search_path = pg_catalog, pg_temp
AS $$
    SELECT CASE
        WHEN (status = 'in_progress') <> (leased_by IS NOT NULL)
            OR (status = 'in_progress') <> (leased_until IS NOT NULL) THEN 'tasks_lease'
        WHEN status = 'escalated' AND escalated_at IS NULL THEN 'tasks_escalated'
        WHEN (status IN ('completed', 'cancelled')) <> (finished_at IS NOT NULL)
            THEN 'tasks_finished'
        WHEN status = 'blocked' AND unmet_needs < 1 THEN 'tasks_blocked'
    END;
$$;

COMMENT ON FUNCTION board._broken_rule IS
    'Private: the rule that a row of tasks breaks: tasks_lease (a holder and an end while in '
    'progress and only then), tasks_escalated, tasks_finished (a time when it was), '
    'tasks_blocked (only with a need that is not met); NULL: none.';
