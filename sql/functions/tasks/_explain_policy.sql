CREATE OR REPLACE FUNCTION board._explain_policy(
    task board.tasks,
    kind board.kinds,
    at   timestamptz)
RETURNS text
LANGUAGE plpgsql
STABLE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    _settings board.settings := board._settings();
    _account text := coalesce(task.account, kind.provider_account);
    _reason text;
BEGIN
    -- In the order in which a claim would come across them: board, kind, task, budget, cap.
    IF _settings.paused THEN
        RETURN format('the board is paused by "%s"%s', _settings.paused_by,
            ': ' || _settings.pause_reason);
    ELSIF kind.paused THEN
        RETURN format('kind "%s" is paused by "%s"%s', kind.name, kind.paused_by,
            ': ' || kind.pause_reason);
    ELSIF task.paused THEN
        RETURN coalesce(
            (SELECT format('this task is paused by "%s"%s', e.actor,
                           ': ' || (e.payload ->> 'reason'))
               FROM board.task_events AS e
              WHERE e.task_id = task.id AND e.type = 'paused'
              ORDER BY e.seq DESC
              LIMIT 1),
            'this task is paused');
    END IF;
    _reason := board._budget_reason(CASE WHEN kind.mode = 'live' THEN kind.provider END,
                                    _account, at);
    IF _reason IS NOT NULL THEN
        RETURN _reason;
    ELSIF task.status = 'pending' AND task.rank IS NULL AND task.due_at > at THEN
        RETURN format('postponed until %s: provider "%s"%s has no budget for it', task.due_at,
                      kind.provider, ', account "' || nullif(_account, '') || '",');
    ELSIF kind.max_in_progress IS NOT NULL
        AND NOT board._has_free_slot(kind.name, kind.max_in_progress, at) THEN
        RETURN format('kind "%s" is at its max_in_progress of %s', kind.name, kind.max_in_progress);
    END IF;
    RETURN NULL;
END;
$$;

COMMENT ON FUNCTION board._explain_policy IS
    'Private: what keeps a waiting task from being given out, in words; NULL when nothing does.';
