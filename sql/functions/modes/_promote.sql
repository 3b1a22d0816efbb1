CREATE OR REPLACE FUNCTION board._promote(
    who             text,
    kind            text,
    mode            text,
    override_reason text DEFAULT NULL)
RETURNS text
LANGUAGE plpgsql
VOLATILE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    _now timestamptz;
    _kind board.kinds;
    _gate board.promotion_gate;
BEGIN
    -- Locks: the row of the kind and nothing after it; comparisons are read, not locked. Two people
    -- promoting at once queue here, and the second one finds the mode set: one event. So does
    -- whoever changes the kind's configuration meanwhile, which starts the count again. Agents read
    -- the kind without a lock, so they never wait for a promotion; NO KEY, so that neither does
    -- whoever refers to it. The clock is read after the lock.
    PERFORM board._check_name(kind, 'kind');
    IF mode IS NULL OR mode NOT IN ('dry_run', 'shadow', 'live') THEN
        PERFORM board._invalid_argument('mode', format('is %s', coalesce(quote_literal(mode), 'NULL')),
            'A kind is in mode dry_run, shadow or live.');
    ELSIF override_reason !~ '[^[:space:]]' THEN
        PERFORM board._invalid_argument('override_reason', 'says nothing',
            'Say why the kind may go live all the same; or leave it out.');
    ELSIF length(override_reason) > 10000 THEN
        PERFORM board._invalid_argument('override_reason',
            format('has %s characters', length(override_reason)), 'At most 10,000 are kept.');
    END IF;
    IF mode <> 'live' THEN
        PERFORM board._ensure_kind(kind);
    END IF;
    SELECT k.* INTO _kind FROM board.kinds AS k WHERE k.name = _promote.kind FOR NO KEY UPDATE;
    IF NOT FOUND THEN
        _kind := board._known_kind(kind);
    END IF;
    _now := clock_timestamp();
    IF _kind.mode = mode THEN
        RETURN mode;
    END IF;

    _gate := board._promotion_gate(_kind, mode, _now);
    IF NOT _gate.ready AND (override_reason IS NULL OR _kind.mode = 'dry_run') THEN
        RAISE EXCEPTION USING
            ERRCODE = 'TB007',
            MESSAGE = format('promotion of "%s" to %s refused', kind, mode),
            DETAIL = format('Unmet: %s.', array_to_string(_gate.unmet, '; ')),
            HINT = CASE
                WHEN _kind.mode = 'dry_run' THEN 'Promote it to shadow first.'
                ELSE 'board.promotion_report() has the figures, board.divergences what is to be '
                     'explained; an override_reason goes past all of it and is logged.'
            END;
    END IF;
    -- The era of a row is compared for equality, so it must never be the same twice, whatever the
    -- clock does.
    UPDATE board.kinds AS k
       SET mode = _promote.mode,
           mode_since = greatest(_now, _kind.mode_since + '1 microsecond'::interval)
     WHERE k.name = _promote.kind;
    PERFORM board._audit(who, 'promote', 'kind:' || kind, jsonb_strip_nulls(jsonb_build_object(
        'from', _kind.mode, 'to', mode, 'override_reason', override_reason,
        'unmet', nullif(_gate.unmet, '{}'), 'comparisons', _gate.comparisons,
        'agreed', _gate.agreed, 'diverged', _gate.diverged, 'missing', _gate.missing,
        'agreement_low', _gate.agreement_low, 'mode_since', _kind.mode_since)));
    RETURN mode;
END;
$$;

COMMENT ON FUNCTION board._promote IS
    'Private: promote for a name that has been checked.';
