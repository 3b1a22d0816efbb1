-- ALTER DEFAULT PRIVILEGES of the installing role gives others rights on whatever it creates: on
-- the schema, on tables that hold secrets, on functions of the admin. What this script has created
-- starts from nothing; grants.sql says what each may do. What was there before keeps what its owner
-- gave to roles of his own.

DO $defaults$
DECLARE
    _before text[] := string_to_array(current_setting('board_installer.objects_before'), ' ');
    _grant record;
BEGIN
    FOR _grant IN
        WITH objects AS (
            SELECT 'pg_namespace'::regclass AS classid, n.oid, n.nspowner AS owner,
                   n.nspacl AS acl, 'SCHEMA' AS sort, n.oid::regnamespace::text AS name
            FROM pg_namespace AS n
            WHERE n.oid = 'board'::regnamespace AND cardinality(_before) = 0
            UNION ALL
            SELECT 'pg_class'::regclass, c.oid, c.relowner, c.relacl,
                   CASE c.relkind WHEN 'S' THEN 'SEQUENCE' ELSE 'TABLE' END,
                   c.oid::regclass::text
            FROM pg_class AS c
            WHERE c.relnamespace = 'board'::regnamespace
            UNION ALL
            SELECT 'pg_proc'::regclass, p.oid, p.proowner, p.proacl, 'ROUTINE',
                   p.oid::regprocedure::text
            FROM pg_proc AS p
            WHERE p.pronamespace = 'board'::regnamespace
            UNION ALL
            SELECT 'pg_type'::regclass, t.oid, t.typowner, t.typacl, 'TYPE', t.oid::regtype::text
            FROM pg_type AS t
            WHERE t.typnamespace = 'board'::regnamespace
        )
        SELECT DISTINCT o.sort, o.name, pg_get_userbyid(x.grantee) AS grantee
        FROM objects AS o
        CROSS JOIN LATERAL aclexplode(o.acl) AS x
        WHERE x.grantee NOT IN (0, o.owner)
          AND NOT o.classid::oid || ':' || o.oid = ANY (_before)
    LOOP
        EXECUTE format('REVOKE ALL ON %s %s FROM %I CASCADE',
                       _grant.sort, _grant.name, _grant.grantee);
    END LOOP;
END;
$defaults$;
