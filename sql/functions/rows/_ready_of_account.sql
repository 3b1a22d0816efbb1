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
DECLARE
    _now timestamptz := clock_timestamp();
BEGIN
    -- Reads only, and no more than the first 1,000 ready tasks of the kind, and as many of those
    -- whose time has come after they had been postponed.
    RETURN ARRAY(
        SELECT w.id
          FROM (SELECT d.id, d.account
                  FROM (SELECT u.id, u.account, u.status
                          FROM board.tasks AS u
                         WHERE u.due_at IS NOT NULL
                           AND (u.kind, u.due_at) >= (_ready_of_account.kind, '-infinity')
                           AND (u.kind, u.due_at) <= (_ready_of_account.kind, _now)
                         ORDER BY u.kind, u.due_at
                         LIMIT 1000) AS d
                 WHERE d.status = 'pending'
                 UNION ALL
                SELECT r.id, r.account
                  FROM (SELECT t.id, t.account
                          FROM board.tasks AS t
                         WHERE t.rank IS NOT NULL
                           AND (t.kind, t.rank) >= (_ready_of_account.kind, -2147483648)
                           AND (t.kind, t.rank) <= (_ready_of_account.kind, 2147483647)
                         ORDER BY t.kind, t.rank, t.created_at, t.id
                         LIMIT 1000) AS r) AS w
         WHERE coalesce(w.account, standard) = _ready_of_account.account
         LIMIT 200);
END;
$$;

COMMENT ON FUNCTION board._ready_of_account IS
    'Private: the next ready tasks of a kind that need the budget of that account, 200 at most; '
    'standard is the account of tasks that name none.';
