-- House rules that the catalog can answer for, over everything in the schema: who owns it, who may
-- use it, whether it is documented, whether it can be fooled through the search path.
BEGIN;
SELECT plan(20);

SELECT is_empty($$
    SELECT p.oid::regprocedure FROM pg_proc AS p
     WHERE p.pronamespace = 'board'::regnamespace AND p.prosecdef
       AND NOT EXISTS (
           SELECT FROM unnest(p.proconfig) AS c (setting)
            WHERE c.setting ~ '^search_path=.*\mpg_temp"?$')
$$, 'every SECURITY DEFINER function pins search_path with pg_temp last');

SELECT is_empty($$
    SELECT p.oid::regprocedure FROM pg_proc AS p
      JOIN pg_language AS l ON l.oid = p.prolang
     WHERE p.pronamespace = 'board'::regnamespace AND l.lanname = 'plpgsql'
       AND NOT coalesce(p.proconfig, '{}') @> ARRAY['search_path=pg_catalog, pg_temp']
$$, 'every PL/pgSQL function pins search_path');

SELECT is_empty($$
    SELECT p.oid::regprocedure, a.privilege_type FROM pg_proc AS p
     CROSS JOIN LATERAL aclexplode(coalesce(p.proacl, acldefault('f', p.proowner))) AS a
     WHERE p.pronamespace = 'board'::regnamespace AND a.grantee = 0
$$, 'PUBLIC may execute nothing');

SELECT is_empty($$
    SELECT c.oid::regclass, a.privilege_type FROM pg_class AS c
     CROSS JOIN LATERAL aclexplode(coalesce(c.relacl, acldefault(
         CASE c.relkind WHEN 'S' THEN 's' ELSE 'r' END::"char", c.relowner))) AS a
     WHERE c.relnamespace = 'board'::regnamespace AND c.relkind IN ('r', 'v', 'm', 'p', 'S')
       AND a.grantee = 0
    UNION ALL
    SELECT t.attrelid::regclass, a.privilege_type FROM pg_attribute AS t
      JOIN pg_class AS c ON c.oid = t.attrelid
     CROSS JOIN LATERAL aclexplode(t.attacl) AS a
     WHERE c.relnamespace = 'board'::regnamespace AND a.grantee = 0
$$, 'PUBLIC may use no table, view, sequence or column');

SELECT is_empty($$
    SELECT n.nspname, a.privilege_type FROM pg_namespace AS n
     CROSS JOIN LATERAL aclexplode(coalesce(n.nspacl, acldefault('n', n.nspowner))) AS a
     WHERE n.nspname = 'board' AND a.grantee = 0
$$, 'PUBLIC may not even use the schema');

SELECT is_empty($$
    SELECT y.oid::regtype, a.privilege_type FROM pg_type AS y
     CROSS JOIN LATERAL aclexplode(coalesce(y.typacl, acldefault('T', y.typowner))) AS a
     WHERE y.typnamespace = 'board'::regnamespace AND a.grantee = 0
       AND y.typtype IN ('d', 'e') -- a row type is its table's, an array its element's
$$, 'PUBLIC may use no domain or enum');

SELECT is_empty($$
    SELECT c.oid::regclass, a.grantee::regrole, a.privilege_type FROM pg_class AS c
     CROSS JOIN LATERAL aclexplode(c.relacl) AS a
     WHERE c.relnamespace = 'board'::regnamespace AND a.grantee <> c.relowner
       AND a.privilege_type <> 'SELECT'
    UNION ALL
    SELECT t.attrelid::regclass, a.grantee::regrole, a.privilege_type FROM pg_attribute AS t
      JOIN pg_class AS c ON c.oid = t.attrelid
     CROSS JOIN LATERAL aclexplode(t.attacl) AS a
     WHERE c.relnamespace = 'board'::regnamespace AND a.grantee <> c.relowner
       AND a.privilege_type <> 'SELECT'
$$, 'nobody but the owner has more than SELECT on a table, view, sequence or column');

SELECT is_empty($$
    SELECT c.oid::regclass::text FROM pg_class AS c
     WHERE c.relnamespace = 'board'::regnamespace
       AND c.relowner <> (SELECT n.nspowner FROM pg_namespace AS n WHERE n.nspname = 'board')
    UNION ALL
    SELECT p.oid::regprocedure::text FROM pg_proc AS p
     WHERE p.pronamespace = 'board'::regnamespace
       AND p.proowner <> (SELECT n.nspowner FROM pg_namespace AS n WHERE n.nspname = 'board')
$$, 'one owner owns all of it');

SELECT is_empty($$
    SELECT p.oid::regprocedure FROM pg_proc AS p
     WHERE p.pronamespace = 'board'::regnamespace
       AND coalesce(length(obj_description(p.oid, 'pg_proc')), 0) < 20
$$, 'every function has a comment');

SELECT is_empty($$
    SELECT p.oid::regprocedure FROM pg_proc AS p
     WHERE p.pronamespace = 'board'::regnamespace AND left(p.proname, 1) = '_'
       AND obj_description(p.oid, 'pg_proc') NOT LIKE 'Private: %'
$$, 'the comment of a private function says that it is private');

SELECT is_empty($$
    SELECT c.oid::regclass FROM pg_class AS c
     WHERE c.relnamespace = 'board'::regnamespace AND c.relkind IN ('r', 'v', 'm', 'p', 'c')
       AND coalesce(length(obj_description(c.oid, 'pg_class')), 0) < 10
       AND NOT (c.relkind = 'c'
                AND coalesce(length(obj_description(c.reltype, 'pg_type')), 0) >= 10)
$$, 'every table, view and composite type has a comment');

SELECT is_empty($$
    SELECT t.attrelid::regclass, t.attname FROM pg_attribute AS t
      JOIN pg_class AS c ON c.oid = t.attrelid
     WHERE c.relnamespace = 'board'::regnamespace AND c.relkind IN ('r', 'v', 'm', 'p', 'c')
       AND t.attnum > 0 AND NOT t.attisdropped
       AND coalesce(length(col_description(t.attrelid, t.attnum)), 0) < 3
$$, 'every column has a comment');

SELECT is_empty($$
    SELECT p.oid::regprocedure FROM pg_proc AS p
     WHERE p.pronamespace = 'board'::regnamespace AND p.proisstrict AND p.provolatile = 'v'
$$, 'no function that may write is STRICT: it would do nothing without a word');

SELECT is_empty($$
    SELECT p.oid::regprocedure FROM pg_proc AS p
     WHERE p.pronamespace = 'board'::regnamespace AND p.provolatile <> 'v'
       AND regexp_replace(p.prosrc, '--[^\n]*', '', 'g')
           ~ '\m(INSERT INTO|UPDATE board|DELETE FROM|FOR (NO KEY )?UPDATE|FOR (KEY )?SHARE)\M'
$$, 'what writes or locks is VOLATILE');

SELECT is_empty($$
    SELECT p.oid::regprocedure FROM pg_proc AS p
     WHERE p.pronamespace = 'board'::regnamespace AND p.provolatile = 'i'
       AND p.proname <> '_current_xid' -- its header says why
       AND regexp_replace(p.prosrc, '--[^\n]*', '', 'g')
           ~* '\m(FROM board\.|clock_timestamp|current_setting|random|nextval|session_user)'
$$, 'what is IMMUTABLE reads no table, no clock and no setting');

SELECT is_empty($$
    SELECT p.oid::regprocedure FROM pg_proc AS p
     WHERE p.pronamespace = 'board'::regnamespace AND p.prosqlbody IS NOT NULL
$$, 'no function has a standard body');

SELECT is_empty($$
    SELECT p.proname FROM pg_proc AS p
     WHERE p.pronamespace = 'board'::regnamespace
     GROUP BY p.proname HAVING count(*) > 1
$$, 'no function is overloaded: COMMENT and GRANT name it bare');

SELECT is_empty($$
    SELECT k.conrelid::regclass, k.conname FROM pg_constraint AS k
     WHERE k.connamespace = 'board'::regnamespace AND NOT k.convalidated
    UNION ALL
    SELECT i.indrelid::regclass, i.indexrelid::regclass::name FROM pg_index AS i
      JOIN pg_class AS c ON c.oid = i.indexrelid
     WHERE c.relnamespace = 'board'::regnamespace AND NOT (i.indisvalid AND i.indisready)
$$, 'every constraint is validated and every index valid');

SELECT is_empty($$
    SELECT p.oid::regprocedure FROM pg_proc AS p
     CROSS JOIN unnest(p.proargtypes) AS a (type)
     WHERE p.pronamespace = 'board'::regnamespace AND p.proname !~ '^_'
       AND a.type IN ('int'::regtype, 'smallint'::regtype, 'numeric'::regtype, 'real'::regtype)
$$, 'numbers are bigint or double precision: clients bind those, and there are no overloads');

-- The others add no interval to a moment, or only in seconds: they keep it as it was given, or
-- compare it with the time between two moments.
SELECT set_eq($$
    SELECT p.proname::text FROM pg_proc AS p
     WHERE p.pronamespace = 'board'::regnamespace AND p.proname !~ '^_'
       AND p.proargtypes::oid[] @> ARRAY['interval'::regtype::oid]
       AND NOT coalesce(p.proconfig, '{}') @> ARRAY['TimeZone=UTC']
       AND NOT coalesce(p.proconfig, '{}') @> ARRAY['timezone=UTC']
$$, $$VALUES ('configure'), ('configure_kind'), ('configure_provider'), ('drop_limit'), ('enqueue'),
    ('set_limit'), ('throttle'), ('verify')$$,
    'what takes an interval counts days of 24 hours, whatever the session''s time zone');

SELECT * FROM finish();
ROLLBACK;
