CREATE OR REPLACE FUNCTION board._check_lease(
    task    board.tasks,
    who     text,
    attempt bigint)
RETURNS void
LANGUAGE plpgsql
VOLATILE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    _now timestamptz := clock_timestamp();
    _detail text;
    _hint text := 'Stop working on it: what you did since then is not the board''s. Claim again.';
BEGIN
    -- The caller holds the lock on task, so this clock was read after it.
    PERFORM board._check_attempt(attempt);
    IF board._holds_lease(task, who, attempt, _now) THEN
        RETURN;
    END IF;
    IF task.status <> 'in_progress' THEN
        _detail := format('Task %s is %s%s.', task.id, task.status,
            coalesce(' by "' || task.finished_by || '"', ''));
        IF task.status IN ('blocked', 'pending', 'scheduled') THEN
            _hint := 'Nobody holds it now. board.claim_task() takes it, if you want to go on.';
        ELSIF task.status = 'escalated' THEN
            _hint := 'Stop working on it: it waits for a person now. Claim another task.';
        END IF;
    ELSIF task.leased_by <> who THEN
        _detail := format('Task %s is held by "%s" until %s.', task.id, task.leased_by,
            task.leased_until);
    ELSIF task.claim_count <> attempt THEN
        _detail := format('Task %s is at attempt %s, you are at attempt %s.', task.id,
            task.claim_count, attempt);
    ELSE
        _detail := format('Your lease on task %s lapsed at %s.', task.id, task.leased_until);
        _hint := 'Nobody has taken it yet: board.claim_task() can take it again. Ask for a longer '
            'ttl, and send heartbeats while you work.';
    END IF;
    RAISE EXCEPTION USING
        ERRCODE = 'TB001',
        MESSAGE = 'lease lost',
        DETAIL = _detail,
        HINT = _hint;
END;
$$;

COMMENT ON FUNCTION board._check_lease IS
    'Private: returns when who holds a live lease on the locked task (of that attempt, if '
    'given); else TB001, or 22023 when the attempt is required and missing.';
