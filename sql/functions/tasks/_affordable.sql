CREATE OR REPLACE FUNCTION board._affordable(
    provider text,
    standard text,
    ids      uuid[])
RETURNS uuid[]
LANGUAGE plpgsql
VOLATILE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    _now timestamptz := clock_timestamp();
    _account text;
    _mine uuid[];
    _free_at timestamptz;
    _off uuid[] := ARRAY[]::uuid[];
BEGIN
    -- Locks what it postpones, SKIP LOCKED. One look at the budget for each account among these
    -- tasks; those that must wait stand in nobody's way until then, an hour at most.
    FOR _account, _mine IN
        SELECT coalesce(t.account, standard) AS name, array_agg(t.id)
          FROM board.tasks AS t
         WHERE t.id = ANY (_affordable.ids)
         GROUP BY name
    LOOP
        _free_at := board._budget_free_at(provider, _account, 1, _now);
        IF _free_at > _now THEN
            PERFORM board._postpone(_mine, least(_free_at, _now + interval '1 hour'));
            _off := _off || _mine;
        END IF;
    END LOOP;
    RETURN ARRAY(
        SELECT i.id FROM unnest(_affordable.ids) WITH ORDINALITY AS i (id, n)
         WHERE i.id <> ALL (_off)
         ORDER BY i.n);
END;
$$;

COMMENT ON FUNCTION board._affordable IS
    'Private: those of these ready tasks, in order, whose account would be granted a call now; the '
    'others are postponed until theirs would. standard is the account of tasks that name none.';
