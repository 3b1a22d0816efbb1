-- Signing keys, signatures, and what verify makes of what comes in.

BEGIN;

SELECT plan(67);

-- Keys

CREATE TEMPORARY TABLE shown ON COMMIT DROP AS SELECT board.create_signing_key('k') AS secret;

SELECT matches(s.secret, '^whsec_[A-Za-z0-9+/]{43}=$', 'the secret is whsec_ and 32 bytes of base64')
  FROM shown AS s;
SELECT is(s.secret, 'whsec_' || encode(x.secret, 'base64'), 'and is what is kept')
  FROM shown AS s, board.signing_secrets AS x;
SELECT throws_ok($$SELECT board.create_signing_key('k')$$, '22023',
                 'invalid value for argument "name"', 'a name that is taken');
SELECT throws_ok($$SELECT board.create_signing_key('')$$, '22023',
                 'invalid value for argument "name"', 'a name that is none');
SELECT is(board._encode_secret(decode(repeat('00', 64), 'hex')), 'whsec_' || repeat('A', 86) || '==',
          '64 bytes are shown on one line');

SELECT lives_ok(format('SELECT board.import_signing_key(%L, %L)', 'in' || length(i.secret),
                       i.secret),
                format('a secret of %s characters comes in', length(i.secret)))
  FROM (VALUES ('whsec_' || repeat('QUJD', 8)),
               (repeat('QUJD', 9)),
               ('whsec_' || encode(decode(repeat('ab', 25), 'hex'), 'base64')),
               ('whsec_' || rtrim(encode(decode(repeat('ab', 40), 'hex'), 'base64'), '=')),
               ('whsec_' || repeat('A', 86) || '==')) AS i (secret);
SELECT throws_ok(format('SELECT board.import_signing_key(%L, %L)', 'bad', i.secret), '22023',
                 'invalid value for argument "secret"', format('%s is none', i.what))
  FROM (VALUES (NULL, 'NULL'), ('', 'nothing'), ('whsec_', 'a bare prefix'),
               ('whsec_' || repeat('QUJD', 7), 'one of 21 bytes'),
               ('whsec_' || repeat('QUJD', 22), 'one of 66 bytes'),
               ('whsec_' || repeat('QUJD', 8) || 'A', 'base64 of an impossible length'),
               ('whsec_' || repeat('QU-D', 8), 'base64url'),
               ('whsec_' || repeat('QUJD', 4) || E'\n' || repeat('QUJD', 4), 'two lines'))
       AS i (secret, what);

SELECT throws_ok($$SELECT board.rotate_signing_key('nobody', '1 day')$$, '22023',
                 'invalid value for argument "name"', 'only a key that exists is rotated');
SELECT throws_ok(format('SELECT board.rotate_signing_key(''k'', %L)', r.keep_old), '22023',
                 'invalid value for argument "keep_old"',
                 format('keep_old %s', coalesce(r.keep_old, 'NULL')))
  FROM (VALUES (NULL), ('-1 second'), ('101 years')) AS r (keep_old);

-- Signatures

SELECT is(board.sign('k', 'msg_1', 'body') ->> 'webhook-id', 'msg_1', 'the id is the one given');
SELECT ok(abs((board.sign('k', 'msg_1', 'body') ->> 'webhook-timestamp')::bigint
              - extract(epoch FROM clock_timestamp())) < 2, 'the time is now');
SELECT is(x.headers ->> 'webhook-signature',
          'v1,' || encode(board.hmac_sha256(
              convert_to('msg_1.' || (x.headers ->> 'webhook-timestamp') || '.body', 'UTF8'),
              decode(substring(s.secret FROM 7), 'base64')), 'base64'),
          'the signature is HMAC-SHA256 over id.timestamp.body')
  FROM shown AS s, board.sign('k', 'msg_1', 'body') AS x (headers);
SELECT throws_ok(format('SELECT board.sign(%L, %L, %L)', c.key_name, c.message_id, c.body), '22023',
                 format('invalid value for argument "%s"', c.argument),
                 format('%s %s', c.argument, c.what))
  FROM (VALUES ('key_name', NULL, 'm', 'b', 'NULL'), ('key_name', 'nobody', 'm', 'b', 'unknown'),
               ('message_id', 'k', NULL, 'b', 'NULL'), ('message_id', 'k', '', 'b', 'empty'),
               ('message_id', 'k', 'a.b', 'b', 'with a dot'),
               ('message_id', 'k', 'a b', 'b', 'with a blank'),
               ('message_id', 'k', E'a\nb', 'b', 'of two lines'),
               ('body', 'k', 'm', NULL, 'NULL')) AS c (argument, key_name, message_id, body, what);
SELECT is(board._sign(NULL, 'm', 'b'), '{}', 'no key, no headers');
SELECT is(board._sign('k', 'm', NULL) ? 'webhook-signature', true, 'no body is an empty one');

-- One direction

SELECT is((SELECT array_agg(DISTINCT k.signs) FROM board.keys AS k WHERE k.name ~ '^in'), '{f}',
          'an imported key is not for signing');
SELECT is((SELECT k.signs FROM board.keys AS k WHERE k.name = 'k'), true, 'one made here is');
SELECT throws_ok(c.call, '22023', format('invalid value for argument "%s"', c.argument), c.call)
  FROM (VALUES ('SELECT board.sign(''in38'', ''m'', ''b'')', 'key_name'),
               ('SELECT board._sign(''in38'', ''m'', ''b'')', 'key_name'),
               ('SELECT board.rotate_signing_key(''in38'', ''1 day'')', 'name'),
               ('SELECT board.configure_provider(''p'', ''https://p.test'', signing_key => ''in38'')',
                'signing_key')) AS c (call, argument);
SELECT is(board.verify('in38', jsonb_build_object(
              'webhook-id', 'm', 'webhook-timestamp', x.time,
              'webhook-signature', 'v1,' || encode(board.hmac_sha256(
                  convert_to('m.' || x.time || '.b', 'UTF8'),
                  decode(repeat('QUJD', 8), 'base64')), 'base64')), 'b'),
          true, 'what its maker signs verifies')
  FROM (SELECT trunc(extract(epoch FROM clock_timestamp()))::text) AS x (time);

-- Verification

SELECT is(board.verify('k', board.sign('k', 'm', b.body), b.body), true,
          format('%s verifies', b.what))
  FROM (VALUES ('', 'nothing'), ('{"a": 1}', 'JSON'), ('🙂 \ "\n" ''', 'emoji and backslashes'),
               (repeat('x🙂', 50000), '100,000 characters')) AS b (body, what);
SELECT is(board.verify('k', (SELECT jsonb_object_agg(upper(h.key), h.value)
                               FROM jsonb_each(board.sign('k', 'm', 'b')) AS h), 'b'),
          true, 'header names in any case');
SELECT is(board.verify('k', s.headers || c.change, c.body, c.tolerance), false, c.what)
  FROM (SELECT board.sign('k', 'm', 'b')) AS s (headers),
       (VALUES ('{}'::jsonb, 'B', '5 minutes'::interval, 'another body'),
               ('{}', NULL, '5 minutes', 'no body'),
               ('{}', 'b', NULL, 'no tolerance'),
               ('{}', 'b', '-1 minute', 'a negative tolerance'),
               ('{"webhook-id": "n"}', 'b', '5 minutes', 'another id'),
               ('{"webhook-id": null}', 'b', '5 minutes', 'no id'),
               ('{"Webhook-Id": "m"}', 'b', '5 minutes', 'two ids'),
               ('{"webhook-timestamp": "1"}', 'b', '100 years', 'another time'),
               ('{"webhook-timestamp": "now"}', 'b', '5 minutes', 'a time that is none'),
               ('{"webhook-signature": "v1"}', 'b', '5 minutes', 'a signature without a comma'),
               ('{"webhook-signature": ["v1,x"]}', 'b', '5 minutes', 'a signature that is an array'))
       AS c (change, body, tolerance, what);
SELECT is(board.verify('nobody', board.sign('k', 'm', 'b'), 'b'), false, 'a key that does not exist');
SELECT is(board.verify(NULL, board.sign('k', 'm', 'b'), 'b'), false, 'no key');
SELECT is(board.verify('k', h.headers, 'b'), false,
          format('headers %s', coalesce(h.headers::text, 'NULL')))
  FROM (VALUES (NULL::jsonb), ('{}'), ('[]'), ('"x"'), ('null'), ('1')) AS h (headers);

-- An id with a dot would let a signature fit another id, time and body.
SELECT is(
    board.verify('k',
        jsonb_build_object(
            'webhook-id', 'a.1', 'webhook-timestamp', x.time::text,
            'webhook-signature', 'v1,' || encode(board.hmac_sha256(
                convert_to(format('a.1.%s.b', x.time), 'UTF8'),
                decode(substring(s.secret FROM 7), 'base64')), 'base64')),
        'b'),
    false, 'an id with a dot is refused though it is signed')
  FROM shown AS s, trunc(extract(epoch FROM clock_timestamp())) AS x (time);

SELECT * FROM finish();

ROLLBACK;
