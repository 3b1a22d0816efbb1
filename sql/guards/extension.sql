-- CREATE EXTENSION and ALTER EXTENSION ... UPDATE run a script with the target schema in reach of
-- unqualified names, and give everything in it to whoever says so. So the schema must be of the
-- role that says it, nobody else may put anything there, and before the extension it is empty. (Of
-- an update, guards/ownership.sql and contents.sql ask the rest.) A
-- schema that was made by this very CREATE EXTENSION is: what default privileges gave to others on
-- it is taken back at the end.

DO $guard$
DECLARE
    _schema record;
    _creating boolean;
    _problem text;
BEGIN
    SELECT n.oid, n.nspname, n.nspowner, n.nspacl,
           n.xmin::text::bigint = pg_current_xact_id()::text::bigint & 4294967295 AS is_new
    INTO _schema
    FROM pg_namespace AS n
    WHERE n.oid = to_regnamespace('board');
    _creating := NOT EXISTS (
        SELECT FROM pg_depend AS d
        WHERE d.refclassid = 'pg_extension'::regclass AND d.deptype = 'e'
          AND d.refobjid = (SELECT e.oid FROM pg_extension AS e WHERE e.extname = 'board'));

    IF _creating AND _schema.nspowner <> (SELECT r.oid FROM pg_roles AS r WHERE r.rolname = current_user) THEN
        _problem := format('schema %I belongs to role %I', _schema.nspname,
                           pg_get_userbyid(_schema.nspowner));
    ELSIF _creating AND EXISTS (
        SELECT FROM pg_depend AS d
        WHERE d.refclassid = 'pg_namespace'::regclass AND d.refobjid = _schema.oid
          AND d.classid <> 'pg_extension'::regclass
    ) THEN
        _problem := format('schema %I is not empty: %s', _schema.nspname, (
            SELECT min(pg_describe_object(d.classid, d.objid, d.objsubid))
            FROM pg_depend AS d
            WHERE d.refclassid = 'pg_namespace'::regclass AND d.refobjid = _schema.oid
              AND d.classid <> 'pg_extension'::regclass));
    ELSIF NOT _schema.is_new THEN
        SELECT format('%s may create objects in schema %I',
                      CASE WHEN x.grantee = 0 THEN 'PUBLIC'
                           ELSE format('role %I', pg_get_userbyid(x.grantee)) END,
                      _schema.nspname)
        INTO _problem
        FROM aclexplode(_schema.nspacl) AS x
        WHERE x.privilege_type = 'CREATE' AND x.grantee <> _schema.nspowner
        LIMIT 1;
    END IF;
    IF _problem IS NOT NULL THEN
        RAISE EXCEPTION USING
            ERRCODE = 'insufficient_privilege',
            MESSAGE = _problem,
            DETAIL = 'What others put there could act with the rights of whoever runs this.',
            HINT = 'CREATE EXTENSION board makes its schema itself: drop or rename that one if '
                'it is nobody''s. For an update, take the right to create from the others.';
    END IF;
END;
$guard$;
