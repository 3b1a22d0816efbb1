CREATE OR REPLACE FUNCTION board._ready_of_account(
    kind     text,
    account  text,
    standard text)
RETURNS uuid[]
LANGUAGE plpgsql
STABLE
SET search_path = pg_catalog, pg_temp
SET plan_cache_mode = force_generic_plan
SET enable_seqscan = off
SET enable_bitmapscan = off
SET enable_sort = off
SET jit = off
AS $$
BEGIN
    -- Reads only, and no more than the first 1,000 ready tasks of the kind.
    RETURN ARRAY(
        SELECT w.id
          FROM (SELECT t.id, t.account
                  FROM board.tasks AS t
                 WHERE t.rank IS NOT NULL
                   AND (t.kind, t.rank) >= (_ready_of_account.kind, -2147483648)
                   AND (t.kind, t.rank) <= (_ready_of_account.kind, 2147483647)
                 ORDER BY t.kind, t.rank, t.created_at, t.id
                 LIMIT 1000) AS w
         WHERE coalesce(w.account, standard) = _ready_of_account.account
         LIMIT 200);
END;
$$;

COMMENT ON FUNCTION board._ready_of_account IS
    'Private: the next ready tasks of a kind that need the budget of that account, 200 at most; '
    'standard is the account of tasks that name none.';
