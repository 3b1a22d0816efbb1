-- Outside providers, how often each may be called, and how much of that has been used.

CREATE TABLE board.providers (
    name                text        NOT NULL,
    base_url            text,
    sandbox_url         text,
    honours_idempotency boolean     NOT NULL DEFAULT false,
    signing_key         text,
    paused              boolean     NOT NULL GENERATED ALWAYS AS (paused_at IS NOT NULL) STORED,
    paused_at           timestamptz,
    paused_by           text,
    pause_reason        text,
    created_at          timestamptz NOT NULL DEFAULT clock_timestamp(),
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
    period    interval NOT NULL,
    max_calls int      NOT NULL,
    CONSTRAINT provider_limits_pkey PRIMARY KEY (provider, period),
    CONSTRAINT provider_limits_provider FOREIGN KEY (provider) REFERENCES board.providers (name),
    -- A month is no length: a limit's period is counted in microseconds.
    CONSTRAINT provider_limits_period CHECK (period BETWEEN '1 millisecond' AND '366 days'
        AND extract(year FROM period) = 0 AND extract(month FROM period) = 0),
    CONSTRAINT provider_limits_max_calls CHECK (max_calls BETWEEN 1 AND 1000000000)
);

COMMENT ON TABLE board.provider_limits IS
    'How often a provider may be called, each account for itself; several rows of one provider '
    'must all hold. Change it with board.set_limit() and board.drop_limit().';
COMMENT ON COLUMN board.provider_limits.provider IS 'The provider.';
COMMENT ON COLUMN board.provider_limits.period IS
    'Length of the window; a day is 24 hours. The limit holds in every window of that length, '
    'wherever it begins.';
COMMENT ON COLUMN board.provider_limits.max_calls IS 'Most calls within any such window.';


-- No foreign keys here: they would lock rows of providers and limits for every new account, and a
-- budget that outlives its limit is right again, to the call, should the limit come back.
CREATE TABLE board.budgets (
    provider text        NOT NULL,
    account  text        NOT NULL DEFAULT '',
    period   interval    NOT NULL,
    counts   int[]       NOT NULL DEFAULT array_fill(0, ARRAY[65]),
    instant  bigint      NOT NULL DEFAULT 0,
    clock_at timestamptz NOT NULL DEFAULT to_timestamp(0),
    CONSTRAINT budgets_pkey PRIMARY KEY (provider, account, period),
    CONSTRAINT budgets_counts CHECK (array_length(counts, 1) = 65 AND 0 <= ALL (counts))
) WITH (fillfactor = 50);

COMMENT ON TABLE board.budgets IS
    'What has been used of each limit: one row per provider, account and limit, made by the first '
    'take. Read board.provider_budgets instead.';
COMMENT ON COLUMN board.budgets.provider IS 'The provider.';
COMMENT ON COLUMN board.budgets.account IS
    'The account at the provider (an API key''s name); empty: the provider''s own budget.';
COMMENT ON COLUMN board.budgets.period IS 'The limit this is the usage of.';
COMMENT ON COLUMN board.budgets.counts IS
    'Calls granted per sub-window of a 64th of the period, newest first: the current one and the '
    '64 before it.';
COMMENT ON COLUMN board.budgets.instant IS
    'The budget''s own time at the last change, in microseconds: the database''s clock, less '
    'every step back it ever made.';
COMMENT ON COLUMN board.budgets.clock_at IS 'What the database''s clock said at the last change.';


CREATE TABLE board.throttles (
    provider        text        NOT NULL,
    account         text        NOT NULL DEFAULT '',
    throttled_until timestamptz NOT NULL,
    CONSTRAINT throttles_pkey PRIMARY KEY (provider, account)
) WITH (fillfactor = 50);

COMMENT ON TABLE board.throttles IS
    'Until when a provider wants no more calls (it answered 429), per account. Set it with '
    'board.throttle().';
COMMENT ON COLUMN board.throttles.provider IS 'The provider.';
COMMENT ON COLUMN board.throttles.account IS
    'The account at the provider; empty: the provider''s own.';
COMMENT ON COLUMN board.throttles.throttled_until IS
    'Nothing is granted before this moment, whatever the budget says.';
