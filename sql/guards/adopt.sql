-- What a repair had to create anew (a function or view that was gone) becomes the extension's.

DO $guard$
DECLARE
    _before text[] := string_to_array(current_setting('board_installer.objects_before'), ' ');
    _object record;
BEGIN
    FOR _object IN
        SELECT CASE WHEN d.classid = 'pg_proc'::regclass THEN 'FUNCTION' ELSE 'VIEW' END AS sort,
               CASE WHEN d.classid = 'pg_proc'::regclass THEN d.objid::regprocedure::text
                    ELSE d.objid::regclass::text END AS name
        FROM pg_depend AS d
        LEFT JOIN pg_class AS c ON d.classid = 'pg_class'::regclass AND c.oid = d.objid
        WHERE d.refclassid = 'pg_namespace'::regclass AND d.refobjid = 'board'::regnamespace
          AND (d.classid = 'pg_proc'::regclass OR c.relkind = 'v')
          AND NOT d.classid || ':' || d.objid = ANY (_before)
    LOOP
        EXECUTE format('ALTER EXTENSION board ADD %s %s', _object.sort, _object.name);
    END LOOP;
END;
$guard$;
