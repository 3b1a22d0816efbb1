-- What a JSON value prints is bounded, and found without printing it.
BEGIN;
SELECT plan(35);

CREATE FUNCTION pg_temp.said(value jsonb) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
    _detail text;
BEGIN
    PERFORM board._check_payload(value, 'payload');
    RETURN 'kept';
EXCEPTION WHEN invalid_parameter_value THEN
    GET STACKED DIAGNOSTICS _detail = PG_EXCEPTION_DETAIL;
    RETURN _detail;
END $$;
CREATE FUNCTION pg_temp.many(value text, times int) RETURNS jsonb LANGUAGE sql
    RETURN (SELECT jsonb_agg(value::jsonb) FROM generate_series(1, times));

SELECT is(pg_temp.said(v.value), 'kept', v.what)
  FROM (VALUES
    (NULL::jsonb, 'NULL'),
    ('null', 'JSON null'),
    ('{}', 'nothing'),
    ('1e131071', 'one wide number'),
    ('{"order": 123, "price": 12.50, "text": "a\"b\\c"}', 'something ordinary'),
    (to_jsonb(repeat('x', 1048574)), 'a text that prints as the limit'),
    (to_jsonb(repeat(U&'\0001', 174762)), 'control characters, each six bytes'),
    (pg_temp.many('1e131071', 7), 'seven wide numbers'),
    (pg_temp.many('1e4000', 250), 'many numbers that are not so wide'),
    (pg_temp.many('1e-4000', 250), 'many that are wide behind the point'),
    (pg_temp.many('{"a": 1, "b": [true, null, "x"]}', 20000), 'much that is ordinary'),
    ((repeat('[', 100) || repeat(']', 100))::jsonb, '100 arrays in each other'),
    ((repeat('{"a":', 99) || '{"b": 1}' || repeat('}', 99))::jsonb, '100 objects in each other'))
    AS v (value, what);

SELECT is(pg_temp.said(v.value), v.said, v.what)
  FROM (VALUES
    (to_jsonb(repeat('x', 1048575)), '"payload" prints as 1048577 bytes or more.', 'a long text'),
    (to_jsonb(repeat(U&'\0001', 174763)), '"payload" prints as 1048580 bytes or more.',
     'control characters'),
    (pg_temp.many('1e131071', 8), '"payload" prints as 1048592 bytes or more.', 'eight of them'),
    (pg_temp.many('1e131071', 15000), '"payload" prints as 1179648 bytes or more.',
     '2 GB in 240,000 bytes'),
    (pg_temp.many('-1e131071', 15000), '"payload" prints as 1048584 bytes or more.', 'below zero'),
    (pg_temp.many('1e-16383', 15000), '"payload" prints as 1048640 bytes or more.',
     'nearly zero'),
    (pg_temp.many('0e-16383', 15000), '"payload" prints as 1048640 bytes or more.',
     'zero, with many digits'),
    (to_jsonb(array_fill(('1.' || repeat('0', 16383))::numeric, ARRAY[15000])),
     '"payload" prints as 1048640 bytes or more.', 'one, with many digits'),
    (jsonb_build_object('a', pg_temp.many('1e131071', 500), 'b', 1),
     '"payload" prints as 1179648 bytes or more.', 'below something else'),
    (to_jsonb(repeat('x', 5000000)), '"payload" prints as 1250003 bytes or more.',
     'more than four times the limit is told by what is stored'),
    ((repeat('[', 101) || repeat(']', 101))::jsonb, '"payload" is nested more than 100 deep.',
     '101 arrays'),
    ((repeat('{"a":', 100) || '{}' || repeat('}', 100))::jsonb,
     '"payload" is nested more than 100 deep.', '101 objects'),
    ((repeat('[', 5000) || '1e131071' || repeat(']', 5000))::jsonb,
     '"payload" is nested more than 100 deep.', '5,000 arrays'))
    AS v (value, said, what);

-- A value from a table is stored compressed: a hundredth of what it takes in memory.
CREATE TEMP TABLE stored (value jsonb);
INSERT INTO stored VALUES (pg_temp.many('1e131071', 15000)), (to_jsonb(repeat('x', 2000000)));
SELECT is(count(*), 2::bigint, 'compressed values are looked at whole')
  FROM stored AS s WHERE pg_column_size(s.value) < 30000 AND pg_temp.said(s.value) <> 'kept';

-- The bounds that the function argues from, on what is worst for each.
SELECT ok(bool_and(pg_column_size(v.value) <= 800 OR v.depth > 100), 'depth 100 takes 800 bytes')
  FROM (SELECT (repeat('[', d) || repeat(']', d))::jsonb, d FROM generate_series(90, 110) AS d)
    AS v (value, depth);
SELECT ok(bool_and(octet_length(v.value::text) BETWEEN
              (pg_column_size(v.value) - 800) / 4 AND 6 * pg_column_size(v.value)),
    'without wide numbers a value prints as a quarter to six times of what it is stored as')
  FROM (VALUES (pg_temp.many('1', 1000)), (pg_temp.many('"a"', 1000)), (pg_temp.many('[]', 1000)),
      (pg_temp.many('{}', 1000)), (pg_temp.many('""', 1000)), (pg_temp.many('null', 1000)),
      (pg_temp.many('false', 1000)), (pg_temp.many('{"": 1}', 1000)),
      (pg_temp.many('{"a": {"b": 1}}', 1000)), (pg_temp.many('"\u0001"', 1000)),
      (pg_temp.many('123456789.5', 1000)), (pg_temp.many('[["a", 1], ["b", 2]]', 1000)),
      (to_jsonb(repeat(U&'\0001', 5000)))) AS v (value);

SELECT is((SELECT s.max_payload FROM board.configure() AS s), 1048576, 'the limit');
SELECT is((SELECT s.max_payload FROM board.configure(max_payload => 10000) AS s), 10000,
    'a lower one');
SELECT is(pg_temp.said(to_jsonb(repeat('x', 9999))), '"payload" prints as 10001 bytes or more.',
    'which holds');
SELECT throws_ok(format('SELECT board.configure(max_payload => %s)', x.most), '22023',
    'invalid value for argument "max_payload"', x.most)
  FROM (VALUES ('9999'), ('67108865'), ('9000000000')) AS x (most);

SELECT * FROM finish();
ROLLBACK;
