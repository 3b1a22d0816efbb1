-- configure and configure_kind: named arguments, only those passed change.
BEGIN;
SELECT plan(55);
SELECT is(to_jsonb(board._kind_policy('x')) - ARRAY['name', 'mode_since', 'created_at'],
    to_jsonb(k) - ARRAY['name', 'mode_since', 'created_at'],
    'the defaults of _kind_policy are those of the table') FROM board.configure_kind('x') AS k;
SELECT results_eq($$SELECT k.max_failures, k.retry_delay,
    k.max_lapses FROM board.configure_kind('x', max_failures => 5, retry_delay => '10 s',
        max_lapses => 2) AS k$$,
    $$VALUES (5, interval '10 s', 2)$$, 'what is passed');
SELECT results_eq($$SELECT k.max_failures, k.retry_delay,
    k.max_lapses FROM board.configure_kind('x', max_failures => 4) AS k$$,
    $$VALUES (4, interval '10 s', 2)$$, 'the rest stays');
SELECT results_eq($$SELECT k.max_failures, k.retry_delay,
    k.max_lapses FROM board.configure_kind('x', reset => ARRAY['max_lapses', 'retry_delay']) AS k$$,
    $$VALUES (4, interval '0', NULL::int)$$, 'reset sets back');
SELECT is((SELECT l.detail FROM board.audit_log AS l ORDER BY l.seq DESC LIMIT 1),
    '{"max_lapses": {"from": 2, "to": null}, "retry_delay": {"from": "00:00:10", "to": "00:00:00"}}',
    'the audit log has the change');
SELECT is((SELECT count(*) FROM board.kind_slots), 0::bigint, 'no slots without a cap');
DO $$ BEGIN PERFORM board.configure_kind('x',
    max_in_progress => 3); PERFORM board.configure_kind('x', max_in_progress => 2); END $$;
SELECT is((SELECT count(*) FROM board.kind_slots), 3::bigint, 'slots are made, and not taken away');
DO $$ BEGIN PERFORM board.enqueue_many('x', ARRAY['{}', '{}', '{}']::jsonb[]); END $$;
SELECT is((SELECT count(*) FROM board.claim('a', max_tasks => 3)), 2::bigint,
    'a lowered cap holds');

SELECT is((SELECT k.mode FROM board.configure_kind('new', mode => 'dry_run') AS k), 'dry_run',
    'a new kind begins in any mode');
SELECT is((SELECT k.mode FROM board.configure_kind('new', mode => 'shadow') AS k), 'shadow',
    'up while it has had no task');
DO $$ BEGIN PERFORM board.enqueue('new'); END $$;
SELECT throws_ok($$SELECT board.configure_kind('new', mode => 'live')$$, 'TB007',
    'mode live needs a promotion', 'up with tasks only through promote');
SELECT is((SELECT k.mode FROM board.configure_kind('new', mode => 'dry_run') AS k), 'dry_run',
    'down always');
CREATE TEMP TABLE since AS SELECT k.mode_since FROM board.kinds AS k WHERE k.name = 'new';
SELECT is((SELECT k.mode_since FROM board.configure_kind('new', max_failures => 9) AS k),
    (SELECT mode_since FROM since), 'policy of strikes does not start the count again');
SELECT isnt(
    (SELECT k.mode_since FROM board.configure_kind('new', ignored_paths => ARRAY['$.at']) AS k),
        (SELECT mode_since FROM since), 'ignored paths do');

SELECT throws_ok(format('SELECT board.configure_kind(%L, %s)', 'x', x.arg), '22023',
    format('invalid value for argument "%s"', split_part(x.arg, ' ', 1)), x.arg)
  FROM (VALUES ('max_failures => 0'), ('max_lapses => -1'), ('retry_delay => ''-1 s'''),
      ('retry_delay_max => ''11 years'''), ('max_in_progress => 0'),
        ('max_in_progress => 10001'), ('provider => ''unheard of'''),
            ('provider_account => E''a\nb'''), ('mode => ''fast'''),
            ('min_comparisons => -1'), ('min_shadow_time => ''-1 day'''),
        ('min_agreement => 1.1'), ('min_agreement => ''NaN'''), ('comparison_grace => ''-1 s'''),
            ('ignored_paths => ARRAY[NULL]::text[]'), ('reset => ARRAY[''name'']'),
                ('reset => ARRAY[NULL]::text[]'), ('actor => ''''')) AS x (arg);
-- The rule is the table's CHECK, the advice its column's COMMENT: no refusal may lack either.
CREATE FUNCTION pg_temp.refusal(call text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
    _detail text;
    _hint text;
BEGIN
    EXECUTE call;
    RETURN NULL;
EXCEPTION WHEN OTHERS THEN
    GET STACKED DIAGNOSTICS _detail = PG_EXCEPTION_DETAIL, _hint = PG_EXCEPTION_HINT;
    RETURN SQLSTATE || ' ' || _detail || ' ' || _hint;
END $$;
SELECT is(pg_temp.refusal(format('SELECT board.configure_kind(''x'', %s)', x.arg)), x.said, x.arg)
  FROM (VALUES
    ('max_failures => 0',
     '22023 "max_failures" is 0. The fail() that escalates: 3 means the third; 1 or more.'),
    ('retry_delay => ''-1 s''',
     '22023 "retry_delay" is -00:00:01. Wait after the first strike, doubled with each further '
     || 'one: 0 (claimable at once) to 10 years.'),
    ('mode => ''fast''',
     '22023 "mode" is fast. dry_run, shadow or live: what happens to outbound calls.'),
    ('reset => ''{name}''',
     '22023 "reset" names what cannot be reset. Pass names out of: comparison_grace, '
     || 'ignored_paths, max_failures, max_in_progress, max_lapses, min_agreement, '
     || 'min_comparisons, min_shadow_time, mode, provider, provider_account, retry_delay, '
     || 'retry_delay_max, task_budget.')) AS x (arg, said);
SELECT is(pg_temp.refusal('SELECT board.configure(max_ttl => ''0'')'),
    '22023 "max_ttl" is 00:00:00. Longest lease anybody may ask for: more than nothing, at most '
    || '10 years.', 'settings alike');
SELECT is((SELECT count(*) FROM board.kinds AS k WHERE k.max_failures = 0), 0::bigint,
    'what is refused changes nothing');
SELECT throws_ok($$SELECT board.configure_kind('new', reset => '{mode}')$$, 'TB007', NULL,
    'reset of the mode is a change of the mode');
SELECT is(jsonb_object_agg(v.name, board._constant(v.expression)),
    '{"a": 5, "b": -5, "c": "7 days", "d": null, "e": {"x": "it''s"}, "f": "it''s", "g": true,
      "h": "{}", "i": null, "j": null}', 'constants as the catalog writes them; all else is none')
  FROM (VALUES ('a', '5'), ('b', '''-5''::integer'), ('c', '''7 days''::interval'),
      ('d', 'NULL::text'), ('e', '''{"x": "it''''s"}''::jsonb'), ('f', '''it''''s''::text'),
      ('g', 'true'), ('h', '''{}''::text[]'), ('i', 'clock_timestamp()'), ('j', '(1 + 2)'))
          AS v (name, expression);
SELECT is(
    to_jsonb(board._kind_policy(NULL)),
    to_jsonb(jsonb_populate_record(board._kind_policy(NULL), board._column_defaults('board.kinds'))),
    'what reset sets back to is what a kind without a row has');
SELECT throws_ok($$SELECT board.configure_kind(NULL)$$, '22023',
    'invalid value for argument "name"', 'name NULL');

SELECT results_eq($$SELECT s.notify, s.max_ttl, s.log_heartbeats, s.require_attempt,
    s.require_registered_agents, s.retain_events FROM board.configure() AS s$$,
    $$VALUES ('each', interval '7 days', true, false, false, NULL::interval)$$,
        'the board''s defaults');
SELECT results_eq($$SELECT s.notify, s.max_ttl,
    s.retain_events FROM board.configure(notify => 'coalesced', max_ttl => '1 hour',
        retain_events => '1 year', actor => 'op') AS s$$,
    $$VALUES ('coalesced', interval '1 hour', interval '1 year')$$, 'what is passed');
SELECT results_eq($$SELECT s.notify, s.max_ttl,
    s.retain_events FROM board.configure(reset => ARRAY['retain_events', 'max_ttl']) AS s$$,
    $$VALUES ('coalesced', interval '7 days', NULL::interval)$$, 'reset sets back');
SELECT is((SELECT l.actor FROM board.audit_log AS l
    WHERE l.detail ? 'notify'), 'op', 'in the audit log under the name given');
SELECT throws_ok(format('SELECT board.configure(%s)', x.arg), '22023',
    format('invalid value for argument "%s"', split_part(x.arg, ' ', 1)), x.arg)
  FROM (VALUES ('notify => ''loud'''), ('max_ttl => ''0'''), ('max_ttl => ''11 years'''),
      ('retain_events => ''-1 day'''),
      ('reset => ARRAY[''paused'']'), ('reset => ''{paused_at}'''), ('actor => '''''))
          AS x (arg);

DO $$ BEGIN
    PERFORM board.enqueue_many('late cap', array_fill('{}'::jsonb, ARRAY[9]));
    PERFORM board.claim('early', kinds => ARRAY['late cap'], max_tasks => 4);
    PERFORM board.configure_kind('late cap', max_in_progress => 5);
END $$;
SELECT is((SELECT count(*) FROM board.claim('a', kinds => ARRAY['late cap'], max_tasks => 9)),
    1::bigint, 'what agents held before there was a cap counts');
DO $$ BEGIN
    PERFORM board.release(s.task_id, t.leased_by) FROM board.kind_slots AS s
      JOIN board.tasks AS t ON t.id = s.task_id WHERE s.kind = 'late cap' AND s.slot <= 2;
    PERFORM board.configure_kind('late cap', max_in_progress => 2);
END $$;
SELECT is((SELECT count(*) FROM board.claim('a', kinds => ARRAY['late cap'], max_tasks => 9)),
    0::bigint, 'and what they held above a lower one');

SELECT * FROM finish();
ROLLBACK;
