-- lock_row in one session: which row it finds, whose rights it has, what it refuses. That it keeps
-- others out is tests/isolation's to show.
BEGIN;
SELECT plan(50);

CREATE SCHEMA "Shop ""1""";
CREATE TABLE public.orders (id int PRIMARY KEY, n int NOT NULL);
INSERT INTO public.orders VALUES (7, 0), (42, 1);
CREATE TABLE "Shop ""1"""."Order; --" ("Nr ""x"" % $1" uuid PRIMARY KEY, note text);
INSERT INTO "Shop ""1"""."Order; --" VALUES ('00000000-0000-0000-0000-0000000000ff', 'here');
CREATE TABLE public.names (name text PRIMARY KEY, note text);
INSERT INTO public.names VALUES
    ('it''s', 'quoted'), ('; DROP TABLE public.names; --', 'injected'), ('', 'empty'),
    ('task:25796', 'one'), ('task:126210',
          'two');
CREATE TABLE public.short (name varchar(3) PRIMARY KEY);
INSERT INTO public.short VALUES ('abc');
CREATE TABLE public.fixed (code char(3) PRIMARY KEY);
INSERT INTO public.fixed VALUES ('abc');
CREATE TABLE public.bits (code bit(3) PRIMARY KEY);
INSERT INTO public.bits VALUES ('101');
CREATE TABLE public.big (id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, note text);
INSERT INTO public.big (note) VALUES ('first');
CREATE TABLE public.dated (day date, note text, PRIMARY KEY (day) INCLUDE (note));
INSERT INTO public.dated VALUES ('2026-01-31', 'included columns do not count');
CREATE TYPE public.colour AS ENUM ('red', 'green');
CREATE TABLE public.coloured (colour public.colour PRIMARY KEY);
INSERT INTO public.coloured VALUES ('green');
CREATE DOMAIN public.code AS text CHECK (value ~ '^[A-Z]+$');
CREATE TABLE public.coded (code public.code PRIMARY KEY);
INSERT INTO public.coded VALUES ('ABC');
CREATE TABLE public.parts (id int PRIMARY KEY, note text) PARTITION BY RANGE (id);
CREATE TABLE public.parts_1 PARTITION OF public.parts FOR VALUES FROM (1) TO (100);
INSERT INTO public.parts VALUES (5, 'in a partition');
CREATE TABLE public.parent (id int PRIMARY KEY, note text);
CREATE TABLE public.child (PRIMARY KEY (id)) INHERITS (public.parent);
INSERT INTO public.parent VALUES (1, 'parent''s');
INSERT INTO public.child VALUES (2, 'child''s');
CREATE TYPE public.folding AS (value text);
CREATE FUNCTION public.compare(a public.folding, b public.folding) RETURNS int
LANGUAGE sql IMMUTABLE
AS $$ SELECT bttextcmp(lower(a.value), lower(b.value)) $$;
CREATE FUNCTION public.equal(a public.folding, b public.folding) RETURNS boolean
LANGUAGE sql IMMUTABLE
AS $$ SELECT lower(a.value) = lower(b.value) $$;
CREATE OPERATOR public.= (LEFTARG = public.folding, RIGHTARG = public.folding,
                          FUNCTION = public.equal);
CREATE OPERATOR CLASS public.folding_ops DEFAULT FOR TYPE public.folding USING btree AS
    OPERATOR 3 public.= (public.folding, public.folding),
    FUNCTION 1 public.compare(public.folding, public.folding);
CREATE TABLE public.folded (name public.folding PRIMARY KEY);
INSERT INTO public.folded VALUES ('(abc)');
CREATE TABLE public.pairs (a int, b int, PRIMARY KEY (a, b));
CREATE TABLE public.bare (id int UNIQUE);
CREATE VIEW public.seen AS SELECT o.id FROM public.orders AS o;

CREATE FUNCTION pg_temp.advisory() RETURNS bigint LANGUAGE sql AS $$
    SELECT count(*) FROM pg_locks AS l WHERE l.locktype = 'advisory' AND l.pid = pg_backend_pid();
$$;
CREATE FUNCTION pg_temp.detail(query text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
    _detail text;
BEGIN
    EXECUTE query;
    RETURN NULL;
EXCEPTION WHEN OTHERS THEN
    GET STACKED DIAGNOSTICS _detail = PG_EXCEPTION_DETAIL;
    RETURN _detail;
END $$;

-- The row
SELECT is(board.lock_row('public.orders', '42'), '{"id": 42, "n": 1}', 'an integer key; the row as jsonb');
SELECT is(board.lock_row('public.orders', '42', wait => false), '{"id": 42, "n": 1}', 'without waiting: one''s own lock is no obstacle');
SELECT is(board.lock_row('public.orders', '8'), NULL, 'no such row: NULL');
SELECT is(board.lock_row('public.orders', '8', wait => false), NULL, 'nor without waiting');
SELECT is(board.lock_row('public.orders', ' 007 ') ->> 'id', '7', 'the key is read by its type');
SELECT is(board.lock_row('public.orders'::regclass::oid::regclass, '7') ->> 'id', '7', 'the table may be an OID');
SELECT is(board.lock_row('"Shop ""1"""."Order; --"', '00000000-0000-0000-0000-0000000000FF')
              ->> 'note', 'here',
          'a uuid key; names that need quotes are quoted');
SELECT is(board.lock_row('public.names', 'it''s') ->> 'note', 'quoted', 'a text key with a quote');
SELECT is(board.lock_row('public.names', '; DROP TABLE public.names; --') ->> 'note', 'injected', 'a text key is a value, never SQL');
SELECT is(board.lock_row('public.names', '') ->> 'note', 'empty', 'an empty text is a key like any other');
SELECT is(board.lock_row('public.names', 'IT''S'), NULL, 'text keys are what they are');
SELECT is(board.lock_row('public.short', 'abc') ->> 'name', 'abc', 'a varchar key');
SELECT is(board.lock_row('public.short', 'abcd'), NULL, 'is not cut to its column''s length');
SELECT is(board.lock_row('public.fixed', 'abc') ->> 'code', 'abc', 'a char key');
SELECT is(board.lock_row('public.bits', '101') ->> 'code', '101', 'a bit key');
SELECT is(board.lock_row('public.big', '1') ->> 'note', 'first', 'a bigint key');
SELECT is(board.lock_row('public.dated', '2026-01-31') ->> 'day', '2026-01-31', 'a date key with an included column');
SELECT is(board.lock_row('public.coloured', 'green') ->> 'colour', 'green', 'an enum key');
SELECT is(board.lock_row('public.coded', 'ABC') ->> 'code', 'ABC', 'a key of a domain');
CREATE DOMAIN public.positive AS int CHECK (VALUE > 0);
CREATE TABLE public.counted (n public.positive PRIMARY KEY);
SELECT throws_ok($$SELECT board.lock_row('public.counted', '-5')$$, '22023',
                 'invalid value for argument "key"', 'a key that the domain refuses');
SELECT is(board.lock_row('public.parts', '5') ->> 'note', 'in a partition', 'a row of a partitioned table');
SELECT is(board.lock_row('public.parent', '1') ->> 'note', 'parent''s', 'a parent''s row');
SELECT is(board.lock_row('public.parent', '2'), NULL, 'its children''s rows are not its own');
SELECT is(board.lock_row('public.folded', '(ABC)') ->> 'name', '{"value": "abc"}',
          'keys are equal when the primary key says so');
SET LOCAL search_path = public, tap, pg_catalog;
SELECT is(board.lock_row('orders', '42') ->> 'n', '1', 'the caller''s search path finds the table');
SET LOCAL search_path = tap, pg_catalog, public;

-- The advisory locks
SELECT is(board.lock_row('public.big', '2'), NULL, 'a row that does not exist');
SELECT is(board.lock_row('public.big', '02'), NULL, 'in another spelling');
SELECT is(pg_temp.advisory(), 21::bigint, 'its name stays locked, once, so that one session at a time makes it');
SELECT is(board.lock_row('public.big', '3', wait => false), NULL, 'without waiting');
SELECT is(pg_temp.advisory(), 21::bigint, 'NULL leaves nothing locked');
SAVEPOINT before;
SELECT is(board.lock_row('public.names', 'task:25796') ->> 'note', 'one', 'locked after a savepoint');
ROLLBACK TO SAVEPOINT before;
SELECT is(pg_temp.advisory(), 21::bigint, 'rolled back, it is free');

-- Refusals
SELECT throws_ok($$SELECT board.lock_row('public.pairs', '1')$$,
                 '22023', 'invalid value for argument "target"', 'a composite primary key');
SELECT is(pg_temp.detail($$SELECT board.lock_row('public.pairs', '1')$$), 'public.pairs has a primary key of 2 columns.',
          'says so');
SELECT throws_ok($$SELECT board.lock_row('public.bare', '1')$$,
                 '22023', 'invalid value for argument "target"', 'no primary key');
SELECT is(pg_temp.detail($$SELECT board.lock_row('public.bare', '1')$$), 'public.bare has no primary key.',
          'says so');
SELECT throws_ok($$SELECT board.lock_row('public.seen', '42')$$,
                 '22023', 'invalid value for argument "target"', 'a view');
SELECT throws_ok($$SELECT board.lock_row('public.orders', 'x')$$,
                 '22023', 'invalid value for argument "key"', 'a key of another type');
SELECT throws_ok($$SELECT board.lock_row('public.orders', '9999999999')$$,
                 '22023', 'invalid value for argument "key"', 'a key out of its type''s range');
SELECT throws_ok($$SELECT board.lock_row('public.orders', NULL)$$,
                 '22023', 'invalid value for argument "key"', 'key NULL');
SELECT throws_ok($$SELECT board.lock_row(NULL, '1')$$,
                 '22023', 'invalid value for argument "target"', 'target NULL');
SELECT throws_ok($$SELECT board.lock_row('public.orders', '1', NULL)$$,
                 '22023', 'invalid value for argument "wait"', 'wait NULL');
SELECT throws_ok($$SELECT board.lock_row('public.nowhere', '1')$$, '42P01', NULL, 'a table that is not there');
SELECT throws_ok($$SELECT board.lock_row(4294967295::oid::regclass, '1')$$, '42P01', NULL, 'an OID that is none');

-- The caller's rights
CREATE ROLE board_test_worker;
GRANT USAGE ON SCHEMA board, public TO board_test_worker;
GRANT EXECUTE ON FUNCTION board.lock_row(regclass, text, boolean), board.lock_key(text)
   TO board_test_worker;
CREATE FUNCTION pg_temp.as_worker(query text) RETURNS jsonb LANGUAGE plpgsql AS $$
DECLARE
    _answer jsonb;
BEGIN
    SET LOCAL ROLE board_test_worker;
    EXECUTE query INTO _answer;
    RESET ROLE;
    RETURN _answer;
END $$;
SELECT throws_ok($$SELECT pg_temp.as_worker($q$SELECT board.lock_row('public.orders', '42')$q$)$$,
                 '42501', NULL, 'no rights on the table: 42501');
GRANT SELECT ON public.orders TO board_test_worker;
SELECT throws_ok($$SELECT pg_temp.as_worker($q$SELECT board.lock_row('public.orders', '42')$q$)$$,
                 '42501', NULL, 'SELECT alone does not lock');
GRANT UPDATE ON public.orders TO board_test_worker;
SELECT is(pg_temp.as_worker($$SELECT board.lock_row('public.orders', '42')$$) ->> 'n', '1', 'SELECT and UPDATE do');
SELECT throws_ok($$SELECT pg_temp.as_worker(format('SELECT board.lock_row(%s::oid::regclass, ''x'')',
                                             'public.names'::regclass::oid))$$,
                 '42501', NULL, 'an OID is no way round them');
ALTER TABLE public.orders ENABLE ROW LEVEL SECURITY;
CREATE POLICY mine ON public.orders USING (id = 7);
SELECT is(pg_temp.as_worker($$SELECT board.lock_row('public.orders', '42', wait => false)$$), NULL,
          'row security hides what it hides');
SELECT is(pg_temp.as_worker($$SELECT board.lock_row('public.orders', '7')$$) ->> 'id', '7', 'and shows what it shows');

SELECT * FROM finish();
ROLLBACK;
