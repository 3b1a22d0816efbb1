-- events_since and latest_cursor in one session; the races are in tests/.
BEGIN;
SELECT plan(14);
SELECT matches(board.latest_cursor(), '^[0-9a-f]{12}:\d+:\d+:', 'a cursor');
SELECT throws_ok(format('SELECT * FROM board.events_since(%L)', x.c), '22023',
    'invalid value for argument "since"', 'no cursor: ' || left(x.c, 30))
  FROM (VALUES (''), ('x'), ('0'), ('aaaaaaaaaaaa:5:1:'), ('aaaaaaaaaaaa:1:5:9'),
      ('aaaaaaaaaaaa:1:5:3,2'), ('aaaaaaaaaaaa:1:1:|1:1:|')) AS x (c);
SELECT throws_ok('SELECT * FROM board.events_since(max_events => 0)', '22023',
    'invalid value for argument "max_events"', 'max_events 0');
SELECT results_eq($$SELECT e.type, e.seq,
    e.kind FROM board.events_since('aaaaaaaaaaaa:1:1:') AS e$$,
        $$VALUES ('resync', NULL::bigint, NULL::text)$$, 'a cursor of another feed: resync');
SELECT is((SELECT e.cursor FROM board.events_since('aaaaaaaaaaaa:1:1:') AS e),
    board.latest_cursor(), 'with a fresh cursor');
SELECT results_eq(
    format('SELECT e.type FROM board.events_since(%L) AS e',
        split_part(board.latest_cursor(), ':', 1) || ':1:9999999999:'), $$VALUES ('resync')$$,
            'a cursor from the future: resync');
CREATE TEMP TABLE start AS SELECT board.latest_cursor() AS cursor;
DO $$ BEGIN PERFORM board.enqueue_many('k',
    ARRAY(SELECT '{}'::jsonb FROM generate_series(1, 10))); END $$;
SELECT is_empty($$SELECT e.* FROM start, board.events_since(start.cursor) AS e$$,
    'the caller''s own uncommitted events are left out');
SELECT is_empty($$SELECT e.* FROM board.events_since(NULL) AS e$$, 'also from the beginning');

SELECT * FROM finish();
ROLLBACK;
