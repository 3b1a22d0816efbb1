CREATE OR REPLACE FUNCTION board.give_back(
    provider text,
    taken_at timestamptz,
    account  text   DEFAULT '',
    cost     bigint DEFAULT 1,
    units    jsonb  DEFAULT NULL)
RETURNS bigint
LANGUAGE plpgsql
VOLATILE SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
    RETURN board._give_back(NULL, give_back.provider, give_back.taken_at, give_back.account,
                            give_back.cost, give_back.units);
END;
$$;

COMMENT ON FUNCTION board.give_back IS
$$Gives back what a committed take was granted and the call did not use (it was never sent). Returns
how many calls were given back: less than cost when you have taken less.

provider  text, as it was taken
taken_at  timestamptz of the database, at or just before the take: when its transaction began
account   text, as it was taken
cost      bigint, how many calls to give back: as they were taken, or less
units     jsonb, what to give back of other units, likewise

Only what your database role (over HTTP: your agent) has itself taken with board.take() at taken_at
or later comes back, the oldest first, and no more than that. It comes off the sub-window that it
was counted in, so the limits go on holding in every window. A take that is rolled back gives
itself back: do not do it twice. What a call of a task did not use is told with finish_call(used).

Errors: 22023 for a provider that is not known or an argument out of range.
Example: SELECT board.give_back('acme', '2026-03-01 12:00:00+00', cost => 2);$$;
