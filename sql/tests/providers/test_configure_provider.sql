-- configure_provider: makes a provider, changes only what is passed, resets what is named, keeps
-- who did it; refuses what is no URL, no key or no name.
BEGIN;
SELECT plan(23);

SELECT results_eq(
    $$ SELECT p.name, p.base_url, p.sandbox_url, p.honours_idempotency, p.signing_key, p.paused
         FROM board.configure_provider('acme', base_url => 'https://api.acme.test/v1') AS p $$,
    $$ VALUES ('acme', 'https://api.acme.test/v1', NULL::text, false, NULL::text, false) $$,
    'a new provider has what was passed, and defaults');
SELECT results_eq(
    $$ SELECT p.base_url, p.sandbox_url, p.honours_idempotency
         FROM board.configure_provider('acme', sandbox_url => 'http://localhost:8080/',
                                       honours_idempotency => true) AS p $$,
    $$ VALUES ('https://api.acme.test/v1', 'http://localhost:8080/', true) $$,
    'what is not passed stays');
SELECT results_eq(
    $$ SELECT p.base_url, p.sandbox_url, p.honours_idempotency
         FROM board.configure_provider('acme') AS p $$,
    $$ VALUES ('https://api.acme.test/v1', 'http://localhost:8080/', true) $$,
    'nothing passed: nothing changed');
SELECT results_eq(
    $$ SELECT p.base_url, p.sandbox_url, p.honours_idempotency
         FROM board.configure_provider('acme', reset => '{base_url,honours_idempotency}') AS p $$,
    $$ VALUES (NULL::text, 'http://localhost:8080/', false) $$,
    'what is reset is as in a new provider');
SELECT is(
    (board.configure_provider('acme', 'https://b.test', reset => '{base_url}')).base_url,
    'https://b.test', 'a value that is passed wins over reset');

SELECT is(board.pause('provider:early', 'olga'), 'paused',
    'a provider may be paused before it is known');
SELECT ok((board.configure_provider('early', base_url => 'https://e.test')).paused,
    'and configuring it does not resume it');

SELECT is(
    (board.configure_provider('acme', sandbox_url => 'https://s.test', actor => 'olga')
    ).sandbox_url,
    'https://s.test', 'an actor may be named');
SELECT results_eq(
    $$ SELECT l.actor, l.detail -> 'sandbox_url' ->> 'to' FROM board.audit_log AS l
        WHERE l.action = 'configure_provider' AND l.target = 'provider:acme'
        ORDER BY l.seq DESC LIMIT 1 $$,
    $$ VALUES ('olga', 'https://s.test') $$, 'and is kept in the audit log with the change');

SELECT throws_ok($$ SELECT board.configure_provider(NULL) $$, '22023',
    'invalid value for argument "name"', 'no name');
SELECT throws_ok($$ SELECT board.configure_provider('') $$, '22023',
    'invalid value for argument "name"', 'empty name');
SELECT throws_ok($$ SELECT board.configure_provider(repeat('x', 201)) $$, '22023',
    'invalid value for argument "name"', 'name of 201 characters');
SELECT throws_ok(
    format('SELECT board.configure_provider(''acme'', base_url => %L)', u.url), '22023',
    'invalid value for argument "base_url"', 'no URL: ' || u.url)
  FROM (VALUES (''), ('api.acme.test'), ('ftp://acme.test'), ('https://'), ('https:///v1'),
               ('https://acme.test/a b')) AS u (url);
SELECT throws_ok(
    $$ SELECT board.configure_provider('acme', base_url => 'https://u:secret@acme.test') $$,
    '22023', 'invalid value for argument "base_url"', 'a password has no place in a URL');
SELECT throws_ok($$ SELECT board.configure_provider('acme', sandbox_url => 'nowhere') $$, '22023',
    'invalid value for argument "sandbox_url"', 'the sandbox is checked as well');
SELECT throws_ok($$ SELECT board.configure_provider('acme', signing_key => 'whsec_c2VjcmV0') $$,
    '22023',
    'invalid value for argument "signing_key"', 'a key that does not exist');
SELECT throws_ok($$ SELECT board.configure_provider('acme', reset => '{name}') $$, '22023',
    'invalid value for argument "reset"', 'the name cannot be reset');
SELECT throws_ok($$ SELECT board.configure_provider('acme', reset => ARRAY[NULL]) $$, '22023',
    'invalid value for argument "reset"', 'NULL in reset');

SELECT * FROM finish();
ROLLBACK;
