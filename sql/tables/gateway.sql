-- Bearer tokens for request(): only their SHA-256.

CREATE TABLE board.access_tokens (
    id         uuid         NOT NULL,
    agent      text         NOT NULL,
    scopes     text[]       NOT NULL,
    token_hash bytea        NOT NULL,
    created_at board.moment NOT NULL,
    created_by text         NOT NULL,
    expires_at board.moment NOT NULL,
    revoked_at board.moment,
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
