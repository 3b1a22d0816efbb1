-- Who may call what: the one place.
--
-- Roles belong to the whole cluster, so they may exist already (another database, another board),
-- and whoever installs may not be allowed to make them. What cannot be done here is reported as a
-- WARNING with the statement for an administrator; after that statement, run the upgrade (it does
-- this file again) or this file alone.
--
-- Every run starts from nothing: whatever PUBLIC and the five roles were given since is taken back,
-- then each gets what is listed below. Grants to other roles are their giver's business and stay.
--
-- A new public function needs a line here; a function whose name begins with _ must have none. The
-- matrix in tests/test_access.py holds every function, view and table against this file.


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
            ('board_operator', 'Runs the desk: everything an agent may, and retry, cancel, replay, '
                || 'pause, promote.'),
            ('board_admin', 'Configures the board: everything an operator may, and agents, tokens, '
                || 'keys, providers, settings.'),
            ('board_gateway', 'May call board.request() and nothing else: for an HTTP front or a '
                || 'webhook receiver.')) AS r (name, remark)
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
                    HINT = format('Ask an administrator for: CREATE ROLE %I NOLOGIN; then run this '
                        'again.', _role.name);
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


-- viewer: reads.

DO $$
BEGIN
    IF to_regrole('board_viewer') IS NULL THEN
        RETURN;
    END IF;
    GRANT USAGE ON SCHEMA board TO board_viewer;
    -- tasks
    GRANT SELECT ON
        board.tasks, board.queue, board.active, board.human_queue, board.crash_loops,
        board.kind_stats
    TO board_viewer;
    GRANT EXECUTE ON FUNCTION
        board.explain,
        board.next_due
    TO board_viewer;
    -- events
    GRANT SELECT ON board.task_events, board.history TO board_viewer;
    GRANT EXECUTE ON FUNCTION
        board.events_since,
        board.latest_cursor
    TO board_viewer;
    -- providers
    GRANT SELECT ON board.provider_budgets TO board_viewer;
    -- calls
    GRANT SELECT ON board.call_history TO board_viewer;
    -- modes
    GRANT SELECT ON board.comparisons, board.divergences,
        board.comparison_evidence TO board_viewer;
    GRANT EXECUTE ON FUNCTION board.promotion_report TO board_viewer;
    -- schedules
    GRANT EXECUTE ON FUNCTION board.next_occurrence TO board_viewer;
    -- locks
    GRANT SELECT ON board.locks_held TO board_viewer;
    -- maintenance
    GRANT SELECT ON board.health TO board_viewer;
    GRANT EXECUTE ON FUNCTION
        board.version,
        board.help
    TO board_viewer;
    -- A view reads tables with its owner's rights and calls functions with its reader's: the
    -- private ones that stand in views. They change nothing.
    GRANT EXECUTE ON FUNCTION
        board._queue,
        board._describe_event,
        board._summarize_json,
        board._describe_call,
        board._describe_outcome,
        board._health,
        board._budget_state
    TO board_viewer;
END;
$$;


-- agent: works.

DO $$
BEGIN
    IF to_regrole('board_agent') IS NULL THEN
        RETURN;
    END IF;
    -- Said again although agents are viewers: it holds where that membership could not be made.
    GRANT USAGE ON SCHEMA board TO board_agent;
    -- tasks
    GRANT EXECUTE ON FUNCTION
        board.enqueue,
        board.enqueue_many,
        board.claim,
        board.claim_task,
        board.heartbeat,
        board.complete,
        board.complete_many,
        board.fail,
        board.release,
        board.escalate
    TO board_agent;
    -- providers
    GRANT EXECUTE ON FUNCTION
        board.take,
        board.give_back,
        board.throttle
    TO board_agent;
    -- calls
    GRANT EXECUTE ON FUNCTION
        board.begin_call,
        board.finish_call,
        board.idempotency_key
    TO board_agent;
    -- modes
    GRANT EXECUTE ON FUNCTION
        board.record_decision,
        board.record_actual
    TO board_agent;
    -- locks
    GRANT EXECUTE ON FUNCTION
        board.acquire_lock,
        board.renew_lock,
        board.release_lock,
        board.check_lock,
        board.lock_key,
        board.try_lock,
        board.lock_row
    TO board_agent;
    -- access
    GRANT EXECUTE ON FUNCTION
        board.hmac_sha256,
        board.sign,
        board.verify
    TO board_agent;
END;
$$;


-- operator: runs the desk.

DO $$
BEGIN
    IF to_regrole('board_operator') IS NULL THEN
        RETURN;
    END IF;
    GRANT USAGE ON SCHEMA board TO board_operator;
    -- tasks
    GRANT SELECT ON board.kinds, board.settings TO board_operator;
    -- desk
    GRANT SELECT ON board.audit_log TO board_operator;
    GRANT EXECUTE ON FUNCTION
        board.claim_escalated,
        board.retry,
        board.cancel,
        board.replay,
        board.reprioritize,
        board.pause,
        board.resume,
        board.configure_kind
    TO board_operator;
    -- providers
    GRANT SELECT ON board.providers, board.provider_limits TO board_operator;
    GRANT EXECUTE ON FUNCTION board.unthrottle TO board_operator;
    -- modes
    GRANT EXECUTE ON FUNCTION
        board.explain_divergence,
        board.promote
    TO board_operator;
    -- maintenance
    GRANT EXECUTE ON FUNCTION board.prune TO board_operator;
    -- calls: what was sent, and what in dry-run would have been
    GRANT SELECT ON board.calls TO board_operator;
    -- identity
    GRANT SELECT ON board.agents TO board_operator;
END;
$$;


-- admin: configures.

DO $$
BEGIN
    IF to_regrole('board_admin') IS NULL THEN
        RETURN;
    END IF;
    GRANT USAGE ON SCHEMA board TO board_admin;
    -- desk
    GRANT EXECUTE ON FUNCTION
        board.configure
    TO board_admin;
    -- events
    GRANT EXECUTE ON FUNCTION board.prune_events TO board_admin;
    -- providers
    GRANT EXECUTE ON FUNCTION
        board.configure_provider,
        board.set_limit,
        board.drop_limit
    TO board_admin;
    -- access
    GRANT SELECT ON board.tokens, board.keys TO board_admin;
    GRANT EXECUTE ON FUNCTION
        board.register_agent,
        board.unregister_agent,
        board.issue_token,
        board.revoke_token,
        board.create_signing_key,
        board.import_signing_key,
        board.rotate_signing_key,
        board.drop_signing_key
    TO board_admin;
END;
$$;


-- gateway: one function.

DO $$
BEGIN
    IF to_regrole('board_gateway') IS NULL THEN
        RETURN;
    END IF;
    GRANT USAGE ON SCHEMA board TO board_gateway;
    GRANT EXECUTE ON FUNCTION board.request TO board_gateway;
END;
$$;
