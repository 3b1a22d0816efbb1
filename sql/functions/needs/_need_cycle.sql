CREATE OR REPLACE FUNCTION board._need_cycle(
    id  uuid,
    ids uuid[])
RETURNS uuid[]
LANGUAGE plpgsql
STABLE
SET search_path = pg_catalog, pg_temp
SET enable_seqscan = off
SET jit = off
AS $$
DECLARE
    _seen uuid[] := ids;
    _came uuid[] := array_fill(NULL::uuid, ARRAY[coalesce(cardinality(ids), 0)]);
    _at int := 1;
    _path uuid[];
    _next uuid;
BEGIN
    -- The caller has the row of needs_graph locked, so no task that exists gets a further need
    -- meanwhile; a new task has nobody that waits for it yet. Walks up, from need to need, each
    -- task once, and remembers from where it came.
    WHILE _at <= cardinality(_seen) LOOP
        IF _seen[_at] = id THEN
            _path := ARRAY[id];
            _next := _came[_at];
            WHILE _next IS NOT NULL LOOP
                _path := _next || _path;
                _next := _came[array_position(_seen, _next)];
            END LOOP;
            RETURN id || _path;
        END IF;
        FOR _next IN
            SELECT n.needs_id
              FROM board.task_needs AS n
             WHERE n.task_id = _seen[_at]
               AND n.met_at IS NULL
        LOOP
            IF _next <> ALL (_seen) THEN
                _seen := _seen || _next;
                _came := _came || _seen[_at];
            END IF;
        END LOOP;
        _at := _at + 1;
    END LOOP;
    RETURN NULL;
END;
$$;

COMMENT ON FUNCTION board._need_cycle IS
    'Private: the cycle that these needs of a task would close, from the task to itself, each '
    'waiting for the next; NULL: none.';
