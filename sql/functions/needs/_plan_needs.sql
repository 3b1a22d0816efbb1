CREATE OR REPLACE FUNCTION board._plan_needs(
    names text[],
    kinds text[],
    keys  text[],
    froms int[],
    needs text[])
RETURNS TABLE (task int, needs_task int, needs_id uuid)
LANGUAGE plpgsql
STABLE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    _twice text;
    _cycle int[];
    _need record;
BEGIN
    -- Reads no table.
    SELECT m.name INTO _twice
      FROM unnest(names) AS m (name)
     GROUP BY m.name HAVING count(*) > 1
     ORDER BY m.name
     LIMIT 1;
    IF _twice IS NOT NULL THEN
        PERFORM board._invalid_argument('tasks', format('has two tasks with the name "%s"', _twice),
            'Needs go by name: give each task its own.');
    END IF;
    SELECT format('%s "%s"', k.kind, k.key) INTO _twice
      FROM unnest(kinds, keys) AS k (kind, key)
     WHERE k.key IS NOT NULL
     GROUP BY k.kind, k.key HAVING count(*) > 1
     ORDER BY k.kind, k.key
     LIMIT 1;
    IF _twice IS NOT NULL THEN
        PERFORM board._invalid_argument('tasks', 'has two tasks with the unique key ' || _twice,
            'One open task of a kind has a key.');
    END IF;
    SELECT w.task, w.need INTO _need
      FROM unnest(froms, needs) AS w (task, need)
     WHERE w.need <> ALL (names)
       AND w.need !~ '^[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$'
     ORDER BY w.task
     LIMIT 1;
    IF FOUND THEN
        PERFORM board._invalid_argument('tasks', format('has a task "%s" that needs "%s"',
            names[_need.task], left(_need.need, 100)),
            'A need is the name of a task of this plan, or the id of a task on the board.');
    END IF;
    SELECT board._plan_cycle(array_agg(w.task), array_agg(m.n::int), cardinality(names)) INTO _cycle
      FROM unnest(froms, needs) AS w (task, need)
      JOIN unnest(names) WITH ORDINALITY AS m (name, n) ON m.name = w.need;
    IF _cycle IS NOT NULL THEN
        PERFORM board._invalid_argument('tasks', 'has a cycle: ' || (
            SELECT string_agg('"' || names[c.i] || '"', ' needs ' ORDER BY c.n)
              FROM unnest(_cycle) WITH ORDINALITY AS c (i, n)),
            'A task cannot wait for one that waits for it.');
    END IF;
    RETURN QUERY
        SELECT w.task, m.n::int, CASE WHEN m.n IS NULL THEN w.need::uuid END
          FROM unnest(froms, needs) AS w (task, need)
          LEFT JOIN unnest(names) WITH ORDINALITY AS m (name, n) ON m.name = w.need;
END;
$$;

COMMENT ON FUNCTION board._plan_needs IS
    'Private: the needs of a plan: task froms[i] needs what needs[i] names, a task of the plan (by '
    'its number) or one on the board (by its id); 22023 for a doubled or unknown name and for a '
    'cycle, which is spelt out.';
