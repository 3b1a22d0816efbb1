CREATE OR REPLACE FUNCTION board._configure_kind(
    who     text,
    name    text,
    changes jsonb,
    reset   text[])
RETURNS board.kinds
LANGUAGE plpgsql
VOLATILE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    _was board.kinds;
    _kind board.kinds;
    _changed jsonb;
    _rule text;
BEGIN
    -- Locks the kind's row, so that two configurations come one after the other; agents' verbs read
    -- kinds without a lock and go on.
    -- Touches tasks first, as every verb does: an upgrade locks in that order.
    PERFORM FROM board.tasks AS t WHERE false;
    PERFORM board._check_name(_configure_kind.name, 'name');
    PERFORM board._ensure_kind(_configure_kind.name);
    SELECT k.* INTO _was FROM board.kinds AS k WHERE k.name = _configure_kind.name FOR UPDATE;
    _kind := board._changed_row(_was, changes, _configure_kind.reset, 'board.kinds');
    PERFORM board._check_kind(_was, _kind);
    _changed := board._changed_fields(to_jsonb(_was), to_jsonb(_kind));
    -- Another configuration is another automation, and a bar is set before the figures are known:
    -- what was compared until now does not count. Comparisons carry mode_since, so it must never
    -- come back to an earlier value, whatever the clock does.
    IF _changed ?| ARRAY['mode', 'provider', 'provider_account', 'ignored_paths',
                         'comparison_grace', 'min_comparisons', 'min_shadow_time', 'min_agreement']
    THEN
        _kind.mode_since := greatest(clock_timestamp(),
                                     _was.mode_since + '1 microsecond'::interval);
    END IF;
    BEGIN
        UPDATE board.kinds AS k
           SET max_failures = _kind.max_failures,
               max_lapses = _kind.max_lapses,
               retry_delay = _kind.retry_delay,
               retry_delay_max = _kind.retry_delay_max,
               max_in_progress = _kind.max_in_progress,
               provider = _kind.provider,
               provider_account = _kind.provider_account,
               task_budget = _kind.task_budget,
               mode = _kind.mode,
               mode_since = _kind.mode_since,
               min_comparisons = _kind.min_comparisons,
               min_shadow_time = _kind.min_shadow_time,
               min_agreement = _kind.min_agreement,
               comparison_grace = _kind.comparison_grace,
               ignored_paths = _kind.ignored_paths
         WHERE k.name = _configure_kind.name;
    EXCEPTION
        WHEN check_violation THEN
            GET STACKED DIAGNOSTICS _rule = CONSTRAINT_NAME;
            PERFORM board._check_violation('board.kinds', _rule, to_jsonb(_kind));
    END;
    PERFORM board._make_slots(_kind.name, _kind.max_in_progress);
    PERFORM board._audit(who, 'configure_kind', 'kind:' || _configure_kind.name,
                         board._changed_fields(to_jsonb(_was), to_jsonb(_kind)));
    RETURN _kind;
END;
$$;

COMMENT ON FUNCTION board._configure_kind IS
    'Private: body of configure_kind for the checked name who (NULL: the database role); changes '
    'has its arguments by name, null for those not passed.';
