CREATE OR REPLACE FUNCTION board._open_budget(
    provider text,
    account  text,
    unit     text,
    period   interval)
RETURNS void
LANGUAGE plpgsql
VOLATILE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    _width bigint := board._sub_window(period);
    _now timestamptz := clock_timestamp();
    _instant bigint := board._microseconds(_now);
    _counts bigint[] := array_fill(0::bigint, ARRAY[65]);
    _latest bigint := 0;
    _passed bigint;
    _amount numeric;
    _id bigint;
BEGIN
    -- Locks: the row that it makes; another session that is making it is waited for. What the board
    -- knows of the use in the period counts. A take that was granted before the limit was known and
    -- has not committed yet is not known. What is counted here gives nothing back: whether that
    -- take was among it cannot be told afterwards.
    FOR _passed, _amount, _id IN
        SELECT least(greatest(_instant / _width - r.at / _width, 0), 65) AS passed,
               sum(r.amount), max(r.id)
          FROM (SELECT u.id,
                       (extract(epoch FROM u.taken_at) * 1000000)::bigint AS at,
                       (u.units ->> _open_budget.unit)::bigint AS amount
                  FROM board.usage_records AS u
                 WHERE u.provider = _open_budget.provider
                   AND u.account = _open_budget.account
                   AND u.taken_at > _now - 65 * _width * interval '1 microsecond'
                   AND u.units ? _open_budget.unit) AS r
         GROUP BY passed
    LOOP
        _latest := greatest(_latest, _id);
        IF _passed < 65 THEN
            _counts[1 + _passed] := least(_amount, 10000000000000000);
        END IF;
    END LOOP;
    IF _latest = 0 THEN
        INSERT INTO board.budgets (provider, account, unit, period)
        VALUES (_open_budget.provider, _open_budget.account, _open_budget.unit,
                _open_budget.period)
            ON CONFLICT ON CONSTRAINT budgets_pkey DO NOTHING;
    ELSE
        INSERT INTO board.budgets (provider, account, unit, period, counts, instant, clock_at,
                                   refundable_after)
        VALUES (_open_budget.provider, _open_budget.account, _open_budget.unit,
                _open_budget.period, _counts, _instant, _now, _latest)
            ON CONFLICT ON CONSTRAINT budgets_pkey DO NOTHING;
    END IF;
END;
$$;

COMMENT ON FUNCTION board._open_budget IS
    'Private: makes the budget of an account for that limit, with what is on record of its use '
    'in the period; nothing when it is there.';
