CREATE OR REPLACE FUNCTION board._budget_state(
    budget    board.budgets,
    max_calls int,
    cost      int,
    at        timestamptz,
    OUT used  bigint,
    OUT delay bigint)
RETURNS record
LANGUAGE plpgsql
IMMUTABLE SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    _count int;
    _fit int := 0;
    _width bigint;
BEGIN
    -- A definer, and so a function that the readers of the view may call, without what it calls.
    used := 0;
    delay := CASE WHEN cost <= max_calls THEN 0 END;
    IF budget.provider IS NULL THEN
        RETURN;
    END IF;
    budget := board._slide_window(budget, at);
    -- The _fit newest sub-windows leave room for the cost. Time must push the other 65 - _fit off
    -- the end, one with the beginning of each new sub-window.
    FOREACH _count IN ARRAY budget.counts LOOP
        used := used + _count;
        IF used + cost <= max_calls THEN
            _fit := _fit + 1;
        END IF;
    END LOOP;
    IF _fit < 65 THEN
        _width := board._sub_window(budget.period);
        delay := delay + (budget.instant / _width + 65 - _fit) * _width - budget.instant;
    END IF;
END;
$$;

COMMENT ON FUNCTION board._budget_state IS
    'Private: calls that count at that moment, and microseconds until the cost fits if nobody '
    'else takes (0: it fits now; NULL: it never does). A budget that is NULL has nothing used.';
