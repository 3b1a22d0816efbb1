CREATE OR REPLACE FUNCTION board._human_heads(
    seen uuid[],
    most int,
    at   timestamptz)
RETURNS uuid[]
LANGUAGE plpgsql
STABLE
SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
    -- Reads only. Three heads, each the best of its sort, then the best of all: cards that nobody
    -- holds; those that a person let lapse; tasks at the last lapse of their kind, which no claim
    -- has put into the human queue yet. Paused ones are cards too: a pause is for agents.
    RETURN ARRAY(
        SELECT h.id
          FROM ((SELECT t.id, t.priority, t.escalated_at AS since
                   FROM board.tasks AS t
                  WHERE t.status = 'escalated' AND t.escalated_at IS NOT NULL
                    AND t.finished_at IS NULL
                    AND t.id <> ALL (seen)
                  ORDER BY ~t.priority, t.escalated_at, t.id
                  LIMIT most)
                UNION ALL
                (SELECT t.id, t.priority, t.escalated_at
                   FROM board.tasks AS t
                  WHERE t.status = 'in_progress' AND t.escalated_at IS NOT NULL
                    AND t.finished_at IS NULL
                    AND t.leased_until <= _human_heads.at
                    AND t.id <> ALL (seen)
                  ORDER BY ~t.priority, t.escalated_at, t.id
                  LIMIT most)
                UNION ALL
                (SELECT t.id, t.priority, t.leased_until
                   FROM board.kinds AS k
                   JOIN board.tasks AS t
                     ON t.kind = k.name
                    AND (t.due_at <= _human_heads.at OR t.paused AND t.finished_at IS NULL)
                  WHERE k.max_lapses IS NOT NULL
                    AND t.status = 'in_progress' AND t.escalated_at IS NULL
                    AND t.leased_until <= _human_heads.at
                    AND t.lapse_count + 1 >= k.max_lapses
                    AND t.id <> ALL (seen)
                  ORDER BY ~t.priority, t.leased_until, t.id
                  LIMIT most)) AS h
         ORDER BY ~h.priority, h.since, h.id
         LIMIT most);
END;
$$;

COMMENT ON FUNCTION board._human_heads IS
    'Private: the first cards of the human queue that nobody holds at that moment, but for those '
    'seen, in its order: also those that only their claim will put there.';
