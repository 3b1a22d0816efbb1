CREATE OR REPLACE FUNCTION board.enqueue(
    kind           text,
    payload        jsonb       DEFAULT '{}',
    priority       bigint      DEFAULT 0,
    run_at         timestamptz DEFAULT NULL,
    unique_key     text        DEFAULT NULL,
    correlation_id text        DEFAULT NULL,
    needs          uuid[]      DEFAULT NULL,
    sequence_key   text        DEFAULT NULL,
    account        text        DEFAULT NULL,
    unique_for     interval    DEFAULT NULL,
    on_taken       text        DEFAULT 'keep')
RETURNS uuid
LANGUAGE plpgsql
VOLATILE SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
    RETURN board._enqueue(NULL, enqueue.kind, enqueue.payload, enqueue.priority, enqueue.run_at,
                          enqueue.unique_key, enqueue.correlation_id, enqueue.needs,
                          enqueue.sequence_key, enqueue.account, enqueue.unique_for,
                          enqueue.on_taken);
END;
$$;

COMMENT ON FUNCTION board.enqueue IS
$$Puts a new task on the board and returns its id.

kind            name of the sort of task, 1 to 200 characters; a new name makes a new kind
payload         jsonb, what the task is about; not NULL
priority        bigint, higher is claimed first
run_at          timestamptz, not before this moment; NULL: at once
unique_key      text, 1 to 400 characters; while a task of this kind with this key is open, its id
                is returned and no second one is made (whatever the other arguments say);
                board.is_new(id) tells which it was
correlation_id  text, 1 to 400 characters; ties the task to the outside event behind it
needs           uuid[] of tasks, at most 1,000, that must be completed before this one is given out;
                until then it is blocked. One that is completed already is met
sequence_key    text, 1 to 400 characters: tasks of this kind with this key are worked one after
                another, in the order in which they were enqueued
account         text, the account at the kind's provider whose budget it needs; '' is the provider's
                own, NULL the kind's. While that account has no budget, the task stands in nobody's
                way
unique_for      interval, 0 to 10 years: a task of this kind with this key that was finished within
                that time is returned too, so that a webhook delivered again after its work is done
                makes no second one; NULL: only an open one is
on_taken        text, what becomes of the open task that has the key. 'keep': it stays as it is.
                'replace': one that waits (pending, scheduled, blocked) takes this payload, priority
                and run_at (NULL: at once). For one that is in progress or in the human queue they
                are kept, the last ones count, and become a new task in the transaction that
                finishes it (completed or cancelled; a fail or a lapse does not finish it). Not with
                needs or sequence_key

Errors: 22023 for an argument out of range, TB002 for a need that nobody knows, TB003 for one that
is cancelled.
Example: SELECT board.enqueue('send_invoice', '{"order": 17}', unique_key => 'order_17');$$;
