-- Issuing and revoking bearer tokens.

BEGIN;

SELECT plan(25);

CREATE TEMPORARY TABLE issued ON COMMIT DROP AS
SELECT board.issue_token('agent-7', '{agent}', '1 day') AS token;

SELECT matches(i.token, '^board_[A-Za-z0-9_-]{43}$',
               'a token is board_ and 43 characters of base64url')
  FROM issued AS i;
SELECT is(
    (SELECT count(DISTINCT board.issue_token('a', '{viewer}', '1 day'))
       FROM generate_series(1, 100)),
    100::bigint, 'no two are alike');
SELECT is(t.token_hash, sha256(convert_to(i.token, 'UTF8')), 'its SHA-256 is kept')
  FROM board.access_tokens AS t, issued AS i
 WHERE t.agent = 'agent-7';
SELECT is_empty(
    $$SELECT FROM board.access_tokens AS t, issued AS i
       WHERE strpos(t::text, i.token) > 0
      UNION ALL
      SELECT FROM board.audit_log AS l, issued AS i WHERE strpos(l::text, i.token) > 0
      UNION ALL
      SELECT FROM board.tokens AS t, issued AS i WHERE strpos(t::text, i.token) > 0$$,
    'and the token nowhere');
SELECT is_empty(
    $$SELECT FROM board.tokens AS v, board.access_tokens AS t
       WHERE strpos(v::text, encode(t.token_hash, 'hex')) > 0$$,
    'the view shows no hash');
SELECT results_eq(
    $$SELECT t.agent, t.scopes, t.state, t.created_by
        FROM board.tokens AS t WHERE t.agent = 'agent-7'$$,
    $$VALUES ('agent-7', '{agent}'::text[], 'good', session_user::text COLLATE "default")$$,
    'it shows the rest');

SELECT throws_ok(format('SELECT board.issue_token(%s)', c.arguments), '22023',
                 format('invalid value for argument "%s"', c.argument),
                 format('%s: %s', c.argument, c.arguments))
  FROM (VALUES ('agent', $$NULL, '{agent}', '1 day'$$),
               ('agent', $$E'a\nb', '{agent}', '1 day'$$),
               ('scopes', $$'a', NULL, '1 day'$$),
               ('scopes', $$'a', '{}', '1 day'$$),
               ('scopes', $$'a', '{agent,NULL}', '1 day'$$),
               ('scopes', $$'a', '{admin}', '1 day'$$),
               ('scopes', $$'a', '{issue_token}', '1 day'$$),
               ('scopes', $$'a', '{{agent},{viewer}}', '1 day'$$),
               ('expires_in', $$'a', '{agent}', NULL$$),
               ('expires_in', $$'a', '{agent}', '0'$$),
               ('expires_in', $$'a', '{agent}', '-1 day'$$),
               ('expires_in', $$'a', '{agent}', '101 years'$$),
               ('expires_in', $$'a', '{agent}', '178000000 years'$$)) AS c (argument, arguments);

SELECT is(board.revoke_token(t.id), true, 'revoke_token ends it')
  FROM board.tokens AS t
 WHERE t.agent = 'agent-7';
SELECT is(board.revoke_token(t.id), false, 'and says so once')
  FROM board.tokens AS t
 WHERE t.agent = 'agent-7';
SELECT is(t.state, 'revoked', 'the view tells')
  FROM board.tokens AS t
 WHERE t.agent = 'agent-7';
SELECT throws_ok(
    $$SELECT board.revoke_token('00000000-0000-0000-0000-000000000000')$$,
    '22023', 'invalid value for argument "id"', 'one that does not exist cannot be revoked');
SELECT throws_ok($$SELECT board.revoke_token(NULL)$$,
                 '22023', 'invalid value for argument "id"', 'nor none');
SELECT results_eq(
    $$SELECT l.action, l.detail - 'expires_at'
        FROM board.audit_log AS l, board.tokens AS t
       WHERE t.agent = 'agent-7' AND l.target = 'token:' || t.id ORDER BY l.seq$$,
    $$VALUES ('issue_token', '{"agent": "agent-7", "scopes": ["agent"]}'::jsonb),
             ('revoke_token', '{"agent": "agent-7"}')$$,
    'both are in the audit log');

SELECT * FROM finish();

ROLLBACK;
