"""What PostgreSQL's catalog says about one schema, in a form that two schemas can be compared in.

Names of the schema and of its owner are left out of what is compared; privileges are those that
apply, whether written down or by default; a column's place counts and a dropped column does not.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from psycopg.rows import tuple_row

from installer.target import Connection

# (sort of object, name) -> {property: value}
Snapshot = dict[tuple[str, str], dict[str, str]]

_ACL = """
    (
        SELECT pg_catalog.string_agg(g.entry, ' ' ORDER BY g.entry COLLATE "C")
        FROM (
            SELECT CASE WHEN x.grantee = 0 THEN 'PUBLIC'
                        WHEN x.grantee = {owner} THEN '(owner)'
                        ELSE pg_catalog.pg_get_userbyid(x.grantee) END
                   || '=' || pg_catalog.string_agg(
                       pg_catalog.lower(x.privilege_type)
                           || CASE WHEN x.is_grantable THEN '*' ELSE '' END,
                       ',' ORDER BY x.privilege_type COLLATE "C") AS entry
            FROM pg_catalog.aclexplode(
                COALESCE({acl}, pg_catalog.acldefault('{kind}', {owner}))) AS x
            GROUP BY x.grantee
        ) AS g
    )
"""


def _acl(acl: str, kind: str, owner: str) -> str:
    return _ACL.format(acl=acl, kind=kind, owner=owner)


def _owner(column: str) -> str:
    return (
        f"CASE WHEN {column} = n.nspowner THEN '(owner)' "
        f"ELSE pg_catalog.pg_get_userbyid({column}) END"
    )


# Each query gives: name, then the properties named beside it, for the namespace %(schema)s.
_QUERIES: tuple[tuple[str, tuple[str, ...], str], ...] = (
    (
        "schema",
        ("privileges", "comment"),
        f"""
        SELECT n.nspname, {_acl("n.nspacl", "n", "n.nspowner")},
               pg_catalog.obj_description(n.oid, 'pg_namespace')
        FROM pg_catalog.pg_namespace AS n WHERE n.nspname = %(schema)s
        """,
    ),
    (
        "relation",
        ("sort", "options", "definition", "security", "owner", "privileges", "comment"),
        f"""
        SELECT c.relname,
               CASE c.relkind WHEN 'r' THEN 'table' WHEN 'p' THEN 'partitioned table'
                    WHEN 'v' THEN 'view' WHEN 'm' THEN 'materialized view' WHEN 'c' THEN 'type'
                    WHEN 'S' THEN 'sequence' WHEN 'f' THEN 'foreign table' END
                   || CASE c.relpersistence WHEN 'u' THEN ' unlogged' ELSE '' END,
               pg_catalog.array_to_string(
                   ARRAY(SELECT o FROM pg_catalog.unnest(c.reloptions) AS o ORDER BY o), ' '),
               CASE WHEN c.relkind IN ('v', 'm') THEN pg_catalog.pg_get_viewdef(c.oid)
                    WHEN c.relkind = 'S' THEN (
                        SELECT pg_catalog.format(
                            '%%s start %%s by %%s from %%s to %%s cache %%s%%s',
                            pg_catalog.format_type(s.seqtypid, NULL), s.seqstart, s.seqincrement,
                            s.seqmin, s.seqmax, s.seqcache,
                            CASE WHEN s.seqcycle THEN ' cycle' ELSE '' END)
                        FROM pg_catalog.pg_sequence AS s WHERE s.seqrelid = c.oid)
               END,
               pg_catalog.concat_ws(' ', CASE WHEN c.relrowsecurity THEN 'row security' END,
                   CASE WHEN c.relforcerowsecurity THEN 'forced' END,
                   CASE WHEN c.relreplident NOT IN ('d', 'n') THEN 'identity '
                       || c.relreplident::text END),
               {_owner("c.relowner")},
               CASE WHEN c.relkind = 'S' THEN {_acl("c.relacl", "s", "c.relowner")}
                    WHEN c.relkind = 'c' THEN NULL
                    ELSE {_acl("c.relacl", "r", "c.relowner")} END,
               pg_catalog.obj_description(c.oid, 'pg_class')
        FROM pg_catalog.pg_class AS c
        JOIN pg_catalog.pg_namespace AS n ON n.oid = c.relnamespace
        WHERE n.nspname = %(schema)s AND c.relkind IN ('r', 'p', 'v', 'm', 'c', 'S', 'f')
        """,
    ),
    (
        "column",
        ("place", "type", "not null", "default", "identity", "storage", "privileges", "comment"),
        f"""
        SELECT c.relname || '.' || a.attname,
               pg_catalog.row_number() OVER (PARTITION BY c.oid ORDER BY a.attnum)::text,
               pg_catalog.format_type(a.atttypid, a.atttypmod)
                   || CASE WHEN a.attcollation <> t.typcollation
                           THEN ' collate ' || a.attcollation::regcollation::text ELSE '' END,
               a.attnotnull::text,
               CASE a.attgenerated WHEN 's' THEN 'stored: ' WHEN 'v' THEN 'virtual: ' ELSE '' END
                   || pg_catalog.pg_get_expr(d.adbin, d.adrelid),
               a.attidentity::text,
               pg_catalog.concat_ws(' ', a.attstorage::text, NULLIF(a.attcompression::text, ''),
                   -- Some minor releases keep a mark of their own there (pg_attver).
                   pg_catalog.array_to_string(ARRAY(
                       SELECT o FROM pg_catalog.unnest(a.attoptions) AS o
                       WHERE o NOT LIKE 'pg\\_%%' ORDER BY o), ' ')),
               {_acl("a.attacl", "c", "c.relowner")},
               pg_catalog.col_description(c.oid, a.attnum)
        FROM pg_catalog.pg_attribute AS a
        JOIN pg_catalog.pg_class AS c ON c.oid = a.attrelid
        JOIN pg_catalog.pg_namespace AS n ON n.oid = c.relnamespace
        JOIN pg_catalog.pg_type AS t ON t.oid = a.atttypid
        LEFT JOIN pg_catalog.pg_attrdef AS d ON d.adrelid = a.attrelid AND d.adnum = a.attnum
        WHERE n.nspname = %(schema)s AND c.relkind IN ('r', 'p', 'v', 'm', 'c', 'f')
          AND a.attnum > 0 AND NOT a.attisdropped
        """,
    ),
    (
        "constraint",
        ("definition", "validated", "comment"),
        """
        SELECT COALESCE(c.relname, t.typname) || '.' || k.conname,
               pg_catalog.pg_get_constraintdef(k.oid), k.convalidated::text,
               pg_catalog.obj_description(k.oid, 'pg_constraint')
        FROM pg_catalog.pg_constraint AS k
        JOIN pg_catalog.pg_namespace AS n ON n.oid = k.connamespace
        LEFT JOIN pg_catalog.pg_class AS c ON c.oid = k.conrelid
        LEFT JOIN pg_catalog.pg_type AS t ON t.oid = k.contypid
        WHERE n.nspname = %(schema)s AND k.contype <> 't'
        """,
    ),
    (
        "index",
        ("definition", "valid", "marks", "comment"),
        """
        SELECT i.relname, pg_catalog.pg_get_indexdef(x.indexrelid), x.indisvalid::text,
               pg_catalog.concat_ws(' ', CASE WHEN x.indisclustered THEN 'clustered' END,
                   CASE WHEN x.indisreplident THEN 'replica identity' END),
               pg_catalog.obj_description(x.indexrelid, 'pg_class')
        FROM pg_catalog.pg_index AS x
        JOIN pg_catalog.pg_class AS i ON i.oid = x.indexrelid
        JOIN pg_catalog.pg_namespace AS n ON n.oid = i.relnamespace
        WHERE n.nspname = %(schema)s
        """,
    ),
    (
        "function",
        ("arguments", "returns", "attributes", "body", "owner", "privileges", "comment"),
        f"""
        SELECT p.proname || '(' || pg_catalog.pg_get_function_identity_arguments(p.oid) || ')',
               pg_catalog.pg_get_function_arguments(p.oid),
               pg_catalog.pg_get_function_result(p.oid),
               pg_catalog.concat_ws(' ', l.lanname,
                   CASE p.prokind WHEN 'f' THEN NULL WHEN 'p' THEN 'procedure'
                       WHEN 'a' THEN 'aggregate' ELSE 'window' END,
                   CASE p.provolatile WHEN 'i' THEN 'immutable' WHEN 's' THEN 'stable'
                       ELSE 'volatile' END,
                   CASE WHEN p.prosecdef THEN 'security definer' END,
                   CASE WHEN p.proisstrict THEN 'strict' END,
                   CASE WHEN p.proleakproof THEN 'leakproof' END,
                   CASE p.proparallel WHEN 's' THEN 'parallel safe'
                       WHEN 'r' THEN 'parallel restricted' END,
                   'cost ' || p.procost, CASE WHEN p.proretset THEN 'rows ' || p.prorows END,
                   'set ' || pg_catalog.array_to_string(p.proconfig, ' set ')),
               p.prosrc || COALESCE(pg_catalog.pg_get_function_sqlbody(p.oid), ''),
               {_owner("p.proowner")}, {_acl("p.proacl", "f", "p.proowner")},
               pg_catalog.obj_description(p.oid, 'pg_proc')
        FROM pg_catalog.pg_proc AS p
        JOIN pg_catalog.pg_namespace AS n ON n.oid = p.pronamespace
        JOIN pg_catalog.pg_language AS l ON l.oid = p.prolang
        WHERE n.nspname = %(schema)s
        """,
    ),
    (
        "trigger",
        ("definition", "enabled", "comment"),
        """
        SELECT c.relname || '.' || g.tgname, pg_catalog.pg_get_triggerdef(g.oid),
               CASE g.tgenabled WHEN 'O' THEN 'yes' WHEN 'A' THEN 'always' WHEN 'D' THEN 'no'
                    ELSE 'on a replica' END,
               pg_catalog.obj_description(g.oid, 'pg_trigger')
        FROM pg_catalog.pg_trigger AS g
        JOIN pg_catalog.pg_class AS c ON c.oid = g.tgrelid
        JOIN pg_catalog.pg_namespace AS n ON n.oid = c.relnamespace
        WHERE n.nspname = %(schema)s AND NOT g.tgisinternal
        """,
    ),
    (
        "rule",
        ("definition", "enabled", "comment"),
        """
        SELECT c.relname || '.' || w.rulename, pg_catalog.pg_get_ruledef(w.oid),
               w.ev_enabled::text, pg_catalog.obj_description(w.oid, 'pg_rewrite')
        FROM pg_catalog.pg_rewrite AS w
        JOIN pg_catalog.pg_class AS c ON c.oid = w.ev_class
        JOIN pg_catalog.pg_namespace AS n ON n.oid = c.relnamespace
        WHERE n.nspname = %(schema)s AND w.rulename <> '_RETURN'
        """,
    ),
    (
        "policy",
        ("definition",),
        """
        SELECT c.relname || '.' || y.polname,
               pg_catalog.format('%%s %%s to %%s using %%s check %%s', y.polcmd, y.polpermissive,
                   y.polroles::regrole[], pg_catalog.pg_get_expr(y.polqual, y.polrelid),
                   pg_catalog.pg_get_expr(y.polwithcheck, y.polrelid))
        FROM pg_catalog.pg_policy AS y
        JOIN pg_catalog.pg_class AS c ON c.oid = y.polrelid
        JOIN pg_catalog.pg_namespace AS n ON n.oid = c.relnamespace
        WHERE n.nspname = %(schema)s
        """,
    ),
    (
        "type",
        ("definition", "owner", "privileges", "comment"),
        f"""
        SELECT t.typname,
               CASE t.typtype
                   WHEN 'e' THEN 'enum ' || (
                       SELECT pg_catalog.string_agg(e.enumlabel, ' ' ORDER BY e.enumsortorder)
                       FROM pg_catalog.pg_enum AS e WHERE e.enumtypid = t.oid)
                   WHEN 'd' THEN 'domain over '
                       || pg_catalog.format_type(t.typbasetype, t.typtypmod)
                       || COALESCE(' default ' || t.typdefault, '')
                       || CASE WHEN t.typnotnull THEN ' not null' ELSE '' END
                   WHEN 'c' THEN 'row' ELSE 'sort ' || t.typtype::text END,
               {_owner("t.typowner")}, {_acl("t.typacl", "T", "t.typowner")},
               pg_catalog.obj_description(t.oid, 'pg_type')
        FROM pg_catalog.pg_type AS t
        JOIN pg_catalog.pg_namespace AS n ON n.oid = t.typnamespace
        WHERE n.nspname = %(schema)s AND t.typcategory <> 'A'
        """,
    ),
    (
        "statistics",
        ("definition",),
        """
        SELECT s.stxname, pg_catalog.pg_get_statisticsobjdef(s.oid)
        FROM pg_catalog.pg_statistic_ext AS s
        JOIN pg_catalog.pg_namespace AS n ON n.oid = s.stxnamespace
        WHERE n.nspname = %(schema)s
        """,
    ),
    (
        "default privileges",
        ("privileges",),
        f"""
        SELECT pg_catalog.pg_get_userbyid(d.defaclrole) || ' ' || d.defaclobjtype::text,
               {_acl("d.defaclacl", "r", "d.defaclrole")}
        FROM pg_catalog.pg_default_acl AS d
        JOIN pg_catalog.pg_namespace AS n ON n.oid = d.defaclnamespace
        WHERE n.nspname = %(schema)s
        """,
    ),
    (
        "other object",
        ("sort",),
        """
        SELECT o.name, o.sort
        FROM pg_catalog.pg_namespace AS n
        JOIN (
            SELECT p.oprname || ' ' || p.oid::regoperator, 'operator', p.oprnamespace
            FROM pg_catalog.pg_operator AS p
            UNION ALL
            SELECT p.opcname, 'operator class', p.opcnamespace FROM pg_catalog.pg_opclass AS p
            UNION ALL
            SELECT p.opfname, 'operator family', p.opfnamespace FROM pg_catalog.pg_opfamily AS p
            UNION ALL
            SELECT p.collname, 'collation', p.collnamespace FROM pg_catalog.pg_collation AS p
            UNION ALL
            SELECT p.conname, 'conversion', p.connamespace FROM pg_catalog.pg_conversion AS p
            UNION ALL
            SELECT p.cfgname, 'text search', p.cfgnamespace FROM pg_catalog.pg_ts_config AS p
            UNION ALL
            SELECT p.dictname, 'dictionary', p.dictnamespace FROM pg_catalog.pg_ts_dict AS p
        ) AS o (name, sort, namespace) ON o.namespace = n.oid
        WHERE n.nspname = %(schema)s
        """,
    ),
)


def snapshot(connection: Connection, schema: str, stands_for: str | None = None) -> Snapshot:
    """Everything in a schema. With stands_for its name is replaced by that one in all texts.

    Wants search_path = pg_catalog, so that definitions come out fully qualified.
    """
    name = stands_for or schema

    def plain(value: object) -> str:
        text = "" if value is None else str(value)
        return text if name == schema else re.sub(rf"\b{re.escape(schema)}\b", name, text)

    found: Snapshot = {}
    cursor = connection.cursor(row_factory=tuple_row)
    for sort, properties, query in _QUERIES:
        cursor.execute(query.encode(), {"schema": schema})
        for row in cursor:
            values = dict(zip(properties, map(plain, row[1:]), strict=True))
            found[sort, plain(row[0])] = values
    return found


@dataclass(frozen=True)
class Difference:
    """One thing that is not as shipped."""

    problem: str  # missing, foreign or changed
    sort: str
    name: str
    property: str = ""
    shipped: str = ""
    found: str = ""
    whole: dict[str, str] = field(default_factory=dict, compare=False)  # as shipped, if missing
    parent: str = field(default="", compare=False)  # 'domain' for a constraint of one


def compare(shipped: Snapshot, found: Snapshot) -> list[Difference]:
    """What differs, without repeating a table's fate for its columns, indexes and so on."""
    differences = []
    gone = {name for sort, name in shipped.keys() - found.keys() if sort == "relation"}
    extra = {name for sort, name in found.keys() - shipped.keys() if sort == "relation"}
    for sort, name in sorted(shipped.keys() | found.keys()):
        key = (sort, name)
        parent = name.partition(".")[0]
        of = "domain" if sort == "constraint" and ("relation", parent) not in shipped else ""
        if key not in found:
            if sort == "relation" or (parent not in gone and not (sort == "type" and name in gone)):
                called = _called(shipped, key)
                one = Difference("missing", called, name, whole=shipped[key], parent=of)
                differences.append(one)
        elif key not in shipped:
            if sort == "relation" or (parent not in extra and name not in extra):
                differences.append(Difference("foreign", _called(found, key), name))
        else:
            differences += [
                Difference(
                    "changed", _called(found, key), name, prop, value, found[key][prop], parent=of
                )
                for prop, value in shipped[key].items()
                if found[key][prop] != value
            ]
    return differences


def _called(catalog: Snapshot, key: tuple[str, str]) -> str:
    """'table' or 'view' rather than 'relation'."""
    return catalog[key]["sort"] if key[0] == "relation" else key[0]
