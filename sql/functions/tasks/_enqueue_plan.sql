CREATE OR REPLACE FUNCTION board._enqueue_plan(
    who            text,
    tasks          jsonb,
    correlation_id text)
RETURNS TABLE (name text, id uuid)
LANGUAGE plpgsql
VOLATILE
SET search_path = pg_catalog, pg_temp
SET enable_seqscan = off
SET jit = off
AS $$
DECLARE
    _plan record;
    _graph record;
    _ids uuid[];
BEGIN
    -- Reads the whole plan and refuses what is wrong with it, before anything is locked or made.
    PERFORM board._check_key(_enqueue_plan.correlation_id, 'correlation_id');
    WITH p AS MATERIALIZED (
        SELECT t.* FROM board._plan_tasks(_enqueue_plan.tasks) AS t)
    SELECT array_agg(p.name ORDER BY p.n) AS names,
           array_agg(p.kind ORDER BY p.n) AS kinds,
           array_agg(p.payload ORDER BY p.n) AS payloads,
           array_agg(p.priority::int ORDER BY p.n) AS priorities,
           array_agg(p.run_at ORDER BY p.n) AS moments,
           array_agg(p.unique_key ORDER BY p.n) AS keys,
           ARRAY(SELECT q.n FROM p AS q CROSS JOIN LATERAL unnest(q.needs) AS d (need)
                  ORDER BY q.n, d.need) AS froms,
           ARRAY(SELECT d.need FROM p AS q CROSS JOIN LATERAL unnest(q.needs) AS d (need)
                  ORDER BY q.n, d.need) AS needs
      INTO _plan
      FROM p;
    SELECT coalesce(array_agg(g.task), '{}') AS froms,
           coalesce(array_agg(g.needs_task), '{}') AS inside,
           coalesce(array_agg(g.needs_id), '{}') AS outside
      INTO _graph
      FROM board._plan_needs(_plan.names, _plan.kinds, _plan.keys, _plan.froms,
                             _plan.needs) AS g;

    -- Then all or nothing, behind a savepoint: a unique key that another session brings first, or
    -- one whose task ends at this moment, gives back every lock and row
    -- function), and all is tried again.
    LOOP
        BEGIN
            _ids := board._insert_plan(
                who, _enqueue_plan.correlation_id, _plan.kinds, _plan.payloads, _plan.priorities,
                _plan.moments, _plan.keys, _graph.froms, _graph.inside, _graph.outside);
            EXIT;
        EXCEPTION
            WHEN raise_exception THEN
                NULL;
        END;
    END LOOP;
    RETURN QUERY SELECT i.name, i.id FROM unnest(_plan.names, _ids) AS i (name, id);
END;
$$;

COMMENT ON FUNCTION board._enqueue_plan IS
    'Private: body of enqueue_plan for the checked name who (NULL: the database role).';
