-- Which releases were installed here, and when.

CREATE TABLE board.releases (
    version      text        NOT NULL,
    installed_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    installed_by text        NOT NULL DEFAULT session_user,
    form         text        NOT NULL DEFAULT 'plain',
    CONSTRAINT releases_pkey PRIMARY KEY (version),
    CONSTRAINT releases_form CHECK (form IN ('plain', 'extension'))
);

COMMENT ON TABLE board.releases IS
    'One row per release that was installed or upgraded to in this database.';
COMMENT ON COLUMN board.releases.version IS 'Release, as in board.version().';
COMMENT ON COLUMN board.releases.installed_at IS 'When it was installed.';
COMMENT ON COLUMN board.releases.installed_by IS 'The session user that installed it.';
COMMENT ON COLUMN board.releases.form IS 'plain (SQL over the wire) or extension.';
