-- Signing keys, without their secrets.

CREATE OR REPLACE VIEW board.keys AS
SELECT k.name, s.version, s.created_at, s.valid_until, k.signs
  FROM board.signing_keys AS k
  JOIN board.signing_secrets AS s ON s.key_name = k.name;

COMMENT ON VIEW board.keys IS 'Signing keys and their versions, without the secrets.';
COMMENT ON COLUMN board.keys.name IS 'Name of the key.';
COMMENT ON COLUMN board.keys.version IS 'Counts the rotations, from 1.';
COMMENT ON COLUMN board.keys.created_at IS 'When this secret was made or imported.';
COMMENT ON COLUMN board.keys.valid_until IS
    'Until when it signs and verifies beside its successor; NULL: it is the present one.';
COMMENT ON COLUMN board.keys.signs IS
    'Whether it signs and verifies; false: imported, it only verifies.';
