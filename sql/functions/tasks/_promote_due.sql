CREATE OR REPLACE FUNCTION board._promote_due(
    who    text,
    kinds  text[],
    closed text[],
    after  timestamptz,
    wanted bigint)
RETURNS int
LANGUAGE plpgsql
VOLATILE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    _now timestamptz := clock_timestamp();
    _walked bigint := board._walked();
    _ids uuid[];
    _batch int;
    _ready int := 0;
    _from int := 1;
BEGIN
    -- All that is due is looked at, and the best of it is put back, so that it competes by priority
    -- with what is ready: a hundred or as many as are wanted, of a great many a tenth. Not all: a
    -- session that stays in its transaction keeps the others from no more than that. By the time a
    -- row is locked its holder may have sent a heartbeat or finished it: _expire_tasks looks again
    -- at the locked row, and passes over what others have locked; then what comes next takes its
    -- place, as it does for a task that went to the human queue.
    _ids := board._due_ids(kinds, closed, after, _now);
    IF cardinality(_ids) > 0 THEN
        _batch := greatest(100, wanted, cardinality(_ids) / 10);
        WHILE _ready < _batch AND _from <= cardinality(_ids) LOOP
            _ready := _ready + board._expire_tasks(who, _ids[_from:_from + _batch - 1], _now);
            _from := _from + _batch;
        END LOOP;
        RETURN _ready;
    END IF;
    _walked := board._walked() - _walked;
    IF _walked > 1000 THEN
        PERFORM board._remember_walk(kinds, _walked, NULL, NULL, NULL, _now);
    END IF;
    RETURN 0;
END;
$$;

COMMENT ON FUNCTION board._promote_due IS
    'Private: puts back the best of what is due of the kinds that are not closed; returns how many '
    'are ready for agents now.';
