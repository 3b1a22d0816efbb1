CREATE OR REPLACE FUNCTION board._plan_cycle(
    froms int[],
    tos   int[],
    size  int)
RETURNS int[]
LANGUAGE plpgsql
IMMUTABLE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    _begins int[] := array_fill(0, ARRAY[size + 1]);
    _next int[];
    _sorted int[];
    _state int[] := array_fill(0, ARRAY[size]);
    _stack int[] := ARRAY[]::int[];
    _top int;
    _to int;
BEGIN
    -- Depth first, without recursion. _sorted holds the ends of all edges by their beginning, those
    -- of i from _begins[i] on; _state: 0 new, 1 on the stack, 2 done. An edge to what is on the
    -- stack closes a cycle.
    SELECT array_agg(e.t ORDER BY e.f, e.t) INTO _sorted FROM unnest(froms, tos) AS e (f, t);
    FOR _top, _to IN
        SELECT g.n, 1 + sum(count(e.f)) OVER (ORDER BY g.n) - count(e.f)
          FROM generate_series(1, size + 1) AS g (n)
          LEFT JOIN unnest(froms) AS e (f) ON e.f = g.n
         GROUP BY g.n
    LOOP
        _begins[_top] := _to;
    END LOOP;
    _next := _begins;
    FOR _root IN 1 .. size LOOP
        CONTINUE WHEN _state[_root] <> 0;
        _stack := ARRAY[_root];
        _state[_root] := 1;
        WHILE cardinality(_stack) > 0 LOOP
            _top := _stack[cardinality(_stack)];
            IF _next[_top] >= _begins[_top + 1] THEN
                _state[_top] := 2;
                _stack := trim_array(_stack, 1);
                CONTINUE;
            END IF;
            _to := _sorted[_next[_top]];
            _next[_top] := _next[_top] + 1;
            IF _state[_to] = 1 THEN
                RETURN _stack[array_position(_stack, _to):] || _to;
            ELSIF _state[_to] = 0 THEN
                _state[_to] := 1;
                _stack := _stack || _to;
            END IF;
        END LOOP;
    END LOOP;
    RETURN NULL;
END;
$$;

COMMENT ON FUNCTION board._plan_cycle IS
    'Private: a cycle in the graph of size nodes, numbered from 1, with edges froms[i] to tos[i], as '
    'the nodes along it, the first one again at the end; NULL: there is none.';
