CREATE OR REPLACE FUNCTION board._due_ids(
    kinds  text[],
    closed text[],
    after  timestamptz,
    at     timestamptz)
RETURNS uuid[]
LANGUAGE plpgsql
STABLE
SET search_path = pg_catalog, pg_temp
SET plan_cache_mode = force_generic_plan
SET enable_seqscan = off
SET enable_bitmapscan = off
SET jit = off
AS $$
DECLARE
    _few CONSTANT int := 100;
    _most CONSTANT int := 100000;
    _each int;
    _kinds text[];
    _ids uuid[];
    _found int;
BEGIN
    -- Reads only. Over all kinds: the due index from its head. Where kinds are closed, what is due
    -- of them is passed over, but no more than a few: behind those, kind by kind. What is read is
    -- bounded, so that no claim runs into a timeout however much fell due at once: of more than
    -- 100,000 tasks those compete that fell due first; many kinds share that number.
    IF kinds IS NULL AND closed = '{}' THEN
        RETURN ARRAY(
            SELECT w.id
              FROM (SELECT t.id, t.priority, t.created_at
                      FROM board.tasks AS t
                     WHERE t.due_at > after AND t.due_at <= _due_ids.at
                     ORDER BY t.due_at
                     LIMIT _most) AS w
             ORDER BY ~w.priority, w.created_at, w.id);
    ELSIF kinds IS NULL THEN
        SELECT count(*), array_agg(w.id ORDER BY ~w.priority, w.created_at, w.id)
                   FILTER (WHERE w.kind <> ALL (closed))
          INTO _found, _ids
          FROM (SELECT t.id, t.kind, t.priority, t.created_at
                  FROM board.tasks AS t
                 WHERE t.due_at > after AND t.due_at <= _due_ids.at
                 ORDER BY t.due_at
                 LIMIT _few) AS w;
        IF _found < _few THEN
            RETURN coalesce(_ids, '{}');
        END IF;
    END IF;
    _kinds := ARRAY(
        SELECT DISTINCT k.name
          FROM unnest(coalesce(kinds, board._due_kinds())) AS k (name)
         WHERE k.name <> ALL (closed));
    _each := greatest(1000, _most / greatest(cardinality(_kinds), 1));
    RETURN ARRAY(
        SELECT d.id
          FROM unnest(_kinds) AS k (name)
         CROSS JOIN LATERAL (
               SELECT t.id, t.priority, t.created_at
                 FROM board.tasks AS t
                WHERE t.due_at IS NOT NULL
                  AND (t.kind, t.due_at) > (k.name, after)
                  AND (t.kind, t.due_at) <= (k.name, _due_ids.at)
                ORDER BY t.kind, t.due_at
                LIMIT _each) AS d
         ORDER BY ~d.priority, d.created_at, d.id);
END;
$$;

COMMENT ON FUNCTION board._due_ids IS
    'Private: the tasks of the kinds asked for (NULL: all), but for the closed ones, that fell due '
    'after the first and by the second moment, in claim order.';
