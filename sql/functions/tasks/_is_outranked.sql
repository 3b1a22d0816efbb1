CREATE OR REPLACE FUNCTION board._is_outranked(
    kinds text[],
    rank  int,
    at    bigint)
RETURNS boolean
LANGUAGE plpgsql
VOLATILE
SET search_path = pg_catalog, pg_temp
SET plan_cache_mode = force_generic_plan
SET enable_seqscan = off
SET enable_bitmapscan = off
SET enable_sort = off
SET jit = off
AS $$
DECLARE
    _looked_at bigint;
    _walked bigint;
    _found boolean;
BEGIN
    -- Reads only. One probe; where the dead of higher priorities pile up as well, it walks all of
    -- them, and is then not repeated within a tenth of a second (board.probe, microseconds since
    -- 1970, a setting of the session as board.walk is).
    _looked_at := substring(current_setting('board.probe', true) FROM '^[0-9]{1,16}$')::bigint;
    IF _looked_at BETWEEN at - 100000 AND at THEN
        RETURN false;
    END IF;
    _walked := board._walked();
    IF kinds IS NULL THEN
        SELECT true INTO _found
          FROM board.tasks AS t
         WHERE t.rank IS NOT NULL AND t.rank < _is_outranked.rank
         ORDER BY t.rank, t.created_at, t.id
         LIMIT 1;
    ELSE
        SELECT true INTO _found
          FROM unnest(kinds) AS k (name)
         CROSS JOIN LATERAL (
               SELECT t.id
                 FROM board.tasks AS t
                WHERE t.rank IS NOT NULL
                  AND (t.kind, t.rank) >= (k.name, -2147483648)
                  AND (t.kind, t.rank) < (k.name, _is_outranked.rank)
                ORDER BY t.kind, t.rank, t.created_at, t.id
                LIMIT 1) AS b
         LIMIT 1;
    END IF;
    IF board._walked() - _walked > 1000 THEN
        PERFORM set_config('board.probe', at::text, false);
    END IF;
    RETURN coalesce(_found, false);
END;
$$;

COMMENT ON FUNCTION board._is_outranked IS
    'Private: whether a task of these kinds (NULL: of any) is ready that goes before all of that '
    'rank; false, unlooked, where the last look was long and a moment ago. at is the moment, in '
    'microseconds since 1970.';
