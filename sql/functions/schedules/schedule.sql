CREATE OR REPLACE FUNCTION board.schedule(
    name      text,
    cron      text,
    kind      text,
    payload   jsonb       DEFAULT '{}',
    timezone  text        DEFAULT 'UTC',
    priority  bigint      DEFAULT 0,
    missed    text        DEFAULT 'one',
    overlap   text        DEFAULT 'skip',
    starts_at timestamptz DEFAULT NULL,
    ends_at   timestamptz DEFAULT NULL,
    actor     text        DEFAULT NULL)
RETURNS timestamptz
LANGUAGE plpgsql
VOLATILE SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
    IF schedule.actor IS NOT NULL THEN
        PERFORM board._acting_agent(schedule.actor, 'actor');
    END IF;
    RETURN board._schedule(
        schedule.actor, schedule.name, schedule.cron, schedule.kind, schedule.payload,
        schedule.timezone, schedule.priority, schedule.missed, schedule.overlap,
        schedule.starts_at, schedule.ends_at);
END;
$$;

COMMENT ON FUNCTION board.schedule IS
$$Makes a schedule: at each occurrence of the expression a task of that kind. Returns the next
occurrence; NULL: there is none. A schedule of that name is changed to all that is passed here; said
again unchanged, as by every deployment, it does nothing.

name       of the schedule, 1 to 200 characters
cron       as in board.next_occurrence(): '0 9 * * 1-5', '@daily', '@every 10 minutes'
kind       of its tasks, 1 to 200 characters
payload    jsonb of its tasks; not NULL
timezone   IANA time zone whose clock the expression is about, as in Europe/Berlin
priority   of its tasks, higher is claimed first
missed     what becomes of occurrences that came while nobody looked for work, or it was paused:
           'one': one task, for the last of them; 'all': a task for each; 'none': nothing (what is
           found within 2 minutes is not missed)
overlap    'skip': no second task while the last one is open; its occurrence is skipped, or waits,
           with missed => 'all'. 'allow': one task for each occurrence, whatever the others do
starts_at  timestamptz, no occurrence before; @every counts from it
ends_at    timestamptz, no occurrence after
actor      who decides, for the log; NULL: the database role

Nothing runs in the background: whoever claims next fires what is due. Each occurrence gives one
task, whoever looks at the same time; tasks.scheduled_for is its moment, and correlation_id names
it, as in nightly_report@2026-12-01T02:00:00Z. On a board where nobody claims, see board.fire_due().

Errors: 22023 for an argument out of range or an expression that is none (the detail names the
field), 42501 for a name that is another role's.
Example: SELECT board.schedule('nightly_report', '0 3 * * *', 'report',
    timezone => 'Europe/Berlin');$$;
