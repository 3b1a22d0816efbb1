-- What a column may hold that people and clients read.

CREATE DOMAIN board.moment AS timestamptz
    CONSTRAINT moment_years CHECK (VALUE >= '0001-01-02 00:00+00' AND VALUE < '9999-12-31 00:00+00');

COMMENT ON DOMAIN board.moment IS
    'A moment of the years 1 to 9999 and never infinity: what the clients of every language can '
    'read. Else 23514. board.tasks holds its times to the same rule (tasks_times).';
