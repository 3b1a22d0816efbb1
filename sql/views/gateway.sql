-- Bearer tokens, without anything secret.

CREATE OR REPLACE VIEW board.tokens AS
SELECT t.id, t.agent, t.scopes,
       CASE WHEN t.revoked_at IS NOT NULL THEN 'revoked'
            WHEN t.expires_at <= clock_timestamp() THEN 'expired'
            ELSE 'good' END AS state,
       t.created_at, t.created_by, t.expires_at, t.revoked_at, t.revoked_by
  FROM board.access_tokens AS t;

COMMENT ON VIEW board.tokens IS 'Bearer tokens, without what they are: for revoke_token().';
COMMENT ON COLUMN board.tokens.id IS 'What revoke_token takes.';
COMMENT ON COLUMN board.tokens.agent IS 'Whom the bearer acts as.';
COMMENT ON COLUMN board.tokens.scopes IS 'What the bearer may do.';
COMMENT ON COLUMN board.tokens.state IS 'good, expired or revoked.';
COMMENT ON COLUMN board.tokens.created_at IS 'When it was issued.';
COMMENT ON COLUMN board.tokens.created_by IS 'The database role that issued it.';
COMMENT ON COLUMN board.tokens.expires_at IS 'From when it is refused.';
COMMENT ON COLUMN board.tokens.revoked_at IS 'When it was revoked.';
COMMENT ON COLUMN board.tokens.revoked_by IS 'The database role that revoked it.';
