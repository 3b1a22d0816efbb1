-- What the new automation decided, what the old one did, and how the two compare.

CREATE TABLE board.compared_steps (
    kind           text         NOT NULL,
    correlation_id text         NOT NULL,
    step           text         NOT NULL,
    verdict        text         NOT NULL DEFAULT 'missing',
    mode           text         NOT NULL,
    mode_since     board.moment NOT NULL,
    recorded_at    board.moment NOT NULL,
    decided        jsonb,
    decided_at     board.moment,
    decided_by     text,
    task_id        uuid,
    attempt        int,
    actual         jsonb,
    actual_at      board.moment,
    actual_by      text,
    paths          text[]       NOT NULL DEFAULT '{}',
    ignored        text[]       NOT NULL DEFAULT '{}',
    explained_at   board.moment,
    explained_by   text,
    explanation    text,
    CONSTRAINT compared_steps_pkey PRIMARY KEY (kind, correlation_id, step),
    CONSTRAINT compared_steps_verdict
        CHECK (verdict IN ('matched', 'diverged', 'missing', 'ignored')),
    CONSTRAINT compared_steps_mode CHECK (mode IN ('dry_run', 'shadow', 'live')),
    CONSTRAINT compared_steps_sides CHECK (decided IS NOT NULL OR actual IS NOT NULL),
    CONSTRAINT compared_steps_missing
        CHECK ((verdict = 'missing') = (decided IS NULL OR actual IS NULL)),
    CONSTRAINT compared_steps_paths CHECK ((verdict = 'diverged') = (paths <> '{}')),
    CONSTRAINT compared_steps_decided CHECK ((decided IS NULL) = (decided_at IS NULL)),
    CONSTRAINT compared_steps_actual CHECK ((actual IS NULL) = (actual_at IS NULL)),
    CONSTRAINT compared_steps_explained CHECK ((explained_at IS NULL) = (explained_by IS NULL)
        AND (explained_at IS NULL) = (explanation IS NULL)
        AND (explained_at IS NULL OR verdict IN ('diverged', 'missing')))
) WITH (fillfactor = 80);

-- All that the promotion gate counts, so that it reads the present era of one kind and no row of
-- the table.
CREATE INDEX compared_steps_gate ON board.compared_steps (kind, mode_since)
    INCLUDE (verdict, explained_at, recorded_at);

-- What people look for, so that a million matches do not stand in the way.
CREATE INDEX compared_steps_open ON board.compared_steps (kind, mode_since, recorded_at)
    WHERE verdict IN ('diverged', 'missing');

COMMENT ON TABLE board.compared_steps IS
    'One row per (kind, correlation_id, step): both sides of a comparison, whichever came first. '
    'People read board.comparisons.';
COMMENT ON COLUMN board.compared_steps.kind IS 'Kind of the task: a row of board.kinds.';
COMMENT ON COLUMN board.compared_steps.correlation_id IS
    'The outside event that both sides answered to; a task without one stands here with its own '
    'id.';
COMMENT ON COLUMN board.compared_steps.step IS 'Name of the step within the work on that event.';
COMMENT ON COLUMN board.compared_steps.verdict IS
    'matched: equal; ignored: they differ only where the kind says to look away; diverged: they '
    'differ; missing: one side only.';
COMMENT ON COLUMN board.compared_steps.mode IS 'Mode of the kind when the row began to count.';
COMMENT ON COLUMN board.compared_steps.mode_since IS
    'mode_since of the kind as the decision (without one: the first record) found it. The row '
    'counts while the kind still says the same.';
COMMENT ON COLUMN board.compared_steps.recorded_at IS 'When the first side came in.';
COMMENT ON COLUMN board.compared_steps.decided IS
    'What the new automation decided; NULL: not there yet.';
COMMENT ON COLUMN board.compared_steps.decided_at IS 'When that was recorded.';
COMMENT ON COLUMN board.compared_steps.decided_by IS 'The agent that decided.';
COMMENT ON COLUMN board.compared_steps.task_id IS
    'The task in which it was decided; it may have been pruned since.';
COMMENT ON COLUMN board.compared_steps.attempt IS 'The attempt of that task.';
COMMENT ON COLUMN board.compared_steps.actual IS
    'What the old automation did; NULL: not there yet.';
COMMENT ON COLUMN board.compared_steps.actual_at IS 'When that was recorded.';
COMMENT ON COLUMN board.compared_steps.actual_by IS 'The database role that recorded it.';
COMMENT ON COLUMN board.compared_steps.paths IS
    'Where the two sides differ, as paths into both documents that cast to jsonpath; filled when '
    'the verdict is diverged.';
COMMENT ON COLUMN board.compared_steps.ignored IS
    'Where they differ too, but the kind''s ignored_paths say to look away.';
COMMENT ON COLUMN board.compared_steps.explained_at IS 'When a person explained the difference.';
COMMENT ON COLUMN board.compared_steps.explained_by IS 'Who explained it.';
COMMENT ON COLUMN board.compared_steps.explanation IS 'What that person said.';


CREATE TABLE board.comparison_evidence (
    seq            bigint       NOT NULL GENERATED ALWAYS AS IDENTITY,
    kind           text         NOT NULL,
    correlation_id text         NOT NULL,
    step           text         NOT NULL,
    side           text         NOT NULL,
    reason         text         NOT NULL,
    value          jsonb        NOT NULL,
    mode_since     board.moment NOT NULL,
    task_id        uuid,
    attempt        int,
    recorded_by    text         NOT NULL,
    recorded_at    board.moment NOT NULL,
    CONSTRAINT comparison_evidence_pkey PRIMARY KEY (seq),
    CONSTRAINT comparison_evidence_side CHECK (side IN ('decided', 'actual')),
    CONSTRAINT comparison_evidence_reason CHECK (reason IN ('conflict', 'superseded'))
);

CREATE INDEX comparison_evidence_step
    ON board.comparison_evidence (kind, correlation_id, step, seq);
CREATE INDEX comparison_evidence_conflicts
    ON board.comparison_evidence (kind, mode_since) WHERE reason = 'conflict';

COMMENT ON TABLE board.comparison_evidence IS
    'Records of a step that do not stand in board.comparisons: a second one that contradicted the '
    'first, or a decision from before the count began again.';
COMMENT ON COLUMN board.comparison_evidence.seq IS 'Order of writing.';
COMMENT ON COLUMN board.comparison_evidence.kind IS 'Kind, as in board.comparisons.';
COMMENT ON COLUMN board.comparison_evidence.correlation_id IS
    'Outside event, as in board.comparisons.';
COMMENT ON COLUMN board.comparison_evidence.step IS 'Step, as in board.comparisons.';
COMMENT ON COLUMN board.comparison_evidence.side IS
    'decided (by the new automation) or actual (of the old one).';
COMMENT ON COLUMN board.comparison_evidence.reason IS
    'conflict: came second and said something else; superseded: stood there until a decision '
    'under a newer configuration took its place.';
COMMENT ON COLUMN board.comparison_evidence.value IS 'What was recorded.';
COMMENT ON COLUMN board.comparison_evidence.mode_since IS
    'mode_since of the kind that the record belongs to.';
COMMENT ON COLUMN board.comparison_evidence.task_id IS 'The task of a decision.';
COMMENT ON COLUMN board.comparison_evidence.attempt IS 'The attempt of that task.';
COMMENT ON COLUMN board.comparison_evidence.recorded_by IS
    'The agent that decided, or the database role that recorded the actual.';
COMMENT ON COLUMN board.comparison_evidence.recorded_at IS 'When it was recorded.';


CREATE TYPE board.promotion_gate AS (
    kind            text,
    mode            text,
    mode_since      timestamptz,
    next_mode       text,
    ready           boolean,
    unmet           text[],
    comparisons     bigint,
    agreed          bigint,
    diverged        bigint,
    missing         bigint,
    waiting         bigint,
    unexplained     bigint,
    conflicts       bigint,
    agreement       numeric,
    agreement_low   numeric,
    min_comparisons int,
    min_agreement   numeric,
    time_in_mode    interval,
    min_shadow_time interval
);

COMMENT ON TYPE board.promotion_gate IS
    'How far a kind is from its next mode: board.promotion_report().';
COMMENT ON COLUMN board.promotion_gate.kind IS 'The kind.';
COMMENT ON COLUMN board.promotion_gate.mode IS 'Its mode.';
COMMENT ON COLUMN board.promotion_gate.mode_since IS
    'Since when it runs so with this configuration: what is older does not count.';
COMMENT ON COLUMN board.promotion_gate.next_mode IS 'The mode one step up; NULL when it is live.';
COMMENT ON COLUMN board.promotion_gate.ready IS
    'Whether promote() to that mode would pass now; NULL when it is live.';
COMMENT ON COLUMN board.promotion_gate.unmet IS 'Every reason why not.';
COMMENT ON COLUMN board.promotion_gate.comparisons IS 'Steps of which both sides are known.';
COMMENT ON COLUMN board.promotion_gate.agreed IS
    'Of these: matched, or differing only at ignored paths.';
COMMENT ON COLUMN board.promotion_gate.diverged IS 'Of these: differing, explained or not.';
COMMENT ON COLUMN board.promotion_gate.missing IS
    'Steps of which one side is still not known after comparison_grace: they count as '
    'disagreements.';
COMMENT ON COLUMN board.promotion_gate.waiting IS
    'Steps of which one side came in within comparison_grace: they do not count yet.';
COMMENT ON COLUMN board.promotion_gate.unexplained IS
    'Diverged and missing ones that no person has explained.';
COMMENT ON COLUMN board.promotion_gate.conflicts IS
    'Steps for which a second, different record came in.';
COMMENT ON COLUMN board.promotion_gate.agreement IS
    'agreed / (agreed + diverged + missing), rounded down to 4 digits.';
COMMENT ON COLUMN board.promotion_gate.agreement_low IS
    'Lower end of the two-sided 95 % Wilson interval of agreement, rounded down to 4 digits.';
COMMENT ON COLUMN board.promotion_gate.min_comparisons IS 'Comparisons that live needs.';
COMMENT ON COLUMN board.promotion_gate.min_agreement IS 'agreement_low that live needs.';
COMMENT ON COLUMN board.promotion_gate.time_in_mode IS 'Time since mode_since.';
COMMENT ON COLUMN board.promotion_gate.min_shadow_time IS 'Time in shadow that live needs.';
