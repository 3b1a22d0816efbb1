CREATE OR REPLACE FUNCTION board.is_new(id uuid)
RETURNS boolean
LANGUAGE plpgsql
VOLATILE SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
    -- Volatile, so that it sees what enqueue did in the very statement that asks. Touches tasks
    -- first, as every verb does: an upgrade locks in that order.
    PERFORM FROM board.tasks AS t WHERE false;
    RETURN EXISTS (
        SELECT FROM board.task_events AS e
         WHERE e.task_id = is_new.id
           AND e.type = 'enqueued'
           AND e.xid = pg_current_xact_id_if_assigned());
END;
$$;

COMMENT ON FUNCTION board.is_new IS
$$Tells whether this very transaction put the task on the board: after an enqueue with a unique_key
true when it made the task, false when it found one. Ask in the statement that enqueues, or later in
its transaction; in another transaction it is false.

id  uuid of the task, as enqueue returned it; NULL or unknown: false

Example: SELECT e.id, board.is_new(e.id)
           FROM board.enqueue('send_invoice', '{}', unique_key => 'order_17') AS e (id);$$;
