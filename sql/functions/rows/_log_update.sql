CREATE OR REPLACE FUNCTION board._log_update()
RETURNS trigger
LANGUAGE plpgsql
VOLATILE SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    _caller text := coalesce(nullif(current_setting('role'), 'none'), session_user::text);
    _actor text := _caller;
    _type text;
    _note jsonb;
BEGIN
    -- Fires after a row of tasks was changed; the transaction holds its lock. turn tells by whom: a
    -- verb added 1, a verb whose statement writes the events of a whole batch itself added 2, a
    -- change typed by hand left it. Claim and complete come first: they are nearly all there is.
    IF NEW.replacement IS NOT NULL AND NEW.finished_at IS NOT NULL AND OLD.finished_at IS NULL THEN
        PERFORM board._enqueue_replacement(NEW.kind, NEW.unique_key, NEW.replacement);
    END IF;
    IF NEW.turn = OLD.turn + 2 THEN
        RETURN NULL;
    ELSIF NEW.turn <> OLD.turn AND NEW.change IS NULL THEN
        IF NEW.status = 'completed' THEN
            -- complete judged the lease by a clock that it read before it may have waited for the
            -- row: a wait makes no lapsed lease valid.
            IF OLD.leased_until <= clock_timestamp() THEN
                PERFORM board._raise_lapsed(NEW.id, OLD.leased_until);
            END IF;
            _type := 'completed';
            _actor := NEW.finished_by;
            _note := NEW.result;
        ELSIF NEW.claim_count <> OLD.claim_count THEN
            _type := 'claimed';
            _actor := NEW.leased_by;
            _note := jsonb_build_object('leased_until', NEW.leased_until);
        ELSIF (SELECT s.log_heartbeats FROM board.settings AS s) THEN
            _type := 'extended';
            _actor := NEW.leased_by;
            _note := jsonb_build_object(
                'leased_until', NEW.leased_until, 'progress', NEW.progress);
        END IF;
    ELSIF NEW.turn <> OLD.turn THEN
        _type := NEW.change ->> 'type';
        _actor := coalesce(NEW.change ->> 'actor', _caller);
        _note := CASE _type
            WHEN 'failed' THEN nullif(NEW.last_failure, 'null')
            WHEN 'expired' THEN
                jsonb_build_object('leased_by', OLD.leased_by, 'leased_until', OLD.leased_until)
            WHEN 'reprioritized' THEN jsonb_build_object('from', OLD.priority, 'to', NEW.priority)
            WHEN 'released' THEN CASE NEW.status
                WHEN 'scheduled' THEN jsonb_build_object('run_at', NEW.run_at)
                WHEN 'blocked' THEN NEW.change -> 'note' END
            -- The board's word, and the user's JSON as a member of its own.
            WHEN 'escalated' THEN jsonb_build_object('reason', NEW.escalation_reason)
                || CASE WHEN NEW.change -> 'note' <> 'null'
                    THEN jsonb_build_object('payload', NEW.change -> 'note') ELSE '{}' END
            ELSE nullif(NEW.change -> 'note', 'null')
        END;
    ELSE
        -- Typed by hand, under the database role: what it amounts to is read from both rows.
        PERFORM board._correct_task(NEW.id, _caller);
        PERFORM board._remember_kind_name(NEW.kind) WHERE NEW.kind <> OLD.kind;
        _type := CASE
            WHEN OLD.status <> NEW.status THEN CASE
                WHEN NEW.status IN ('completed', 'cancelled', 'escalated') THEN NEW.status
                WHEN NEW.status = 'in_progress' THEN 'claimed'
                WHEN OLD.status = 'escalated' THEN 'retried'
                WHEN OLD.status IN ('completed', 'cancelled') THEN 'replayed'
                ELSE 'released' END
            WHEN NEW.status = 'in_progress'
                AND (OLD.leased_by, OLD.claim_count) <> (NEW.leased_by, NEW.claim_count)
                THEN 'claimed'
            WHEN NEW.status = 'in_progress' AND OLD.leased_until < NEW.leased_until THEN 'extended'
            WHEN OLD.priority <> NEW.priority THEN 'reprioritized'
            WHEN NEW.paused AND NOT OLD.paused THEN 'paused'
            WHEN OLD.paused AND NOT NEW.paused THEN 'resumed'
        END;
        _note := CASE _type
            WHEN 'claimed' THEN jsonb_build_object('leased_until', NEW.leased_until)
            WHEN 'extended' THEN jsonb_build_object(
                'leased_until', NEW.leased_until, 'progress', NEW.progress)
            WHEN 'completed' THEN NEW.result
            WHEN 'reprioritized' THEN jsonb_build_object('from', OLD.priority, 'to', NEW.priority)
            WHEN 'released' THEN CASE WHEN NEW.status = 'scheduled'
                THEN jsonb_build_object('run_at', NEW.run_at) END
            WHEN 'escalated' THEN jsonb_build_object('reason', coalesce(NEW.escalation_reason, 'requested'))
        END;
    END IF;
    IF _type IS NULL THEN
        RETURN NULL;
    END IF;

    INSERT INTO board.task_events (task_id, kind, type, actor, db_user, attempt, payload)
    VALUES (NEW.id, NEW.kind, _type, _actor, _caller, NEW.claim_count, _note);

    -- Two transitions: a strike or a lapse that escalates, an answer with another payload.
    IF NEW.status = 'escalated' AND _type IN ('failed', 'expired')
       OR _type = 'retried' AND NEW.payload <> OLD.payload THEN
        INSERT INTO board.task_events (task_id, kind, type, actor, db_user, attempt, payload)
        VALUES (NEW.id, NEW.kind, CASE _type WHEN 'retried' THEN 'replaced' ELSE 'escalated' END,
                _actor, _caller, NEW.claim_count, CASE _type
                    WHEN 'retried' THEN board._replaced(OLD.payload, NEW.payload)
                    ELSE jsonb_build_object('reason', NEW.escalation_reason,
                        'failures', NEW.failure_count, 'lapses', NEW.lapse_count) END);
    END IF;
    RETURN NULL;
END;
$$;

COMMENT ON FUNCTION board._log_update IS
    'Private: trigger on tasks that appends to task_events what the change was, and after a change '
    'typed by hand makes lease, finish, escalation and place in the queue agree with the status '
    '(23514 when the row contradicts itself, TB001 for a lease that lapsed while complete waited).';
