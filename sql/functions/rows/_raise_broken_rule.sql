CREATE OR REPLACE FUNCTION board._raise_broken_rule(
    rule text,
    id   uuid)
RETURNS void
LANGUAGE plpgsql
STABLE
SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
    -- As PostgreSQL reports a CHECK: with table and constraint, for whoever reads error fields.
    IF rule IS NOT NULL THEN
        RAISE EXCEPTION USING
            ERRCODE = '23514',
            SCHEMA = 'board',
            TABLE = 'tasks',
            CONSTRAINT = rule,
            MESSAGE = format('row of tasks violates rule "%s"', rule),
            DETAIL = format('Task %s: %s', id, CASE rule
                WHEN 'tasks_lease'
                    THEN 'leased_by and leased_until are set while it is in progress, and only then.'
                WHEN 'tasks_times' THEN 'its times are within the years 1 to 9999.'
                WHEN 'tasks_blocked' THEN 'nothing is blocked that waits for no other task.'
                WHEN 'tasks_escalated' THEN 'escalated_at is set while it is escalated.'
                ELSE 'finished_at is set when it is completed or cancelled, and only then.' END),
            HINT = 'The functions of the board keep these rules by themselves.';
    END IF;
END;
$$;

COMMENT ON FUNCTION board._raise_broken_rule IS
    'Private: raises 23514 with the rule''s name as the constraint''s; nothing when it is NULL.';
