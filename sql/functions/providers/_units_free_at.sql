CREATE OR REPLACE FUNCTION board._units_free_at(
    provider text,
    account  text,
    needed   jsonb,
    at       timestamptz)
RETURNS timestamptz
LANGUAGE plpgsql
STABLE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    _free_at timestamptz;
    _delay bigint;
BEGIN
    -- Locks nothing and waits for nobody: claim asks this before it looks at a kind's tasks. It is
    -- an estimate in one direction only: a take that has not committed is not seen, so the answer
    -- can be too early, and then _take, which locks, refuses.
    IF provider IS NULL THEN
        RETURN at;
    END IF;
    SELECT CASE WHEN p.paused THEN 'infinity'
                ELSE greatest(at, one.throttled_until, every.throttled_until) END
      INTO _free_at
      FROM board.providers AS p
      LEFT JOIN board.throttles AS one
        ON one.provider = p.name AND one.account = _units_free_at.account
      LEFT JOIN board.throttles AS every
        ON every.provider = p.name AND every.account IS NULL
     WHERE p.name = _units_free_at.provider;
    IF NOT FOUND THEN
        RETURN at;
    END IF;
    FOR _delay IN
        SELECT s.delay
          FROM board.provider_limits AS l
          LEFT JOIN board.budgets AS b
            ON b.provider = l.provider AND b.account = _units_free_at.account
           AND b.unit = l.unit AND b.period = l.period
         CROSS JOIN LATERAL board._budget_state(
               b.counts, l.period, b.instant, b.clock_at, l.max_units,
               (needed ->> l.unit)::bigint, at) AS s
         WHERE l.provider = _units_free_at.provider
           AND needed ? l.unit
           -- A budget last changed in the future: the clock has been put back, and how much of the
           -- period has passed, only a take can settle, because it writes. So let one come.
           AND (b.clock_at IS NULL OR b.clock_at < at + interval '1 minute')
    LOOP
        _free_at := greatest(_free_at,
                             coalesce(at + _delay * interval '1 microsecond', 'infinity'));
    END LOOP;
    RETURN _free_at;
END;
$$;

COMMENT ON FUNCTION board._units_free_at IS
    'Private: the earliest moment, not before at, when what is needed (a JSON object of unit and '
    'amount) could be granted if nobody else takes; at itself: now; infinity: paused, or it is '
    'above a limit. A provider that is NULL or unknown grants at once. Without locks.';
