CREATE OR REPLACE FUNCTION board.next_due(kinds text[] DEFAULT NULL)
RETURNS timestamptz
LANGUAGE plpgsql
STABLE SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    _now timestamptz := clock_timestamp();
    _policy record;
    _kind record;
    _next timestamptz;
    _at timestamptz;
    _names text[];
BEGIN
    -- Reads only. When no kind is closed or special: one probe of the ready and one of the due
    -- index, and one of the schedules. Else per kind that is not paused and has something open: its
    -- provider's budget, its slots, the same three probes.
    PERFORM board._check_kinds(next_due.kinds);
    -- Touches tasks first, as every verb without a name does: an upgrade locks in that order.
    PERFORM FROM board.tasks AS t WHERE false;
    SELECT s.paused, s.closed_kinds, s.special_kinds INTO _policy FROM board.settings AS s;
    IF _policy.paused THEN
        RETURN NULL;
    END IF;
    IF next_due.kinds IS NULL AND _policy.closed_kinds = '{}' AND _policy.special_kinds = '{}' THEN
        _at := least(board._kind_due(NULL, _now),
                     board._schedule_due(NULL, ARRAY[]::text[]));
        RETURN CASE WHEN _at < _now THEN _now ELSE _at END;
    END IF;
    IF next_due.kinds IS NULL THEN
        _names := board._ready_kinds() || board._due_kinds() || _policy.special_kinds;
        _at := board._schedule_due(NULL, _policy.closed_kinds || _policy.special_kinds);
        _next := CASE WHEN _at < _now THEN _now ELSE _at END;
    ELSE
        _names := next_due.kinds;
    END IF;
    FOR _kind IN
        SELECT DISTINCT n.name, k.max_in_progress, k.provider_account,
               CASE WHEN k.mode = 'live' THEN k.provider END AS provider
          FROM unnest(_names) AS n (name)
          LEFT JOIN board.kinds AS k ON k.name = n.name
         WHERE n.name <> ALL (_policy.closed_kinds)
    LOOP
        _at := least(board._kind_due(_kind.name, _now), board._schedule_due(_kind.name, NULL));
        CONTINUE WHEN _at IS NULL;
        IF _kind.name = ANY (_policy.special_kinds) THEN
            PERFORM FROM board.tasks AS t
              WHERE _kind.provider IS NOT NULL
                AND t.kind = _kind.name AND t.account IS NOT NULL AND t.finished_at IS NULL
              LIMIT 1;
            IF FOUND THEN
                _at := least(
                    board._accounts_due(
                        _kind.name, _kind.provider, _kind.provider_account, _now),
                    board._schedule_due(_kind.name, NULL));
            ELSE
                _at := greatest(_at,
                    board._budget_free_at(_kind.provider, _kind.provider_account, 1, _now));
            END IF;
            _at := greatest(_at,
                board._slots_free_at(_kind.name, _kind.max_in_progress, _now));
            CONTINUE WHEN _at = 'infinity';
        END IF;
        _next := least(_next, greatest(_at, _now));
        EXIT WHEN _next <= _now;
    END LOOP;
    RETURN _next;
END;
$$;

COMMENT ON FUNCTION board.next_due IS
$$Tells when a task of these kinds can next become claimable (a due time, the end of a lease, the
occurrence of a schedule, the return of a budget, the end of a throttle): how long an idle agent may
sleep if no notification comes. Now, if one is claimable now; NULL, if nothing that is on the board
will become so by time alone.

kinds  text[], the kinds wanted; NULL: all

Errors: 22023 for an array with a NULL in it.
Example: SELECT board.next_due(ARRAY['send_invoice']) - clock_timestamp() AS sleep;$$;
