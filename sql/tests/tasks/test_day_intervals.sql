-- A day has 24 hours, also where the session's time zone changes its clocks in between.
BEGIN;
SELECT plan(20);

-- So many days that the next change, and the last one, lie within them and are not undone.
SET LOCAL timezone = 'Europe/Berlin';
CREATE TEMP TABLE span (days, past) AS
    SELECT (SELECT min(n) FROM generate_series(10, 360, 10) AS n
             WHERE now() + make_interval(days => n) <> now() + make_interval(hours => 24 * n)),
           (SELECT min(n) FROM generate_series(10, 360, 10) AS n
             WHERE now() - make_interval(days => n) <> now() - make_interval(hours => 24 * n));
SELECT ok(s.days IS NOT NULL AND s.past IS NOT NULL, 'Berlin changes its clocks') FROM span AS s;
DO $$ BEGIN PERFORM board.configure(max_ttl => '1000 days'); END $$;

CREATE FUNCTION pg_temp.hours(until timestamptz) RETURNS numeric LANGUAGE sql
    AS $f$ SELECT round(extract(epoch FROM until - clock_timestamp()) / 3600, 1) $f$;
CREATE FUNCTION pg_temp.take() RETURNS uuid LANGUAGE plpgsql AS $f$
BEGIN
    RETURN (SELECT c.id FROM board.claim_task(board.enqueue('k'), 'a') AS c);
END $f$;
CREATE FUNCTION pg_temp.run_at(id uuid) RETURNS timestamptz LANGUAGE sql
    AS $f$ SELECT t.run_at FROM board.tasks AS t WHERE t.id = run_at.id $f$;

-- The same for every verb in both zones.
CREATE FUNCTION pg_temp.seen(zone text) RETURNS TABLE (verb text, hours numeric)
LANGUAGE plpgsql AS $f$
DECLARE
    _days interval := make_interval(days => (SELECT s.days FROM span AS s));
    _id uuid;
BEGIN
    PERFORM set_config('timezone', zone, true);
    _id := pg_temp.take();
    PERFORM board.release(_id, 'a', _days);
    RETURN QUERY SELECT 'release', pg_temp.hours(pg_temp.run_at(_id));
    _id := pg_temp.take();
    PERFORM board.fail(_id, 'a', retry_in => _days);
    RETURN QUERY SELECT 'fail', pg_temp.hours(pg_temp.run_at(_id));
    PERFORM board.configure_kind('k', retry_delay => _days, retry_delay_max => _days);
    _id := pg_temp.take();
    PERFORM board.fail(_id, 'a');
    RETURN QUERY SELECT 'retry_delay', pg_temp.hours(pg_temp.run_at(_id));
    RETURN QUERY SELECT 'claim_task', pg_temp.hours(c.leased_until)
        FROM board.claim_task(board.enqueue('l'), 'a', _days) AS c;
    PERFORM board.enqueue('l');
    RETURN QUERY SELECT 'claim', pg_temp.hours(c.leased_until)
        FROM board.claim('a', _days, '{l}') AS c;
    RETURN QUERY SELECT 'heartbeat', pg_temp.hours(board.heartbeat(pg_temp.take(), 'a', _days));
    _id := pg_temp.take();
    PERFORM board.escalate(_id, 'a');
    RETURN QUERY SELECT 'claim_escalated', pg_temp.hours(c.leased_until)
        FROM board.claim_escalated('p', _days, _id) AS c;
    PERFORM board.acquire_lock('r' || zone, 'a', _days);
    RETURN QUERY SELECT 'acquire_lock', pg_temp.hours(l.held_until)
        FROM board.locks AS l WHERE l.resource = 'r' || zone;
    PERFORM board.issue_token('a', '{agent}', _days);
    RETURN QUERY SELECT 'issue_token', pg_temp.hours(max(t.expires_at))
        FROM board.access_tokens AS t;
END $f$;
SELECT is(b.hours, 24.0 * s.days, format('%s: %s days under Europe/Berlin', b.verb, s.days))
  FROM pg_temp.seen('Europe/Berlin') AS b CROSS JOIN span AS s;
SELECT is(b.hours, 24.0 * s.days, format('%s: %s days under UTC', b.verb, s.days))
  FROM pg_temp.seen('UTC') AS b CROSS JOIN span AS s;

-- unique_for looks back.
SET LOCAL timezone = 'Europe/Berlin';
CREATE TEMP TABLE done AS SELECT board.enqueue('u', unique_key => k) AS id, k, m
  FROM (VALUES ('inside', -10), ('outside', 10)) AS v (k, m);
DO $$ BEGIN PERFORM board.cancel(d.id, 'op') FROM done AS d; END $$;
UPDATE board.tasks AS t
   SET finished_at = clock_timestamp() - make_interval(hours => 24 * s.past, mins => d.m)
  FROM done AS d, span AS s WHERE t.id = d.id;
SELECT results_eq($$SELECT d.k, board.enqueue('u', unique_key => d.k,
    unique_for => make_interval(days => s.past)) = d.id FROM done AS d, span AS s ORDER BY d.k$$,
    $$VALUES ('inside', true), ('outside', false)$$, 'unique_for counts days of 24 hours');
SELECT * FROM finish();
ROLLBACK;
