-- Before what is in the schema is replaced or dropped: nothing in it belongs to a role that the
-- schema's owner has no reason to trust, and no trigger on its tables runs the code of such a role.

DO $guard$
DECLARE
    _problem text;
BEGIN
    WITH place AS (
        SELECT n.oid, n.nspowner FROM pg_namespace AS n WHERE n.oid = to_regnamespace('board')
    )
    SELECT f.problem
    INTO _problem
    FROM (
        SELECT o.owner,
               format('%s belongs to role %I', pg_describe_object(o.classid, o.objid, 0),
                      pg_get_userbyid(o.owner)) AS problem
        FROM (
            SELECT 'pg_class'::regclass, c.oid, c.relnamespace, c.relowner FROM pg_class AS c
            UNION
            SELECT 'pg_proc'::regclass, p.oid, p.pronamespace, p.proowner FROM pg_proc AS p
            UNION
            SELECT 'pg_type'::regclass, t.oid, t.typnamespace, t.typowner FROM pg_type AS t
            WHERE t.typrelid = 0 AND t.typelem = 0
            UNION
            -- The rest. It has no rows for what a role of PostgreSQL's own owns.
            SELECT s.classid, s.objid, d.refobjid, s.refobjid
            FROM pg_shdepend AS s
            JOIN pg_depend AS d
              ON d.classid = s.classid AND d.objid = s.objid
             AND d.refclassid = 'pg_namespace'::regclass
            WHERE s.deptype = 'o'
              AND s.dbid = (SELECT b.oid FROM pg_database AS b
                            WHERE b.datname = current_database())
        ) AS o (classid, objid, namespace, owner)
        JOIN place AS p ON p.oid = o.namespace
        UNION ALL
        SELECT f.proowner,
               format('%s runs a function of role %I',
                      pg_describe_object('pg_trigger'::regclass, t.oid, 0),
                      pg_get_userbyid(f.proowner))
        FROM place AS p
        JOIN pg_class AS c ON c.relnamespace = p.oid
        JOIN pg_trigger AS t ON t.tgrelid = c.oid AND NOT t.tgisinternal
        JOIN pg_proc AS f ON f.oid = t.tgfoid
    ) AS f
    JOIN place AS p ON f.owner <> p.nspowner
    JOIN pg_roles AS o ON o.oid = f.owner AND NOT o.rolsuper
    WHERE NOT pg_has_role(p.nspowner, f.owner, 'MEMBER')
       OR (SELECT r.rolsuper FROM pg_roles AS r WHERE r.oid = p.nspowner)
    ORDER BY f.problem
    LIMIT 1;
    IF FOUND THEN
        RAISE EXCEPTION USING
            ERRCODE = 'insufficient_privilege',
            MESSAGE = _problem,
            DETAIL = 'It is in the schema of a board that belongs to somebody else.',
            HINT = 'Drop it, or give it to the owner of the schema: ALTER ... OWNER TO ...;';
    END IF;
END;
$guard$;
