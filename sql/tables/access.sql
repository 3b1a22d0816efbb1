-- Who may act under which name.

CREATE TABLE board.agents (
    name          text        NOT NULL,
    role          text        NOT NULL,
    registered_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    registered_by text        NOT NULL,
    CONSTRAINT agents_pkey PRIMARY KEY (name)
);

COMMENT ON TABLE board.agents IS
    'Names that only one database role may act under. Fill it with board.register_agent().';
COMMENT ON COLUMN board.agents.name IS 'The agent name.';
COMMENT ON COLUMN board.agents.role IS 'The database role that may act under it.';
COMMENT ON COLUMN board.agents.registered_at IS 'When it was bound.';
COMMENT ON COLUMN board.agents.registered_by IS 'Who bound it.';
