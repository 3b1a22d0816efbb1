"""`python -m installer`, also `board-installer`: the command line."""

from __future__ import annotations

import argparse
import os
import re
import shlex
import shutil
import signal
import subprocess
import sys
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

import psycopg
from rich.console import Console

from installer import assemble, lifecycle
from installer import verify as verifying
from installer.errors import Exit, InstallerError
from installer.lifecycle import Outcome, Roles
from installer.mend import remedies
from installer.server import EmbeddedServer, ServerError
from installer.target import Target, connect, embedded_target, open_target, without_secrets
from installer.waiting import Patience

_OUT = Console(highlight=False)
_ERR = Console(stderr=True, highlight=False)

_EPILOG = """\
Which server: --dsn if given; else libpq's environment, if PGHOST, PGHOSTADDR, PGPORT, PGDATABASE,
PGUSER or PGSERVICE is set; else an embedded PostgreSQL that keeps its data between runs (below
$BOARD_HOME; by default /var/lib/board for root, $XDG_DATA_HOME/board for others).

exit codes:
  0  done, or nothing to do
  1  a statement failed, or the demo's check did; nothing was changed by a failed statement
  2  the command line makes no sense: no such command, a bad schema name, an unknown form
  3  there is no board under that schema name
  4  verify found differences, or another release than this installer's
  5  another installer or live locks were in the way until --wait was over
  6  refused: rows or dependents are there, another release, a schema of somebody else, a standby,
     a server or an encoding that cannot hold a board
  7  no connection to the server, or no embedded server
"""


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m installer",
        description="Install, upgrade, verify and demonstrate board, the task board in PostgreSQL.",
        epilog=_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--version", action="version", version=f"board {assemble.version()}")
    where = argparse.ArgumentParser(add_help=False)
    where.add_argument("--dsn", help="connection string or URI of the database")
    named = argparse.ArgumentParser(add_help=False)
    named.add_argument(
        "--schema",
        type=_schema,
        default="board",
        metavar="NAME",
        help="schema of this board (default: board)",
    )
    waiting = argparse.ArgumentParser(add_help=False)
    waiting.add_argument(
        *("--wait", "-w"),
        type=_seconds,
        default=60.0,
        metavar="SECONDS",
        help="how long to wait for another installer or for live locks (default: 60)",
    )
    waiting.add_argument(
        "--lock-timeout",
        type=_seconds,
        default=3.0,
        metavar="SECONDS",
        help="how long one statement may wait for a lock before all is tried again (default: 3)",
    )
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")

    commands.add_parser(
        "install", parents=[where, named, waiting], help="install board into a database"
    )
    command = commands.add_parser(
        "upgrade", parents=[where, named, waiting], help="bring an installed board to this release"
    )
    command.add_argument(
        "--repair",
        action="store_true",
        help="put functions, views, triggers and grants in again though the release is current",
    )
    commands.add_parser(
        "status", parents=[where, named], help="what is installed here, and how it is doing"
    )
    commands.add_parser(
        "verify", parents=[where, named], help="compare the live board with the shipped one"
    )
    command = commands.add_parser(
        "script", parents=[named], help="print the SQL, for people who run it themselves"
    )
    which = command.add_mutually_exclusive_group()
    which.add_argument("--upgrade-from", metavar="VERSION", help="the upgrade from that release")
    which.add_argument(
        "--repair",
        action="store_true",
        help="what puts functions, views, triggers and grants of this release in again",
    )
    command.add_argument("--form", choices=("plain", "extension"), default="plain")
    command.add_argument(
        "--no-transaction",
        action="store_true",
        help="without BEGIN and COMMIT, for psql -1 or a migration tool",
    )
    command = commands.add_parser(
        "uninstall", parents=[where, named, waiting], help="remove board from a database"
    )
    command.add_argument("--drop-data", action="store_true", help="also if there are rows in it")
    command.add_argument("--drop-roles", action="store_true", help="and drop the group roles")
    command.add_argument(
        "--cascade", action="store_true", help="also drop what depends on it outside its schema"
    )
    command = commands.add_parser(
        "demo", parents=[where, named], help="do real work through a board, and look on"
    )
    command.add_argument(
        "folder",
        nargs="?",
        type=Path,
        help="one task for each file in it (default: the sources; from a wheel, its SQL)",
    )
    command.add_argument("--agents", type=int, default=4, metavar="N", help="default: 4")
    command.add_argument(
        "--stop", action="store_true", help="stop the embedded server at the end of the demo"
    )
    command = commands.add_parser(
        "test", parents=[where], help="run the test suite of this checkout with pytest"
    )
    command.add_argument(
        "pytest", nargs=argparse.REMAINDER, help="arguments for pytest, after a --"
    )
    command = commands.add_parser("server", help="the embedded server: start, stop, psql")
    command.add_argument("action", choices=("start", "stop", "psql"))
    return parser


def main(arguments: Sequence[str] | None = None) -> int:
    """The command line; returns the exit code."""
    asked = _parser().parse_args(arguments)
    _remember_call(asked)
    try:
        return int(_COMMANDS[asked.command](asked))
    except InstallerError as error:
        _ERR.print(f"board: {error}", style="red", markup=False, soft_wrap=True)
        if error.hint:
            _ERR.print(_again(error.hint), markup=False, soft_wrap=True)
        return int(error.code)
    except ServerError as error:
        _ERR.print(f"board: {error}", style="red", markup=False, soft_wrap=True)
        return int(Exit.UNREACHABLE)
    except KeyboardInterrupt:
        _ERR.print("board: interrupted; a statement that was not finished has changed nothing")
        return 130


def _install(asked: argparse.Namespace) -> Exit:
    with open_target(asked.dsn, keep_running=True) as target:
        _where(target)
        with connect(target) as connection:
            done = lifecycle.install(connection, asked.schema, patience=_patience(asked), say=_say)
        if done.changed:
            _tell(f"board {done.version} is installed in schema {asked.schema}.")
        else:
            _tell(f"board {done.version} is in schema {asked.schema} already: nothing was changed.")
        _roles(done.roles)
        if done.changed:
            _tell("Look around: " + target.psql(), f"Then: SELECT {asked.schema}.help();")
        _running(target)
    return Exit.OK


def _upgrade(asked: argparse.Namespace) -> Exit:
    with open_target(asked.dsn, keep_running=True) as target:
        _where(target)
        with connect(target) as connection:
            done: Outcome = lifecycle.upgrade(
                connection,
                asked.schema,
                repair=asked.repair,
                patience=_patience(asked),
                say=_say,
            )
        if not done.changed:
            _tell(f"schema {asked.schema} holds board {done.version} already: nothing was changed.")
        elif done.before == done.version:
            _tell(f"the code and grants of board {done.version} were put in again.")
        else:
            _tell(f"schema {asked.schema}: board {done.before} is now {done.version}.")
        _roles(done.roles)
        _running(target)
    return Exit.OK


def _status(asked: argparse.Namespace) -> Exit:
    with open_target(asked.dsn) as target:
        _where(target)
        with connect(target) as connection:
            found = lifecycle.state(connection, asked.schema)
            info = connection.info
            number = info.parameter_status("server_version")
            standby = lifecycle.standby(connection)
            kind = ", a standby: nothing can be changed here," if standby else ","
            _tell(f"PostgreSQL {number}{kind} database {info.dbname}, connected as {info.user}")
            if found.form == "none":
                _tell(f"There is no board in schema {asked.schema}.")
                _tell("To install one: python -m installer install")
                return Exit.NOT_INSTALLED
            if found.form == "foreign":
                _tell(f"There is a schema {asked.schema} of {found.owner}, and it is not a board.")
                return Exit.NOT_INSTALLED
            shipped = assemble.version()
            form = "extension" if found.form == "extension" else "plain SQL"
            since = f", since {found.installed_at:%Y-%m-%d %H:%M %Z}" if found.installed_at else ""
            by = f", installed by {found.installed_by}" if found.installed_by else ""
            _tell(f"board {found.version} ({form}) in schema {asked.schema}{since}{by}")
            if found.version == shipped:
                _tell("This installer carries the same release.")
            else:
                _tell(
                    f"This installer carries {shipped}. To go there: "
                    + (
                        "ALTER EXTENSION board UPDATE;"
                        if found.form == "extension"
                        else "python -m installer upgrade"
                    )
                )
            _tell("Tasks: " + _tasks(lifecycle.count_tasks(connection, asked.schema)))
            _roles(lifecycle.roles(connection, asked.schema))
    return Exit.OK


def _tasks(counts: dict[str, int] | None) -> str:
    if counts is None:
        return "not counted, for board.tasks is no ordinary table of the board's owner"
    order = (
        *("pending", "blocked", "scheduled", "in_progress"),
        *("escalated", "completed", "cancelled"),
    )
    return ", ".join(f"{counts[s]} {s}" for s in order if s in counts) or "none yet"


def _verify(asked: argparse.Namespace) -> Exit:
    with open_target(asked.dsn) as target:
        _where(target)
        with connect(target) as connection:
            differences = verifying.verify(connection, asked.schema)
            found = lifecycle.state(connection, asked.schema)
            roles = lifecycle.roles(connection, asked.schema)
    if not differences:
        _tell(f"schema {asked.schema} is exactly as board {assemble.version()} ships it.")
        _members(roles)
        return Exit.OK
    verifying.report(_OUT, differences)
    counts = [
        f"{number} {problem}"
        for problem in ("missing", "changed", "foreign")
        if (number := sum(one.problem == problem for one in differences))
    ]
    _tell(f"schema {asked.schema} differs from board {assemble.version()}: {', '.join(counts)}.")
    todo = remedies(differences, asked.schema, found.owner or "")
    if todo.administrator:
        _tell("", "An administrator mends the roles, in any database of this server:", "")
        _tell(*(f"    {statement}" for statement in todo.administrator))
    if todo.owner:
        _tell("", "The owner of the board mends tables and other roles' grants:", "")
        _tell(*(f"    {statement}" for statement in todo.owner))
    if todo.by_hand:
        _tell("", "No statement brings these back; see the printed script, or a dump:", "")
        _tell(*(f"    {thing}" for thing in todo.by_hand))
    if todo.repair:
        whole = " (and stay the extension's)" if found.form == "extension" else ""
        _tell("", f"Functions, views, triggers and grants are put back{whole} by")
        _tell("    python -m installer upgrade --repair")
    if any(one.problem == "foreign" for one in differences):
        _tell("", "What is foreign is for whoever made it to keep or to drop.")
    _members(roles)
    return Exit.DIFFERENT


def _script(asked: argparse.Namespace) -> Exit:
    sys.stdout.write(
        lifecycle.script_text(
            asked.schema,
            asked.form,
            upgrade_from=asked.upgrade_from,
            repair=asked.repair,
            transaction=not asked.no_transaction,
        )
    )
    return Exit.OK


def _uninstall(asked: argparse.Namespace) -> Exit:
    with open_target(asked.dsn) as target:
        _where(target)
        with connect(target) as connection:
            done = lifecycle.uninstall(
                connection,
                asked.schema,
                drop_data=asked.drop_data,
                drop_roles=asked.drop_roles,
                cascade=asked.cascade,
                patience=_patience(asked),
                say=_say,
            )
        _tell(f"board {done.before} is gone from schema {asked.schema}.")
        for notice in done.notices:
            _tell(notice)
        if not asked.drop_roles and done.roles.missing != lifecycle.role_names(asked.schema):
            _tell("The group roles stay, for other databases may use them (--drop-roles).")
    return Exit.OK


def _demo(asked: argparse.Namespace) -> Exit:
    from installer.demo.play import run

    # Whoever ends it by a signal or closes the terminal has interrupted it, as with Ctrl-C.
    for name in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(name, signal.default_int_handler)
    with open_target(asked.dsn, keep_running=not asked.stop) as target:
        _where(target)
        passed = run(
            target,
            schema=asked.schema,
            folder=asked.folder or _checkout() or assemble.sql_root(),
            agents=asked.agents,
            console=_OUT,
            stays=not (asked.stop and target.embedded),
        )
        if not asked.stop:
            _running(target)
    return Exit.OK if passed else Exit.FAILED


def _test(asked: argparse.Namespace) -> int:
    root = _checkout()
    if root is None:
        raise InstallerError(
            Exit.USAGE,
            "the wheel carries no tests",
            "They are in the project's sources: clone it, and say make test there.",
        )
    environment = dict(os.environ)
    if asked.dsn:
        environment["BOARD_TEST_DSN"] = asked.dsn
    arguments = asked.pytest[1:] if asked.pytest[:1] == ["--"] else asked.pytest
    told = environment.get("BOARD_TEST_DSN")
    server = "BOARD_TEST_DSN" if told else "testcontainers if Docker answers, else embedded"
    _tell(f"server for the tests: {server} (pytest's header says which it became)")
    command = [sys.executable, "-m", "pytest", *arguments]
    return subprocess.run(command, cwd=root, env=environment, check=False).returncode


def _server(asked: argparse.Namespace) -> int:
    if asked.action == "stop":
        _tell("stopped" if EmbeddedServer().stop() else "it was not running")
        return Exit.OK
    with embedded_target(keep_running=True) as target:
        _where(target)
        if asked.action == "start":
            _tell("Look around: " + target.psql())
            return Exit.OK
        assert target.embedded is not None
        program = str(target.embedded.bin_dir / "psql")
        return subprocess.run([program, target.dsn], check=False).returncode


_COMMANDS = {
    "install": _install,
    "upgrade": _upgrade,
    "status": _status,
    "verify": _verify,
    "script": _script,
    "uninstall": _uninstall,
    "demo": _demo,
    "test": _test,
    "server": _server,
}


def _checkout() -> Path | None:
    """The project's own tree, if this is run from it and not from an installed wheel."""
    here = Path(__file__).resolve().parent.parent
    return here if (here / "sql" / "load_order.txt").exists() else None


def _schema(text: str) -> str:
    try:
        return assemble.check_schema(text)
    except assemble.AssembleError as error:
        raise argparse.ArgumentTypeError(str(error)) from error


def _seconds(text: str) -> float:
    value = float(text)
    if not 0 < value <= 86400:
        raise argparse.ArgumentTypeError("more than 0 and at most 86400 seconds")
    return value


def _patience(asked: argparse.Namespace) -> Patience:
    return Patience(asked.wait, asked.lock_timeout)


# How this was called, for hints that say how to call it again: they are written as
# `python -m installer COMMAND`, and go to people with the server and schema of this call.
_called: list[str] = []


def _remember_call(asked: argparse.Namespace) -> None:
    _called.clear()
    if (dsn := getattr(asked, "dsn", None)) is not None:
        with suppress(psycopg.Error):
            _called.extend(("--dsn", without_secrets(dsn)))
    if (schema := getattr(asked, "schema", "board")) != "board":
        _called.extend(("--schema", schema))


def _again(text: str) -> str:
    """The text with each `python -m installer COMMAND` as it must be typed here."""
    return re.sub(
        r"python -m installer (install|upgrade|status|verify|uninstall|script)( --repair)?",
        lambda found: " ".join(
            [_self(), found[1] + (found[2] or ""), shlex.join(_options(found[1]))]
        ).strip(),
        text,
    )


def _options(command: str) -> list[str]:
    """The server and schema of this call, as that command takes them."""
    if command == "script" and _called[:1] == ["--dsn"]:
        return _called[2:]
    return _called


def _tell(*lines: str) -> None:
    for line in lines:
        _OUT.print(_again(line), markup=False, soft_wrap=True)


def _say(line: str) -> None:
    _ERR.print(_again(line), style="dim", markup=False, soft_wrap=True)


def _where(target: Target) -> None:
    _say(f"server: {target.source}")


def _running(target: Target) -> None:
    if target.embedded is not None and target.embedded.started_here:
        _say(f"The embedded server keeps running; {_self()} server stop ends it.")


def _self() -> str:
    """How this was called: the command board-installer, or Python with the module."""
    typed = Path(sys.argv[0])
    if typed.name == "board-installer":
        return shlex.quote(typed.name if shutil.which(typed.name) == str(typed) else _near(typed))
    return f"{shlex.quote(_near(Path(sys.executable)))} -m installer"


def _near(program: Path) -> str:
    """A program's path, relative when it lies below the current folder."""
    here = Path.cwd()
    return str(program.relative_to(here) if program.is_relative_to(here) else program)


def _members(roles: Roles) -> None:
    groups: dict[str, list[str]] = {}
    for member in roles.members:
        groups.setdefault(member.group, []).append(str(member))
    if groups:
        _tell("These roles may act on the board, as members of its group roles:")
        _tell(*(f"    {group}: {', '.join(members)}" for group, members in groups.items()))


def _roles(roles: Roles) -> None:
    _members(roles)
    if not roles.statements:
        return
    _tell("", "An administrator still has to run, in any database of this server:", "")
    _tell(*(f"    {statement}" for statement in roles.statements))
    _tell("", "and then, as the owner of the board: python -m installer upgrade --repair")


if __name__ == "__main__":
    sys.exit(main())
