CREATE OR REPLACE FUNCTION board._tasks_for_update(ids uuid[])
RETURNS void
LANGUAGE plpgsql
VOLATILE
SET search_path = pg_catalog, pg_temp
SET enable_seqscan = off
SET jit = off
AS $$
DECLARE
    _id uuid;
BEGIN
    -- Locks: all of these tasks or none. complete holds a need and then asks for those that wait
    -- for it, whatever their ids; so who wants a need and one that waits for it cannot ask in id
    -- order without the danger of a deadlock. Here nothing is waited for while anything is held:
    -- when a row is locked by somebody else, the savepoint gives back what was locked so far, that
    -- one row is waited for alone and given back too, and all is tried again.
    LOOP
        BEGIN
            PERFORM FROM board.tasks AS t
              WHERE t.id = ANY (_tasks_for_update.ids)
              ORDER BY t.id
                FOR NO KEY UPDATE NOWAIT;
            RETURN;
        EXCEPTION
            WHEN lock_not_available THEN
                NULL;
        END;
        FOREACH _id IN ARRAY _tasks_for_update.ids LOOP
            BEGIN
                PERFORM FROM board.tasks AS t WHERE t.id = _id FOR NO KEY UPDATE;
                RAISE EXCEPTION 'give the row back';
            EXCEPTION
                WHEN raise_exception THEN
                    NULL;
            END;
        END LOOP;
    END LOOP;
END;
$$;

COMMENT ON FUNCTION board._tasks_for_update IS
    'Private: locks all of these tasks (those that exist), without ever waiting for one while it '
    'holds another.';
