-- Before anything in the schema is read: whose it is. Whoever may put an object into a schema can
-- have code run with the rights of whoever reads it there: a view named releases, a row security
-- policy, an index whose expression the planner evaluates. So the schema and the table that says
-- which release is here must belong to the role that asks, or to one that it is a member of and
-- that is no less trusted. That goes for the session's own role too: a SET ROLE can be undone by
-- any function. Reads the catalog only; nothing to complain of where there is no such schema.

DO $guard$
DECLARE
    _problem text;
BEGIN
    WITH place AS (
        SELECT n.oid, n.nspname, n.nspowner
        FROM pg_namespace AS n
        WHERE n.oid = to_regnamespace('board')
    ), asking AS (
        SELECT r.* FROM pg_roles AS r WHERE r.rolname IN (current_user, session_user)
    ), releases AS (
        SELECT c.*
        FROM place AS p
        JOIN pg_class AS c ON c.relnamespace = p.oid AND c.relname = 'releases'
    ), found AS (
        SELECT 1 AS place, p.nspowner AS owner, format('schema %I', p.nspname) AS what,
               NULL::text AS odd
        FROM place AS p
        UNION ALL
        SELECT 2, r.relowner, format('%I.releases', p.nspname), NULL
        FROM releases AS r, place AS p
        UNION ALL
        SELECT 3, e.extowner, 'extension board', NULL
        FROM place AS p JOIN pg_extension AS e ON e.extname = 'board' AND e.extnamespace = p.oid
        UNION ALL
        SELECT 4, r.relowner, format('%I.releases', p.nspname), o.odd
        FROM releases AS r, place AS p, LATERAL (VALUES
            (r.relkind <> 'r', 'is no ordinary table'),
            (r.relhasrules, 'has rules'),
            (r.relhastriggers
                 AND EXISTS (SELECT FROM pg_trigger AS t
                             WHERE t.tgrelid = r.oid AND NOT t.tgisinternal), 'has triggers'),
            (r.relrowsecurity OR r.relforcerowsecurity
                 OR EXISTS (SELECT FROM pg_policy AS y WHERE y.polrelid = r.oid),
             'has row security'),
            (r.relispartition
                 OR EXISTS (SELECT FROM pg_inherits AS h WHERE r.oid IN (h.inhparent, h.inhrelid)),
             'is part of an inheritance')
        ) AS o (applies, odd)
        WHERE o.applies
    )
    SELECT CASE WHEN f.odd IS NULL
                THEN format('%s belongs to role %I', f.what, pg_get_userbyid(f.owner))
                ELSE format('%s, of role %I, %s', f.what, pg_get_userbyid(f.owner), f.odd) END
    INTO _problem
    FROM found AS f
    WHERE f.odd IS NOT NULL OR EXISTS (
        SELECT FROM asking AS a
        WHERE a.oid <> f.owner AND NOT (
            pg_has_role(a.oid, f.owner, 'MEMBER')
            AND NOT EXISTS (
                -- A right of the one who asks that the owner has not: by attribute, or by
                -- membership in one of PostgreSQL's own roles.
                SELECT
                FROM pg_roles AS o
                WHERE o.oid = f.owner AND NOT o.rolsuper AND (
                    a.rolsuper
                    OR a.rolcreaterole AND NOT o.rolcreaterole
                    OR a.rolreplication AND NOT o.rolreplication
                    OR a.rolbypassrls AND NOT o.rolbypassrls
                    OR EXISTS (
                        SELECT
                        FROM pg_roles AS b
                        WHERE b.rolname LIKE 'pg\_%' AND b.rolname <> 'pg_database_owner'
                          AND pg_has_role(a.oid, b.oid, 'MEMBER')
                          AND NOT pg_has_role(o.oid, b.oid, 'MEMBER'))))))
    ORDER BY f.place
    LIMIT 1;
    IF FOUND THEN
        RAISE EXCEPTION USING
            ERRCODE = 'insufficient_privilege',
            MESSAGE = _problem,
            DETAIL = format('What is in it could act with the rights of role %s: nothing was read.',
                            session_user),
            HINT = 'Connect as the owner, or as a member that may nothing more. If it is not '
                'yours, choose another name with --schema.';
    END IF;
END;
$guard$;
