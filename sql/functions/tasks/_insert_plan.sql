CREATE OR REPLACE FUNCTION board._insert_plan(
    who            text,
    correlation_id text,
    kinds          text[],
    payloads       jsonb[],
    priorities     int[],
    moments        timestamptz[],
    keys           text[],
    froms          int[],
    inside         int[],
    outside        uuid[])
RETURNS uuid[]
LANGUAGE plpgsql
VOLATILE
SET search_path = pg_catalog, pg_temp
SET enable_seqscan = off
SET jit = off
AS $$
DECLARE
    _now timestamptz := greatest(clock_timestamp(), transaction_timestamp());
    _change jsonb := CASE WHEN who IS NOT NULL THEN jsonb_build_object('actor', who) END;
    _new uuid[] := board._uuid7_series(_now, cardinality(kinds));
    _ids uuid[];
    _tos uuid[];
    _unmet uuid[];
    _waits int[];
    _rows int;
BEGIN
    -- Locks: the tasks on the board that the plan needs, and those that take the place of one of
    -- its tasks by their unique key, all or none; then nothing but its own new rows. These are made
    -- in the order of their keys: an INSERT waits for another session that is just bringing the
    -- same key, and two plans with the same keys must not wait for each other.
    _ids := ARRAY(
        SELECT coalesce(t.id, n.id)
          FROM unnest(_new, kinds, keys) WITH ORDINALITY AS n (id, kind, key, n)
          LEFT JOIN board.tasks AS t
            ON n.key IS NOT NULL AND t.kind = n.kind AND t.unique_key = n.key
           AND t.finished_at IS NULL
         ORDER BY n.n);
    _tos := ARRAY(SELECT coalesce(_ids[e.i], e.o)
                    FROM unnest(inside, outside) WITH ORDINALITY AS e (i, o, n) ORDER BY e.n);
    PERFORM board._tasks_for_update(ARRAY(
        SELECT e.id FROM unnest(_ids || _tos) AS e (id) WHERE e.id <> ALL (_new)
         GROUP BY e.id ORDER BY e.id));
    PERFORM FROM board.tasks AS t WHERE t.id = ANY (_ids) AND t.finished_at IS NOT NULL;
    IF FOUND THEN
        RAISE EXCEPTION 'a key is free again';
    END IF;
    _unmet := board._require_needs(ARRAY(
        SELECT e.id FROM unnest(_tos) AS e (id) WHERE e.id <> ALL (_new)
         GROUP BY e.id ORDER BY e.id));
    _waits := ARRAY(
        SELECT count(DISTINCT e.t) FILTER (WHERE e.t = ANY (_new) OR e.t = ANY (_unmet))
          FROM generate_series(1, cardinality(kinds)) AS g (n)
          LEFT JOIN unnest(froms, _tos) AS e (f, t) ON e.f = g.n
         GROUP BY g.n
         ORDER BY g.n);

    INSERT INTO board.tasks (id, kind, status, priority, payload, created_at, run_at, unique_key,
                             correlation_id, unmet_needs, rank, due_at, change)
    SELECT n.id, n.kind,
           CASE WHEN n.waits > 0 THEN 'blocked' WHEN n.moment > _now THEN 'scheduled'
                ELSE 'pending' END,
           n.priority, n.payload, _now, coalesce(n.moment, _now), n.key,
           _insert_plan.correlation_id, n.waits,
           CASE WHEN n.waits = 0 AND (n.moment > _now) IS NOT TRUE THEN ~n.priority END,
           CASE WHEN n.waits = 0 AND n.moment > _now THEN n.moment END, _change
      FROM unnest(_new, _ids, kinds, payloads, priorities, moments, keys, _waits)
        AS n (id, taken, kind, payload, priority, moment, key, waits)
     WHERE n.taken = n.id
     ORDER BY n.kind, n.key, n.id
        ON CONFLICT DO NOTHING;
    GET DIAGNOSTICS _rows = ROW_COUNT;
    IF _rows < (SELECT count(*) FROM unnest(_new, _ids) AS n (id, taken) WHERE n.id = n.taken) THEN
        RAISE EXCEPTION 'a key was taken first';
    END IF;

    INSERT INTO board.task_needs (task_id, needs_id, met_at)
    SELECT DISTINCT _ids[e.f], e.t, CASE WHEN e.t <> ALL (_new || _unmet) THEN _now END
      FROM unnest(froms, _tos) AS e (f, t)
     WHERE _ids[e.f] = _new[e.f];
    UPDATE board.tasks AS t
       SET dependents = t.dependents + w.waiting, turn = t.turn + 2
      FROM (SELECT e.t AS id, count(DISTINCT e.f)::int AS waiting
              FROM unnest(froms, _tos) AS e (f, t)
             WHERE _ids[e.f] = _new[e.f] AND (e.t = ANY (_new) OR e.t = ANY (_unmet))
             GROUP BY e.t) AS w
     WHERE t.id = w.id;
    RETURN _ids;
END;
$$;

COMMENT ON FUNCTION board._insert_plan IS
    'Private: makes the tasks of a checked plan and their needs (task froms[i] needs the task inside[i] '
    'of the plan, or outside[i] of the board), and returns the ids in the plan''s order; raises '
    'when it has to be tried again.';
