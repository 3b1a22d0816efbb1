-- Tasks, the kinds they are of, and the slots of kinds with a cap.

-- Domains and not CHECK constraints on what verbs write: a CHECK is read, parsed and planned anew
-- for every statement that writes a row (17 to 45 microseconds), a DOMAIN costs only where it is
-- assigned. The rules that join two columns are held by the log's triggers (_check_task).

CREATE DOMAIN board.task_status AS text
    CONSTRAINT tasks_status CHECK (VALUE IN
        ('blocked', 'scheduled', 'pending', 'in_progress', 'completed', 'escalated', 'cancelled'));
CREATE DOMAIN board.task_kind AS text
    CONSTRAINT tasks_kind CHECK (length(VALUE) BETWEEN 1 AND 200);
CREATE DOMAIN board.slot_number AS int
    CONSTRAINT kind_slots_slot CHECK (VALUE > 0);

COMMENT ON DOMAIN board.task_status IS
    'blocked, scheduled, pending, in_progress, completed, escalated or cancelled.';
COMMENT ON DOMAIN board.task_kind IS 'Name of a kind, 1 to 200 characters.';
COMMENT ON DOMAIN board.slot_number IS 'Number of a slot, from 1.';


CREATE TABLE board.kinds (
    name             text         NOT NULL,
    max_failures     int          NOT NULL DEFAULT 3,
    max_lapses       int,
    retry_delay      interval     NOT NULL DEFAULT '0',
    retry_delay_max  interval     NOT NULL DEFAULT '1 hour',
    max_in_progress  int,
    provider         text,
    provider_account text         NOT NULL DEFAULT '',
    task_budget      jsonb,
    mode             text         NOT NULL DEFAULT 'live',
    mode_since       board.moment NOT NULL DEFAULT clock_timestamp(),
    min_comparisons  int          NOT NULL DEFAULT 100,
    min_shadow_time  interval     NOT NULL DEFAULT '1 day',
    min_agreement    numeric      NOT NULL DEFAULT 0.9,
    ignored_paths    text[]       NOT NULL DEFAULT '{}',
    comparison_grace interval     NOT NULL DEFAULT '1 hour',
    paused           boolean      NOT NULL GENERATED ALWAYS AS (paused_at IS NOT NULL) STORED,
    paused_at        board.moment,
    paused_by        text,
    pause_reason     text,
    created_at       board.moment NOT NULL DEFAULT clock_timestamp(),
    CONSTRAINT kinds_pkey PRIMARY KEY (name),
    CONSTRAINT kinds_max_failures CHECK (max_failures > 0),
    CONSTRAINT kinds_max_lapses CHECK (max_lapses > 0),
    CONSTRAINT kinds_retry_delay CHECK (retry_delay BETWEEN '0' AND '10 years'),
    CONSTRAINT kinds_retry_delay_max CHECK (retry_delay_max BETWEEN '0' AND '10 years'),
    CONSTRAINT kinds_max_in_progress CHECK (max_in_progress BETWEEN 1 AND 10000),
    CONSTRAINT kinds_mode CHECK (mode IN ('dry_run', 'shadow', 'live')),
    CONSTRAINT kinds_min_comparisons CHECK (min_comparisons >= 0),
    CONSTRAINT kinds_min_shadow_time CHECK (min_shadow_time BETWEEN '0' AND '10 years'),
    CONSTRAINT kinds_min_agreement CHECK (min_agreement BETWEEN 0 AND 1),
    CONSTRAINT kinds_comparison_grace CHECK (comparison_grace BETWEEN '0' AND '10 years')
);

COMMENT ON TABLE board.kinds IS
    'The policy of kinds that were configured, paused or promoted. A kind without a row here '
    'has the defaults of these columns.';
COMMENT ON COLUMN board.kinds.name IS 'Name of the kind, 1 to 200 characters.';
COMMENT ON COLUMN board.kinds.max_failures IS
    'The fail() that escalates: 3 means the third; 1 or more.';
COMMENT ON COLUMN board.kinds.max_lapses IS
    'The lapsed lease that escalates, 1 or more; NULL: a lapsed task is given out again for ever.';
COMMENT ON COLUMN board.kinds.retry_delay IS
    'Wait after the first strike, doubled with each further one: 0 (claimable at once) to 10 years.';
COMMENT ON COLUMN board.kinds.retry_delay_max IS 'Longest wait after a strike: 0 to 10 years.';
COMMENT ON COLUMN board.kinds.max_in_progress IS
    'How many tasks of this kind agents may hold at one time, 1 to 10000; NULL: any number.';
COMMENT ON COLUMN board.kinds.provider IS
    'The provider whose budget this kind''s tasks need; NULL: none.';
COMMENT ON COLUMN board.kinds.provider_account IS
    'The account at the provider whose budget counts for claim; empty: the provider''s own.';
COMMENT ON COLUMN board.kinds.task_budget IS
    'What the calls of one task may use in all, a JSON object of unit and amount; NULL: anything.';
COMMENT ON COLUMN board.kinds.mode IS 'dry_run, shadow or live: what happens to outbound calls.';
COMMENT ON COLUMN board.kinds.mode_since IS
    'Since when the kind runs in this mode with this configuration; comparisons count from here.';
COMMENT ON COLUMN board.kinds.min_comparisons IS
    'Comparisons that promotion to live needs, 0 or more.';
COMMENT ON COLUMN board.kinds.min_shadow_time IS
    'Time in shadow that promotion to live needs: 0 to 10 years.';
COMMENT ON COLUMN board.kinds.min_agreement IS
    'Lower end of the 95 % Wilson interval of agreement that promotion to live needs, 0 to 1.';
COMMENT ON COLUMN board.kinds.ignored_paths IS
    'JSON paths that comparisons leave out, * for any one step.';
COMMENT ON COLUMN board.kinds.comparison_grace IS
    'How long one side of a comparison may wait for the other before it counts as a disagreement: '
    '0 to 10 years.';
COMMENT ON COLUMN board.kinds.paused IS 'Whether tasks of this kind are withheld from agents.';
COMMENT ON COLUMN board.kinds.paused_at IS 'Since when the kind is paused.';
COMMENT ON COLUMN board.kinds.paused_by IS 'Who paused it.';
COMMENT ON COLUMN board.kinds.pause_reason IS 'Why it is paused.';
COMMENT ON COLUMN board.kinds.created_at IS 'When it was first configured.';


CREATE TABLE board.kind_names (
    name text NOT NULL
);

CREATE INDEX kind_names_name ON board.kind_names (name);

COMMENT ON TABLE board.kind_names IS
    'The names of kinds that have a task; prune forgets those that have none left and no policy. '
    'For people and for promotion: claim does not read it. Not unique on purpose: two sessions '
    'that bring the first task of a kind at the same time would wait for each other''s commit. A '
    'name that stands here twice does no harm.';
COMMENT ON COLUMN board.kind_names.name IS 'Name of the kind.';


CREATE TABLE board.kind_slots (
    kind    text NOT NULL,
    slot    board.slot_number NOT NULL,
    task_id uuid,
    attempt int,
    CONSTRAINT kind_slots_pkey PRIMARY KEY (kind, slot),
    CONSTRAINT kind_slots_kind FOREIGN KEY (kind) REFERENCES board.kinds (name)
) WITH (fillfactor = 50);

COMMENT ON TABLE board.kind_slots IS
    'One row per unit of a kind''s max_in_progress. A slot is free when its task is not in '
    'progress at that attempt any more: nobody has to give it back.';
COMMENT ON COLUMN board.kind_slots.kind IS 'The kind with a cap.';
COMMENT ON COLUMN board.kind_slots.slot IS 'Number of the slot, from 1.';
COMMENT ON COLUMN board.kind_slots.task_id IS 'The task that took the slot last.';
COMMENT ON COLUMN board.kind_slots.attempt IS 'The attempt with which it took it.';


CREATE TABLE board.tasks (
    id                uuid        NOT NULL DEFAULT board._uuid7(),
    kind              board.task_kind   NOT NULL,
    status            board.task_status NOT NULL DEFAULT 'pending',
    priority          int         NOT NULL DEFAULT 0,
    payload           jsonb       NOT NULL DEFAULT '{}',
    created_at        timestamptz NOT NULL DEFAULT clock_timestamp(),
    run_at            timestamptz NOT NULL DEFAULT clock_timestamp(),
    leased_by         text,
    leased_until      timestamptz,
    heartbeat_at      timestamptz,
    claim_count       int         NOT NULL DEFAULT 0,
    failure_count     int         NOT NULL DEFAULT 0,
    lapse_count       int         NOT NULL DEFAULT 0,
    progress          jsonb,
    result            jsonb,
    last_failure      jsonb,
    unique_key        text,
    correlation_id    text,
    account           text,
    schedule          text,
    scheduled_for     timestamptz,
    escalated_at      timestamptz,
    escalation_reason text,
    finished_at       timestamptz,
    finished_by       text,
    paused            boolean     NOT NULL DEFAULT false,
    progress_at       timestamptz,
    sequence_key      text,
    unmet_needs       int         NOT NULL DEFAULT 0,
    dependents        int         NOT NULL DEFAULT 0,
    rank              int         DEFAULT -1,
    due_at            timestamptz,
    turn              bigint      NOT NULL
        DEFAULT (extract(epoch FROM transaction_timestamp()) * 1000000)::bigint,
    change            jsonb,
    ended             jsonb,
    replacement       jsonb,
    answer            jsonb,
    CONSTRAINT tasks_pkey PRIMARY KEY (id)
) WITH (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.01, autovacuum_vacuum_threshold = 1000,
        autovacuum_vacuum_cost_delay = 0, autovacuum_analyze_scale_factor = 0.02);

-- Where an open task stands is told by two plain columns, so that an index entry says it all:
--
--     rank    ~priority while it is ready for agents; NULL: it is not. ~ turns "highest first" into
--             ascending order without the overflow of -priority, so that a row comparison can seek.
--     due_at  when time alone will make it claimable: run_at of what is scheduled, the lease's end
--             of what an agent holds; NULL: time changes nothing.
--
-- The verbs keep both; after a change typed by hand the log's trigger puts them right.

-- The ready tasks in claim order, over all kinds and of one kind.
CREATE INDEX tasks_ready ON board.tasks (rank, created_at, id) WHERE rank IS NOT NULL;
CREATE INDEX tasks_ready_kind ON board.tasks (kind, rank, created_at, id) WHERE rank IS NOT NULL;

-- What time alone will make claimable, over all kinds and of one kind.
CREATE INDEX tasks_due ON board.tasks (due_at) WHERE due_at IS NOT NULL;
CREATE INDEX tasks_due_kind ON board.tasks (kind, due_at) WHERE due_at IS NOT NULL;

-- One open task per (kind, unique_key).
CREATE UNIQUE INDEX tasks_unique_key ON board.tasks (kind, unique_key)
    WHERE unique_key IS NOT NULL AND finished_at IS NULL;

-- The finished tasks with a key: enqueue(unique_for) asks. Those without a key pay nothing.
CREATE INDEX tasks_finished_key ON board.tasks (kind, unique_key, finished_at)
    WHERE unique_key IS NOT NULL AND finished_at IS NOT NULL;

-- The rare states share one small index: the human queue, what people hold of it, and the tasks
-- that are withheld one by one. Finished tasks have none: prune goes by the primary key, which is
-- in the order of time, and the newest are found by their events.
CREATE INDEX tasks_rare ON board.tasks (status, (~priority), escalated_at, id)
    WHERE finished_at IS NULL AND (escalated_at IS NOT NULL OR paused);

-- The open tasks of a sequence: the newest is the one that the next one stands behind.
CREATE INDEX tasks_sequence ON board.tasks (kind, sequence_key, created_at, id)
    WHERE sequence_key IS NOT NULL AND finished_at IS NULL;
-- Each occurrence of a schedule once.
CREATE UNIQUE INDEX tasks_occurrence ON board.tasks (schedule, scheduled_for)
    WHERE schedule IS NOT NULL;

CREATE INDEX tasks_correlation ON board.tasks (correlation_id) WHERE correlation_id IS NOT NULL;

-- The accounts that open tasks of a kind name: whether there are any, and which.
CREATE INDEX tasks_account ON board.tasks (kind, account)
    WHERE account IS NOT NULL AND finished_at IS NULL;

COMMENT ON TABLE board.tasks IS
    'One row per unit of work. Read it freely; change it through the functions (a DBA''s direct '
    'UPDATE is logged under the DBA''s role).';
COMMENT ON COLUMN board.tasks.id IS 'UUID version 7 (RFC 9562): time-ordered.';
COMMENT ON COLUMN board.tasks.kind IS 'What sort of task it is; board.kinds may have its policy.';
COMMENT ON COLUMN board.tasks.status IS
    'blocked (waits for other tasks), scheduled, pending, in_progress, completed, escalated or cancelled.';
COMMENT ON COLUMN board.tasks.priority IS 'Higher is claimed first; then the older task.';
COMMENT ON COLUMN board.tasks.payload IS 'What the task is about, as JSON.';
COMMENT ON COLUMN board.tasks.created_at IS 'When it was enqueued.';
COMMENT ON COLUMN board.tasks.run_at IS 'Not before this moment.';
COMMENT ON COLUMN board.tasks.leased_by IS 'Who holds it, while in progress.';
COMMENT ON COLUMN board.tasks.leased_until IS
    'End of the lease, while in progress; after it anybody may take the task over.';
COMMENT ON COLUMN board.tasks.heartbeat_at IS
    'Last sign of life of the holder: its claim or heartbeat.';
COMMENT ON COLUMN board.tasks.claim_count IS
    'How often it was claimed; at the time of a claim, that claim''s attempt (the fencing '
    'token). Only grows.';
COMMENT ON COLUMN board.tasks.failure_count IS
    'Strikes: fail() calls since it was enqueued, retried or replayed.';
COMMENT ON COLUMN board.tasks.lapse_count IS
    'Lapsed leases since it was enqueued, retried or replayed.';
COMMENT ON COLUMN board.tasks.progress IS
    'What a holder last said of its progress; kept for the next one.';
COMMENT ON COLUMN board.tasks.result IS 'What complete() was given.';
COMMENT ON COLUMN board.tasks.last_failure IS 'What the last fail() or escalate() was given.';
COMMENT ON COLUMN board.tasks.unique_key IS 'At most one open task of a kind has this key.';
COMMENT ON COLUMN board.tasks.correlation_id IS
    'What ties the task to the outside event that caused it.';
COMMENT ON COLUMN board.tasks.sequence_key IS
    'Tasks of one kind with the same key are worked one after another.';
COMMENT ON COLUMN board.tasks.unmet_needs IS
    'How many of the tasks that it waits for are not completed yet; board.task_needs has them.';
COMMENT ON COLUMN board.tasks.dependents IS
    'How many tasks were ever made to wait for this one; 0: none, and its completion tells nobody.';
COMMENT ON COLUMN board.tasks.schedule IS 'The schedule that made it; NULL: none did.';
COMMENT ON COLUMN board.tasks.scheduled_for IS
    'The occurrence of the schedule that it is for; fired by hand: that moment.';
COMMENT ON COLUMN board.tasks.account IS
    'The account at the kind''s provider whose budget it needs; NULL: the kind''s.';
COMMENT ON COLUMN board.tasks.escalated_at IS
    'When it came into the human queue; kept while a person holds it and when a person '
    'completes it.';
COMMENT ON COLUMN board.tasks.escalation_reason IS
    'Why it came there: failures, permanent, lapses, requested, need_cancelled, or a cause that a '
    'verb names.';
COMMENT ON COLUMN board.tasks.finished_at IS 'When it was completed or cancelled.';
COMMENT ON COLUMN board.tasks.finished_by IS 'Who completed or cancelled it.';
COMMENT ON COLUMN board.tasks.paused IS 'Whether this one task is withheld from agents.';
COMMENT ON COLUMN board.tasks.progress_at IS
    'When the progress that the last holder reported last changed; NULL: that one has reported none, '
    'and progress is what one before it said.';
COMMENT ON COLUMN board.tasks.rank IS
    'Private: place in the ready queue, ~priority; NULL: not ready. A lower rank goes first.';
COMMENT ON COLUMN board.tasks.due_at IS
    'Private: when time alone will make it claimable; NULL: time changes nothing.';
COMMENT ON COLUMN board.tasks.turn IS
    'Private: which change of the row this is. A verb adds 1 (the log''s trigger writes the event) '
    'or 2 (the verb''s statement writes it); a change typed by hand leaves it. It begins at the '
    'microsecond of the inserting transaction (the trigger writes the event; a row that a dump '
    'brings back has another transaction''s) or at 0 (the statement writes it).';
COMMENT ON COLUMN board.tasks.change IS
    'Private: what the row itself cannot tell of the verb''s last change: the type of its event, '
    'who made it and why; read by the log''s trigger, NULL after claim and complete.';
COMMENT ON COLUMN board.tasks.ended IS
    'Private: which attempt was last ended by fail, release or escalate with attempt, by whom, with '
    'which answer, given what (a digest): so that the verb may be said again.';
COMMENT ON COLUMN board.tasks.replacement IS
    'What enqueue(on_taken => ''replace'') brought while it was in progress or in the human queue: '
    'payload, priority, run_at; a new task as soon as this one is finished.';
COMMENT ON COLUMN board.tasks.answer IS
    'What the person who gave it back to the agents said: the note of the last retry().';
