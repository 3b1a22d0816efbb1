CREATE OR REPLACE FUNCTION board._status_at(
    status       text,
    run_at       timestamptz,
    leased_until timestamptz,
    escalated_at timestamptz,
    lapse_count  int,
    max_lapses   int,
    at           timestamptz)
RETURNS text
LANGUAGE sql
IMMUTABLE
AS $$
    -- The one place that says what time does to a status. It pins no search path, so that the
    -- planner can take it into its caller; its operators are named in full instead.
    SELECT CASE
        WHEN status OPERATOR(pg_catalog.=) 'scheduled' AND run_at OPERATOR(pg_catalog.<=) at
            THEN 'pending'
        WHEN status OPERATOR(pg_catalog.=) 'in_progress'
            AND leased_until OPERATOR(pg_catalog.<=) at
            THEN CASE WHEN escalated_at IS NOT NULL
                        OR lapse_count OPERATOR(pg_catalog.>=)
                           (max_lapses OPERATOR(pg_catalog.-) 1)
                      THEN 'escalated' ELSE 'pending' END
        ELSE status
    END;
$$;

COMMENT ON FUNCTION board._status_at IS
    'Private: the status that a task with these values has at that moment, also where only the next '
    'claim writes it down: what is due is pending, and so is a task whose lease has lapsed, but '
    'escalated at its kind''s max_lapses or when a person held it.';
