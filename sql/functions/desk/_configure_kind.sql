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
    _new boolean;
BEGIN
    -- Locks the kind's row, so that two configurations come one after the other; agents' verbs read
    -- kinds without a lock and go on. Slots are only ever added: those above the cap are not looked at.
    PERFORM board._check_name(_configure_kind.name, 'name');
    PERFORM board._check_configuration(_configure_kind.max_failures, _configure_kind.max_lapses,
        _configure_kind.retry_delay, _configure_kind.retry_delay_max, _configure_kind.max_in_progress,
        _configure_kind.provider, _configure_kind.provider_account, _configure_kind.mode,
        _configure_kind.min_comparisons, _configure_kind.min_shadow_time,
        _configure_kind.min_agreement, _configure_kind.ignored_paths, _configure_kind.reset);
    _new := NOT EXISTS (SELECT FROM board.kinds AS k WHERE k.name = _configure_kind.name);
    PERFORM board._ensure_kind(_configure_kind.name);
    SELECT k.* INTO _was FROM board.kinds AS k WHERE k.name = _configure_kind.name FOR UPDATE;
    IF _configure_kind.mode IS NOT NULL AND NOT _new THEN
        PERFORM board._check_mode_change(_was, _configure_kind.mode);
    END IF;

    _kind := _was;
    _kind.max_failures := coalesce(max_failures, CASE WHEN 'max_failures' = ANY (reset) THEN 3 ELSE _was.max_failures END);
    _kind.max_lapses := coalesce(max_lapses, CASE WHEN 'max_lapses' = ANY (reset) THEN NULL ELSE _was.max_lapses END);
    _kind.retry_delay := coalesce(retry_delay, CASE WHEN 'retry_delay' = ANY (reset) THEN '0' ELSE _was.retry_delay END);
    _kind.retry_delay_max := coalesce(retry_delay_max, CASE WHEN 'retry_delay_max' = ANY (reset) THEN '1 hour' ELSE _was.retry_delay_max END);
    _kind.max_in_progress := coalesce(max_in_progress, CASE WHEN 'max_in_progress' = ANY (reset) THEN NULL ELSE _was.max_in_progress END);
    _kind.provider := coalesce(provider, CASE WHEN 'provider' = ANY (reset) THEN NULL ELSE _was.provider END);
    _kind.provider_account := coalesce(provider_account, CASE WHEN 'provider_account' = ANY (reset) THEN '' ELSE _was.provider_account END);
    _kind.min_comparisons := coalesce(min_comparisons, CASE WHEN 'min_comparisons' = ANY (reset) THEN 100 ELSE _was.min_comparisons END);
    _kind.min_shadow_time := coalesce(min_shadow_time, CASE WHEN 'min_shadow_time' = ANY (reset) THEN '1 day' ELSE _was.min_shadow_time END);
    _kind.min_agreement := coalesce(min_agreement, CASE WHEN 'min_agreement' = ANY (reset) THEN 0.9 ELSE _was.min_agreement END);
    _kind.ignored_paths := coalesce(ignored_paths, CASE WHEN 'ignored_paths' = ANY (reset) THEN '{}' ELSE _was.ignored_paths END);
    _kind.mode := coalesce(mode, _was.mode);
    -- Another configuration is another automation: what was compared before proves nothing of it.
    IF (_kind.mode, _kind.provider, _kind.provider_account, _kind.ignored_paths)
       IS DISTINCT FROM (_was.mode, _was.provider, _was.provider_account, _was.ignored_paths) THEN
        _kind.mode_since := clock_timestamp();
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
           ignored_paths = _kind.ignored_paths
     WHERE k.name = _configure_kind.name;
    INSERT INTO board.kind_slots (kind, slot)
    SELECT _configure_kind.name, s.slot FROM generate_series(1, _kind.max_in_progress) AS s (slot)
        ON CONFLICT ON CONSTRAINT kind_slots_pkey DO NOTHING;
    PERFORM board._audit(who, 'configure_kind', 'kind:' || _configure_kind.name,
                         board._changes(to_jsonb(_was), to_jsonb(_kind)));
    RETURN _kind;
END;
$$;

COMMENT ON FUNCTION board._configure_kind(text, text, int, int, interval, interval, int, text, text, text, int, interval, numeric, text[], text[]) IS
    'Private: body of configure_kind for the checked name who (NULL: the database role).';
