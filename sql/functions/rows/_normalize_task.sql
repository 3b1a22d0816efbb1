CREATE OR REPLACE FUNCTION board._normalize_task()
RETURNS trigger
LANGUAGE plpgsql
VOLATILE SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
    -- Fires before an UPDATE that came from no verb. Whoever types UPDATE … SET status = 'pending'
    -- means that nobody holds the task: what goes with the status is put right, so that the row is
    -- one that the verbs can work with. What contradicts itself is left to the table's checks.
    IF NEW.status <> 'in_progress' THEN
        NEW.leased_by := NULL;
        NEW.leased_until := NULL;
    END IF;
    IF NEW.status IN ('completed', 'cancelled') THEN
        NEW.finished_at := coalesce(NEW.finished_at, clock_timestamp());
        NEW.finished_by := coalesce(NEW.finished_by, board._caller());
    ELSE
        NEW.finished_at := NULL;
        NEW.finished_by := NULL;
    END IF;
    IF NEW.status = 'escalated' THEN
        NEW.escalated_at := coalesce(NEW.escalated_at, clock_timestamp());
        NEW.escalation_reason := coalesce(NEW.escalation_reason, 'requested');
    ELSIF NEW.status IN ('pending', 'scheduled') THEN
        NEW.escalated_at := NULL;
        NEW.escalation_reason := NULL;
    END IF;
    RETURN NEW;
END;
$$;

COMMENT ON FUNCTION board._normalize_task IS
    'Private: trigger on tasks for changes typed by hand: makes lease, finish and escalation '
    'agree with the status.';
