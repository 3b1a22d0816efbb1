-- The state of the whole board in one row.

CREATE OR REPLACE VIEW board.health AS
SELECT h.paused, h.depth, h.oldest_age, h.lapsed, h.human_queue, h.events_per_minute, h.dead_rows,
       h.xmin_age, h.xmin_pid, h.notify_queue, h.schedules_overdue, h.overdue_since
  FROM board._health() AS h;

COMMENT ON VIEW board.health IS
    'The state of the board in one row. Counts the open tasks; the rest is read from statistics.';
COMMENT ON COLUMN board.health.paused IS 'Whether the whole board is paused.';
COMMENT ON COLUMN board.health.depth IS
    'Tasks that wait for an agent: pending, due, or under a lease that has lapsed.';
COMMENT ON COLUMN board.health.oldest_age IS 'How long the oldest of them has waited.';
COMMENT ON COLUMN board.health.lapsed IS 'Those of them whose lease has lapsed.';
COMMENT ON COLUMN board.health.human_queue IS 'Tasks that wait for a person.';
COMMENT ON COLUMN board.health.events_per_minute IS
    'Events of the last minute (of the last 100,000 events).';
COMMENT ON COLUMN board.health.dead_rows IS
    'Dead rows in board.tasks: many of them, and vacuum lags or somebody holds an old snapshot.';
COMMENT ON COLUMN board.health.xmin_age IS
    'Age, in transactions, of the oldest snapshot that a session holds; NULL: none is held.';
COMMENT ON COLUMN board.health.xmin_pid IS 'Process id of the session that holds it.';
COMMENT ON COLUMN board.health.notify_queue IS
    'Share of the server''s NOTIFY queue that is in use, 0 to 1. Above 0.9 the board announces '
    'nothing, so that no verb fails: some session has said LISTEN and does not read.';
COMMENT ON COLUMN board.health.schedules_overdue IS
    'Schedules with an occurrence that is due and that nobody has fired: nobody looks for work.';
COMMENT ON COLUMN board.health.overdue_since IS
    'Since when the oldest of those occurrences is due; NULL: there is none.';
