CREATE OR REPLACE FUNCTION board.take(
    provider text,
    account  text DEFAULT '',
    cost     int  DEFAULT 1)
RETURNS TABLE (granted boolean, retry_after interval)
LANGUAGE plpgsql
VOLATILE SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
    RETURN QUERY
        SELECT t.granted, t.retry_after
          FROM board._take(take.provider, take.account, take.cost) AS t;
END;
$$;

COMMENT ON FUNCTION board.take IS
$$Asks for leave to call a provider now. Returns one row: granted, and if not, retry_after: how long
to wait until it can be granted, if nobody else takes.

provider  text, name of the provider (board.configure_provider)
account   text, whose budget: '' the provider's own, or a name such as an API key's; each account
          has a budget of its own, and '' is one of them, not the sum
cost      int, at least 1: how much of every limit the call uses

In any window of a limit's period, wherever it begins, at most max_calls are granted; all limits of
the provider must have room, and all are charged. Nothing is granted while the provider is paused
(retry_after is then a minute: look again) or throttled. A provider without limits always grants.
The budget is locked until the transaction ends, and a rollback gives the cost back: so take in a
short transaction of its own, commit, then call. board.begin_call() takes by itself.

Errors: 22023 for a provider that is not known, a malformed account or a cost below 1; TB006 for a
cost above a limit, which could never be granted.
Example: SELECT granted, retry_after FROM board.take('acme', cost => 2);$$;
