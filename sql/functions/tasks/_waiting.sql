CREATE OR REPLACE FUNCTION board._waiting()
RETURNS TABLE (
    kind   text,
    reason text,
    until  timestamptz,
    detail text,
    id     uuid)
LANGUAGE plpgsql
STABLE SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    _now timestamptz := clock_timestamp();
    _settings board.settings := board._settings();
    _row record;
    _kind board.kinds;
    _reason text;
    _until timestamptz;
    _detail text;
    _kinds text[] := ARRAY[]::text[];
    _accounts text[] := ARRAY[]::text[];
    _reasons text[] := ARRAY[]::text[];
    _untils timestamptz[] := ARRAY[]::timestamptz[];
    _details text[] := ARRAY[]::text[];
BEGIN
    -- Reads only. First, for each kind and account that tasks wait for, what is in the way of all
    -- of its tasks, in the order in which a claim comes across it, as explain does; then the tasks.
    FOR _row IN
        SELECT DISTINCT t.kind::text AS kind, t.account
          FROM board.tasks AS t
         WHERE t.status IN ('pending', 'scheduled', 'in_progress')
    LOOP
        _kind := board._kind_policy(_row.kind);
        _until := NULL;
        _reason := NULL;
        IF _settings.paused OR _kind.paused THEN
            _reason := 'paused';
            _detail := concat_ws(': ', CASE WHEN _settings.paused THEN 'board' ELSE 'kind' END,
                CASE WHEN _settings.paused THEN _settings.pause_reason ELSE _kind.pause_reason END);
        ELSIF _kind.provider IS NOT NULL AND _kind.mode = 'live' THEN
            _until := board._budget_free_at(
                _kind.provider, coalesce(_row.account, _kind.provider_account), 1, _now);
            IF _until > _now THEN
                _detail := board._budget_reason(
                    _kind.provider, coalesce(_row.account, _kind.provider_account), _now);
                _reason := CASE WHEN _until = 'infinity' THEN 'paused'
                    WHEN _detail LIKE '% is throttled until %' THEN 'throttled'
                    ELSE 'no budget' END;
                _detail := concat_ws('/', _kind.provider,
                    nullif(coalesce(_row.account, _kind.provider_account), ''));
            END IF;
        END IF;
        IF _reason IS NULL AND _kind.max_in_progress IS NOT NULL THEN
            _until := board._slots_free_at(_row.kind, _kind.max_in_progress, _now);
            IF _until > _now THEN
                _reason := 'at cap';
                _detail := format('%s in progress', _kind.max_in_progress);
            END IF;
        END IF;
        CONTINUE WHEN _reason IS NULL;
        _kinds := _kinds || _row.kind;
        _accounts := _accounts || coalesce(_row.account, '');
        _reasons := _reasons || _reason;
        _untils := _untils || nullif(_until, 'infinity');
        _details := _details || _detail;
    END LOOP;
    RETURN QUERY
        SELECT t.kind::text, w.reason, w.until, w.detail, t.id
          FROM board.tasks AS t
          LEFT JOIN board.kinds AS k ON k.name = t.kind
          LEFT JOIN unnest(_kinds, _accounts, _reasons, _untils, _details)
                    AS p (kind, account, reason, until, detail)
            ON p.kind = t.kind AND p.account = coalesce(t.account, '')
         CROSS JOIN LATERAL (
               SELECT CASE
                   WHEN t.status = 'blocked' THEN 'blocked'
                   WHEN p.reason = 'paused' OR t.paused THEN 'paused'
                   WHEN t.status = 'scheduled' AND t.run_at > _now THEN 'scheduled'
                   WHEN p.reason IN ('throttled', 'no budget') THEN p.reason
                   WHEN t.status = 'pending' AND t.rank IS NULL AND t.due_at > _now
                       THEN 'no budget'
                   ELSE p.reason END) AS s (reason)
         CROSS JOIN LATERAL (
               SELECT s.reason,
                      CASE WHEN s.reason IN ('blocked', 'paused') THEN NULL
                           WHEN s.reason = 'scheduled' THEN t.run_at
                           WHEN s.reason = p.reason THEN p.until
                           ELSE t.due_at END,
                      CASE WHEN s.reason = 'blocked' THEN format('%s unmet', t.unmet_needs)
                           WHEN s.reason = 'paused' THEN coalesce(p.detail, 'task')
                           WHEN s.reason = p.reason THEN p.detail
                           WHEN s.reason = 'no budget' THEN concat_ws('/', k.provider,
                               nullif(coalesce(t.account, k.provider_account), ''))
                      END) AS w (reason, until, detail)
         WHERE t.status IN ('blocked', 'pending', 'scheduled', 'in_progress')
           AND board._status_at(t.status, t.run_at, t.leased_until, t.escalated_at, t.lapse_count,
                                k.max_lapses, _now) IN ('blocked', 'pending', 'scheduled')
           AND w.reason IS NOT NULL
         ORDER BY w.until, ~t.priority, t.created_at, t.id;
END;
$$;

COMMENT ON FUNCTION board._waiting IS 'Private: the rows of board.waiting.';
