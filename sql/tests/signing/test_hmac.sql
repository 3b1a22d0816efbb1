-- HMAC-SHA256 against the vectors of RFC 4231, section 4, and at the edges of the block.

BEGIN;

SELECT plan(13);

CREATE TEMPORARY TABLE vectors (
    number  int,
    key     bytea,
    message bytea,
    digest  text
) ON COMMIT DROP;

INSERT INTO vectors VALUES
    (1, decode(repeat('0b', 20), 'hex'), 'Hi There',
     'b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7'),
    (2, 'Jefe', 'what do ya want for nothing?',
     '5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843'),
    (3, decode(repeat('aa', 20), 'hex'), decode(repeat('dd', 50), 'hex'),
     '773ea91e36800e46854db8ebd09181a72959098b3ef8c122d9635514ced565fe'),
    (4, '\x0102030405060708090a0b0c0d0e0f10111213141516171819', decode(repeat('cd', 50), 'hex'),
     '82558a389a443c0ea4cc819899f2083a85f0faa3e578f8077a2e3ff46729665b'),
    (6, decode(repeat('aa', 131), 'hex'), 'Test Using Larger Than Block-Size Key - Hash Key First',
     '60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54'),
    (7, decode(repeat('aa', 131), 'hex'),
     'This is a test using a larger than block-size key and a larger than block-size data.'
     ' The key needs to be hashed before being used by the HMAC algorithm.',
     '9b09ffa71b942fcb27635fbcd5b0e944bfdc63644f0713938a7f51535c3a35e2');

SELECT is(encode(board.hmac_sha256(v.message, v.key), 'hex'), v.digest,
          format('RFC 4231, test case %s', v.number))
  FROM vectors AS v
 ORDER BY v.number;

SELECT is(
    substring(encode(board.hmac_sha256('Test With Truncation', decode(repeat('0c', 20), 'hex')), 'hex')
              FROM 1 FOR 32),
    'a3b6167473100ee06e0c796c2955552b',
    'RFC 4231, test case 5 (its first 128 bits)');

SELECT is(board.hmac_sha256('m', decode(repeat('aa', 65), 'hex')),
          board.hmac_sha256('m', sha256(decode(repeat('aa', 65), 'hex'))),
          'a key of 65 bytes is hashed first');
SELECT isnt(board.hmac_sha256('m', decode(repeat('aa', 64), 'hex')),
            board.hmac_sha256('m', sha256(decode(repeat('aa', 64), 'hex'))),
            'a key of 64 bytes is used as it is');
SELECT is(board.hmac_sha256('m', '\x'), board.hmac_sha256('m', '\x00'),
          'an empty key is a block of zeros');
SELECT is(encode(board.hmac_sha256('', ''), 'hex'),
          'b613679a0814d9ec772f95d778c35fc5ff1697c493715653c6c712144292c5ad',
          'nothing signed with nothing');
SELECT is(board.hmac_sha256(NULL, 'k'), NULL, 'no message, no digest');
SELECT is(board.hmac_sha256('m', NULL), NULL, 'no key, no digest');

SELECT * FROM finish();

ROLLBACK;
