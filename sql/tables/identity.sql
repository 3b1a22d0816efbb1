-- Agent names bound to database roles, and what operators did that touched no task.

CREATE TABLE board.agents (
    name          text         NOT NULL,
    role          text         NOT NULL,
    registered_at board.moment NOT NULL DEFAULT clock_timestamp(),
    registered_by text         NOT NULL,
    role_oid      oid          GENERATED ALWAYS AS (board._role_oid(role)) STORED,
    CONSTRAINT agents_pkey PRIMARY KEY (name)
);

COMMENT ON TABLE board.agents IS
    'Names that only one database role may act under. Fill it with board.register_agent().';
COMMENT ON COLUMN board.agents.name IS 'The agent name.';
COMMENT ON COLUMN board.agents.role IS
    'Name of the database role that may act under it, as it was when it was bound.';
COMMENT ON COLUMN board.agents.registered_at IS 'When it was bound.';
COMMENT ON COLUMN board.agents.registered_by IS 'Who bound it.';
COMMENT ON COLUMN board.agents.role_oid IS
    'The role itself, whatever it is called now; one that is dropped and made anew is another one. '
    'A generated column: a restore looks the name up among its server''s roles. NULL: nobody has it, '
    'so nobody may act under the name.';


CREATE TABLE board.audit_log (
    seq        bigint       NOT NULL GENERATED ALWAYS AS IDENTITY,
    action     text         NOT NULL,
    target     text         NOT NULL,
    actor      text         NOT NULL,
    db_user    text         NOT NULL,
    detail     jsonb,
    created_at board.moment NOT NULL DEFAULT clock_timestamp(),
    CONSTRAINT audit_log_pkey PRIMARY KEY (seq)
);

CREATE INDEX audit_log_target ON board.audit_log (target, seq);

COMMENT ON TABLE board.audit_log IS
    'Append-only: pauses, configuration, promotions, tokens, keys, pruning: operator actions '
    'that touch no task.';
COMMENT ON COLUMN board.audit_log.seq IS 'Order of writing.';
COMMENT ON COLUMN board.audit_log.action IS 'Name of the function.';
COMMENT ON COLUMN board.audit_log.target IS
    'What it was done to: board, kind:NAME, provider:NAME, agent:NAME, token:ID, key:NAME.';
COMMENT ON COLUMN board.audit_log.actor IS 'Who: the name given; else the database role.';
COMMENT ON COLUMN board.audit_log.db_user IS 'The database role that the caller acted under.';
COMMENT ON COLUMN board.audit_log.detail IS 'The arguments or the change. Never a secret.';
COMMENT ON COLUMN board.audit_log.created_at IS 'Wall clock of the database.';
