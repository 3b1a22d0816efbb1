-- Outside providers, how often each may be called, and how much of that has been used.

CREATE TABLE board.providers (
    name                text         NOT NULL,
    base_url            text,
    sandbox_url         text,
    honours_idempotency boolean      NOT NULL DEFAULT false,
    idempotency_window  interval,
    signing_key         text,
    paused              boolean      NOT NULL GENERATED ALWAYS AS (paused_at IS NOT NULL) STORED,
    paused_at           board.moment,
    paused_by           text,
    pause_reason        text,
    created_at          board.moment NOT NULL DEFAULT clock_timestamp(),
    CONSTRAINT providers_pkey PRIMARY KEY (name),
    CONSTRAINT providers_name CHECK (length(name) BETWEEN 1 AND 200)
);

COMMENT ON TABLE board.providers IS
    'Outside APIs that tasks call. A row comes into being with configure_provider, or with the '
    'first pause of that name.';
COMMENT ON COLUMN board.providers.name IS 'Name of the provider, 1 to 200 characters.';
COMMENT ON COLUMN board.providers.base_url IS 'Where live calls go.';
COMMENT ON COLUMN board.providers.sandbox_url IS
    'Where calls of kinds in shadow go; NULL: they are suppressed.';
COMMENT ON COLUMN board.providers.honours_idempotency IS
    'Whether the provider does a call once however often it is sent with one Idempotency-Key; if '
    'not, a call of unknown outcome is never sent again by itself.';
COMMENT ON COLUMN board.providers.idempotency_window IS
    'How long the provider remembers a key after a call with it was sent; NULL: for ever.';
COMMENT ON COLUMN board.providers.signing_key IS
    'Name of the key that signs what is sent to it (create_signing_key); NULL: nothing is signed.';
COMMENT ON COLUMN board.providers.paused IS
    'Whether the provider is paused: nothing is granted, and tasks of its kinds are withheld from '
    'agents.';
COMMENT ON COLUMN board.providers.paused_at IS 'Since when the provider is paused.';
COMMENT ON COLUMN board.providers.paused_by IS 'Who paused it.';
COMMENT ON COLUMN board.providers.pause_reason IS 'Why it is paused.';
COMMENT ON COLUMN board.providers.created_at IS 'When the name was first seen.';


CREATE TABLE board.provider_limits (
    provider  text     NOT NULL,
    unit      text     NOT NULL DEFAULT 'call',
    period    interval NOT NULL,
    max_units bigint   NOT NULL,
    CONSTRAINT provider_limits_pkey PRIMARY KEY (provider, unit, period),
    CONSTRAINT provider_limits_provider FOREIGN KEY (provider) REFERENCES board.providers (name),
    -- A month is no length: a limit's period is counted in microseconds.
    CONSTRAINT provider_limits_period CHECK (period >= '1 millisecond' AND period <= '366 days'
        AND extract(year FROM period) = 0 AND extract(month FROM period) = 0),
    CONSTRAINT provider_limits_max_units CHECK (max_units >= 1 AND max_units <= 1000000000000000)
);

COMMENT ON TABLE board.provider_limits IS
    'How much of each unit (calls, tokens) a provider may be asked for, each account for itself; '
    'all rows of one provider must hold. Change it with board.set_limit() and board.drop_limit().';
COMMENT ON COLUMN board.provider_limits.provider IS 'The provider.';
COMMENT ON COLUMN board.provider_limits.unit IS
    'What is counted: call, or a unit that the provider bills, such as token.';
COMMENT ON COLUMN board.provider_limits.period IS
    'Length of the window; a day is 24 hours. The limit holds in every window of that length, '
    'wherever it begins.';
COMMENT ON COLUMN board.provider_limits.max_units IS 'Most of that unit within any such window.';


-- No foreign keys here: they would lock rows of providers and limits for every new account.
CREATE TABLE board.budgets (
    provider         text         NOT NULL,
    account          text         NOT NULL DEFAULT '',
    unit             text         NOT NULL DEFAULT 'call',
    period           interval     NOT NULL,
    counts           bigint[]     NOT NULL DEFAULT array_fill(0::bigint, ARRAY[65]),
    instant          bigint       NOT NULL DEFAULT 0,
    clock_at         board.moment NOT NULL DEFAULT to_timestamp(0),
    refundable_after bigint       NOT NULL DEFAULT 0,
    CONSTRAINT budgets_pkey PRIMARY KEY (provider, account, unit, period),
    CONSTRAINT budgets_counts CHECK (array_length(counts, 1) = 65 AND 0 <= ALL (counts))
) WITH (fillfactor = 50);

COMMENT ON TABLE board.budgets IS
    'What has been used of each limit: one row per provider, account and limit, made by the first '
    'take. Read board.provider_budgets instead.';
COMMENT ON COLUMN board.budgets.provider IS 'The provider.';
COMMENT ON COLUMN board.budgets.account IS
    'The account at the provider (an API key''s name); empty: the provider''s own budget.';
COMMENT ON COLUMN board.budgets.unit IS 'The unit of the limit this is the usage of.';
COMMENT ON COLUMN board.budgets.period IS 'The period of the limit this is the usage of.';
COMMENT ON COLUMN board.budgets.counts IS
    'Units granted per sub-window of a 64th of the period, newest first: the current one and the '
    '64 before it.';
COMMENT ON COLUMN board.budgets.instant IS
    'The budget''s own time at the last change, in microseconds: the database''s clock, less '
    'every step back it ever made.';
COMMENT ON COLUMN board.budgets.clock_at IS 'What the database''s clock said at the last change.';
COMMENT ON COLUMN board.budgets.refundable_after IS
    'Usage records up to this id give nothing back here: the clock was put back since, or the '
    'limit is younger, and which sub-window they are counted in cannot be told any more.';


-- A usage record's columns say who used what; budgets only how much was used when.
CREATE TABLE board.usage_records (
    id         bigint       NOT NULL GENERATED ALWAYS AS IDENTITY,
    provider   text,
    account    text         NOT NULL DEFAULT '',
    taken_at   board.moment NOT NULL,
    units      jsonb        NOT NULL,
    refundable jsonb        NOT NULL,
    task_id    uuid,
    step       text,
    kind       text,
    agent      text,
    db_user    text         NOT NULL,
    CONSTRAINT usage_records_pkey PRIMARY KEY (id)
) WITH (fillfactor = 80);

-- What a limit that is set later has to count, and what an account may give back.
CREATE INDEX usage_records_account ON board.usage_records (provider, account, taken_at);

-- What a task has used.
CREATE INDEX usage_records_task ON board.usage_records (task_id) WHERE task_id IS NOT NULL;

-- By age, for prune.
CREATE INDEX usage_records_taken_at ON board.usage_records (taken_at);

COMMENT ON TABLE board.usage_records IS
    'One row per granted take and live call: who used how much of which unit. board.usage adds '
    'them up; board.prune() drops old ones.';
COMMENT ON COLUMN board.usage_records.id IS 'Order of counting, within one budget.';
COMMENT ON COLUMN board.usage_records.provider IS 'The provider; NULL: the call named none.';
COMMENT ON COLUMN board.usage_records.account IS
    'The account whose budget it was taken from; empty: the provider''s own.';
COMMENT ON COLUMN board.usage_records.taken_at IS 'When it was granted.';
COMMENT ON COLUMN board.usage_records.units IS
    'What was used, a JSON object of unit and amount: as estimated, until the call is settled.';
COMMENT ON COLUMN board.usage_records.refundable IS
    'How much of it still counts as of taken_at, and so may be given back.';
COMMENT ON COLUMN board.usage_records.task_id IS 'The task whose call it was; NULL: a bare take.';
COMMENT ON COLUMN board.usage_records.step IS 'The step of that task.';
COMMENT ON COLUMN board.usage_records.kind IS 'Kind of that task.';
COMMENT ON COLUMN board.usage_records.agent IS 'The agent that made the call; NULL: not named.';
COMMENT ON COLUMN board.usage_records.db_user IS 'The database role that it acted under.';


CREATE TABLE board.throttles (
    provider        text         NOT NULL,
    account         text,
    throttled_until board.moment NOT NULL,
    CONSTRAINT throttles_key UNIQUE NULLS NOT DISTINCT (provider, account)
) WITH (fillfactor = 50);

COMMENT ON TABLE board.throttles IS
    'Until when a provider wants no more calls (it answered 429), per account. Set it with '
    'board.throttle().';
COMMENT ON COLUMN board.throttles.provider IS 'The provider.';
COMMENT ON COLUMN board.throttles.account IS
    'The account at the provider; empty: the provider''s own; NULL: all of its accounts.';
COMMENT ON COLUMN board.throttles.throttled_until IS
    'Nothing is granted before this moment, whatever the budget says.';
