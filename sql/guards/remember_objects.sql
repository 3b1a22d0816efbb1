-- What is in the schema before this script: default_privileges.sql leaves its privileges alone.

DO $guard$
BEGIN
    PERFORM set_config('board_installer.objects_before', COALESCE((
        SELECT string_agg(d.classid || ':' || d.objid, ' ')
        FROM pg_depend AS d
        WHERE d.refclassid = 'pg_namespace'::regclass AND d.refobjid = to_regnamespace('board')
          AND d.classid <> 'pg_extension'::regclass
    ), ''), true);
END;
$guard$;
