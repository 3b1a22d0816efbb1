CREATE OR REPLACE FUNCTION board._change_usage(
    provider text,
    account  text,
    units    text[],
    periods  interval[],
    changes  jsonb,
    at       timestamptz,
    taken_at timestamptz DEFAULT NULL,
    usage_id bigint      DEFAULT NULL)
RETURNS void
LANGUAGE plpgsql
VOLATILE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    _change bigint;
    _counts bigint[];
    _instant bigint;
    _clock_at timestamptz;
    _refundable_after bigint;
    _width bigint;
    _place bigint;
BEGIN
    -- Locks: none but these budgets, which the caller holds already and has read at after.
    -- More is counted now. Less comes off the sub-window that it was counted in, and no other: were
    -- a newer one emptied instead, somebody else's later call would be kept with the age of ours
    -- and leave the window too early. If that sub-window counts no more, or cannot be told (the
    -- clock was put back since), nothing comes off.
    FOR _i IN 1 .. cardinality(periods) LOOP
        _change := coalesce((changes ->> units[_i])::bigint, 0);
        SELECT b.counts, b.instant, b.clock_at, b.refundable_after
          INTO _counts, _instant, _clock_at, _refundable_after
          FROM board.budgets AS b
         WHERE b.provider = _change_usage.provider AND b.account = _change_usage.account
           AND b.unit = units[_i] AND b.period = periods[_i];
        IF _clock_at > at THEN
            _refundable_after := coalesce((SELECT max(u.id) FROM board.usage_records AS u), 0);
        END IF;
        SELECT w.new_counts, w.new_instant INTO _counts, _instant
          FROM board._slide_window(_counts, periods[_i], _instant, _clock_at, at) AS w;
        IF _change > 0 THEN
            _counts[1] := least(_counts[1] + _change, 10000000000000000);
        ELSIF _change < 0 AND usage_id > _refundable_after THEN
            _width := board._sub_window(periods[_i]);
            _place := 1 + _instant / _width
                      - (_instant - board._microseconds(at) + board._microseconds(taken_at))
                        / _width;
            IF _place BETWEEN 1 AND 65 THEN
                _counts[_place] := greatest(0, _counts[_place] + _change);
            END IF;
        END IF;
        UPDATE board.budgets AS b
           SET counts = _counts,
               instant = _instant,
               clock_at = at,
               refundable_after = _refundable_after
         WHERE b.provider = _change_usage.provider AND b.account = _change_usage.account
           AND b.unit = units[_i] AND b.period = periods[_i];
    END LOOP;
END;
$$;

COMMENT ON FUNCTION board._change_usage IS
    'Private: changes what is counted in these budgets, locked by the caller, at that moment: '
    'more than 0 is added now, less comes off where the usage record of that id was counted; 0 '
    'only moves a budget on to the moment.';
