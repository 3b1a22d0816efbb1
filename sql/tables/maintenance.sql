-- The board's own policy, and which release was installed when.

CREATE TABLE board.settings (
    singleton                 boolean  NOT NULL DEFAULT true,
    notify                    text     NOT NULL DEFAULT 'each',
    max_ttl                   interval NOT NULL DEFAULT '7 days',
    max_payload               int      NOT NULL DEFAULT 1048576,
    log_heartbeats            boolean  NOT NULL DEFAULT true,
    require_attempt           boolean  NOT NULL DEFAULT false,
    require_registered_agents boolean  NOT NULL DEFAULT false,
    retain_events             interval,
    paused                    boolean  NOT NULL GENERATED ALWAYS
        AS (paused_at IS NOT NULL) STORED,
    paused_at                 board.moment,
    paused_by                 text,
    pause_reason              text,
    names_bound               boolean  NOT NULL DEFAULT false,
    closed_kinds              text[]   NOT NULL DEFAULT '{}',
    special_kinds             text[]   NOT NULL DEFAULT '{}',
    CONSTRAINT settings_pkey PRIMARY KEY (singleton),
    CONSTRAINT settings_one_row CHECK (singleton),
    CONSTRAINT settings_notify CHECK (notify IN ('each', 'coalesced', 'off')),
    CONSTRAINT settings_max_ttl CHECK (max_ttl > '0' AND max_ttl <= '10 years'),
    CONSTRAINT settings_max_payload CHECK (max_payload BETWEEN 10000 AND 67108864),
    CONSTRAINT settings_retain_events CHECK (retain_events > '0' AND retain_events <= '1000 years')
);

COMMENT ON TABLE board.settings IS
    'The board''s own policy: one row. Change it with board.configure().';
COMMENT ON COLUMN board.settings.singleton IS 'Always true: there is one row.';
COMMENT ON COLUMN board.settings.notify IS
    'each: one NOTIFY per transition; coalesced: a doorbell per busy moment, and one by one '
    'only what makes work claimable; off: none.';
COMMENT ON COLUMN board.settings.max_ttl IS
    'Longest lease anybody may ask for: more than nothing, at most 10 years.';
COMMENT ON COLUMN board.settings.max_payload IS
    'Most bytes that a JSON value which is kept (payload, result, failure, progress, request, '
    'response, decision, note) may print as: 10,000 to 67,108,864 (64 MB).';
COMMENT ON COLUMN board.settings.log_heartbeats IS
    'Whether every heartbeat is kept as an event of type extended: a lease that is renewed is a '
    'transition. Off on a board whose many heartbeats nobody reads.';
COMMENT ON COLUMN board.settings.require_attempt IS
    'Whether a holder must pass its attempt to every verb.';
COMMENT ON COLUMN board.settings.require_registered_agents IS
    'Whether only names bound with register_agent may act.';
COMMENT ON COLUMN board.settings.retain_events IS
    'Age from which prune_events may drop events, more than nothing, at most 1000 years; NULL: '
    'they are kept for ever.';
COMMENT ON COLUMN board.settings.paused IS
    'Whether the whole board is paused: no task is given out.';
COMMENT ON COLUMN board.settings.paused_at IS 'Since when the board is paused.';
COMMENT ON COLUMN board.settings.paused_by IS 'Who paused the board.';
COMMENT ON COLUMN board.settings.pause_reason IS 'Why the board is paused.';
COMMENT ON COLUMN board.settings.names_bound IS
    'Derived by trigger: whether any name is bound in agents. It stands here, as the next three do, '
    'because every claim asks for it, and one row is read in the statement that claims.';
COMMENT ON COLUMN board.settings.closed_kinds IS
    'Derived by trigger: the kinds that are paused.';
COMMENT ON COLUMN board.settings.special_kinds IS
    'Derived by trigger: the kinds of which a claim must know more before it takes one of their '
    'tasks: those with max_in_progress, and the live ones with a provider.';

INSERT INTO board.settings (singleton) VALUES (true);


CREATE TABLE board.releases (
    version      text         NOT NULL,
    installed_at board.moment NOT NULL DEFAULT clock_timestamp(),
    installed_by text         NOT NULL DEFAULT session_user,
    form         text         NOT NULL DEFAULT 'plain',
    CONSTRAINT releases_pkey PRIMARY KEY (installed_at, version),
    CONSTRAINT releases_form CHECK (form IN ('plain', 'extension'))
);

COMMENT ON TABLE board.releases IS
    'What was installed, upgraded to or repaired in this database, and when. The newest row tells '
    'the release that is in it; a restore of data brings the rows of the board that was dumped.';
COMMENT ON COLUMN board.releases.version IS 'Release, as in board.version().';
COMMENT ON COLUMN board.releases.installed_at IS 'When it was installed, upgraded to or repaired.';
COMMENT ON COLUMN board.releases.installed_by IS 'The session user that installed it.';
COMMENT ON COLUMN board.releases.form IS 'plain (SQL over the wire) or extension.';
