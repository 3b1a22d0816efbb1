-- Before anything else: whether this server and this database can hold a board. Runs on every
-- version of PostgreSQL that has DO.

DO $guard$
BEGIN
    IF current_setting('server_version_num')::integer < 150000 THEN
        RAISE EXCEPTION USING
            ERRCODE = 'feature_not_supported',
            MESSAGE = format('this server is PostgreSQL %s', current_setting('server_version')),
            HINT = 'board needs PostgreSQL 15 or later.';
    END IF;
    IF pg_is_in_recovery() THEN
        RAISE EXCEPTION USING
            ERRCODE = 'read_only_sql_transaction',
            MESSAGE = 'this server is a standby: nothing can be changed here',
            HINT = 'Connect to the primary. The standby gets the same a moment later.';
    END IF;
    IF current_setting('server_encoding') <> 'UTF8' THEN
        RAISE EXCEPTION USING
            ERRCODE = 'feature_not_supported',
            MESSAGE = format('database %s is encoded in %s', current_database(),
                             current_setting('server_encoding')),
            HINT = 'board needs UTF8: CREATE DATABASE ... TEMPLATE template0 ENCODING ''UTF8'';';
    END IF;
END;
$guard$;
