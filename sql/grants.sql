-- Who may call what: the one place.
--
-- Roles belong to the whole cluster, so they may exist already (another database, another board),
-- and whoever installs may not be allowed to make them. What cannot be done here is reported as a
-- WARNING with the statement for an administrator; after that statement, a repair (the installer's
-- upgrade --repair, or what its script --repair prints) does this file again. What default
-- privileges gave has been taken back by default_privileges.sql.
--
-- Every run starts from nothing: whatever PUBLIC and the five roles were given since is taken back,
-- then each gets what is listed below. Grants to other roles are their giver's business and stay.
--
-- A new public function is named once here; a function whose name begins with _ is not. The matrix
-- in tests/test_access.py holds every function, view and table against this file.


-- The roles. Two installers at once in two databases: the second waits in CREATE ROLE until the
-- first commits, is then told that the role is there, and goes on.

DO $roles$
DECLARE
    _role record;
BEGIN
    FOR _role IN
        SELECT * FROM (VALUES
            ('board_viewer', 'Reads the board: views, tasks, events.'),
            ('board_agent', 'Works on the board: everything a viewer may, and the verbs of agents.'),
            ('board_operator', 'Runs the desk: what an agent may, and retry, cancel, pause, promote.'),
            ('board_admin', 'Configures: what an operator may, and agents, tokens, keys, settings.'),
            ('board_gateway', 'May call board.request() and nothing else: for an HTTP front.'))
            AS r (name, remark)
    LOOP
        CONTINUE WHEN to_regrole(_role.name) IS NOT NULL;
        BEGIN
            EXECUTE format('CREATE ROLE %I NOLOGIN', _role.name);
            EXECUTE format('COMMENT ON ROLE %I IS %L', _role.name, _role.remark);
        EXCEPTION
            WHEN duplicate_object OR unique_violation THEN
                NULL;
            WHEN insufficient_privilege THEN
                RAISE WARNING USING
                    MESSAGE = format('role %s is missing and you may not create it', _role.name),
                    HINT = format('Ask an administrator for: CREATE ROLE %I NOLOGIN; then repair '
                        'the board: upgrade --repair, or what script --repair prints.', _role.name);
        END;
    END LOOP;
END;
$roles$;


-- Each of the four includes the one before. From PostgreSQL 16 on, only who has the ADMIN option on
-- a role may give it: whoever created it here has.

DO $memberships$
DECLARE
    _given record;
BEGIN
    FOR _given IN
        SELECT * FROM (VALUES
            ('board_viewer', 'board_agent'),
            ('board_agent', 'board_operator'),
            ('board_operator', 'board_admin')) AS m (role, member)
    LOOP
        CONTINUE WHEN to_regrole(_given.role) IS NULL OR to_regrole(_given.member) IS NULL
            OR pg_has_role(_given.member, _given.role, 'USAGE');
        BEGIN
            EXECUTE format('GRANT %I TO %I', _given.role, _given.member);
        EXCEPTION
            WHEN unique_violation THEN
                NULL;
            WHEN insufficient_privilege THEN
                RAISE WARNING USING
                    MESSAGE = format('%s does not include %s and you may not change that',
                                     _given.member, _given.role),
                    HINT = format('Ask an administrator for: GRANT %I TO %I;',
                                  _given.role, _given.member);
        END;
    END LOOP;
END;
$memberships$;


-- Nothing for anybody.

DO $nothing$
DECLARE
    _role text;
    _objects text;
BEGIN
    FOREACH _role IN ARRAY ARRAY['public', 'board_viewer', 'board_agent', 'board_operator',
                                 'board_admin', 'board_gateway']
    LOOP
        CONTINUE WHEN _role <> 'public' AND to_regrole(_role) IS NULL;
        FOREACH _objects IN ARRAY ARRAY['', 'ALL TABLES IN', 'ALL SEQUENCES IN',
                                        'ALL ROUTINES IN']
        LOOP
            EXECUTE format('REVOKE ALL ON %s SCHEMA board FROM %s CASCADE', _objects, _role);
        END LOOP;
        FOR _objects IN
            SELECT t.typname FROM pg_type AS t
             WHERE t.typnamespace = 'board'::regnamespace AND t.typtype = 'd'
             ORDER BY t.typname
        LOOP
            EXECUTE format('REVOKE ALL ON DOMAIN board.%I FROM %s CASCADE', _objects, _role);
        END LOOP;
    END LOOP;
END;
$nothing$;


-- To each role, one line for each wing. USAGE is said for each although most include one another:
-- it holds where a membership could not be made.

DO $grants$
DECLARE
    _list record;
    _name text;
BEGIN
    FOR _list IN
        SELECT * FROM (VALUES
            ('board_viewer', 'SELECT ON', '
                tasks queue waiting active crash_loops kind_stats
                task_needs blocked
                human_queue
                task_events history
                call_history
                comparisons divergences comparison_evidence
                provider_budgets usage
                schedules
                locks_held
                health'),
            ('board_viewer', 'EXECUTE ON FUNCTION', '
                explain next_due
                needed_results
                events_since latest_cursor
                promotion_report
                next_occurrence
                version help'),
            -- A view reads tables with its owner's rights and calls functions with its reader's:
            -- the private ones that stand in views. They change nothing.
            ('board_viewer', 'EXECUTE ON FUNCTION', '
                _queue _waiting _status_at
                _describe_event _summarize_json _quote_name _is_readable _printed_size
                _describe_call _describe_outcome
                _budget_state
                _health'),
            ('board_agent', 'EXECUTE ON FUNCTION', '
                enqueue is_new enqueue_many enqueue_plan claim claim_task heartbeat complete
                complete_many fail release escalate
                begin_call finish_call idempotency_key
                record_decision record_actual
                take give_back throttle
                fire_due
                acquire_lock renew_lock release_lock check_lock lock_key try_lock lock_row
                hmac_sha256 sign verify'),
            ('board_operator', 'SELECT ON', '
                kinds settings
                audit_log agents
                calls
                providers provider_limits'),
            ('board_operator', 'EXECUTE ON FUNCTION', '
                claim_escalated retry cancel drop_need replay reprioritize pause resume
                configure_kind
                explain_divergence promote
                unthrottle set_task_budget
                schedule unschedule fire
                prune'),
            ('board_admin', 'SELECT ON', '
                tokens
                keys'),
            ('board_admin', 'EXECUTE ON FUNCTION', '
                configure
                prune_events
                configure_provider set_limit drop_limit
                register_agent unregister_agent
                issue_token revoke_token
                create_signing_key import_signing_key rotate_signing_key drop_signing_key'),
            ('board_gateway', 'EXECUTE ON FUNCTION', 'request'))
            AS l (role, privilege, names)
    LOOP
        CONTINUE WHEN to_regrole(_list.role) IS NULL;
        EXECUTE format('GRANT USAGE ON SCHEMA board TO %I', _list.role);
        FOREACH _name IN ARRAY regexp_split_to_array(btrim(_list.names, E' \n'), '\s+') LOOP
            EXECUTE format('GRANT %s board.%I TO %I', _list.privilege, _name, _list.role);
        END LOOP;
    END LOOP;
END;
$grants$;
