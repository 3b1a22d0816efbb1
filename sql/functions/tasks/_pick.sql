CREATE OR REPLACE FUNCTION board._pick(
    who       text,
    ttl       interval,
    kinds     text[],
    max_tasks int)
RETURNS SETOF board.tasks
LANGUAGE plpgsql
VOLATILE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    _left int := max_tasks;
    _exact boolean := true;
    _found boolean;
    _before int;
    _rows int;
    _head record;
BEGIN
    -- A round looks at the head of each open kind (one probe each, locking nothing), goes through
    -- them best first, and takes from each kind no further than the head of the next one. A round
    -- that takes something is followed by another. One that takes nothing means that others have
    -- every head locked: then a last round takes what each kind has further down. No head at all:
    -- there is nothing to take.
    WHILE _left > 0 LOOP
        _before := _left;
        _found := false;
        FOR _head IN SELECT h.* FROM board._heads(_pick.kinds) AS h LOOP
            _found := true;
            RETURN QUERY
                SELECT * FROM board._claim_kind(
                    who, _pick.ttl, _head.kind, _head.max_in_progress, _left,
                    CASE WHEN _exact THEN _head.next_rank ELSE 2147483647 END,
                    CASE WHEN _exact THEN _head.next_created_at ELSE 'infinity' END,
                    CASE WHEN _exact THEN _head.next_id
                        ELSE 'ffffffff-ffff-ffff-ffff-ffffffffffff' END);
            GET DIAGNOSTICS _rows = ROW_COUNT;
            _left := _left - _rows;
            EXIT WHEN _left <= 0;
        END LOOP;
        CONTINUE WHEN _left < _before;
        IF _exact AND _found THEN
            _exact := false;
        ELSE
            -- Nothing from where the walk stood: once more from the very head, if it stood
            -- anywhere.
            EXIT WHEN NOT board._forget_walk();
            _exact := true;
        END IF;
    END LOOP;
END;
$$;

COMMENT ON FUNCTION board._pick IS
    'Private: claims up to max_tasks ready tasks of the open kinds in claim order.';
