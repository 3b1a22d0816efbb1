"""What can be said about the sources without running a task: linters, checkers, house rules."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path

import pytest

from tests.support import bodies
from tests.support.script import board_script
from tests.support.sources import ROOT, SQL, sources

# squawk's rules that do not fit: scripts are run in one transaction behind a lock_timeout that the
# installer sets, on tables whose sequences are bigint where it matters.
SQUAWK_EXCLUDED = (
    "prefer-robust-stmts",
    "prefer-bigint-over-int",
    "require-concurrent-index-creation",
    "require-statement-timeout",
)
FUNCTIONS = sources("functions/*/*.sql")
CODE = FUNCTIONS + sources("views/*.sql") + sources("triggers.sql") + sources("grants.sql")
EVERYTHING = CODE + sources("tables/*.sql") + sources("schema.sql") + sources("upgrades/*.sql")

HEADER = re.compile(
    r"""
    \)\n
    RETURNS\ (?P<returns>[^\n]+(?:\n[\ ]{4}[^\n]+)*(?:\n\))?)\n
    LANGUAGE\ (?P<language>plpgsql|sql)\n
    (?:VOLATILE|STABLE|IMMUTABLE)(?:\ STRICT)?(?:\ PARALLEL\ SAFE)?(?:\ SECURITY\ DEFINER)?\n
    (?:(?:COST|ROWS)\ \d+\n)*
    (?:SET\ search_path\ =\ pg_catalog,\ pg_temp\n)?
    (?:SET\ [a-z_.]+\ =\ [^\n]+\n)*
    AS\ \$\$\n
    """,
    re.VERBOSE,
)


def run_tool(*command: str | Path) -> str:
    """Run a tool of this environment; its output when it objects, else nothing."""
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    return "" if done.returncode == 0 else f"{done.stdout}\n{done.stderr}".strip()


def beside_python(tool: str) -> Path:
    """A console script of this environment, on the PATH or not."""
    return Path(sys.executable).with_name(tool)


def complain(violations: list[str]) -> None:
    if violations:
        pytest.fail(f"{len(violations)} violations\n" + "\n".join(violations), pytrace=False)


# -- Python --------------------------------------------------------------------------------------


def test_ruff_check() -> None:
    complain(run_tool(sys.executable, "-m", "ruff", "check", ".").splitlines())


def test_ruff_format() -> None:
    complain(run_tool(sys.executable, "-m", "ruff", "format", "--check", ".").splitlines())


def test_mypy_strict() -> None:
    complain(run_tool(sys.executable, "-m", "mypy").splitlines())


# -- SQL checkers --------------------------------------------------------------------------------


def test_pgspot(tmp_path: Path) -> None:
    script = tmp_path / "board.sql"
    # It stops, and looks at nothing more, where a field of a row variable is set or returned: it
    # knows no row types. For the checker such variables are records, and both are a PERFORM.
    text = re.sub(r"(?m)^(    _\w+) +board\.\w+;", r"\1 record;", board_script())
    script.write_text(re.sub(r"(?m)^( +)(?:_\w+\.\w+ :=|RETURN NEXT(?=.)) ", r"\1PERFORM ", text))
    # They say themselves why they pin no path.
    apart = [
        f"--proc-without-search-path=board.{name}"
        for name in (
            "_actions(action text,scope text)",
            (
                "_status_at(status text,run_at timestamptz,leased_until timestamptz,"
                "escalated_at timestamptz,lapse_count integer,max_lapses integer,at timestamptz)"
            ),
        )
    ]
    complain(run_tool(beside_python("pgspot"), *apart, script).splitlines())


def test_squawk_on_upgrade_scripts() -> None:
    scripts = sorted((SQL / "upgrades").glob("*.sql"))
    if not scripts:
        pytest.skip("no upgrade script yet")
    arguments = [f"--exclude={','.join(SQUAWK_EXCLUDED)}", "--assume-in-transaction"]
    complain(run_tool(beside_python("squawk"), *arguments, *scripts).splitlines())


# -- house rules (DESIGN 13) -----------------------------------------------------------------------


def test_load_order_covers_every_file() -> None:
    """A file that no line of load_order.txt takes would silently not be installed."""
    taken: set[Path] = set()
    missing = []
    for line in (SQL / "load_order.txt").read_text().splitlines():
        pattern = line.split("#")[0].strip()
        if pattern and not pattern.startswith("["):
            found = set(SQL.glob(pattern))
            if not found:
                missing.append(f"load_order.txt: nothing matches {pattern}")
            taken |= found
    apart = ("guards", "tests", "upgrades", "releases")
    missing += [
        f"{path.relative_to(SQL)} is loaded by no line of load_order.txt"
        for path in sorted(SQL.rglob("*.sql"))
        if path not in taken
        and path.relative_to(SQL).parts[0] not in apart
        and not path.name.startswith("board--")
    ]
    complain(missing)


def test_one_function_per_file_with_its_name() -> None:
    violations = []
    for source in FUNCTIONS:
        made = re.findall(r"^CREATE OR REPLACE FUNCTION board\.(\w+)\s*\(", source.code(), re.M)
        if made != [source.path.stem]:
            violations.append(f"{source.name}: creates {made}")
        other = re.findall(r"^(?:CREATE|ALTER|DROP|GRANT|REVOKE)\b.*", source.code(), re.M)
        if len(other) != 1:
            violations.append(f"{source.name}: holds other statements too: {other}")
    complain(violations)


def test_every_function_file_has_its_comment() -> None:
    complain(
        [
            f"{source.name}: no COMMENT ON FUNCTION board.{source.path.stem} IS"
            for source in FUNCTIONS
            if f"COMMENT ON FUNCTION board.{source.path.stem} IS" not in source.text
        ]
    )


def test_function_names_differ_between_wings() -> None:
    names = [source.path.stem for source in FUNCTIONS]
    complain(sorted({f"{name}.sql is in two wings" for name in names if names.count(name) > 1}))


def test_attribute_order() -> None:
    """RETURNS, LANGUAGE, volatility with SECURITY DEFINER, SET search_path, body."""
    complain([f"{source.name}" for source in FUNCTIONS if not HEADER.search(source.text)])


def test_a_function_that_bans_plans_bans_jit() -> None:
    """Before PostgreSQL 18 a banned plan that is used all the same costs 1e10: far above
    jit_above_cost, so that every first call of a session would compile for half a second."""
    banned = re.compile(r"^SET enable_\w+ = off$", re.M)
    complain(
        [
            f"{source.name}: SET enable_… = off without SET jit = off"
            for source in FUNCTIONS
            if banned.search(source.text) and "\nSET jit = off\n" not in source.text
        ]
    )


def test_plpgsql_functions_pin_their_path() -> None:
    complain(
        [
            source.name
            for source in FUNCTIONS
            if "LANGUAGE plpgsql" in source.text
            and "\nSET search_path = pg_catalog, pg_temp\n" not in source.text
        ]
    )


@pytest.mark.parametrize(
    ("what", "pattern"),
    [
        pytest.param(
            "the start of the transaction instead of the clock",
            r"\b(now|statement_timestamp)\s*\(|\bcurrent_timestamp\b",
            id="clock",
        ),
        pytest.param(
            "a standard body: RETURNING t.* freezes in it", r"\bBEGIN\s+ATOMIC\b", id="begin_atomic"
        ),
        pytest.param("a directive that hides ambiguity", r"#\s*variable_conflict", id="conflict"),
        pytest.param(
            "a session lock that a pool would leak",
            r"\bpg_(try_)?advisory_lock(_shared)?\s*\(",
            id="advisory",
        ),
        pytest.param("a psql command, which no other client understands", r"^\\", id="meta"),
        pytest.param("a transaction of its own", r"^(BEGIN|COMMIT|ROLLBACK)\s*;", id="transaction"),
        pytest.param(
            "ON CONFLICT with columns, which a parameter can make ambiguous",
            r"ON\s+CONFLICT\s*\(",
            id="on_conflict",
        ),
        pytest.param("what a server in FIPS mode refuses", r"\bmd5\s*\(", id="md5"),
        pytest.param("a tab", r"\t", id="tab"),
    ],
)
def test_banned(what: str, pattern: str) -> None:
    complain(
        [
            f"{hit}   -- {what}"
            for source in EVERYTHING
            for hit in source.lines_with(pattern, strings=False)
        ]
    )


def test_dynamic_sql_only_in_lock_row() -> None:
    complain(
        [
            hit
            for source in FUNCTIONS
            if source.path.stem not in ("lock_row", "_lock_row")
            for hit in source.lines_with(r"(?<!PROCEDURE )(?<!FUNCTION )\bEXECUTE\b", strings=False)
        ]
    )


def test_width() -> None:
    """100 columns; only a text for people may stick out, as the last thing on its line."""
    complain(
        [
            f"{source.name}:{number}: {len(line)} columns"
            for source in EVERYTHING + sources("tests/*/*.sql")
            for number, line in enumerate(source.text.splitlines(), start=1)
            if len(re.sub(r"'(?:[^']|'')*'[;,)]*$", "''", line)) > 100
        ]
    )


def test_keywords_are_upper_case() -> None:
    words = r"\b(select|insert into|update|delete from|returning|begin|declare|raise|perform)\b"
    complain(
        [
            f"{source.name}:{number}: {line.strip()}"
            for source in CODE
            for number, line in enumerate(source.code(strings=False).splitlines(), start=1)
            if re.search(words, line)
        ]
    )


def test_no_trailing_blanks_and_one_final_newline() -> None:
    violations = []
    for source in EVERYTHING:
        violations += [
            f"{source.name}:{number}: blanks at the end"
            for number, line in enumerate(source.text.splitlines(), start=1)
            if line != line.rstrip()
        ]
        if source.text and (not source.text.endswith("\n") or source.text.endswith("\n\n")):
            violations.append(f"{source.name}: does not end with one newline")
    complain(violations)


def test_error_messages_follow_the_style() -> None:
    """MESSAGE is lower case without a final period; DETAIL and HINT are whole sentences."""
    violations = []
    for source in FUNCTIONS:
        for found in re.finditer(
            r"\b(MESSAGE|DETAIL|HINT)\s*=\s*(?:format\()?'((?:[^']|'')*)'(?=\s*[,;)])", source.text
        ):
            field, text = found[1], found[2]
            if field == "MESSAGE" and (text[:1].isupper() or text.endswith(".")):
                violations.append(f"{source.name}: MESSAGE {text!r}")
            if field != "MESSAGE" and not (
                text[:1].isupper() or re.match(r"[\"%']|\w+[._]\w", text)
            ):
                violations.append(f"{source.name}: {field} {text!r} does not begin a sentence")
            if field != "MESSAGE" and not re.search(r"([.?;:)]|%s)$", text):
                violations.append(f"{source.name}: {field} {text!r} does not end one")
    complain(violations)


def test_hints_send_nobody_to_what_is_not_his() -> None:
    """What agents' verbs raise names a verb of operators only together with who may say it."""
    theirs = {
        *("cancel", "claim_escalated", "configure_kind", "configure_provider", "drop_need"),
        *("pause", "promote", "replay", "reprioritize", "resume", "retry", "set_limit"),
        *("set_task_budget", "unthrottle"),
    }
    # What only people call has hints for people: the wings desk, gateway, signing, maintenance.
    wings = {
        *("calls", "checks", "events", "identity", "locks", "modes", "needs", "providers"),
        *("rows", "schedules", "tasks"),
    }
    found = []
    for one in FUNCTIONS:
        if one.path.parent.name not in wings or one.path.stem in theirs:
            continue
        body = re.sub(r"--.*", "", one.text.partition("AS $$")[2].partition("\n$$;")[0])
        # The parts of a literal, joined as PostgreSQL joins them.
        for literal in re.findall(r"'((?:[^']|'')*)'", re.sub(r"'\s*\n\s*'", "", body)):
            for sentence in literal.split(". "):
                named = set(re.findall(r"board\.([a-z_]+)", sentence)) & theirs
                if named and not re.search(r"operator|person", sentence):
                    found.append(f"{one.path.name}: {sentence}")
    complain(found)


def test_no_machine_paths_and_no_registries() -> None:
    tracked = subprocess.run(
        ["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=False
    )
    if tracked.returncode != 0:
        pytest.skip("not a git checkout")
    home_like = re.compile(r"(?<![\w.])/(?:work|root|home|farm)/\w")
    registries = re.compile(r"--(extra-)?index-url|npm_config_registry|^deb\s+(\[.*\]\s*)?http")
    violations = []
    for name in tracked.stdout.splitlines():
        path = ROOT / name
        if path == Path(__file__) or not path.is_file() or path.suffix in (".png", ".jpg", ".gz"):
            continue
        for number, line in enumerate(path.read_text(errors="replace").splitlines(), start=1):
            if home_like.search(line) or registries.search(line):
                violations.append(f"{name}:{number}: {line.strip()[:100]}")
    complain(violations)


# -- how the functions hang together (sql/README.md) ----------------------------------------------

# Exceptions by name, each to be mended. A name that no longer breaks its rule fails the test too,
# so a list can only get shorter.
# Statements on a table that call what reads tables.
READS_IN_STATEMENTS: set[str] = set()
# Functions below a trigger or a view that take a table's row type.
ROW_TYPES: set[str] = set()
# Bodies above LONGEST_BODY, and those that explain nothing.
LONG: set[str] = {"_begin_call", "claim"}
SILENT: set[str] = set()
LONGEST_BODY = 100
BODY_THAT_EXPLAINS = 12


def hold(breaking: Iterable[str], known: Iterable[str] = ()) -> None:
    """Exactly the known names break the rule."""
    found, listed = set(breaking), set(known)
    complain(
        [f"breaks the rule: {name}" for name in sorted(found - listed)]
        + [f"keeps the rule, take it off the list: {name}" for name in sorted(listed - found)]
    )


def bodies_outside_functions() -> list[bodies.Body]:
    return [*bodies.views().values(), *bodies.table_files()]


def test_every_wing_has_its_floor() -> None:
    wings = {source.path.parent.name for source in FUNCTIONS}
    wings |= {source.path.stem for source in sources("views/*.sql") + sources("tables/*.sql")}
    wings |= {path.name for path in (SQL / "tests").iterdir() if path.is_dir()}
    assert wings == set(bodies.picture())


def test_calls_only_go_down() -> None:
    hold(bodies.calls_up(bodies.functions(), bodies_outside_functions()))


def test_every_call_is_to_a_function_that_is_there() -> None:
    known = set(bodies.functions())
    hold(
        f"{body.wing}/{body.name} calls {name}"
        for body in (*bodies.functions().values(), *bodies_outside_functions())
        for name in body.calls - known
    )


def test_a_private_function_has_a_caller() -> None:
    called = set(bodies.trigger_calls())
    for body in (*bodies.functions().values(), *bodies_outside_functions()):
        called |= body.calls - {body.name}
    hold(name for name in bodies.functions() if name.startswith("_") and name not in called)


def test_no_statement_on_a_table_calls_what_reads_tables() -> None:
    found = bodies.reads_in_statements(bodies.functions(), bodies.views())
    hold(found, READS_IN_STATEMENTS)


def test_nothing_below_a_trigger_or_a_view_takes_a_row_type() -> None:
    hold(bodies.row_types_below(bodies.functions(), bodies.entries()), ROW_TYPES)


def test_no_body_is_too_long() -> None:
    hold((f.path.stem for f in FUNCTIONS if len(bodies.body_lines(f)) > LONGEST_BODY), LONG)


def test_long_bodies_say_why() -> None:
    """Comments inside the body, not the COMMENT: that one speaks to the user."""
    hold(
        (
            source.path.stem
            for source in FUNCTIONS
            if len(bodies.body_lines(source)) >= BODY_THAT_EXPLAINS
            and not any("--" in line for line in bodies.body_lines(source))
        ),
        SILENT,
    )


def test_no_body_repeats_another() -> None:
    """Eight lines of code alike, headers, declarations and comments aside, want one function."""
    met: dict[tuple[str, ...], str] = {}
    repeated = set()
    for source in FUNCTIONS:
        body = source.code().split("\nAS $$\n", 1)[1].split("\n$$;", 1)[0]
        lines = [line.strip() for line in body.split("\nBEGIN\n", 1)[-1].splitlines()]
        lines = [line for line in lines if line not in ("", "BEGIN", "END;", "END IF;")]
        for start in range(len(lines) - 7):
            run = tuple(lines[start : start + 8])
            if met.setdefault(run, source.name) != source.name:
                repeated.add(f"{source.name} says again what {met[run]} says: {run[0]}")
    complain(sorted(repeated))


# -- sql/README.md ---------------------------------------------------------------------------------

GUIDE = re.sub(r"(?s)(: make docs -->\n).*?<!-- end -->", r"\1", (SQL / "README.md").read_text())
INDEX = GUIDE.split("## Word index")[1]
# What somebody looks for who knows queues and not this one.
WORDS = (
    "notify", "listen", "rate_limit", "fence", "append-only", "dry_run", "unique", "vacuum",
    "skip_locked", "lease", "heartbeat", "dead_letter", "retry", "back-off", "cron",
    "schedule", "prune", "cursor", "idempotency", "webhook", "token", "scope", "audit",
    "advisory_lock", "visibility_timeout", "UUID", "semaphore", "pause", "history",
    "trigger", "grants",
)  # fmt: skip


def test_the_guide_names_what_there_is() -> None:
    functions = {source.path.stem for source in FUNCTIONS}
    wrong = []
    for name in re.findall(r"`([^`\n]+)`", GUIDE):
        if re.fullmatch(r"[\w./-]+\.(sql|txt|py|js)", name) and not re.search(
            "WING|NAME|verb", name
        ):
            file = SQL / "functions" / "rows" / name if name.startswith("_") else SQL / name
            if not file.exists():
                wrong.append(f"sql/README.md names {name}, which is no file")
        elif re.fullmatch(r"_[a-z0-9_]+", name) and name not in functions:
            wrong.append(f"sql/README.md names {name}, which is no function")
    for row in re.findall(r"(?m)^\|[^|]*\|([^|]*)\|$", INDEX):
        wrong += [
            f"the word index names {name}, which is no function"
            for name in re.findall(r"`(\w+)`(?!\))", row)
            if name not in functions
        ]
    complain(wrong)


def test_the_words_of_the_field_lead_somewhere() -> None:
    """By the name of a file, or by the first column of the word index."""
    words = " ".join(re.findall(r"(?m)^\|([^|]*)\|[^|]*\|$", INDEX)).lower()
    names = " ".join(source.path.stem for source in FUNCTIONS)
    complain(
        [
            f"nothing is called {word}, and the word index has it not"
            for word in WORDS
            if word.lower() not in names
            and re.sub("_", " ", word).lower() not in words
            and word.lower() not in words
        ]
    )


def test_lock_in_a_name_is_a_resource_lock() -> None:
    """What locks rows is called …_for_update, and does."""
    wrong = [
        f"{source.name}: lock in the name, outside the wing locks"
        for source in FUNCTIONS
        if re.search(r"(^|_)lock(s|ed)?(_|$)", source.path.stem)
        and source.path.parent.name not in ("locks", "gateway")
    ]
    wrong += [
        f"{source.name}: locks no row"
        for source in FUNCTIONS
        if source.path.stem.endswith("_for_update")
        and not re.search(r"\bFOR (NO KEY )?UPDATE\b", source.code(strings=False))
    ]
    complain(wrong)
