-- help, version and the views that people read.
BEGIN;
SELECT plan(32);
SELECT matches(board.help(), 'board.claim', 'help() says where to start');
SELECT isnt(board.help(x.topic), NULL, 'topic ' || x.topic)
  FROM regexp_matches(substring(board.help() FROM 'Topics:.*'), '''(\w+)''', 'g') AS m,
      LATERAL (SELECT m[1]) AS x (topic);
SELECT matches(board.help('CLAIM'), '^board\.claim\(agent text, ttl interval',
    'a function by its name, with its signature');
SELECT matches(board.help('human_queue'), 'person', 'a view by its name');
SELECT is_empty($$SELECT p.proname FROM pg_proc AS p
    WHERE p.pronamespace = 'board'::regnamespace AND p.proname !~ '^_'
        AND board.help(p.proname) IS NULL$$, 'every public function has help');
SELECT throws_ok($$SELECT board.help('nothing like it')$$, '22023',
    'invalid value for argument "topic"', 'an unknown topic');
SELECT throws_ok($$SELECT board.help('_claim')$$, '22023', 'invalid value for argument "topic"',
    'private functions are no topic');
SELECT matches(board.version(), '^\d+\.\d+\.\d+$', 'version');
SELECT is(
    (SELECT max(length(l)) <= 110 FROM regexp_split_to_table(
        string_agg(board.help(x.topic), E'\n'), E'\n') AS l), true,
            'help fits a window of 110 columns')
  FROM (VALUES ('start'), ('agents'), ('desk'), ('events'), ('errors'), ('schedules'), ('maintenance'))
      AS x (topic);
DO $$ BEGIN
    PERFORM board.enqueue('k'); PERFORM board.claim('a');
    PERFORM board.enqueue('k', '{"order": 17, "text": "and more"}');
    PERFORM board.enqueue('k', run_at => clock_timestamp() + '1 hour');
END $$;
SELECT results_eq($$SELECT s.pending, s.scheduled, s.in_progress, s.escalated, s.completed,
    s.cancelled FROM board.kind_stats AS s WHERE s.kind = 'k'$$,
    $$VALUES (1::bigint, 1::bigint, 1::bigint, 0::bigint, 0::bigint, 0::bigint)$$,
        'kind_stats counts');
SELECT is((SELECT a.state FROM board.active AS a), 'working', 'active: working');
DO $$ BEGIN
    -- As if it had been claimed ten minutes ago, and a heartbeat had just come.
    UPDATE board.tasks SET progress_at = progress_at - interval '10 min',
        leased_until = clock_timestamp() + interval '5 s' WHERE status = 'in_progress';
    PERFORM board.heartbeat(t.id, 'a', '5 s') FROM board.tasks AS t WHERE t.status = 'in_progress';
END $$;
SELECT is((SELECT a.state FROM board.active AS a), 'working',
    'active: who never reported progress is not called stalled');
UPDATE board.tasks SET heartbeat_at = clock_timestamp(), progress = '"a word of the one before"',
    leased_until = clock_timestamp() + interval '2 min' WHERE status = 'in_progress';
SELECT is((SELECT a.progress FROM board.active AS a), NULL,
    'active: what a holder before said is not put in the mouth of this one');
DO $$ BEGIN PERFORM board.heartbeat(t.id, 'a', progress => t.progress) FROM board.tasks AS t
    WHERE t.status = 'in_progress'; END $$;
SELECT is((SELECT a.progress FROM board.active AS a), 'a word of the one b…',
    'active: until it says the same');
UPDATE board.tasks SET progress_at = clock_timestamp() - interval '10 min',
    heartbeat_at = clock_timestamp() - interval '1 s' WHERE status = 'in_progress';
SELECT is((SELECT a.state FROM board.active AS a), 'stalled',
    'active: heartbeats without progress');
UPDATE board.tasks SET leased_until = clock_timestamp() - interval '1 s', lapse_count = 3
    WHERE status = 'in_progress';
SELECT is((SELECT a.state FROM board.active AS a), 'lapsed', 'active: lapsed');
SELECT results_eq($$SELECT q.state, q.payload FROM board.queue AS q$$, $$VALUES ('lapsed', NULL),
    ('pending', '{"text": "and more"…')$$, 'queue: what can be claimed, in claim order');
SELECT is((SELECT count(*) FROM board.crash_loops), 1::bigint, 'crash_loops: three lapses');
SELECT results_eq('SELECT h.depth, h.lapsed, h.human_queue, h.paused FROM board.health AS h',
    'VALUES (2::bigint, 1::bigint, 0::bigint, false)', 'health');
SELECT is_empty($$SELECT h.what FROM board.history AS h
    WHERE h.what IS NULL$$, 'history has a sentence for every event');

SELECT * FROM finish();
ROLLBACK;
