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

DO $$
BEGIN
    IF to_regrole('board_viewer') IS NULL THEN
        CREATE ROLE board_viewer NOLOGIN;
        COMMENT ON ROLE board_viewer IS
            'Reads the board: views, tasks, events.';
    END IF;
EXCEPTION
    WHEN duplicate_object OR unique_violation THEN
        NULL;
    WHEN insufficient_privilege THEN
        RAISE WARNING USING
            MESSAGE = 'role board_viewer is missing and you may not create it',
            HINT = 'Ask an administrator for: CREATE ROLE board_viewer NOLOGIN; then run this again.';
END;
$$;

DO $$
BEGIN
    IF to_regrole('board_agent') IS NULL THEN
        CREATE ROLE board_agent NOLOGIN;
        COMMENT ON ROLE board_agent IS
            'Works on the board: everything a viewer may, and the verbs of agents.';
    END IF;
EXCEPTION
    WHEN duplicate_object OR unique_violation THEN
        NULL;
    WHEN insufficient_privilege THEN
        RAISE WARNING USING
            MESSAGE = 'role board_agent is missing and you may not create it',
            HINT = 'Ask an administrator for: CREATE ROLE board_agent NOLOGIN; then run this again.';
END;
$$;

DO $$
BEGIN
    IF to_regrole('board_operator') IS NULL THEN
        CREATE ROLE board_operator NOLOGIN;
        COMMENT ON ROLE board_operator IS
            'Runs the desk: everything an agent may, and retry, cancel, replay, pause, promote.';
    END IF;
EXCEPTION
    WHEN duplicate_object OR unique_violation THEN
        NULL;
    WHEN insufficient_privilege THEN
        RAISE WARNING USING
            MESSAGE = 'role board_operator is missing and you may not create it',
            HINT = 'Ask an administrator for: CREATE ROLE board_operator NOLOGIN; then run this again.';
END;
$$;

DO $$
BEGIN
    IF to_regrole('board_admin') IS NULL THEN
        CREATE ROLE board_admin NOLOGIN;
        COMMENT ON ROLE board_admin IS
            'Configures the board: everything an operator may, and agents, tokens, keys, '
            'providers, settings.';
    END IF;
EXCEPTION
    WHEN duplicate_object OR unique_violation THEN
        NULL;
    WHEN insufficient_privilege THEN
        RAISE WARNING USING
            MESSAGE = 'role board_admin is missing and you may not create it',
            HINT = 'Ask an administrator for: CREATE ROLE board_admin NOLOGIN; then run this again.';
END;
$$;

DO $$
BEGIN
    IF to_regrole('board_gateway') IS NULL THEN
        CREATE ROLE board_gateway NOLOGIN;
        COMMENT ON ROLE board_gateway IS
            'May call board.request() and nothing else: for an HTTP front or a webhook receiver.';
    END IF;
EXCEPTION
    WHEN duplicate_object OR unique_violation THEN
        NULL;
    WHEN insufficient_privilege THEN
        RAISE WARNING USING
            MESSAGE = 'role board_gateway is missing and you may not create it',
            HINT = 'Ask an administrator for: CREATE ROLE board_gateway NOLOGIN; then run this again.';
END;
$$;


-- Each of the four includes the one before. From PostgreSQL 16 on, only who has the ADMIN option on
-- a role may give it: whoever created it here has.

DO $$
BEGIN
    IF to_regrole('board_viewer') IS NULL OR to_regrole('board_agent') IS NULL
        OR pg_has_role('board_agent', 'board_viewer', 'USAGE')
    THEN
        RETURN;
    END IF;
    GRANT board_viewer TO board_agent;
EXCEPTION
    WHEN unique_violation THEN
        NULL;
    WHEN insufficient_privilege THEN
        RAISE WARNING USING
            MESSAGE = 'board_agent does not include board_viewer and you may not change that',
            HINT = 'Ask an administrator for: GRANT board_viewer TO board_agent;';
END;
$$;

DO $$
BEGIN
    IF to_regrole('board_agent') IS NULL OR to_regrole('board_operator') IS NULL
        OR pg_has_role('board_operator', 'board_agent', 'USAGE')
    THEN
        RETURN;
    END IF;
    GRANT board_agent TO board_operator;
EXCEPTION
    WHEN unique_violation THEN
        NULL;
    WHEN insufficient_privilege THEN
        RAISE WARNING USING
            MESSAGE = 'board_operator does not include board_agent and you may not change that',
            HINT = 'Ask an administrator for: GRANT board_agent TO board_operator;';
END;
$$;

DO $$
BEGIN
    IF to_regrole('board_operator') IS NULL OR to_regrole('board_admin') IS NULL
        OR pg_has_role('board_admin', 'board_operator', 'USAGE')
    THEN
        RETURN;
    END IF;
    GRANT board_operator TO board_admin;
EXCEPTION
    WHEN unique_violation THEN
        NULL;
    WHEN insufficient_privilege THEN
        RAISE WARNING USING
            MESSAGE = 'board_admin does not include board_operator and you may not change that',
            HINT = 'Ask an administrator for: GRANT board_operator TO board_admin;';
END;
$$;


-- Nothing for anybody.

REVOKE ALL ON SCHEMA board FROM PUBLIC CASCADE;
REVOKE ALL ON ALL TABLES IN SCHEMA board FROM PUBLIC CASCADE;
REVOKE ALL ON ALL SEQUENCES IN SCHEMA board FROM PUBLIC CASCADE;
REVOKE ALL ON ALL ROUTINES IN SCHEMA board FROM PUBLIC CASCADE;

DO $$
BEGIN
    IF to_regrole('board_viewer') IS NOT NULL THEN
        REVOKE ALL ON SCHEMA board FROM board_viewer CASCADE;
        REVOKE ALL ON ALL TABLES IN SCHEMA board FROM board_viewer CASCADE;
        REVOKE ALL ON ALL SEQUENCES IN SCHEMA board FROM board_viewer CASCADE;
        REVOKE ALL ON ALL ROUTINES IN SCHEMA board FROM board_viewer CASCADE;
    END IF;
END;
$$;

DO $$
BEGIN
    IF to_regrole('board_agent') IS NOT NULL THEN
        REVOKE ALL ON SCHEMA board FROM board_agent CASCADE;
        REVOKE ALL ON ALL TABLES IN SCHEMA board FROM board_agent CASCADE;
        REVOKE ALL ON ALL SEQUENCES IN SCHEMA board FROM board_agent CASCADE;
        REVOKE ALL ON ALL ROUTINES IN SCHEMA board FROM board_agent CASCADE;
    END IF;
END;
$$;

DO $$
BEGIN
    IF to_regrole('board_operator') IS NOT NULL THEN
        REVOKE ALL ON SCHEMA board FROM board_operator CASCADE;
        REVOKE ALL ON ALL TABLES IN SCHEMA board FROM board_operator CASCADE;
        REVOKE ALL ON ALL SEQUENCES IN SCHEMA board FROM board_operator CASCADE;
        REVOKE ALL ON ALL ROUTINES IN SCHEMA board FROM board_operator CASCADE;
    END IF;
END;
$$;

DO $$
BEGIN
    IF to_regrole('board_admin') IS NOT NULL THEN
        REVOKE ALL ON SCHEMA board FROM board_admin CASCADE;
        REVOKE ALL ON ALL TABLES IN SCHEMA board FROM board_admin CASCADE;
        REVOKE ALL ON ALL SEQUENCES IN SCHEMA board FROM board_admin CASCADE;
        REVOKE ALL ON ALL ROUTINES IN SCHEMA board FROM board_admin CASCADE;
    END IF;
END;
$$;

DO $$
BEGIN
    IF to_regrole('board_gateway') IS NOT NULL THEN
        REVOKE ALL ON SCHEMA board FROM board_gateway CASCADE;
        REVOKE ALL ON ALL TABLES IN SCHEMA board FROM board_gateway CASCADE;
        REVOKE ALL ON ALL SEQUENCES IN SCHEMA board FROM board_gateway CASCADE;
        REVOKE ALL ON ALL ROUTINES IN SCHEMA board FROM board_gateway CASCADE;
    END IF;
END;
$$;


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
        board.explain(uuid),
        board.next_due(text[])
    TO board_viewer;
    -- events
    GRANT SELECT ON board.task_events, board.history TO board_viewer;
    GRANT EXECUTE ON FUNCTION
        board.events_since(text, int),
        board.latest_cursor()
    TO board_viewer;
    -- providers
    GRANT SELECT ON board.provider_budgets TO board_viewer;
    -- calls
    GRANT SELECT ON board.call_history TO board_viewer;
    -- modes
    GRANT SELECT ON board.comparisons, board.divergences,
        board.comparison_evidence TO board_viewer;
    GRANT EXECUTE ON FUNCTION board.promotion_report(text) TO board_viewer;
    -- locks
    GRANT SELECT ON board.locks_held TO board_viewer;
    -- maintenance
    GRANT SELECT ON board.health TO board_viewer;
    GRANT EXECUTE ON FUNCTION
        board.version(),
        board.help(text)
    TO board_viewer;
    -- A view reads tables with its owner's rights and calls functions with its reader's: the
    -- private ones that stand in views. They change nothing.
    GRANT EXECUTE ON FUNCTION
        board._open_kinds(text[], timestamptz),
        board._has_slot(text, int),
        board._in_words(text, text, text, text, int, jsonb),
        board._said(jsonb, int),
        board._call_in_words(board.calls),
        board._outcome_in_words(board.calls),
        board._health(),
        board._budget_state(board.budgets, int, int, timestamptz)
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
        board.enqueue(text, jsonb, int, timestamptz, text, text),
        board.enqueue_many(text, jsonb[], int, timestamptz),
        board.claim(text, interval, text[], int),
        board.claim_task(uuid, text, interval),
        board.heartbeat(uuid, text, interval, jsonb, int),
        board.complete(uuid, text, jsonb, int),
        board.complete_many(uuid[], text),
        board.fail(uuid, text, jsonb, boolean, interval, int),
        board.release(uuid, text, interval, int),
        board.escalate(uuid, text, jsonb, int)
    TO board_agent;
    -- providers
    GRANT EXECUTE ON FUNCTION
        board.take(text, text, int),
        board.give_back(text, timestamptz, text, int),
        board.throttle(text, text, interval)
    TO board_agent;
    -- calls
    GRANT EXECUTE ON FUNCTION
        board.begin_call(uuid, text, text, text, jsonb, text, int, int),
        board.finish_call(uuid, text, text, jsonb, boolean, int),
        board.idempotency_key(uuid, text)
    TO board_agent;
    -- modes
    GRANT EXECUTE ON FUNCTION
        board.record_decision(uuid, text, text, jsonb, int),
        board.record_actual(text, text, text, jsonb)
    TO board_agent;
    -- locks
    GRANT EXECUTE ON FUNCTION
        board.acquire_lock(text, text, interval),
        board.renew_lock(text, text, bigint, interval),
        board.release_lock(text, text, bigint),
        board.check_lock(text, bigint),
        board.lock_key(text),
        board.try_lock(text),
        board.lock_row(regclass, text, boolean)
    TO board_agent;
    -- access
    GRANT EXECUTE ON FUNCTION
        board.hmac_sha256(bytea, bytea),
        board.sign(text, text, text),
        board.verify(text, jsonb, text, interval)
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
        board.claim_escalated(text, interval, uuid),
        board.retry(uuid, text, jsonb),
        board.cancel(uuid, text, jsonb),
        board.replay(uuid, text, boolean),
        board.reprioritize(uuid, text, int),
        board.pause(text, text, text),
        board.resume(text, text),
        board.configure_kind(text, int, int, interval, interval, int, text, text, text, int,
                             interval, numeric, interval, text[], text[], text)
    TO board_operator;
    -- providers
    GRANT SELECT ON board.providers, board.provider_limits TO board_operator;
    GRANT EXECUTE ON FUNCTION board.unthrottle(text, text, text) TO board_operator;
    -- calls
    GRANT SELECT ON board.calls TO board_operator;
    -- modes
    GRANT EXECUTE ON FUNCTION
        board.explain_divergence(text, text, text, text, text),
        board.promote(text, text, text, text)
    TO board_operator;
    -- providers
    GRANT SELECT ON board.providers, board.provider_limits TO board_operator;
    GRANT EXECUTE ON FUNCTION board.unthrottle(text, text, text) TO board_operator;
    -- maintenance
    GRANT EXECUTE ON FUNCTION board.prune(interval, int) TO board_operator;
    -- calls: what was sent, and what in dry-run would have been
    GRANT SELECT ON board.calls TO board_operator;
    -- access
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
        board.configure(text, interval, boolean, boolean, boolean, interval, text[], text)
    TO board_admin;
    -- events
    GRANT EXECUTE ON FUNCTION board.prune_events(int) TO board_admin;
    -- providers
    GRANT EXECUTE ON FUNCTION
        board.configure_provider(text, text, text, boolean, text, text[], text),
        board.set_limit(text, interval, int, text),
        board.drop_limit(text, interval, text)
    TO board_admin;
    -- access
    GRANT SELECT ON board.tokens, board.keys TO board_admin;
    GRANT EXECUTE ON FUNCTION
        board.register_agent(text, text),
        board.unregister_agent(text),
        board.issue_token(text, text[], interval),
        board.revoke_token(uuid),
        board.create_signing_key(text),
        board.import_signing_key(text, text),
        board.rotate_signing_key(text, interval),
        board.drop_signing_key(text)
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
    GRANT EXECUTE ON FUNCTION board.request(text, text, jsonb) TO board_gateway;
END;
$$;
