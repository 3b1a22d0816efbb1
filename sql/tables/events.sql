-- The append-only log of transitions, and how far it has been pruned.

CREATE DOMAIN board.event_type AS text
    CONSTRAINT task_events_type CHECK (VALUE IN
        ('enqueued', 'claimed', 'extended', 'completed', 'failed', 'escalated', 'expired',
         'released', 'retried', 'cancelled', 'replayed', 'reprioritized', 'paused', 'resumed',
         'unblocked', 'replaced'));

COMMENT ON DOMAIN board.event_type IS
    'enqueued, claimed, extended, completed, failed, escalated, expired, released, retried, '
    'cancelled, replayed, reprioritized, paused, resumed, unblocked or replaced.';


CREATE TABLE board.task_events (
    seq        bigint      NOT NULL GENERATED ALWAYS AS IDENTITY,
    xid        xid8        NOT NULL GENERATED ALWAYS AS (board._current_xid()) STORED,
    task_id    uuid        NOT NULL,
    kind       text        NOT NULL,
    type       board.event_type NOT NULL,
    actor      text        NOT NULL,
    db_user    text        NOT NULL,
    attempt    int         NOT NULL,
    payload    jsonb,
    created_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    CONSTRAINT task_events_pkey PRIMARY KEY (task_id, seq)
) WITH (autovacuum_vacuum_insert_scale_factor = 0.05);

-- For the feed: what is new to a reader are two ranges of xid; a reader far behind goes through the
-- log in ranges of seq, which a BRIN index finds for a fraction of a B-tree's price.
CREATE INDEX task_events_xid ON board.task_events (xid, seq);
CREATE INDEX task_events_seq ON board.task_events USING brin (seq)
    WITH (pages_per_range = 32, autosummarize = on);

COMMENT ON TABLE board.task_events IS
    'Append-only: every transition of every task, written by trigger in the transaction that '
    'made it. Outlives its tasks. Read it as a feed with board.events_since().';
COMMENT ON COLUMN board.task_events.seq IS
    'Order of writing. Not the order of commit: a reader that remembers the highest seq loses '
    'events; use events_since().';
COMMENT ON COLUMN board.task_events.xid IS
    'Transaction that wrote the row. A generated column, so that a dump leaves it out and a '
    'restored row gets the restoring transaction.';
COMMENT ON COLUMN board.task_events.task_id IS 'The task; it may have been pruned since.';
COMMENT ON COLUMN board.task_events.kind IS 'Kind of the task.';
COMMENT ON COLUMN board.task_events.type IS
    'enqueued, claimed, extended, completed, failed, escalated, expired, released, retried, '
    'cancelled, replayed, reprioritized, paused, resumed, unblocked or replaced.';
COMMENT ON COLUMN board.task_events.actor IS
    'Who did it: the name given to the verb; else the database role.';
COMMENT ON COLUMN board.task_events.db_user IS 'The database role that the caller acted under.';
COMMENT ON COLUMN board.task_events.attempt IS 'claim_count of the task at that moment.';
COMMENT ON COLUMN board.task_events.payload IS
    'What the transition carried: the task''s payload, the result, the failure, the note, the '
    'lease.';
COMMENT ON COLUMN board.task_events.created_at IS 'Wall clock of the database at writing.';


CREATE TABLE board.event_horizon (
    singleton  boolean NOT NULL DEFAULT true,
    pruned_seq bigint  NOT NULL DEFAULT 0,
    pruned_xid xid8    NOT NULL DEFAULT '0',
    CONSTRAINT event_horizon_pkey PRIMARY KEY (singleton),
    CONSTRAINT event_horizon_one_row CHECK (singleton)
);

COMMENT ON TABLE board.event_horizon IS
    'How far the log has been pruned: one row, kept by the trigger that sees every deletion. '
    'Feed cursors from before it get resync.';
COMMENT ON COLUMN board.event_horizon.singleton IS 'Always true: there is one row.';
COMMENT ON COLUMN board.event_horizon.pruned_seq IS 'Highest seq that was dropped; 0: none.';
COMMENT ON COLUMN board.event_horizon.pruned_xid IS 'Highest xid of a dropped event; 0: none.';

INSERT INTO board.event_horizon (singleton) VALUES (true);


CREATE TABLE board.doorbells (
    second int NOT NULL,
    CONSTRAINT doorbells_pkey PRIMARY KEY (second),
    CONSTRAINT doorbells_second CHECK (second BETWEEN 0 AND 59)
);

COMMENT ON TABLE board.doorbells IS
    'For settings.notify = coalesced: one row per second of a minute. Whoever can lock the present '
    'one at commit rings for everybody who cannot.';
COMMENT ON COLUMN board.doorbells.second IS 'Second of the minute, 0 to 59.';

CREATE UNLOGGED TABLE board.doorbell_calls (
    id       bigint      NOT NULL GENERATED ALWAYS AS IDENTITY,
    asked_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    CONSTRAINT doorbell_calls_pkey PRIMARY KEY (id)
);

COMMENT ON TABLE board.doorbell_calls IS
    'For settings.notify = coalesced: a row for each event, from its writing to the commit, where the '
    'row''s deferred trigger rings and takes it away. No other session ever sees one.';
COMMENT ON COLUMN board.doorbell_calls.id IS 'Number of the row.';
COMMENT ON COLUMN board.doorbell_calls.asked_at IS 'When the event was written.';


INSERT INTO board.doorbells (second) SELECT s.second FROM generate_series(0, 59) AS s (second);
