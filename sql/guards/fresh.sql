-- A fresh installation makes the schema itself.

DO $guard$
BEGIN
    IF to_regnamespace('board') IS NOT NULL THEN
        RAISE EXCEPTION USING
            ERRCODE = 'duplicate_schema',
            MESSAGE = format('there is a schema %s already', to_regnamespace('board')),
            DETAIL = format('It belongs to role %I.', (
                SELECT pg_get_userbyid(n.nspowner) FROM pg_namespace AS n
                WHERE n.oid = to_regnamespace('board'))),
            HINT = 'If it is a board, script --upgrade-from and script --repair print what is for '
                'it. If not, print the script with another --schema.';
    END IF;
END;
$guard$;
