"""Who may do what on the board, said independently of sql/grants.sql, and held against a catalog.

Everything in the schema must be named here: a function, view or table that is not is a violation,
whatever it was granted.
"""

from __future__ import annotations

from tests.support.testdb import Connection

# Each of the first four may do what those before it may; gateway stands apart.
LADDER = ("viewer", "agent", "operator", "admin")
ROLES = (*LADDER, "gateway")


def _names(text: str) -> frozenset[str]:
    return frozenset(text.split())


FUNCTIONS: dict[str, frozenset[str]] = {
    "viewer": _names(
        "explain next_due events_since latest_cursor promotion_report version help next_occurrence"
        " needed_results"
    ),
    "agent": _names("""
        enqueue is_new enqueue_many enqueue_plan claim claim_task heartbeat complete complete_many
        fail release escalate
        take give_back throttle begin_call finish_call idempotency_key record_decision record_actual
        fire_due acquire_lock renew_lock release_lock check_lock lock_key try_lock lock_row
        sign verify hmac_sha256
        """),
    "operator": _names("""
        claim_escalated retry cancel drop_need replay reprioritize pause resume configure_kind
        unthrottle set_task_budget explain_divergence promote prune schedule unschedule fire
        """),
    "admin": _names("""
        configure configure_provider set_limit drop_limit prune_events
        register_agent unregister_agent issue_token revoke_token
        create_signing_key import_signing_key rotate_signing_key drop_signing_key
        """),
    "gateway": frozenset({"request"}),
    # Views read tables with their owner's rights and call functions with their reader's.
    "viewer, inside views": _names(
        "_queue _waiting _status_at _describe_event _summarize_json _quote_name _is_readable"
        " _printed_size _describe_call _describe_outcome _health _budget_state"
    ),
}

READABLE: dict[str, frozenset[str]] = {
    "viewer": _names("""
        tasks task_events queue waiting active human_queue history call_history crash_loops
        kind_stats
        health provider_budgets usage comparisons comparison_evidence divergences
        locks_held schedules task_needs blocked
        """),
    "operator": _names("kinds settings audit_log agents providers provider_limits calls"),
    "admin": _names("tokens keys"),
}

PRIVATE_TABLES = _names("""
    kind_names kind_slots event_horizon doorbell_calls doorbells
    access_tokens signing_keys signing_secrets budgets
    throttles usage_records task_budgets compared_steps task_schedules locks releases
    task_sequences needs_graph
    """)


def _granted_from(listed: dict[str, frozenset[str]], name: str) -> str | None:
    """The role from which on a name is granted: viewer, agent, …, gateway; None: to nobody."""
    for role, names in listed.items():
        if name in names:
            return role.split(",")[0]
    return None


def _includes(role: str, granted_from: str | None) -> bool:
    if granted_from is None:
        return False
    if role in LADDER and granted_from in LADDER:
        return LADDER.index(role) >= LADDER.index(granted_from)
    return role == granted_from


def may_call(role: str, function: str) -> bool:
    return _includes(role, _granted_from(FUNCTIONS, function))


def may_read(role: str, relation: str) -> bool:
    return _includes(role, _granted_from(READABLE, relation))


def violations(connection: Connection, prefix: str = "board") -> list[str]:
    """What the catalog grants that it should not, and the other way round; empty when all is well.

    Asks what each role has in the end, through memberships and PUBLIC too. PUBLIC itself, and
    whoever else was granted something, are read from the access lists.
    """
    return [
        *_unknown(connection),
        *_function_violations(connection, prefix),
        *_relation_violations(connection, prefix),
        *_public_violations(connection),
        *_schema_violations(connection, prefix),
    ]


def _unknown(connection: Connection) -> list[str]:
    functions = connection.execute(
        "SELECT DISTINCT p.proname FROM pg_proc AS p"
        " WHERE p.pronamespace = 'board'::regnamespace AND p.proname !~ '^_' ORDER BY 1"
    ).fetchall()
    relations = connection.execute(
        "SELECT c.relname FROM pg_class AS c"
        " WHERE c.relnamespace = 'board'::regnamespace AND c.relkind IN ('r', 'v', 'm', 'p', 'f')"
        " ORDER BY 1"
    ).fetchall()
    return [
        *(
            f"function {name}: in no list of tests/support/privileges.py"
            for (name,) in functions
            if _granted_from(FUNCTIONS, name) is None
        ),
        *(
            f"relation {name}: in no list of tests/support/privileges.py"
            for (name,) in relations
            if _granted_from(READABLE, name) is None and name not in PRIVATE_TABLES
        ),
    ]


def _function_violations(connection: Connection, prefix: str) -> list[str]:
    found = connection.execute(
        "SELECT p.proname, p.oid::regprocedure::text, r.role,"
        "       has_function_privilege(%s || '_' || r.role, p.oid, 'EXECUTE')"
        "  FROM pg_proc AS p CROSS JOIN unnest(%s::text[]) AS r (role)"
        " WHERE p.pronamespace = 'board'::regnamespace ORDER BY 2, 3",
        (prefix, list(ROLES)),
    ).fetchall()
    return [
        f"{role} {'may' if allowed else 'may not'} call {signature}"
        for name, signature, role, allowed in found
        if allowed != may_call(role, name)
    ]


def _relation_violations(connection: Connection, prefix: str) -> list[str]:
    found = connection.execute(
        "SELECT c.relname, r.role, v.privilege,"
        "       CASE WHEN v.privilege IN ('DELETE', 'TRUNCATE', 'TRIGGER')"
        "            THEN has_table_privilege(%(prefix)s || '_' || r.role, c.oid, v.privilege)"
        "            ELSE has_any_column_privilege(%(prefix)s || '_' || r.role, c.oid, v.privilege)"
        "       END"
        "  FROM pg_class AS c CROSS JOIN unnest(%(roles)s::text[]) AS r (role)"
        " CROSS JOIN unnest(ARRAY['SELECT', 'INSERT', 'UPDATE', 'REFERENCES', 'DELETE', 'TRUNCATE',"
        "                         'TRIGGER']) AS v (privilege)"
        " WHERE c.relnamespace = 'board'::regnamespace AND c.relkind IN ('r', 'v', 'm', 'p', 'f')"
        " ORDER BY 1, 2, 3",
        {"prefix": prefix, "roles": list(ROLES)},
    ).fetchall()
    wrong = [
        f"{role} {'may' if allowed else 'may not'} {privilege} {name}"
        for name, role, privilege, allowed in found
        if allowed != (privilege == "SELECT" and may_read(role, name))
    ]
    sequences = connection.execute(
        "SELECT c.relname, r.role FROM pg_class AS c CROSS JOIN unnest(%s::text[]) AS r (role)"
        " WHERE c.relnamespace = 'board'::regnamespace AND c.relkind = 'S'"
        "   AND has_sequence_privilege(%s || '_' || r.role, c.oid, 'SELECT, UPDATE, USAGE')",
        (list(ROLES), prefix),
    ).fetchall()
    return [*wrong, *(f"{role} may use sequence {name}" for name, role in sequences)]


def _public_violations(connection: Connection) -> list[str]:
    """Whatever PUBLIC has, columns included."""
    found = connection.execute(
        """
        SELECT format('PUBLIC has %s on %s', a.privilege_type, o.what)
          FROM (SELECT p.oid::regprocedure::text, coalesce(p.proacl, acldefault('f', p.proowner))
                  FROM pg_proc AS p WHERE p.pronamespace = 'board'::regnamespace
                UNION ALL
                SELECT c.oid::regclass::text, c.relacl
                  FROM pg_class AS c WHERE c.relnamespace = 'board'::regnamespace
                UNION ALL
                SELECT format('%s.%s', t.attrelid::regclass, t.attname), t.attacl
                  FROM pg_attribute AS t JOIN pg_class AS c ON c.oid = t.attrelid
                 WHERE c.relnamespace = 'board'::regnamespace
                UNION ALL
                SELECT 'schema', n.nspacl FROM pg_namespace AS n WHERE n.nspname = 'board')
               AS o (what, acl)
         CROSS JOIN LATERAL aclexplode(o.acl) AS a
         WHERE a.grantee = 0
         ORDER BY 1
        """
    ).fetchall()
    return [row[0] for row in found]


def _schema_violations(connection: Connection, prefix: str) -> list[str]:
    found = connection.execute(
        "SELECT r.role, has_schema_privilege(%(prefix)s || '_' || r.role, 'board', 'USAGE'),"
        "       has_schema_privilege(%(prefix)s || '_' || r.role, 'board', 'CREATE')"
        "  FROM unnest(%(roles)s::text[]) AS r (role)",
        {"prefix": prefix, "roles": list(ROLES)},
    ).fetchall()
    return [
        f"{role}: USAGE on the schema {usage}, CREATE {create}"
        for role, usage, create in found
        if not usage or create
    ]
