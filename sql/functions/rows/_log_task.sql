CREATE OR REPLACE FUNCTION board._log_task()
RETURNS trigger
LANGUAGE plpgsql
VOLATILE SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    _caller text := board._caller();
    _actor text := _caller;
    _type text;
    _note jsonb;
    _by_verb boolean;
BEGIN
    -- Fires after a row of tasks was inserted or changed. A verb has put who, what and why into
    -- stamp in the same statement; a change typed by hand has left stamp as it was, and what it was
    -- is read from the old and the new row. The definer's rights are needed then: the DBA who typed
    -- it need not be the owner of the log.
    _by_verb := NEW.stamp ->> 'xid' = pg_current_xact_id()::text
        AND (NEW.stamp ->> 'pid')::int = pg_backend_pid()
        AND (TG_OP = 'INSERT' OR NEW.stamp IS DISTINCT FROM OLD.stamp);
    IF TG_OP = 'INSERT' THEN
        -- A restored row carries the stamp of another transaction: its events are restored as well.
        PERFORM board._remember_kind_name(NEW.kind);
        IF NOT _by_verb THEN
            RETURN NULL;
        END IF;
        _type := 'enqueued';
    ELSIF _by_verb THEN
        _type := NEW.stamp ->> 'type';
    ELSE
        IF NEW.kind <> OLD.kind THEN
            PERFORM board._remember_kind_name(NEW.kind);
        END IF;
        _type := board._event_type(
            OLD.status, NEW.status,
            (OLD.leased_by, OLD.claim_count) <> (NEW.leased_by, NEW.claim_count),
            OLD.leased_until < NEW.leased_until,
            OLD.priority <> NEW.priority,
            OLD.paused, NEW.paused);
    END IF;
    IF _by_verb THEN
        _actor := coalesce(NEW.stamp ->> 'actor', _caller);
        _note := nullif(NEW.stamp -> 'note', 'null');
    END IF;
    IF _type IS NULL OR _type = 'due'
       OR _type = 'extended' AND _by_verb
           AND NOT (SELECT s.log_heartbeats FROM board.settings AS s) THEN
        RETURN NULL;
    END IF;

    _note := CASE _type
        WHEN 'enqueued' THEN CASE
            WHEN NEW.schedule IS NULL THEN NEW.payload
            ELSE CASE jsonb_typeof(NEW.payload)
                     WHEN 'object' THEN NEW.payload
                     ELSE jsonb_build_object('payload', NEW.payload) END
                || jsonb_build_object('schedule', NEW.schedule, 'scheduled_for', NEW.scheduled_for)
        END
        WHEN 'claimed' THEN jsonb_build_object('leased_until', NEW.leased_until)
        WHEN 'extended'
            THEN jsonb_build_object('leased_until', NEW.leased_until, 'progress', NEW.progress)
        WHEN 'completed' THEN NEW.result
        WHEN 'failed' THEN _note
        WHEN 'expired'
            THEN jsonb_build_object('leased_by', OLD.leased_by, 'leased_until', OLD.leased_until)
        WHEN 'reprioritized' THEN jsonb_build_object('from', OLD.priority, 'to', NEW.priority)
        WHEN 'released' THEN CASE WHEN NEW.status = 'scheduled'
            THEN jsonb_build_object('run_at', NEW.run_at) END
        WHEN 'escalated' THEN coalesce(_note, jsonb_build_object('reason', NEW.escalation_reason))
        ELSE _note
    END;
    INSERT INTO board.task_events (task_id, kind, type, actor, db_user, attempt, payload)
    VALUES (NEW.id, NEW.kind, _type, _actor, _caller, NEW.claim_count, _note);

    -- A strike or a lapse that brings the task to the human queue is two transitions.
    IF _type IN ('failed', 'expired') AND NEW.status = 'escalated' THEN
        INSERT INTO board.task_events (task_id, kind, type, actor, db_user, attempt, payload)
        VALUES (NEW.id, NEW.kind, 'escalated', _actor, _caller, NEW.claim_count,
                jsonb_build_object('reason', NEW.escalation_reason, 'failures', NEW.failure_count,
                                   'lapses', NEW.lapse_count));
    END IF;
    RETURN NULL;
END;
$$;

COMMENT ON FUNCTION board._log_task IS
    'Private: trigger on tasks that appends to task_events what the change was.';
