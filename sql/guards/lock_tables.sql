-- Every view and table is locked first, in the verbs' order, within less than deadlock_timeout, so
-- that no verb running meanwhile is ever the victim of a deadlock: one that waits for one of these
-- locks while it holds another looks for a deadlock only after that time, and by then this has
-- either everything or nothing. A view is locked by an ALTER that alters nothing, for LOCK TABLE
-- would go on to its tables in the view's order. If it fails: run it again.

DO $guard$
BEGIN
    PERFORM set_config(
        'statement_timeout',
        GREATEST(
            20,
            EXTRACT(epoch FROM current_setting('deadlock_timeout')::interval) * 800
        )::integer::text,
        true
    );
END;
$guard$;

DO $guard$
DECLARE
    _start timestamptz := clock_timestamp();
    _limit interval := current_setting('statement_timeout')::interval;
    _relation record;
BEGIN
    FOR _relation IN
        SELECT c.oid, c.relname, c.relkind
        FROM pg_class AS c
        WHERE c.relnamespace = 'board'::regnamespace AND c.relkind IN ('r', 'p', 'v')
        ORDER BY c.relkind <> 'v', array_position(ARRAY[@LOCK_ORDER@]::name[], c.relname), c.relname
    LOOP
        IF _relation.relkind = 'v' THEN
            EXECUTE format('ALTER VIEW board.%I RESET (check_option)', _relation.relname);
        ELSE
            EXECUTE format('LOCK TABLE board.%I IN ACCESS EXCLUSIVE MODE', _relation.relname);
        END IF;
    END LOOP;
EXCEPTION
    WHEN query_canceled OR lock_not_available THEN
        -- A person who cancels has the same SQLSTATE as the time that was set above.
        IF SQLSTATE = '57014' AND clock_timestamp() < _start + _limit * 0.9 THEN
            RAISE;
        END IF;
        RAISE EXCEPTION USING
            ERRCODE = 'lock_not_available',
            MESSAGE = format('sessions are in the way at %s', _relation.oid::regclass),
            DETAIL = (
@HOLDERS _relation.oid@
            ),
            HINT = 'Nothing was changed: run this again, at a quieter moment or when they are done.';
END;
$guard$;

SET LOCAL statement_timeout = 0;
