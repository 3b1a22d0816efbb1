"""The statements that mend what verify found, as far as a repair does not.

A repair puts functions, views, triggers, grants and the comments on them in again. Tables are
nobody's to replace: for an index, a key, a constraint, a default there is a statement for the owner
to read and run; for a role, one for an administrator.
"""

from __future__ import annotations

from dataclasses import dataclass

from psycopg import sql

from installer import assemble
from installer.catalog import Difference

_CODE = frozenset({"function", "view", "trigger"})
_KEYWORD = {
    "table": "TABLE",
    "partitioned table": "TABLE",
    "view": "VIEW",
    "sequence": "SEQUENCE",
    "function": "FUNCTION",
    "schema": "SCHEMA",
    "type": "TYPE",
}


@dataclass(frozen=True)
class Remedies:
    """What to do about a list of differences."""

    owner: tuple[str, ...]  # statements for the owner of the board
    administrator: tuple[str, ...]  # statements about roles
    repair: bool  # whether a repair mends something
    by_hand: tuple[str, ...]  # objects that no statement here brings back


def remedies(differences: list[Difference], schema: str, owner: str) -> Remedies:
    """The statements, in an order in which they can be run."""
    mender = _Mender(schema, owner, differences)
    for one in differences:
        mender.take(one)
    return Remedies(
        tuple(dict.fromkeys(mender.drops + sorted(mender.statements, key=_rank))),
        tuple(sorted(dict.fromkeys(mender.administrator), key=_rank)),
        mender.repair,
        tuple(dict.fromkeys(mender.by_hand)),
    )


def _rank(statement: str) -> int:
    """A foreign key wants the key that it refers to, a membership its roles."""
    return " FOREIGN KEY " in statement or statement.startswith("GRANT ")


def _quoted(*names: str) -> str:
    """Names as they are written in SQL, without quotes where none are needed."""
    return ".".join(
        name
        if name.isidentifier() and name == name.lower() and name.isascii()
        else sql.Identifier(name).as_string(None)
        for name in names
    )


def _literal(text: str) -> str:
    return sql.Literal(text).as_string(None)


class _Mender:
    def __init__(self, schema: str, owner: str, differences: list[Difference]) -> None:
        self.schema = schema
        self.owner = owner
        self.drops: list[str] = []
        self.statements: list[str] = []
        self.administrator: list[str] = []
        self.by_hand: list[str] = []
        self.repair = False
        self.groups = {f"{schema}_{role}" for role in assemble.ROLES}
        # A key brings its index with it.
        self.keys = {
            one.name.partition(".")[2]
            for one in differences
            if one.sort == "constraint" and one.problem != "foreign"
        }

    def take(self, one: Difference) -> None:
        if one.problem == "foreign":
            return
        if one.sort == "role":
            self._role(one)
        elif one.problem == "missing":
            self._missing(one)
        elif one.property == "privileges":
            self._privileges(one)
        elif one.property == "owner":
            self._say(f"ALTER {self._object(one)} OWNER TO {_quoted(self.owner)};")
        elif one.sort in _CODE:
            self.repair = True
        else:
            self._changed(one)

    def _say(self, statement: str) -> None:
        self.statements.append(statement)

    def _object(self, one: Difference) -> str:
        name = one.name if one.sort == "function" else _quoted(one.name)
        place = _quoted(self.schema)
        return f"{_KEYWORD[one.sort]} {place if one.sort == 'schema' else f'{place}.{name}'}"

    def _table(self, one: Difference) -> tuple[str, str]:
        parent, _, name = one.name.partition(".")
        return _quoted(self.schema, parent), _quoted(name)

    def _constraint(self, one: Difference) -> tuple[str, str]:
        table, name = self._table(one)
        kind = "DOMAIN" if one.parent == "domain" else "TABLE"
        return f"ALTER {kind} {table}", name

    def _missing(self, one: Difference) -> None:
        if one.sort in _CODE:
            self.repair = True
        elif one.sort == "index":
            if one.name not in self.keys:
                self._say(f"{one.whole['definition']};")
        elif one.sort == "constraint":
            alter, name = self._constraint(one)
            self._say(f"{alter} ADD CONSTRAINT {name} {one.whole['definition']};")
        elif one.sort == "column":
            table, name = self._table(one)
            rule = one.whole["default"]
            if rule.startswith("stored: "):
                rule = f" GENERATED ALWAYS AS ({rule.removeprefix('stored: ')}) STORED"
            elif rule:
                rule = f" DEFAULT {rule}"
            null = " NOT NULL" if one.whole["not null"] == "true" else ""
            self._say(f"ALTER TABLE {table} ADD COLUMN {name} {one.whole['type']}{rule}{null};")
            if one.whole["comment"]:
                self._say(f"COMMENT ON COLUMN {table}.{name} IS {_literal(one.whole['comment'])};")
        else:
            self.by_hand.append(f"{one.sort} {self.schema}.{one.name}")

    def _changed(self, one: Difference) -> None:
        known = {
            "index": self._changed_index,
            "constraint": self._changed_constraint,
            "column": self._changed_column,
            "table": self._changed_table,
        }.get(one.sort)
        if known is None or not known(one):
            if one.property == "comment" and one.sort in _KEYWORD:
                self._say(f"COMMENT ON {self._object(one)} IS {_literal(one.shipped)};")
            else:
                self.by_hand.append(f"{one.sort} {self.schema}.{one.name} ({one.property})")

    def _changed_index(self, one: Difference) -> bool:
        name = _quoted(self.schema, one.name)
        if one.property == "valid":
            self._say(f"REINDEX INDEX {name};")
        elif one.property == "definition":
            if one.name in self.keys:
                return True
            self.drops.append(f"DROP INDEX {name};")
            self._say(f"{one.shipped};")
        else:
            return False
        return True

    def _changed_constraint(self, one: Difference) -> bool:
        alter, name = self._constraint(one)
        if one.property == "validated":
            self._say(f"{alter} VALIDATE CONSTRAINT {name};")
        elif one.property == "definition":
            if one.found == f"{one.shipped} NOT VALID":
                return True  # validated, above or below
            self.drops.append(f"{alter} DROP CONSTRAINT {name};")
            self._say(f"{alter} ADD CONSTRAINT {name} {one.shipped};")
        else:
            return False
        return True

    def _changed_column(self, one: Difference) -> bool:
        table, name = self._table(one)
        alter = f"ALTER TABLE {table} ALTER COLUMN {name}"
        if one.property == "default" and not (one.shipped + one.found).startswith("stored: "):
            rule = f"SET DEFAULT {one.shipped}" if one.shipped else "DROP DEFAULT"
            self._say(f"{alter} {rule};")
        elif one.property == "not null":
            self._say(f"{alter} {'SET' if one.shipped == 'true' else 'DROP'} NOT NULL;")
        elif one.property == "type":
            self._say(f"{alter} TYPE {one.shipped};")
        elif one.property == "comment":
            self._say(f"COMMENT ON COLUMN {table}.{name} IS {_literal(one.shipped)};")
        else:  # a column that was added again comes last: that is no harm
            return one.property == "place"
        return True

    def _changed_table(self, one: Difference) -> bool:
        alter = f"ALTER TABLE {_quoted(self.schema, one.name)}"
        if one.property == "options":
            wanted = one.shipped.split()
            extra = {o.partition("=")[0] for o in one.found.split()}
            extra -= {o.partition("=")[0] for o in wanted}
            if extra:
                self._say(f"{alter} RESET ({', '.join(sorted(extra))});")
            if wanted:
                self._say(f"{alter} SET ({', '.join(wanted)});")
        elif one.property == "security" and not one.shipped:
            self._say(f"{alter} DISABLE ROW LEVEL SECURITY, NO FORCE ROW LEVEL SECURITY;")
        else:
            return False
        return True

    def _privileges(self, one: Difference) -> None:
        """PUBLIC and the group roles are the repair's; what others got stays until it is taken."""
        shipped, found = set(one.shipped.split()), set(one.found.split())
        for entry in sorted(shipped ^ found):
            grantee, _, rights = entry.partition("=")
            if grantee in self.groups | {"PUBLIC", "(owner)"}:
                self.repair = True
            elif entry in found and one.sort == "column":
                table, name = self._table(one)
                given = ", ".join(f"{right.rstrip('*')} ({name})" for right in rights.split(","))
                self._say(f"REVOKE {given} ON {table} FROM {_quoted(grantee)};")
            elif entry in found:
                thing = self._object(one).replace("VIEW ", "TABLE ", 1)
                self._say(f"REVOKE ALL ON {thing} FROM {_quoted(grantee)};")

    def _role(self, one: Difference) -> None:
        role = _quoted(one.name)
        if one.problem == "missing":
            self.administrator.append(f"CREATE ROLE {role} NOLOGIN;")
            pairs = [(f"{self.schema}_{g}", f"{self.schema}_{m}") for g, m in assemble.MEMBERSHIPS]
            for pair in pairs:
                if one.name in pair:
                    self._grant("GRANT {} TO {};", *pair)
            self.repair = True
        elif one.property == "attributes":
            taken = " ".join(f"NO{word.upper()}" for word in one.found.split())
            self.administrator.append(f"ALTER ROLE {role} {taken};")
        else:
            shipped, found = set(one.shipped.split()), set(one.found.split())
            for group in sorted(found - shipped):
                self._grant("REVOKE {} FROM {};", group, one.name)
            for group in sorted(shipped - found):
                self._grant("GRANT {} TO {};", group, one.name)

    def _grant(self, statement: str, group: str, member: str) -> None:
        self.administrator.append(statement.format(_quoted(group), _quoted(member)))
