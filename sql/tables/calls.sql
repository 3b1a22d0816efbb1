-- Outbound calls: every call is a row here before it is made, and its outcome is written beside it.
--
-- A step of a task may be called several times: again after an agent died, in dry-run before it is
-- live. So a row is one call, numbered within its step, and what is known of a step is what its
-- rows of that mode say together:
--
--     done           a row succeeded, and not too late to count
--     failed         the last call's outcome is a failure: it may be tried again
--     indeterminate  the last call has no outcome: it may have reached the provider or not
--
-- Whoever reads or writes the rows of a task here has locked that task's row first.

CREATE TABLE board.calls (
    task_id         uuid         NOT NULL,
    step            text         NOT NULL,
    number          int          NOT NULL,
    mode            text         NOT NULL,
    decision        text         NOT NULL,
    attempt         int          NOT NULL,
    agent           text         NOT NULL,
    idempotency_key text         NOT NULL,
    provider        text,
    account         text         NOT NULL DEFAULT '',
    cost            bigint       NOT NULL DEFAULT 1,
    usage_id        bigint,
    url             text,
    body            text,
    began_at        board.moment NOT NULL,
    finished_at     board.moment,
    finished_by     text,
    succeeded       boolean,
    late            boolean      NOT NULL DEFAULT false,
    response        jsonb,
    superseded_by   int,
    CONSTRAINT calls_pkey PRIMARY KEY (task_id, step, number),
    CONSTRAINT calls_task FOREIGN KEY (task_id) REFERENCES board.tasks (id) ON DELETE CASCADE,
    CONSTRAINT calls_step CHECK (length(step) BETWEEN 1 AND 200),
    CONSTRAINT calls_number CHECK (number > 0),
    CONSTRAINT calls_mode CHECK (mode IN ('dry_run', 'shadow', 'live')),
    CONSTRAINT calls_decision CHECK (CASE decision
        WHEN 'send' THEN mode = 'live'
        WHEN 'sandbox' THEN mode = 'shadow'
        WHEN 'suppress' THEN mode IN ('dry_run', 'shadow')
        WHEN 'report' THEN finished_at IS NOT NULL
        ELSE false END),
    CONSTRAINT calls_cost CHECK (cost > 0),
    CONSTRAINT calls_outcome CHECK ((finished_at IS NOT NULL) = (succeeded IS NOT NULL)
        AND (finished_at IS NOT NULL) = (finished_by IS NOT NULL)),
    CONSTRAINT calls_late CHECK (NOT late OR finished_at IS NOT NULL)
) WITH (fillfactor = 80);

-- From a key in the provider's books back to the task.
CREATE INDEX calls_idempotency_key ON board.calls (idempotency_key);

COMMENT ON TABLE board.calls IS
    'One row per outbound call, written before it is made, with what came of it. Pruned with '
    'its task. Fill it with board.begin_call() and board.finish_call().';
COMMENT ON COLUMN board.calls.task_id IS 'The task.';
COMMENT ON COLUMN board.calls.step IS 'Name of the step within the task.';
COMMENT ON COLUMN board.calls.number IS 'Counts the rows of a step, from 1.';
COMMENT ON COLUMN board.calls.mode IS
    'Mode of the kind when the call was begun. Rows of different modes know nothing of each other.';
COMMENT ON COLUMN board.calls.decision IS
    'send: to be sent to the provider; sandbox: to its sandbox; suppress: not to be sent; '
    'report: no call, but another outcome told for a call that had one.';
COMMENT ON COLUMN board.calls.attempt IS
    'Attempt of the task (its claim_count) that the call belongs to.';
COMMENT ON COLUMN board.calls.agent IS 'Who began the call; of a report, who told it.';
COMMENT ON COLUMN board.calls.idempotency_key IS 'board.idempotency_key(task_id, step), as sent.';
COMMENT ON COLUMN board.calls.provider IS 'The provider; NULL: none was named.';
COMMENT ON COLUMN board.calls.account IS
    'The account at the provider whose budget it took from; empty: the provider''s own.';
COMMENT ON COLUMN board.calls.cost IS
    'How many calls of the budget it counted as; nothing was taken unless decision is send.';
COMMENT ON COLUMN board.calls.usage_id IS
    'The usage record of what was taken for it; NULL: nothing was.';
COMMENT ON COLUMN board.calls.url IS
    'Where it was to be sent; of a suppressed call, where it would have been. NULL: the agent '
    'knows.';
COMMENT ON COLUMN board.calls.body IS
    'What was to be sent, byte for byte as signed (in UTF-8). NULL: no body.';
COMMENT ON COLUMN board.calls.began_at IS 'When it was recorded, just before it was to be sent.';
COMMENT ON COLUMN board.calls.finished_at IS 'When its outcome was told; NULL: unknown.';
COMMENT ON COLUMN board.calls.finished_by IS
    'Who told its outcome: the agent, or the person who looked it up.';
COMMENT ON COLUMN board.calls.succeeded IS 'The outcome: true makes the step done.';
COMMENT ON COLUMN board.calls.late IS
    'Whether the outcome came too late to count: evidence only.';
COMMENT ON COLUMN board.calls.response IS 'What the provider answered, as told to finish_call.';

COMMENT ON COLUMN board.calls.superseded_by IS
    'Number of the call of this step and mode that was begun next; NULL: this is the last.';


CREATE TABLE board.task_budgets (
    task_id uuid  NOT NULL,
    units   jsonb NOT NULL,
    CONSTRAINT task_budgets_pkey PRIMARY KEY (task_id),
    CONSTRAINT task_budgets_task FOREIGN KEY (task_id) REFERENCES board.tasks (id) ON DELETE CASCADE
);

COMMENT ON TABLE board.task_budgets IS
    'What the calls of single tasks may use, where it is not what the kind''s task_budget says. '
    'Fill it with board.set_task_budget().';
COMMENT ON COLUMN board.task_budgets.task_id IS 'The task.';
COMMENT ON COLUMN board.task_budgets.units IS
    'Unit and amount; a unit that is not named is as the kind''s.';


CREATE TYPE board.call_ticket AS (
    decision        text,
    idempotency_key text,
    url             text,
    headers         jsonb,
    body            text,
    response        jsonb,
    retry_after     interval
);

COMMENT ON TYPE board.call_ticket IS
    'What board.begin_call() answers: whether to send, and if so where and what.';
COMMENT ON COLUMN board.call_ticket.decision IS
    'send, done, suppress, sandbox, wait, over_budget or indeterminate.';
COMMENT ON COLUMN board.call_ticket.idempotency_key IS
    'The step''s key, the same for every attempt.';
COMMENT ON COLUMN board.call_ticket.url IS
    'Where to send it, with send and sandbox; NULL also when no provider was named.';
COMMENT ON COLUMN board.call_ticket.headers IS
    'Headers to send with it, a JSON object of strings, with send and sandbox.';
COMMENT ON COLUMN board.call_ticket.body IS
    'What to send, byte for byte in UTF-8, with send and sandbox; with suppress, what would '
    'have been.';
COMMENT ON COLUMN board.call_ticket.response IS 'The recorded response, with done.';
COMMENT ON COLUMN board.call_ticket.retry_after IS 'With wait: how long the task has been put off.';
