CREATE OR REPLACE FUNCTION board._json_diff(
    decided jsonb,
    actual  jsonb)
RETURNS text[]
LANGUAGE sql
IMMUTABLE PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
    -- Walks down both documents at once, only where they differ, one level per round: a recursive
    -- query and not a recursive function, so that no depth of nesting exhausts the stack. SQL NULL
    -- stands for "not there"; a null in the document is the jsonb value null, so the two differ.
    -- jsonb's equality is the one that is wanted: 1 = 1.0, keys in any order, arrays by position.
    --
    -- Every level copies and compares what lies below it, and every path below a long name repeats
    -- that name: so after 100 levels, or 1,000 characters of path, the place is named as a whole.
    -- The work is then bounded by the size of the documents. rank puts the paths into document
    -- order: the steps one after the other, as bytes.
    WITH RECURSIVE walk (depth, path, rank, a, b) AS (
        SELECT 0, '$', '', decided, actual
         WHERE decided IS DISTINCT FROM actual
        UNION ALL
        SELECT w.depth + 1, w.path || below.step, w.rank || chr(1) || below.rank, below.a, below.b
          FROM walk AS w
         CROSS JOIN LATERAL (
                SELECT CASE WHEN t.a = 'object' AND t.b = 'object' THEN w.a ELSE '{}' END,
                       CASE WHEN t.a = 'object' AND t.b = 'object' THEN w.b ELSE '{}' END,
                       CASE WHEN t.a = 'array' AND t.b = 'array' THEN w.a ELSE '[]' END,
                       CASE WHEN t.a = 'array' AND t.b = 'array' THEN w.b ELSE '[]' END
                  FROM (SELECT jsonb_typeof(w.a), jsonb_typeof(w.b)) AS t (a, b)
               ) AS both_are (object_a, object_b, array_a, array_b)
         CROSS JOIN LATERAL (
                SELECT board._path_step(coalesce(x.key, y.key)), coalesce(x.key, y.key),
                       x.value, y.value
                  FROM jsonb_each(both_are.object_a) AS x
                  FULL JOIN jsonb_each(both_are.object_b) AS y ON y.key = x.key
                UNION ALL
                SELECT format('[%s]', coalesce(x.nr, y.nr) - 1),
                       lpad(coalesce(x.nr, y.nr)::text, 12, '0'), x.value, y.value
                  FROM jsonb_array_elements(both_are.array_a) WITH ORDINALITY AS x (value, nr)
                  FULL JOIN jsonb_array_elements(both_are.array_b) WITH ORDINALITY AS y (value, nr)
                    ON y.nr = x.nr
               ) AS below (step, rank, a, b)
         WHERE w.depth < 100 AND length(w.path) <= 1000
           AND below.a IS DISTINCT FROM below.b
    )
    SELECT coalesce(array_agg(w.path ORDER BY w.rank COLLATE "C"), '{}')
      FROM walk AS w
     WHERE jsonb_typeof(w.a) IS DISTINCT FROM jsonb_typeof(w.b)
        OR jsonb_typeof(w.a) NOT IN ('object', 'array')
        OR w.depth = 100 OR length(w.path) > 1000;
$$;

COMMENT ON FUNCTION board._json_diff IS
    'Private: the paths at which two documents differ, in document order, each as deep as both '
    'sides have the same structure, 100 levels and 1,000 characters at most; empty when they are '
    'equal.';
