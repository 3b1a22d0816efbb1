-- What request() refuses, and what it answers.

BEGIN;

SELECT plan(45);

CREATE TEMPORARY TABLE issued ON COMMIT DROP AS
SELECT s.name, board.issue_token('agent-7', s.scopes, '1 day') AS token
  FROM (VALUES ('viewer', '{viewer}'::text[]), ('agent', '{agent}'), ('operator', '{operator}'),
               ('receiver', '{verify,enqueue}'), ('expired', '{agent}'), ('revoked', '{agent}'))
       AS s (name, scopes);

CREATE FUNCTION pg_temp.token(name text) RETURNS text LANGUAGE sql AS
    'SELECT i.token FROM issued AS i WHERE i.name = $1';
CREATE FUNCTION pg_temp.row_of(name text) RETURNS uuid LANGUAGE sql AS
    'SELECT t.id FROM board.access_tokens AS t
      WHERE t.token_hash = sha256(convert_to(pg_temp.token($1), ''UTF8''))';

UPDATE board.access_tokens AS t
   SET expires_at = clock_timestamp() - interval '1 microsecond'
 WHERE t.id = pg_temp.row_of('expired');
SELECT is(board.revoke_token(pg_temp.row_of('revoked')), true, 'a token is revoked');

-- Tokens

SELECT throws_ok(format('SELECT board.request(%L, %L, %L)', c.token, c.action, '{}'),
                 c.code, 'request refused', c.what)
  FROM (VALUES ('28000', NULL, 'next_due', 'no token'),
               ('28000', '', 'next_due', 'an empty token'),
               ('28000', 'board_', 'next_due', 'the prefix of a token'),
               ('28000', left(pg_temp.token('agent'), -1), 'next_due', 'a truncated token'),
               ('28000', pg_temp.token('agent') || 'x', 'next_due', 'a token with something after it'),
               ('28000', upper(pg_temp.token('agent')), 'next_due', 'a token in another case'),
               ('28000', repeat('x', 1000000), 'next_due', 'a megabyte'),
               ('28000', pg_temp.token('expired'), 'next_due', 'an expired token'),
               ('28000', pg_temp.token('revoked'), 'next_due', 'a revoked token'),
               ('28000', 'wrong', 'no such action', 'a wrong token, whatever the action'),
               ('42501', pg_temp.token('viewer'), 'claim', 'a viewer may not work'),
               ('42501', pg_temp.token('agent'), 'cancel', 'an agent may not run the desk'),
               ('42501', pg_temp.token('receiver'), 'next_due', 'single actions are no group'))
       AS c (code, token, action, what);

-- Actions

SELECT throws_ok(format('SELECT board.request(%L, %L, %L)', pg_temp.token('operator'), a.action, '{}'),
                 '22023', 'invalid value for argument "action"',
                 format('%s is no action', coalesce(quote_literal(a.action), 'NULL')))
  FROM (VALUES ('no such action'), (NULL), (''), ('Claim'), ('issue_token'), ('configure'),
               ('lock_row'), ('request'), ('_claim'), ('hmac_sha256')) AS a (action);

SELECT ok(position('begin_call, cancel, check_lock, claim' IN board._action_list()) > 0,
          'the hint lists the actions');

-- Arguments

SELECT throws_ok(format('SELECT board.request(%L, %L, %L)', pg_temp.token('operator'), c.action,
                        c.arguments),
                 '22023', format('invalid value for argument "%s"', c.argument),
                 format('%s %s', c.action, c.arguments))
  FROM (VALUES ('claim', '{"tll": "1 minute"}', 'tll'),
               ('claim', '{"TTL": "1 minute"}', 'TTL'),
               ('claim', '{"ttl": 60}', 'ttl'),
               ('claim', '{"ttl": "soon"}', 'ttl'),
               ('claim', '{"ttl": "0"}', 'ttl'),
               ('claim', '{"kinds": "k"}', 'kinds'),
               ('claim', '{"kinds": ["k", 1]}', 'kinds'),
               ('claim', '{"max_tasks": "1"}', 'max_tasks'),
               ('claim', '{"max_tasks": 1.5}', 'max_tasks'),
               ('claim', '{"max_tasks": 3000000000}', 'max_tasks'),
               ('claim', '[]', 'arguments'),
               ('enqueue', '{}', 'kind'),
               ('complete', '{"id": "17"}', 'id'),
               ('fail', '{"id": "00000000-0000-0000-0000-000000000000", "permanent": 1}', 'permanent'),
               ('enqueue', '{"kind": "k", "run_at": "tomorrowish"}', 'run_at'),
               ('next_due', '{"agent": "agent-7"}', 'agent')) AS c (action, arguments, argument);

SELECT throws_ok(
    format('SELECT board.request(%L, ''claim'', ''{"agent": "agent-8"}'')', pg_temp.token('agent')),
    '42501', '"agent" is not whom the token speaks for', 'nobody else''s name');

-- Answers

SELECT is(jsonb_typeof(board.request(pg_temp.token('receiver'), 'enqueue', '{"kind": "k"}')), 'string',
          'an id is a string');
SELECT is(board.request(pg_temp.token('agent'), 'claim', '{"agent": "agent-7", "max_tasks": 1.0}')
              #>> '{0,leased_by}',
          'agent-7', 'rows are objects; one''s own name may be said');
SELECT is(board.request(pg_temp.token('agent'), 'claim'), '[]', 'no rows are an empty array');

SELECT * FROM finish();

ROLLBACK;
