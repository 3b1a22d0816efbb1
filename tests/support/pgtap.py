"""Find pgTAP and load it over the wire, into a schema of its own.

The embedded server's wheel has no pgTAP. It is a file of SQL, so any copy will do: an extension
that the server offers, a share folder on this machine, a package that was fetched.
"""

from __future__ import annotations

from tests.support.testdb import Connection
from tests.support.tools import PGTAP

SCHEMA = "tap"


def load(connection: Connection) -> str:
    """Put pgTAP into schema `tap` and say where it came from."""
    connection.execute(f"CREATE SCHEMA {SCHEMA}")
    offered = connection.execute(
        "SELECT x.default_version FROM pg_catalog.pg_available_extensions AS x"
        " WHERE x.name = 'pgtap'"
    ).fetchone()
    if offered is not None:
        connection.execute(f"CREATE EXTENSION pgtap SCHEMA {SCHEMA}")
        return f"extension pgtap {offered[0]} of the server"
    script = PGTAP.require()
    with connection.transaction():
        connection.execute(f"SET LOCAL search_path = {SCHEMA}")
        connection.execute(script.read_bytes())
    return script.name
