-- The key that a provider knows a step by: a published formula, so that anybody can compute it.
BEGIN;
SELECT plan(10);

SELECT is(board.idempotency_key('00000000-0000-0000-0000-000000000001', 'charge'),
          encode(sha256('00000000-0000-0000-0000-000000000001:charge'), 'hex'),
          'SHA-256 of id:step in lower-case hex');
SELECT is(board.idempotency_key('00000000-0000-0000-0000-000000000001', 'charge'),
          'acca0fea1a2bd1ddaf7afe333c44a724058bd1b08a0240c90091670e18b497fa',
          'the vector, computed with sha256sum');
SELECT is(board.idempotency_key('ABCDEF00-0000-0000-0000-000000000001', 'charge'),
          board.idempotency_key('abcdef00-0000-0000-0000-000000000001', 'charge'),
          'however the id was typed');
SELECT is(board.idempotency_key('00000000-0000-0000-0000-000000000001', 'a\b\\c\x41'),
          encode(sha256(convert_to(E'00000000-0000-0000-0000-000000000001:a\\b\\\\c\\x41', 'UTF8')),
              'hex'),
          'a backslash is a backslash');
SELECT is(board.idempotency_key('00000000-0000-0000-0000-000000000001', 'Zahlung für 東京'),
          encode(sha256(convert_to('00000000-0000-0000-0000-000000000001:Zahlung für 東京',
                                   'UTF8')), 'hex'),
          'the step is taken as UTF-8');
SELECT isnt(board.idempotency_key('00000000-0000-0000-0000-000000000001', 'charge'),
            board.idempotency_key('00000000-0000-0000-0000-000000000002', 'charge'),
            'another task, another key');
SELECT isnt(board.idempotency_key('00000000-0000-0000-0000-000000000001', 'charge'),
            board.idempotency_key('00000000-0000-0000-0000-000000000001', 'refund'),
            'another step, another key');
SELECT is(board.idempotency_key(NULL, 'charge'), NULL, 'no task, no key');
SELECT is(board.idempotency_key('00000000-0000-0000-0000-000000000001', NULL), NULL,
    'no step, no key');
SELECT volatility_is('board', 'idempotency_key', ARRAY['uuid', 'text'], 'immutable',
                     'immutable, so that it may stand in an index');

SELECT * FROM finish();
ROLLBACK;
