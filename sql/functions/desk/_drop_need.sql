CREATE OR REPLACE FUNCTION board._drop_need(
    who      text,
    id       uuid,
    needs_id uuid)
RETURNS boolean
LANGUAGE plpgsql
VOLATILE
SET search_path = pg_catalog, pg_temp
SET enable_seqscan = off
SET jit = off
AS $$
DECLARE
    _task board.tasks;
    _now timestamptz;
    _free boolean;
    _change jsonb;
BEGIN
    -- Locks the task that waits, alone. A complete of the need that is under way waits for it, and
    -- then finds nothing to meet.
    IF _drop_need.needs_id IS NULL THEN
        PERFORM board._invalid_argument('needs_id', 'is NULL', 'Pass the id of a task.');
    END IF;
    _task := board._task_for_update(_drop_need.id);
    DELETE FROM board.task_needs AS n
     WHERE n.task_id = _drop_need.id AND n.needs_id = _drop_need.needs_id AND n.met_at IS NULL;
    IF NOT FOUND THEN
        RETURN false;
    END IF;
    _now := clock_timestamp();
    _free := _task.status = 'blocked' AND _task.unmet_needs = 1;
    _change := CASE WHEN _free THEN board._change(
        who, 'unblocked', jsonb_build_object('dropped', _drop_need.needs_id)) END;
    UPDATE board.tasks AS t
       SET unmet_needs = t.unmet_needs - 1,
           status = CASE WHEN NOT _free THEN t.status WHEN t.run_at > _now THEN 'scheduled'
                         ELSE 'pending' END,
           rank = CASE WHEN _free AND t.run_at <= _now AND NOT t.paused THEN ~t.priority
                       ELSE t.rank END,
           due_at = CASE WHEN _free AND t.run_at > _now AND NOT t.paused THEN t.run_at
                         ELSE t.due_at END,
           turn = t.turn + CASE WHEN _free THEN 1 ELSE 2 END,
           change = _change
     WHERE t.id = _drop_need.id;
    PERFORM board._audit(who, 'drop_need', 'task:' || _drop_need.id,
                         jsonb_build_object('need', _drop_need.needs_id));
    RETURN true;
END;
$$;

COMMENT ON FUNCTION board._drop_need IS
    'Private: body of drop_need for the checked name who.';
