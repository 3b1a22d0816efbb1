CREATE OR REPLACE FUNCTION board._delete_lapsed_locks()
RETURNS void
LANGUAGE plpgsql
VOLATILE
SET search_path = pg_catalog, pg_temp
SET enable_seqscan = off
SET jit = off
AS $$
DECLARE
    _pages bigint :=
        pg_relation_size('board.locks'::regclass) / current_setting('block_size')::bigint;
    _page bigint := floor(random() * _pages);
    _from tid := format('(%s,0)', _page)::tid;
    _to tid := format('(%s,0)', _page + 1)::tid;
    _before timestamptz := clock_timestamp() - interval '10 minutes';
    _old text[];
BEGIN
    -- Deletes up to 4 rows that ended 10 minutes ago or earlier from one page of the table, picked
    -- by chance. One page is all it reads, however large the table is and however many dead rows or
    -- live locks there are, and it needs no index, which each renewal would then have to pay for.
    -- As many calls as the table has pages see about all of it, each can take away 4 rows for one
    -- that was added: what has ended stays at about one row a page.
    --
    -- Locks the rows with SKIP LOCKED and waits for nothing. Until this transaction ends, somebody
    -- who wants one of those resources is held up for a moment (_insert_lock) and may be refused:
    -- hence only what nobody has wanted for 10 minutes, and few at a time.
    SELECT array_agg(old.resource) INTO _old
      FROM (SELECT l.resource
              FROM board.locks AS l
             WHERE l.ctid >= _from AND l.ctid < _to AND l.held_until < _before
             LIMIT 4
               FOR UPDATE SKIP LOCKED) AS old;
    IF _old IS NOT NULL THEN
        DELETE FROM board.locks AS l WHERE l.resource = ANY (_old);
    END IF;
END;
$$;

COMMENT ON FUNCTION board._delete_lapsed_locks IS
    'Private: deletes a few rows of locks that ended a while ago from one page of the table.';
