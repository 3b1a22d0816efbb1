-- Who holds what.

CREATE OR REPLACE VIEW board.locks_held AS
SELECT l.resource,
       l.agent,
       l.token,
       l.acquired_at,
       l.renewed_at,
       l.held_until,
       l.held_until - clock_timestamp() AS time_left,
       l.db_user
  FROM board.locks AS l
 WHERE l.held_until > clock_timestamp();

COMMENT ON VIEW board.locks_held IS
    'Resource locks that are held at this moment. Advisory locks (try_lock, lock_row) are in '
    'pg_locks.';
COMMENT ON COLUMN board.locks_held.resource IS 'Name of what is locked.';
COMMENT ON COLUMN board.locks_held.agent IS 'Who holds it.';
COMMENT ON COLUMN board.locks_held.token IS 'Fencing token of this holding.';
COMMENT ON COLUMN board.locks_held.acquired_at IS 'When it was taken.';
COMMENT ON COLUMN board.locks_held.renewed_at IS
    'Last sign of life of the holder: taking or renewing.';
COMMENT ON COLUMN board.locks_held.held_until IS 'Until when it is held, unless renewed.';
COMMENT ON COLUMN board.locks_held.time_left IS 'How long that is from now.';
COMMENT ON COLUMN board.locks_held.db_user IS 'The database role that the holder acted under.';
