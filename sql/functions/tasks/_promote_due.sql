CREATE OR REPLACE FUNCTION board._promote_due(
    who            text,
    kinds          text[],
    closed         text[],
    special        text[],
    after          timestamptz,
    wanted         bigint,
    OUT ready      int,
    OUT rank       int,
    OUT created_at timestamptz,
    OUT id         uuid)
RETURNS record
LANGUAGE plpgsql
VOLATILE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    _now timestamptz := clock_timestamp();
    _walked bigint := board._walked();
    _ids uuid[];
    _batch int;
    _expired int := 0;
    _from int := 1;
    _done record;
BEGIN
    -- What is due is looked at, and the best of it is put back, so that it competes by priority
    -- with what is ready: a hundred or as many as are wanted, of a great many a tenth, and never
    -- more than some thousand: a claim that runs into a timeout puts nothing back, and so would the
    -- next one. What stays behind competes as well: its best place is told, and the caller takes
    -- only what stands before it. Of a kind that has no free slot or no budget nothing could be
    -- taken, so that where much is due none of it is put back.
    -- Not all is put back also because a session that stays in its transaction keeps the others
    -- from what it did. By the time a row is locked its holder may have sent a heartbeat or done
    -- with it: _expire_tasks looks again at the locked row, and passes over what others have
    -- locked; then what comes next takes its place, as for a task that went to the human queue.
    ready := 0;
    _ids := board._due_ids(kinds, closed, after, _now);
    IF cardinality(_ids) > 100 AND special <> '{}' THEN
        SELECT coalesce(array_agg(s.name), '{}')
          INTO special
          FROM unnest(special) AS s (name)
         WHERE s.name <> ALL (closed) AND (kinds IS NULL OR s.name = ANY (kinds));
        closed := closed || board._full_kinds(special, _now);
        _ids := board._due_ids(kinds, closed, after, _now);
    END IF;
    IF cardinality(_ids) > 0 THEN
        _batch := least(1000, greatest(100, wanted, cardinality(_ids) / 10));
        WHILE ready < _batch AND _expired < 3 * _batch AND _from <= cardinality(_ids) LOOP
            SELECT e.* INTO _done
              FROM board._expire_tasks(who, _ids[_from:_from + _batch - 1], _now) AS e;
            ready := ready + _done.ready;
            _expired := _expired + _done.expired;
            _from := _from + _batch;
        END LOOP;
        SELECT ~t.priority, t.created_at, t.id
          INTO rank, created_at, id
          FROM board.tasks AS t
         WHERE t.id = _ids[_from];
        RETURN;
    END IF;
    _walked := board._walked() - _walked;
    IF _walked > 1000 THEN
        PERFORM board._remember_walk(kinds, _walked, NULL, NULL, NULL, _now);
    END IF;
END;
$$;

COMMENT ON FUNCTION board._promote_due IS
    'Private: puts back the best of what is due of the kinds that are not closed; returns how many '
    'are ready for agents now, and the place of the best that is due still (NULL: nothing is).';
