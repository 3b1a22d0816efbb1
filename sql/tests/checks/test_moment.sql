-- Every time that is stored or shown can be read by every client: years 1 to 9999, never infinity.
BEGIN;
SELECT plan(8);

-- What triggers alone write, with the clock, and the table that holds the rule by its own trigger.
SELECT is_empty($$
    SELECT c.relname, a.attname
      FROM pg_class AS c
      JOIN pg_attribute AS a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
     WHERE c.relnamespace = 'board'::regnamespace
       AND c.relkind = 'r'
       AND a.atttypid IN ('timestamptz'::regtype, 'timestamp'::regtype, 'date'::regtype)
       AND c.relname NOT IN ('tasks', 'task_events', 'doorbell_calls')
$$, 'every column of a table that holds a time is a board.moment');

SELECT throws_ok(format('SELECT %L::board.moment', m), '23514',
                 'value for domain board.moment violates check constraint "moment_years"', m)
  FROM unnest(ARRAY['infinity', '-infinity', '10000-01-01 00:00+00', '0001-01-01 00:00+00 BC'])
       AS m;

SELECT throws_ok($$
    INSERT INTO board.throttles (provider, account, throttled_until) VALUES ('p', '', 'infinity')
$$, '23514', NULL, 'typed by hand');

-- A board full of what never comes: nothing that people can SELECT answers infinity.
CREATE FUNCTION pg_temp.shown_without_end() RETURNS SETOF text LANGUAGE plpgsql AS $$
DECLARE
    _column record;
    _odd bigint;
BEGIN
    FOR _column IN
        SELECT format('%I.%I', n.nspname, c.relname) AS relation, a.attname AS name
          FROM pg_class AS c
          JOIN pg_namespace AS n ON n.oid = c.relnamespace
          JOIN pg_attribute AS a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
         WHERE n.nspname = 'board'
           AND c.relkind IN ('r', 'v')
           AND a.atttypid IN ('timestamptz'::regtype, 'board.moment'::regtype)
    LOOP
        EXECUTE format('SELECT count(*) FROM %s AS s WHERE NOT isfinite(s.%I)',
                       _column.relation, _column.name) INTO _odd;
        IF _odd > 0 THEN
            RETURN NEXT format('%s.%I: %s', _column.relation, _column.name, _odd);
        END IF;
    END LOOP;
END $$;

DO $$ BEGIN
    PERFORM board.configure_provider('stopped');
    PERFORM board.pause('provider:stopped', 'maria');
    PERFORM board.configure_provider('metered');
    PERFORM board.set_limit('metered', '1 minute', 5, 'token');
    PERFORM board.configure_kind('a', provider => 'stopped');
    PERFORM board.configure_kind('b', provider => 'metered', task_budget => '{"token": 50}');
    PERFORM board.configure_kind('c', max_in_progress => 1);
    PERFORM board.schedule('yearly', '0 0 1 1 *', 'a', actor => 'maria');
    PERFORM board.pause('schedule:yearly', 'maria');
    PERFORM count(board.enqueue(k)) FROM unnest(ARRAY['a', 'b', 'c', 'c', 'd']) AS k;
    PERFORM board.enqueue('d',
        needs => ARRAY(SELECT t.id FROM board.tasks AS t WHERE t.kind = 'a'));
    PERFORM board.pause(format('task:%s', t.id), 'maria') FROM board.tasks AS t WHERE t.kind = 'd';
    PERFORM board.claim_escalated('maria');
    PERFORM board.claim('agent-7');
    PERFORM board.acquire_lock('order_1', 'agent-7');
    -- A kind that was never configured, compared all the same.
    PERFORM board.record_actual('d', 'c-1', 'send', '{}');
    PERFORM board.promotion_report('d');
END $$;
SELECT is_empty('SELECT * FROM pg_temp.shown_without_end()', 'no infinity in tables and views');
SELECT is((board.promotion_report('d')).mode_since, NULL,
          'a kind without a row has been live for ever: no moment');

SELECT * FROM finish();
ROLLBACK;
