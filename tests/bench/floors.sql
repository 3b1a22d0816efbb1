-- The floors that the board is measured against: what a good programmer writes by hand when nothing
-- but taking and finishing jobs in order is wanted. No kinds, leases, strikes, caps, providers,
-- rights or checks of what is passed.
--
--     plain  one table, SQL statements from the client, no log
--     floor  one table, one PL/pgSQL function per verb, one row of a log for each transition
--     bell   the same, with one notification for each transition

CREATE SCHEMA floor;

CREATE TABLE floor.plain_jobs (
    id         bigint      GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    state      text        NOT NULL DEFAULT 'ready',
    priority   int         NOT NULL DEFAULT 0,
    payload    jsonb       NOT NULL DEFAULT '{}',
    created_at timestamptz NOT NULL DEFAULT now(),
    worker     text,
    claimed_at timestamptz,
    done_at    timestamptz,
    attempt    int         NOT NULL DEFAULT 0
) WITH (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.01, autovacuum_vacuum_cost_delay = 0);
CREATE INDEX plain_ready ON floor.plain_jobs (priority, id) WHERE state = 'ready';

CREATE TABLE floor.jobs (LIKE floor.plain_jobs INCLUDING ALL)
    WITH (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.01, autovacuum_vacuum_cost_delay = 0);
CREATE TABLE floor.events (
    id      bigint      GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    job_id  bigint      NOT NULL,
    type    text        NOT NULL,
    actor   text,
    payload jsonb,
    at      timestamptz NOT NULL DEFAULT clock_timestamp()
);
CREATE INDEX events_job ON floor.events (job_id, id);

CREATE TABLE floor.bell_jobs (LIKE floor.plain_jobs INCLUDING ALL)
    WITH (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.01, autovacuum_vacuum_cost_delay = 0);
CREATE TABLE floor.bell_events (LIKE floor.events INCLUDING ALL);

CREATE FUNCTION floor.claim(agent text)
RETURNS SETOF floor.jobs
LANGUAGE plpgsql
AS $$
BEGIN
    RETURN QUERY
        WITH claimed AS (
            UPDATE floor.jobs
               SET state = 'running', worker = agent, claimed_at = clock_timestamp(),
                   attempt = attempt + 1
             WHERE id = (SELECT id FROM floor.jobs WHERE state = 'ready'
                          ORDER BY priority, id LIMIT 1 FOR UPDATE SKIP LOCKED)
            RETURNING *),
        logged AS (
            INSERT INTO floor.events (job_id, type, actor) SELECT id, 'claimed', agent FROM claimed)
        SELECT * FROM claimed;
END;
$$;

CREATE FUNCTION floor.complete(job bigint, agent text, result jsonb DEFAULT NULL)
RETURNS text
LANGUAGE plpgsql
AS $$
BEGIN
    WITH finished AS (
        UPDATE floor.jobs SET state = 'done', done_at = clock_timestamp()
         WHERE id = job AND worker = agent AND state = 'running'
        RETURNING id)
    INSERT INTO floor.events (job_id, type, actor, payload)
    SELECT id, 'completed', agent, result FROM finished;
    RETURN 'completed';
END;
$$;

CREATE FUNCTION floor.bell_claim(agent text)
RETURNS SETOF floor.bell_jobs
LANGUAGE plpgsql
AS $$
DECLARE
    _job floor.bell_jobs;
BEGIN
    WITH claimed AS (
        UPDATE floor.bell_jobs
           SET state = 'running', worker = agent, claimed_at = clock_timestamp(),
               attempt = attempt + 1
         WHERE id = (SELECT id FROM floor.bell_jobs WHERE state = 'ready'
                      ORDER BY priority, id LIMIT 1 FOR UPDATE SKIP LOCKED)
        RETURNING *),
    logged AS (
        INSERT INTO floor.bell_events (job_id, type, actor)
        SELECT id, 'claimed', agent FROM claimed)
    SELECT * INTO _job FROM claimed;
    IF _job.id IS NOT NULL THEN
        PERFORM pg_notify('floor', '{"taskId": ' || _job.id || ', "type": "claimed"}');
        RETURN NEXT _job;
    END IF;
END;
$$;

CREATE FUNCTION floor.bell_complete(job bigint, agent text, result jsonb DEFAULT NULL)
RETURNS text
LANGUAGE plpgsql
AS $$
BEGIN
    WITH finished AS (
        UPDATE floor.bell_jobs SET state = 'done', done_at = clock_timestamp()
         WHERE id = job AND worker = agent AND state = 'running'
        RETURNING id)
    INSERT INTO floor.bell_events (job_id, type, actor, payload)
    SELECT id, 'completed', agent, result FROM finished;
    PERFORM pg_notify('floor', '{"taskId": ' || job || ', "type": "completed"}');
    RETURN 'completed';
END;
$$;
