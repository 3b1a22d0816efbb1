CREATE OR REPLACE FUNCTION board._budget_free_at(
    provider text,
    account  text,
    cost     bigint,
    at       timestamptz)
RETURNS timestamptz
LANGUAGE plpgsql
STABLE
SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
    -- Locks nothing. What claim asks for a task, and so calls alone: which other units its step
    -- will need, and how many, only begin_call is told.
    RETURN board._units_free_at(provider, account, jsonb_build_object('call', cost), at);
END;
$$;

COMMENT ON FUNCTION board._budget_free_at IS
    'Private: the earliest moment, not before at, when so many calls could be granted if nobody '
    'else takes; at itself: now; infinity: paused, or the cost is above a limit. Without locks.';
