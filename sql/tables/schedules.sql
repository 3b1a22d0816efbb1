-- Recurring work: one row per schedule, fired by whoever looks for work.

CREATE TABLE board.task_schedules (
    name          text         NOT NULL,
    cron          text         NOT NULL,
    meaning       text         NOT NULL,
    timezone      text         NOT NULL,
    kind          text         NOT NULL,
    payload       jsonb        NOT NULL,
    priority      int          NOT NULL,
    missed        text         NOT NULL,
    overlap       text         NOT NULL,
    starts_at     board.moment,
    ends_at       board.moment,
    next_at       board.moment,
    last_at       board.moment,
    last_task_id  uuid,
    last_fired_at board.moment,
    waits_for     uuid,
    skipped_at    board.moment,
    skip_reason   text,
    paused        boolean      NOT NULL GENERATED ALWAYS AS (paused_at IS NOT NULL) STORED,
    paused_at     board.moment,
    paused_by     text,
    pause_reason  text,
    created_at    board.moment NOT NULL DEFAULT clock_timestamp(),
    CONSTRAINT task_schedules_pkey PRIMARY KEY (name),
    CONSTRAINT task_schedules_missed CHECK (missed IN ('one', 'all', 'none')),
    CONSTRAINT task_schedules_overlap CHECK (overlap IN ('skip', 'allow')),
    CONSTRAINT task_schedules_next_at CHECK (next_at > last_at)
) WITH (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.05, autovacuum_vacuum_threshold = 200);

-- What is due, over all kinds: claim and fire_due probe it. Of one moment the more urgent first.
CREATE INDEX task_schedules_due ON board.task_schedules (next_at, (~priority), name)
    WHERE next_at IS NOT NULL AND paused_at IS NULL;

-- The next occurrence of a kind: next_due probes it.
CREATE INDEX task_schedules_kind ON board.task_schedules (kind, next_at)
    WHERE next_at IS NOT NULL AND paused_at IS NULL;

COMMENT ON TABLE board.task_schedules IS
    'Recurring work, as board.schedule() was told it, and how far it has got. The view '
    'board.schedules shows it.';
COMMENT ON COLUMN board.task_schedules.name IS 'Name of the schedule, 1 to 200 characters.';
COMMENT ON COLUMN board.task_schedules.cron IS 'The expression, as in board.next_occurrence().';
COMMENT ON COLUMN board.task_schedules.meaning IS 'The expression in words.';
COMMENT ON COLUMN board.task_schedules.timezone IS 'The time zone whose clock it is about.';
COMMENT ON COLUMN board.task_schedules.kind IS 'Kind of its tasks.';
COMMENT ON COLUMN board.task_schedules.payload IS 'Payload of its tasks.';
COMMENT ON COLUMN board.task_schedules.priority IS 'Priority of its tasks.';
COMMENT ON COLUMN board.task_schedules.missed IS
    'What becomes of occurrences that nobody fired in time: one task for them all (one), a task '
    'for each (all), nothing (none).';
COMMENT ON COLUMN board.task_schedules.overlap IS
    'Whether there may be a second open task: skip or allow.';
COMMENT ON COLUMN board.task_schedules.starts_at IS 'No occurrence before this moment.';
COMMENT ON COLUMN board.task_schedules.ends_at IS 'No occurrence after this moment.';
COMMENT ON COLUMN board.task_schedules.next_at IS
    'The first occurrence that has not been dealt with; NULL: there is none any more.';
COMMENT ON COLUMN board.task_schedules.last_at IS
    'The last occurrence that has been dealt with: fired, skipped or missed. Only grows, and '
    'next_at is later, so that a clock that steps back fires nothing twice.';
COMMENT ON COLUMN board.task_schedules.last_task_id IS 'The task made last; it may be pruned.';
COMMENT ON COLUMN board.task_schedules.last_fired_at IS 'When that was, by the wall clock.';
COMMENT ON COLUMN board.task_schedules.waits_for IS
    'The open task that due occurrences wait for (missed all with overlap skip).';
COMMENT ON COLUMN board.task_schedules.skipped_at IS 'The last occurrence that made no task.';
COMMENT ON COLUMN board.task_schedules.skip_reason IS
    'Why it made none: open (the task before it was) or late (nobody fired it in time).';
COMMENT ON COLUMN board.task_schedules.paused IS 'Whether it is withheld.';
COMMENT ON COLUMN board.task_schedules.paused_at IS 'Since when it is paused.';
COMMENT ON COLUMN board.task_schedules.paused_by IS 'Who paused it.';
COMMENT ON COLUMN board.task_schedules.pause_reason IS 'Why it is paused.';
COMMENT ON COLUMN board.task_schedules.created_at IS 'When it was first configured.';
