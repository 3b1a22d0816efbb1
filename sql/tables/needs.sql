-- What tasks wait for: other tasks, and their turn in a sequence.

CREATE TABLE board.task_needs (
    task_id     uuid    NOT NULL,
    needs_id    uuid    NOT NULL,
    needed      boolean NOT NULL DEFAULT true,
    in_sequence boolean NOT NULL DEFAULT false,
    met_at      board.moment,
    CONSTRAINT task_needs_pkey PRIMARY KEY (task_id, needs_id),
    CONSTRAINT task_needs_task FOREIGN KEY (task_id) REFERENCES board.tasks (id) ON DELETE CASCADE,
    CONSTRAINT task_needs_reason CHECK (needed OR in_sequence),
    CONSTRAINT task_needs_itself CHECK (task_id <> needs_id)
);

-- Who waits for a task: asked when it is completed or cancelled.
CREATE INDEX task_needs_unmet ON board.task_needs (needs_id, task_id) WHERE met_at IS NULL;

COMMENT ON TABLE board.task_needs IS
    'Which task waits for which: one row per need. The rows of a task are changed only under the '
    'lock of that task.';
COMMENT ON COLUMN board.task_needs.task_id IS 'The task that waits.';
COMMENT ON COLUMN board.task_needs.needs_id IS
    'The task that it waits for; it may have been pruned since.';
COMMENT ON COLUMN board.task_needs.needed IS
    'Whether it was asked for: if it is cancelled, the task goes to a person.';
COMMENT ON COLUMN board.task_needs.in_sequence IS
    'Whether it is the one before it with the same kind and sequence_key: if it is cancelled, the '
    'task moves up.';
COMMENT ON COLUMN board.task_needs.met_at IS
    'When the need was completed, or was met already; NULL: not yet.';


CREATE TABLE board.task_sequences (
    kind         text NOT NULL,
    sequence_key text NOT NULL,
    CONSTRAINT task_sequences_pkey PRIMARY KEY (kind, sequence_key)
);

COMMENT ON TABLE board.task_sequences IS
    'The sequences that there are. A row is locked while a task is put to the end of its sequence: '
    'one after the other.';
COMMENT ON COLUMN board.task_sequences.kind IS 'Kind of the tasks.';
COMMENT ON COLUMN board.task_sequences.sequence_key IS 'What they share, as in customer_17.';


CREATE TABLE board.needs_graph (
    singleton boolean NOT NULL DEFAULT true,
    CONSTRAINT needs_graph_pkey PRIMARY KEY (singleton),
    CONSTRAINT needs_graph_one_row CHECK (singleton)
);

COMMENT ON TABLE board.needs_graph IS
    'One row, locked by whoever gives an existing task a new need: two that do it at one moment '
    'could close a cycle from both ends.';
COMMENT ON COLUMN board.needs_graph.singleton IS 'Always true: there is one row.';

INSERT INTO board.needs_graph (singleton) VALUES (true);
