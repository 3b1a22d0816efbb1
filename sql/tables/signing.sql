-- Signing keys of webhooks, and their secrets apart.

CREATE TABLE board.signing_keys (
    name       text         NOT NULL,
    created_at board.moment NOT NULL,
    created_by text         NOT NULL,
    rotated_at board.moment,
    signs      boolean      NOT NULL,
    CONSTRAINT signing_keys_pkey PRIMARY KEY (name)
);

COMMENT ON TABLE board.signing_keys IS
    'Names under which webhooks are signed and verified. The secrets are in signing_secrets.';
COMMENT ON COLUMN board.signing_keys.name IS 'Name of the key, 1 to 200 characters.';
COMMENT ON COLUMN board.signing_keys.created_at IS 'When it was made or imported.';
COMMENT ON COLUMN board.signing_keys.created_by IS 'The database role that did it.';
COMMENT ON COLUMN board.signing_keys.rotated_at IS 'When it last got a new secret.';
COMMENT ON COLUMN board.signing_keys.signs IS
    'Whether it signs and verifies; false: imported, it verifies what its maker signs and no more.';


CREATE TABLE board.signing_secrets (
    key_name    text         NOT NULL,
    version     int          NOT NULL,
    secret      bytea        NOT NULL,
    created_at  board.moment NOT NULL,
    valid_until board.moment,
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
