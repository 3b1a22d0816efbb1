CREATE OR REPLACE FUNCTION board._promote_due(
    who    text,
    kinds  text[],
    closed text[],
    after  timestamptz)
RETURNS int
LANGUAGE plpgsql
VOLATILE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    _now timestamptz := clock_timestamp();
    _walked bigint := board._walked();
    _ids uuid[];
BEGIN
    -- All that is due is put back at once, so that it competes by priority; each task pays for it
    -- once. By the time a row is locked its holder may have sent a heartbeat or finished it:
    -- _expire_tasks looks again at the locked row, and passes over what others have locked.
    _ids := board._due_ids(kinds, closed, after, _now);
    IF cardinality(_ids) > 0 THEN
        RETURN board._expire_tasks(who, _ids, _now);
    END IF;
    _walked := board._walked() - _walked;
    IF _walked > 1000 THEN
        PERFORM board._remember_walk(kinds, _walked, NULL, NULL, NULL, _now);
    END IF;
    RETURN 0;
END;
$$;

COMMENT ON FUNCTION board._promote_due IS
    'Private: puts back what is due of the kinds that are not closed; returns how many.';
