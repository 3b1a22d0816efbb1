-- acquire_lock, renew_lock, release_lock and check_lock as one session sees them: who gets what,
-- what each refuses and how, names of any text, rollback and savepoint. Time passes by ageing rows.
BEGIN;
SELECT plan(61);

CREATE TEMPORARY TABLE got (step text PRIMARY KEY, token bigint);
CREATE PROCEDURE pg_temp.lapse(resource text) LANGUAGE sql AS $$
    UPDATE board.locks AS l SET held_until = clock_timestamp() - interval '1 second'
     WHERE l.resource = lapse.resource;
$$;
CREATE FUNCTION pg_temp.token(step text) RETURNS bigint LANGUAGE sql AS $$
    SELECT g.token FROM got AS g WHERE g.step = token.step;
$$;

-- One holder
INSERT INTO got VALUES ('a', board.acquire_lock('r', 'a', '1 minute'));
SELECT ok(pg_temp.token('a') > 0, 'a free resource gives a token');
SELECT is(board.acquire_lock('r', 'b'), NULL, 'somebody else is refused with NULL');
SELECT ok(board.acquire_lock('other', 'b') > pg_temp.token('a'),
          'tokens grow from one resource to the next');
SELECT is((SELECT concat_ws(' ', h.agent, h.token, h.db_user) FROM board.locks_held AS h
            WHERE h.resource = 'r'),
          concat_ws(' ', 'a', pg_temp.token('a'), session_user),
          'locks_held says who, under which token, from which database role');
SELECT ok(h.held_until - h.acquired_at = '1 minute' AND h.time_left <= '1 minute'
          AND h.time_left > '50 seconds' AND h.renewed_at = h.acquired_at,
          'held_until is ttl after the moment of taking')
  FROM board.locks_held AS h WHERE h.resource = 'r';
SELECT is((SELECT h.held_until - h.acquired_at FROM board.locks_held AS h WHERE h.resource = 'other'),
          '2 minutes'::interval, 'the default is two minutes');

-- The same agent again
INSERT INTO got VALUES ('a again', board.acquire_lock('r', 'a'));
SELECT ok(pg_temp.token('a again') > pg_temp.token('a'), 'its holder gets it anew, with a higher token');
SELECT throws_ok($$SELECT board.check_lock('r', pg_temp.token('a'))$$, 'TB008', 'fence stale',
                 'then his older token is stale');
SELECT is(board.renew_lock('r', 'a', pg_temp.token('a')), NULL, 'the older token cannot renew');
SELECT is(board.release_lock('r', 'a', pg_temp.token('a')), false, 'nor release');
SELECT lives_ok($$SELECT board.check_lock('r', pg_temp.token('a again'))$$, 'the newer one holds');

-- Renewing
SELECT ok(board.renew_lock('r', 'a', pg_temp.token('a again'), '1 hour')
              BETWEEN clock_timestamp() + interval '59 minutes' AND clock_timestamp() + interval '1 hour',
          'renew returns the new end, ttl from now');
SELECT is((SELECT h.token FROM board.locks_held AS h WHERE h.resource = 'r'), pg_temp.token('a again'),
          'renewing keeps the token');
SELECT ok(h.renewed_at > h.acquired_at, 'and is a sign of life')
  FROM board.locks_held AS h WHERE h.resource = 'r';
SELECT ok(board.renew_lock('r', 'a', pg_temp.token('a again'), '1 minute')
              < clock_timestamp() + interval '61 seconds', 'it may shorten the lock');
SELECT is(board.renew_lock('r', 'b', pg_temp.token('a again')), NULL, 'another agent cannot renew it');
SELECT is(board.renew_lock('r', 'a', pg_temp.token('a again') + 1000), NULL, 'nor a token never given');
SELECT is(board.renew_lock('nowhere', 'a', 1), NULL, 'nor one of a resource that nobody ever took');

-- Releasing
SELECT is(board.release_lock('r', 'b', pg_temp.token('a again')), false, 'another agent cannot release it');
SELECT is(board.release_lock('r', 'a', pg_temp.token('a again')), true, 'its holder can');
SELECT is(board.release_lock('r', 'a', pg_temp.token('a again')), false, 'once');
SELECT is_empty($$SELECT FROM board.locks_held AS h WHERE h.resource = 'r'$$, 'then nobody holds it');
SELECT throws_ok($$SELECT board.check_lock('r', pg_temp.token('a again'))$$, 'TB008', NULL,
                 'a released token writes nothing');
SELECT is(board.renew_lock('r', 'a', pg_temp.token('a again')), NULL, 'a released lock cannot be renewed');
INSERT INTO got VALUES ('b', board.acquire_lock('r', 'b', '1 minute'));
SELECT ok(pg_temp.token('b') > pg_temp.token('a again'), 'the next holder has a higher token');
SELECT is(board.release_lock('nowhere', 'a', 1), false, 'what nobody ever took cannot be released');

-- The end of its time: free for everybody, whether taken or not
CALL pg_temp.lapse('r');
SELECT is_empty($$SELECT FROM board.locks_held AS h WHERE h.resource = 'r'$$, 'a lock that has ended is not held');
SELECT throws_ok($$SELECT board.check_lock('r', pg_temp.token('b'))$$, 'TB008', NULL,
                 'its token is stale though nobody has taken it');
SELECT is(board.renew_lock('r', 'b', pg_temp.token('b')), NULL, 'it cannot be renewed');
SELECT is(board.release_lock('r', 'b', pg_temp.token('b')), false, 'there is nothing to release');
INSERT INTO got VALUES ('c', board.acquire_lock('r', 'c'));
SELECT ok(pg_temp.token('c') > pg_temp.token('b'), 'the next taker has a higher token');
SELECT throws_ok($$SELECT board.check_lock('r', pg_temp.token('b'))$$, 'TB008', NULL,
                 'the old token stays stale');
SELECT is(board.release_lock('r', 'b', pg_temp.token('b')), false,
          'who lost it cannot take it from the present holder');
SELECT is((SELECT h.agent FROM board.locks_held AS h WHERE h.resource = 'r'), 'c', 'who keeps it');

-- What TB008 says
CREATE FUNCTION pg_temp.said(query text) RETURNS text[] LANGUAGE plpgsql AS $$
DECLARE
    _detail text;
    _hint text;
BEGIN
    EXECUTE query;
    RETURN NULL;
EXCEPTION WHEN OTHERS THEN
    GET STACKED DIAGNOSTICS _detail = PG_EXCEPTION_DETAIL, _hint = PG_EXCEPTION_HINT;
    RETURN ARRAY[SQLSTATE, SQLERRM, _detail, _hint];
END $$;
SELECT matches((pg_temp.said($$SELECT board.check_lock('r', pg_temp.token('b'))$$))[3],
               '^Token \d+ of "r" is stale: "c" has taken it since', 'TB008 says who has it');
SELECT matches((pg_temp.said($$SELECT board.check_lock('nowhere', 7)$$))[3],
               '^Nobody holds "nowhere" under token 7\.$', 'or that nobody has');
CALL pg_temp.lapse('other');
SELECT matches((pg_temp.said($$SELECT board.check_lock('other',
                   (SELECT l.token FROM board.locks AS l WHERE l.resource = 'other'))$$))[3],
               '^The lock on "other" under token \d+ ended at ', 'or when it ended');
SELECT matches((pg_temp.said($$SELECT board.check_lock('nowhere', 7)$$))[4], 'board\.acquire_lock',
               'and what to do');

-- Refusals name the argument
SELECT throws_ok($$SELECT board.acquire_lock(NULL, 'a')$$,
                 '22023', 'invalid value for argument "resource"', 'resource NULL');
SELECT throws_ok($$SELECT board.acquire_lock('', 'a')$$,
                 '22023', 'invalid value for argument "resource"', 'resource empty');
SELECT throws_ok($$SELECT board.acquire_lock(repeat('x', 201), 'a')$$,
                 '22023', 'invalid value for argument "resource"', 'resource too long');
SELECT throws_ok($$SELECT board.acquire_lock(E'a\nb', 'a')$$,
                 '22023', 'invalid value for argument "resource"', 'resource with a line break');
SELECT throws_ok($$SELECT board.acquire_lock('r', NULL)$$,
                 '22023', 'invalid value for argument "agent"', 'agent NULL');
SELECT throws_ok($$SELECT board.acquire_lock('r', 'a', NULL)$$,
                 '22023', 'invalid value for argument "ttl"', 'ttl NULL');
SELECT throws_ok($$SELECT board.acquire_lock('r', 'a', '0')$$,
                 '22023', 'invalid value for argument "ttl"', 'ttl zero');
SELECT throws_ok($$SELECT board.acquire_lock('r', 'a', '8 days')$$,
                 '22023', 'invalid value for argument "ttl"', 'ttl beyond settings.max_ttl');
SELECT throws_ok($$SELECT board.renew_lock('r', 'c', NULL)$$,
                 '22023', 'invalid value for argument "token"', 'renew: token NULL');
SELECT throws_ok($$SELECT board.renew_lock('r', 'c', 1, '-1 s')$$,
                 '22023', 'invalid value for argument "ttl"', 'renew: ttl negative, whoever holds it');
SELECT throws_ok($$SELECT board.release_lock('r', 'c', NULL)$$,
                 '22023', 'invalid value for argument "token"', 'release: token NULL');
SELECT throws_ok($$SELECT board.release_lock(NULL, 'c', 1)$$,
                 '22023', 'invalid value for argument "resource"', 'release: resource NULL');
SELECT throws_ok($$SELECT board.check_lock('r', NULL)$$,
                 '22023', 'invalid value for argument "token"', 'check: token NULL');
SELECT throws_ok($$SELECT board.check_lock(NULL, 1)$$,
                 '22023', 'invalid value for argument "resource"', 'check: resource NULL');

-- A name that another role owns
INSERT INTO board.agents (name, role, registered_by) VALUES ('theirs', 'some_other_role', 'test');
SELECT throws_ok($$SELECT board.acquire_lock('r2', 'theirs')$$, '42501', NULL, 'acquire under another role''s name');
SELECT throws_ok($$SELECT board.renew_lock('r2', 'theirs', 1)$$, '42501', NULL, 'renew under another role''s name');
SELECT throws_ok($$SELECT board.release_lock('r2', 'theirs', 1)$$, '42501', NULL, 'release under another role''s name');

-- Names are compared byte by byte, and any text is one
SELECT is(count(DISTINCT board.acquire_lock(n.name, 'a')), 14::bigint, 'fourteen names, fourteen resources')
  FROM (VALUES ('order_1'), ('Order_1'), ('order_1 '), (' order_1'), ('it''s'), ('a"b'),
               ('a\b'), ('%s %I'), ('$1'), ('; DROP TABLE board.locks; --'),
               ('ключ'), ('🔒'), (U&'e\0301'), (U&'\00e9')) AS n (name);
SELECT is(board.acquire_lock(repeat('🔒', 200), 'a') IS NOT NULL, true, '200 characters of four bytes');
SELECT is((SELECT count(*) FROM board.locks_held AS h WHERE h.agent = 'a'), 15::bigint, 'each is held on its own');

-- Rollback to a savepoint
SAVEPOINT before;
INSERT INTO got VALUES ('undone', board.acquire_lock('undone', 'a'));
SELECT isnt(pg_temp.token('undone'), NULL, 'taken after a savepoint');
ROLLBACK TO SAVEPOINT before;
SELECT is_empty($$SELECT FROM board.locks AS l WHERE l.resource = 'undone'$$, 'rolled back, it was never taken');
SELECT isnt(board.acquire_lock('undone', 'b'), NULL, 'and is free for others');

SELECT * FROM finish();
ROLLBACK;
