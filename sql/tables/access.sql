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


CREATE TABLE board.access_tokens (
    id         uuid        NOT NULL,
    agent      text        NOT NULL,
    scopes     text[]      NOT NULL,
    token_hash bytea       NOT NULL,
    created_at timestamptz NOT NULL,
    created_by text        NOT NULL,
    expires_at timestamptz NOT NULL,
    revoked_at timestamptz,
    revoked_by text,
    CONSTRAINT access_tokens_pkey PRIMARY KEY (id),
    CONSTRAINT access_tokens_hash UNIQUE (token_hash)
);

COMMENT ON TABLE board.access_tokens IS
    'Bearer tokens for board.request(). A token itself is shown once and kept nowhere: see the view board.tokens for the rest.';
COMMENT ON COLUMN board.access_tokens.id IS 'What revoke_token takes.';
COMMENT ON COLUMN board.access_tokens.agent IS 'Whom the bearer acts as.';
COMMENT ON COLUMN board.access_tokens.scopes IS
    'What the bearer may do: viewer, agent, operator (each includes the one before), or single actions.';
COMMENT ON COLUMN board.access_tokens.token_hash IS
    'SHA-256 of the token, which is 256 random bits: nothing to guess, so no slow hash.';
COMMENT ON COLUMN board.access_tokens.created_at IS 'When it was issued.';
COMMENT ON COLUMN board.access_tokens.created_by IS 'The database role that issued it.';
COMMENT ON COLUMN board.access_tokens.expires_at IS 'From when it is refused.';
COMMENT ON COLUMN board.access_tokens.revoked_at IS 'When it was revoked; NULL: it was not.';
COMMENT ON COLUMN board.access_tokens.revoked_by IS 'The database role that revoked it.';


CREATE TABLE board.signing_keys (
    name       text        NOT NULL,
    created_at timestamptz NOT NULL,
    created_by text        NOT NULL,
    rotated_at timestamptz,
    CONSTRAINT signing_keys_pkey PRIMARY KEY (name)
);

COMMENT ON TABLE board.signing_keys IS
    'Names under which webhooks are signed and verified. The secrets are in signing_secrets.';
COMMENT ON COLUMN board.signing_keys.name IS 'Name of the key, 1 to 200 characters.';
COMMENT ON COLUMN board.signing_keys.created_at IS 'When it was made or imported.';
COMMENT ON COLUMN board.signing_keys.created_by IS 'The database role that did it.';
COMMENT ON COLUMN board.signing_keys.rotated_at IS 'When it last got a new secret.';


CREATE TABLE board.signing_secrets (
    key_name    text        NOT NULL,
    version     int         NOT NULL,
    secret      bytea       NOT NULL,
    created_at  timestamptz NOT NULL,
    valid_until timestamptz,
    CONSTRAINT signing_secrets_pkey PRIMARY KEY (key_name, version),
    CONSTRAINT signing_secrets_key FOREIGN KEY (key_name)
        REFERENCES board.signing_keys (name) ON DELETE CASCADE,
    CONSTRAINT signing_secrets_length CHECK (length(secret) BETWEEN 24 AND 64)
);

COMMENT ON TABLE board.signing_secrets IS
    'The secrets of the signing keys: the present one and, while a rotation lasts, those before it. Readable by the owner alone.';
COMMENT ON COLUMN board.signing_secrets.key_name IS 'The key.';
COMMENT ON COLUMN board.signing_secrets.version IS 'Counts the rotations of the key, from 1.';
COMMENT ON COLUMN board.signing_secrets.secret IS 'The bytes that whsec_ shows in base64.';
COMMENT ON COLUMN board.signing_secrets.created_at IS 'When it was made or imported.';
COMMENT ON COLUMN board.signing_secrets.valid_until IS
    'Until when it signs and verifies beside its successor; NULL: it is the present one.';
