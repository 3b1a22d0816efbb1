CREATE OR REPLACE FUNCTION board.set_limit(
    provider  text,
    period    interval,
    max_units bigint,
    unit      text DEFAULT 'call',
    actor     text DEFAULT NULL)
RETURNS board.provider_limits
LANGUAGE plpgsql
VOLATILE SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    _limit board.provider_limits;
    _new boolean;
    _since timestamptz := clock_timestamp();
    _account text;
BEGIN
    -- Locks the limit's row; of a limit that is new, then its budgets, one account after the other
    -- (a take locks the budgets of one account only, so neither can wait for the other twice).
    -- Takes never lock a limit: they read it after they have locked the budgets, so every take that
    -- decides after our commit goes by the new number. What a budget counted while there was no
    -- such limit has gaps; what is on record has none.
    -- Touches tasks first, as every verb does: an upgrade locks in that order.
    PERFORM FROM board.tasks AS t WHERE false;
    PERFORM board._acting_agent(set_limit.actor, 'actor') WHERE set_limit.actor IS NOT NULL;
    PERFORM board._check_provider(set_limit.provider);
    PERFORM board._check_period(set_limit.period);
    PERFORM board._check_count(set_limit.max_units, 'max_units', 1000000000000000);
    PERFORM board._check_name(set_limit.unit, 'unit');
    PERFORM FROM board.provider_limits AS l
      WHERE l.provider = set_limit.provider AND l.unit = set_limit.unit
        AND l.period = set_limit.period
        FOR UPDATE;
    _new := NOT FOUND;
    INSERT INTO board.provider_limits (provider, unit, period, max_units)
    VALUES (set_limit.provider, set_limit.unit, set_limit.period, set_limit.max_units)
        ON CONFLICT ON CONSTRAINT provider_limits_pkey
        DO UPDATE SET max_units = excluded.max_units
    RETURNING * INTO _limit;
    IF _new THEN
        DELETE FROM board.budgets AS b
         WHERE b.provider = set_limit.provider AND b.unit = set_limit.unit
           AND b.period = set_limit.period;
        _since := _since - 2 * board._sub_window(set_limit.period) * interval '64 microseconds';
        FOR _account IN
            SELECT DISTINCT u.account
              FROM board.usage_records AS u
             WHERE u.provider = set_limit.provider AND u.units ? set_limit.unit
               AND u.taken_at > _since
             ORDER BY u.account
        LOOP
            PERFORM board._open_budget(
                set_limit.provider, _account, set_limit.unit, set_limit.period);
        END LOOP;
    END IF;
    PERFORM board._recall_postponed(set_limit.provider);
    PERFORM board._audit(set_limit.actor, 'set_limit', 'provider:' || set_limit.provider,
        jsonb_build_object('unit', set_limit.unit, 'period', set_limit.period,
                           'max_units', set_limit.max_units));
    RETURN _limit;
END;
$$;

COMMENT ON FUNCTION board.set_limit IS
$$Sets how much of a unit a provider may be asked for: at most max_units in any window of length
period, each account for itself. Other limits stay, and all must hold: 10 calls a second, 1,000 a
day, and 200,000 tokens a minute. Returns the limit.

provider   name of the provider
period     interval, 1 millisecond to 366 days; a day is 24 hours, and months are refused: they
           differ
max_units  bigint, 1 to 1,000,000,000,000,000
unit       text, what is counted: 'call', or a unit that the provider bills, as begin_call(units)
           names it
actor      who decides, for the log; NULL: the database role

What has been used keeps counting when max_units changes. A limit that is new counts what is on
record of its unit in its period (board.usage), as far as it has not been pruned.

Errors: 22023 for a provider that is not known or an argument out of range, 42501 for a name that is
another role's.
Example: SELECT * FROM board.set_limit('acme', '1 minute', 200000, unit => 'token');$$;
