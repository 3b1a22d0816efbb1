CREATE OR REPLACE FUNCTION board._prune(
    who        text,
    older_than interval,
    max_tasks  bigint)
RETURNS bigint
LANGUAGE plpgsql
VOLATILE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    _before timestamptz;
    _ids uuid[];
    _pruned bigint;
    _used bigint;
BEGIN
    -- Locks finished tasks, SKIP LOCKED: one that is being replayed is left alone, and two prunes
    -- share the work. A row locked here cannot be replayed before it is gone. In the order of the
    -- primary key, which is that of time: an index on finished_at would cost every completion more
    -- than this ever saves. The last call of a run, which finds less than max_tasks, has looked
    -- through the table; it also forgets names of kinds that have neither tasks nor a policy, and
    -- sequences without an open task. A task of such a kind that commits just then makes its name
    -- again with the next one.
    -- Usage records go likewise, of no task that is still here: what a task has used counts for its
    -- budget.
    PERFORM board._invalid_argument('older_than', 'is ' || coalesce(_prune.older_than::text, 'NULL'),
        'Pass 0 or more.')
      WHERE (_prune.older_than >= '0' AND _prune.older_than <= '1000 years') IS NOT TRUE;
    PERFORM board._check_count(_prune.max_tasks, 'max_tasks', 1000000);
    _before := clock_timestamp() - _prune.older_than;
    _ids := ARRAY(
        SELECT t.id
          FROM board.tasks AS t
         WHERE t.finished_at <= _before
         ORDER BY t.id
         LIMIT _prune.max_tasks
           FOR UPDATE SKIP LOCKED);
    DELETE FROM board.tasks AS t WHERE t.id = ANY (_ids);
    GET DIAGNOSTICS _pruned = ROW_COUNT;
    IF _pruned < _prune.max_tasks THEN
        DELETE FROM board.kind_names AS n
         WHERE NOT EXISTS (SELECT FROM board.tasks AS t WHERE t.kind = n.name)
           AND NOT EXISTS (SELECT FROM board.kinds AS k WHERE k.name = n.name);
        -- A sequence that is being added to is left alone: who does that may wait for one of ours.
        DELETE FROM board.task_sequences AS s
         WHERE s.ctid = ANY (ARRAY(
                   SELECT q.ctid
                     FROM board.task_sequences AS q
                    WHERE NOT EXISTS (
                          SELECT FROM board.tasks AS t
                           WHERE t.kind = q.kind AND t.sequence_key = q.sequence_key
                             AND t.finished_at IS NULL)
                      FOR UPDATE SKIP LOCKED));
    END IF;
    DELETE FROM board.usage_records AS d
     WHERE d.id = ANY (ARRAY(
           SELECT u.id
             FROM board.usage_records AS u
            WHERE u.taken_at <= _before
              AND NOT EXISTS (SELECT FROM board.tasks AS t WHERE t.id = u.task_id)
            ORDER BY u.taken_at
            LIMIT 10 * _prune.max_tasks
              FOR UPDATE SKIP LOCKED));
    GET DIAGNOSTICS _used = ROW_COUNT;
    IF _pruned + _used > 0 THEN
        PERFORM board._audit(who, 'prune', 'board',
            jsonb_build_object('older_than', _prune.older_than, 'tasks', _pruned,
                               'usage_records', _used));
    END IF;
    RETURN _pruned;
END;
$$;

COMMENT ON FUNCTION board._prune IS
    'Private: body of prune for the checked name who (NULL: the database role).';
