CREATE OR REPLACE FUNCTION board._log_insert()
RETURNS trigger
LANGUAGE plpgsql
VOLATILE SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    _caller text := coalesce(nullif(current_setting('role'), 'none'), session_user::text);
    _rule text;
    _occurrence jsonb;
    _rank int := CASE WHEN NEW.status = 'pending' AND NOT NEW.paused THEN ~NEW.priority END;
    _due_at timestamptz := CASE WHEN NEW.status = 'scheduled' AND NOT NEW.paused
        THEN NEW.run_at END;
BEGIN
    -- Fires after a row of tasks was inserted, but for those of enqueue_many, which logs them
    -- itself (turn 0). A row whose turn is not this transaction's was brought back by a restore:
    -- its events are restored as well. A row typed by hand may need its place put right. The
    -- definer's rights are for whoever typed it: he need not be the owner of the log.
    IF NEW.status NOT IN ('pending', 'scheduled') OR NEW.leased_by IS NOT NULL
       OR NEW.leased_until IS NOT NULL OR NEW.finished_at IS NOT NULL THEN
        _rule := board._broken_rule(NEW.status, NEW.leased_by, NEW.leased_until, NEW.escalated_at,
                                    NEW.finished_at, NEW.unmet_needs);
        _due_at := board._due_at(NEW.status, NEW.paused, NEW.run_at, NEW.leased_until,
                                 NEW.escalated_at);
    END IF;
    IF least(NEW.created_at, NEW.run_at, NEW.leased_until,
             NEW.heartbeat_at, NEW.escalated_at, NEW.finished_at,
             NEW.scheduled_for, NEW.progress_at) < '0001-01-02 00:00+00'
       OR greatest(NEW.created_at, NEW.run_at, NEW.leased_until,
                   NEW.heartbeat_at, NEW.escalated_at, NEW.finished_at,
                   NEW.scheduled_for, NEW.progress_at) >= '9999-12-31 00:00+00' THEN
        _rule := 'tasks_times';
    END IF;
    IF _rule IS NOT NULL THEN
        PERFORM board._raise_broken_rule(_rule, NEW.id);
    END IF;
    IF NEW.turn <> (extract(epoch FROM transaction_timestamp()) * 1000000)::bigint THEN
        RETURN NULL;
    END IF;
    IF NOT EXISTS (SELECT FROM board.kind_names AS n WHERE n.name = NEW.kind) THEN
        INSERT INTO board.kind_names (name) VALUES (NEW.kind);
    END IF;
    IF NEW.schedule IS NOT NULL THEN
        _occurrence := jsonb_build_object(
            'schedule', NEW.schedule, 'scheduled_for', NEW.scheduled_for);
    END IF;
    INSERT INTO board.task_events (task_id, kind, type, actor, db_user, attempt, payload)
    VALUES (NEW.id, NEW.kind, 'enqueued', coalesce(NEW.change ->> 'actor', _caller), _caller,
            NEW.claim_count, CASE
                WHEN NEW.schedule IS NULL THEN NEW.payload
                WHEN jsonb_typeof(NEW.payload) = 'object' THEN NEW.payload || _occurrence
                ELSE jsonb_build_object('payload', NEW.payload) || _occurrence END);
    IF (NEW.rank, NEW.due_at) IS DISTINCT FROM (_rank, _due_at) THEN
        UPDATE board.tasks AS t
           SET rank = _rank, due_at = _due_at, turn = t.turn + 2
         WHERE t.id = NEW.id;
    END IF;
    RETURN NULL;
END;
$$;

COMMENT ON FUNCTION board._log_insert IS
    'Private: trigger on tasks that logs a new task, holds it to the rules of the table (23514) and '
    'gives one that was typed by hand its place in the queue.';
