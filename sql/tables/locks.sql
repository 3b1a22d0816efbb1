-- Locks on whatever has a name. A row is a lock that somebody holds, or that has ended and has not
-- been swept away yet: nothing but held_until tells them apart.

-- One sequence for all resources, so that a row may be swept away and made again without the next
-- token being lower than one that was given out before. No cache: a session that keeps a few
-- numbers back would give out a low one late.
CREATE SEQUENCE board.lock_tokens AS bigint MINVALUE 1 NO CYCLE CACHE 1;

COMMENT ON SEQUENCE board.lock_tokens IS
    'Fencing tokens of all resource locks, drawn while the row of the lock is locked.';


-- Byte order: two names are one resource when they are the same bytes, and nothing else decides.
-- No other index, so that taking, renewing and releasing never touch one (HOT).
CREATE TABLE board.locks (
    resource    text         COLLATE "C" NOT NULL,
    agent       text         NOT NULL,
    token       bigint       NOT NULL,
    acquired_at board.moment NOT NULL,
    renewed_at  board.moment NOT NULL,
    held_until  board.moment NOT NULL,
    db_user     text         NOT NULL,
    CONSTRAINT locks_pkey PRIMARY KEY (resource),
    CONSTRAINT locks_resource CHECK (length(resource) BETWEEN 1 AND 200)
) WITH (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 1000);

ALTER SEQUENCE board.lock_tokens OWNED BY board.locks.token;

COMMENT ON TABLE board.locks IS
    'Resource locks: one row per resource that is held, or was until a short while ago. Read '
    'board.locks_held; change it through acquire_lock, renew_lock and release_lock.';
COMMENT ON COLUMN board.locks.resource IS 'Name of what is locked, 1 to 200 characters.';
COMMENT ON COLUMN board.locks.agent IS 'Who holds it, or held it last.';
COMMENT ON COLUMN board.locks.token IS
    'Fencing token of this holding. Every later holding of any resource has a higher one.';
COMMENT ON COLUMN board.locks.acquired_at IS 'When it was taken.';
COMMENT ON COLUMN board.locks.renewed_at IS 'Last sign of life of the holder: taking or renewing.';
COMMENT ON COLUMN board.locks.held_until IS
    'Until when it is held, unless renewed; after it anybody may take it. Releasing sets it to '
    'that moment.';
COMMENT ON COLUMN board.locks.db_user IS 'The database role that the holder acted under.';
