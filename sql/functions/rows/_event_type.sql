CREATE OR REPLACE FUNCTION board._event_type(
    was           text,
    is_           text,
    taken_over    boolean,
    extended      boolean,
    reprioritized boolean,
    was_paused    boolean,
    is_paused     boolean)
RETURNS text
LANGUAGE sql
IMMUTABLE
SET search_path = pg_catalog, pg_temp
AS $$
    -- Takes what was decided about the two rows, not the rows: a trigger's row cannot be passed on
    -- to every node. The status outranks the rest; was and is_ are the two of them.
    SELECT CASE
        WHEN was <> is_ THEN
            CASE
                WHEN is_ IN ('completed', 'cancelled', 'escalated') THEN is_
                WHEN is_ = 'in_progress' THEN 'claimed'
                WHEN was = 'escalated' THEN 'retried'
                WHEN was IN ('completed', 'cancelled') THEN 'replayed'
                ELSE 'released'
            END
        WHEN is_ = 'in_progress' AND taken_over THEN 'claimed'
        WHEN is_ = 'in_progress' AND extended THEN 'extended'
        WHEN reprioritized THEN 'reprioritized'
        WHEN is_paused AND NOT was_paused THEN 'paused'
        WHEN was_paused AND NOT is_paused THEN 'resumed'
    END;
$$;

COMMENT ON FUNCTION board._event_type IS
    'Private: the event that a change typed by hand amounts to; NULL when it is no transition.';
