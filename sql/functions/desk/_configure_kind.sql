CREATE OR REPLACE FUNCTION board._configure_kind(
    who              text,
    name             text,
    max_failures     int,
    max_lapses       int,
    retry_delay      interval,
    retry_delay_max  interval,
    max_in_progress  int,
    provider         text,
    provider_account text,
    mode             text,
    min_comparisons  int,
    min_shadow_time  interval,
    min_agreement    numeric,
    comparison_grace interval,
    ignored_paths    text[],
    reset            text[])
RETURNS board.kinds
LANGUAGE plpgsql
VOLATILE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    _was board.kinds;
    _kind board.kinds;
    _change jsonb;
    _slots int[];
    _ids uuid[];
BEGIN
    -- Locks the kind's row, so that two configurations come one after the other; agents' verbs read
    -- kinds without a lock and go on. Slots are only ever added: those above the cap are not looked
    -- at.
    -- Touches tasks first, as every verb does: an upgrade locks in that order.
    PERFORM FROM board.tasks AS t WHERE false;
    PERFORM board._check_name(_configure_kind.name, 'name');
    PERFORM board._check_configuration(_configure_kind.max_failures, _configure_kind.max_lapses,
        _configure_kind.retry_delay, _configure_kind.retry_delay_max,
            _configure_kind.max_in_progress,
        _configure_kind.provider, _configure_kind.provider_account, _configure_kind.mode,
        _configure_kind.min_comparisons, _configure_kind.min_shadow_time,
        _configure_kind.min_agreement, _configure_kind.comparison_grace,
            _configure_kind.ignored_paths, _configure_kind.reset);
    PERFORM board._ensure_kind(_configure_kind.name);
    SELECT k.* INTO _was FROM board.kinds AS k WHERE k.name = _configure_kind.name FOR UPDATE;
    PERFORM board._check_mode_change(_was, _configure_kind.mode);

    -- Defaults for what is to be reset, then what was passed, over what was.
    SELECT jsonb_object_agg(d.key, d.value) INTO _change
      FROM jsonb_each(to_jsonb(board._kind_policy(NULL))) AS d (key, value)
     WHERE d.key = ANY (_configure_kind.reset);
    _change := coalesce(_change, '{}') || jsonb_strip_nulls(jsonb_build_object(
        'max_failures', _configure_kind.max_failures,
        'max_lapses', _configure_kind.max_lapses,
        'retry_delay', _configure_kind.retry_delay,
        'retry_delay_max', _configure_kind.retry_delay_max,
        'max_in_progress', _configure_kind.max_in_progress,
        'provider', _configure_kind.provider,
        'provider_account', _configure_kind.provider_account,
        'mode', _configure_kind.mode,
        'min_comparisons', _configure_kind.min_comparisons,
        'min_shadow_time', _configure_kind.min_shadow_time,
        'min_agreement', _configure_kind.min_agreement,
        'comparison_grace', _configure_kind.comparison_grace,
        'ignored_paths', _configure_kind.ignored_paths));
    _kind := jsonb_populate_record(_was, _change);
    -- Another configuration is another automation, and a bar is set before the figures are known:
    -- what was compared until now does not count. Comparisons carry mode_since, so it must never
    -- come back to an earlier value, whatever the clock does.
    IF (_kind.mode, _kind.provider, _kind.provider_account, _kind.ignored_paths,
        _kind.comparison_grace, _kind.min_comparisons, _kind.min_shadow_time, _kind.min_agreement)
       IS DISTINCT FROM
       (_was.mode, _was.provider, _was.provider_account, _was.ignored_paths,
        _was.comparison_grace, _was.min_comparisons, _was.min_shadow_time, _was.min_agreement)
    THEN
        _kind.mode_since := greatest(clock_timestamp(),
                                     _was.mode_since + '1 microsecond'::interval);
    END IF;
    UPDATE board.kinds AS k
       SET max_failures = _kind.max_failures,
           max_lapses = _kind.max_lapses,
           retry_delay = _kind.retry_delay,
           retry_delay_max = _kind.retry_delay_max,
           max_in_progress = _kind.max_in_progress,
           provider = _kind.provider,
           provider_account = _kind.provider_account,
           mode = _kind.mode,
           mode_since = _kind.mode_since,
           min_comparisons = _kind.min_comparisons,
           min_shadow_time = _kind.min_shadow_time,
           min_agreement = _kind.min_agreement,
           comparison_grace = _kind.comparison_grace,
           ignored_paths = _kind.ignored_paths
     WHERE k.name = _configure_kind.name;
    INSERT INTO board.kind_slots (kind, slot)
    SELECT _configure_kind.name, s.slot FROM generate_series(1, _kind.max_in_progress) AS s (slot)
        ON CONFLICT ON CONSTRAINT kind_slots_pkey DO NOTHING;
    -- Tasks that agents hold already, from before there was a cap or from above a lower one, take
    -- what slots are free (SKIP LOCKED), so that they count.
    IF _kind.max_in_progress IS NOT NULL THEN
        _slots := board._free_slots(
            _configure_kind.name, _kind.max_in_progress, _kind.max_in_progress);
        _ids := ARRAY(
            SELECT t.id
              FROM board.tasks AS t
             WHERE t.kind = _configure_kind.name
               AND t.status = 'in_progress'
               AND t.escalated_at IS NULL
               AND NOT EXISTS (
                   SELECT FROM board.kind_slots AS s
                    WHERE s.kind = _configure_kind.name
                      AND s.slot <= _kind.max_in_progress
                      AND s.task_id = t.id
                      AND s.attempt = t.claim_count)
             ORDER BY t.leased_until DESC
             LIMIT cardinality(_slots));
        PERFORM board._fill_slots(_configure_kind.name, _slots, _ids);
    END IF;
    PERFORM board._audit(who, 'configure_kind', 'kind:' || _configure_kind.name,
                         board._changed_fields(to_jsonb(_was), to_jsonb(_kind)));
    RETURN _kind;
END;
$$;

COMMENT ON FUNCTION board._configure_kind IS
    'Private: body of configure_kind for the checked name who (NULL: the database role).';
