CREATE OR REPLACE FUNCTION board.take(
    provider text,
    account  text   DEFAULT '',
    cost     bigint DEFAULT 1,
    units    jsonb  DEFAULT NULL)
RETURNS TABLE (granted boolean, retry_after interval)
LANGUAGE plpgsql
VOLATILE SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    _needed jsonb := board._needed_units(take.cost, take.units);
BEGIN
    RETURN QUERY
        SELECT t.granted, t.retry_after
          FROM board._take(NULL, take.provider, take.account, _needed) AS t;
END;
$$;

COMMENT ON FUNCTION board.take IS
$$Asks for leave to call a provider now. Returns one row: granted, and if not, retry_after: how long
to wait until it can be granted, if nobody else takes.

provider  text, name of the provider (board.configure_provider)
account   text, whose budget: '' the provider's own, or a name such as an API key's; each account
          has a budget of its own, and '' is one of them, not the sum
cost      bigint, 1 to 1,000,000,000,000: how many calls it counts as
units     jsonb, what it will use of other units as far as you can tell: '{"token": 3500}', whole
          numbers, at most 32 units

In any window of a limit's period, wherever it begins, at most max_units are granted; all limits of
all units that are asked for must have room, and all are charged; what is refused is charged
nothing. Nothing is granted while the provider is paused (retry_after is then a minute: look again)
or throttled. A unit without limits is always granted.
The budget is locked until the transaction ends, and a rollback gives back: so take in a short
transaction of its own, commit, then call. board.begin_call() takes by itself.

Errors: 22023 for a provider that is not known, a malformed account, a cost or a unit out of range;
TB006 for an amount above a limit, which could never be granted.
Example: SELECT granted, retry_after FROM board.take('acme', units => '{"token": 3500}');$$;
