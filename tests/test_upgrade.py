"""Upgrades: upgraded equals fresh, and live agents do not notice.

The next release is made up here: the shipped pieces with a column, an index, a table, a function
more, a function changed and one dropped, and the upgrade script that a release would have.
"""

from __future__ import annotations

import difflib
import re
import shutil
import subprocess
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import psycopg
import pytest
from psycopg.rows import dict_row

from installer import assemble, lifecycle
from installer.catalog import compare, snapshot
from installer.errors import Exit, InstallerError
from installer.waiting import Patience
from tests.support.servers import Server
from tests.support.testdb import TestDb, new_database

SHIPPED = assemble.version()
BETWEEN, NEXT = "99.0.0", "99.1.0"

STEP_ONE = """
ALTER TABLE board.kinds ADD COLUMN colour text;
COMMENT ON COLUMN board.kinds.colour IS 'Colour of the cards of this kind.';
ALTER TABLE board.settings ADD COLUMN colour text NOT NULL DEFAULT 'white';
COMMENT ON COLUMN board.settings.colour IS 'Colour of the board.';
CREATE INDEX tasks_age ON board.tasks (created_at) WHERE finished_at IS NULL;
"""
WIDER = """
ALTER TABLE board.tasks ADD COLUMN colour text;
COMMENT ON COLUMN board.tasks.colour IS 'Colour of the card.';
"""
STEP_TWO = """
CREATE TABLE board.stickers (
    id   int  NOT NULL,
    text text NOT NULL,
    CONSTRAINT stickers_pkey PRIMARY KEY (id)
);
COMMENT ON TABLE board.stickers IS 'Stickers on cards.';
COMMENT ON COLUMN board.stickers.id IS 'Number.';
COMMENT ON COLUMN board.stickers.text IS 'What it says.';
DROP FUNCTION board.latest_cursor();
"""
NEW_FUNCTION = """
CREATE OR REPLACE FUNCTION board.sticker(id int)
RETURNS text
LANGUAGE plpgsql
STABLE SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
    RETURN (SELECT s.text FROM board.stickers AS s WHERE s.id = sticker.id);
END;
$$;

COMMENT ON FUNCTION board.sticker(int) IS 'What a sticker says.';
"""


def next_release(folder: Path, *, wider: bool) -> Path:
    """The pieces of a release after the shipped one, with the way to it."""
    root = shutil.copytree(
        assemble.sql_root(), folder / "sql", ignore=shutil.ignore_patterns("board--*", "tests")
    )

    def edit(name: str, before: str, after: str) -> None:
        path = root / name
        text = path.read_text("utf-8")
        assert text.count(before) == 1, f"{name}: {before!r} is there {text.count(before)} times"
        path.write_text(text.replace(before, after), "utf-8")

    def append(name: str, text: str) -> None:
        with (root / name).open("a") as file:
            file.write(text)

    def column(table: str, definition: str) -> None:
        constraint = f"    CONSTRAINT {table}_pkey PRIMARY KEY"
        wing = "maintenance" if table == "settings" else "rows"
        edit(f"tables/{wing}.sql", constraint, f"    {definition},\n{constraint}")

    edit("board.control", f"default_version = '{SHIPPED}'", f"default_version = '{NEXT}'")
    column("kinds", "colour text")
    column("settings", "colour text NOT NULL DEFAULT 'white'")
    append("tables/rows.sql", "".join(x + ";" for x in STEP_ONE.split(";") if "ALTER" not in x))
    if wider:
        column("tasks", "colour text")
        append("tables/rows.sql", WIDER.split(";", 1)[1])
    append("tables/maintenance.sql", STEP_TWO.rsplit("DROP", 1)[0])
    (root / "functions" / "events" / "latest_cursor.sql").unlink()
    (root / "functions" / "tasks" / "sticker.sql").write_text(NEW_FUNCTION)
    signature = "COMMENT ON FUNCTION board.retry IS\n$$"
    edit("functions/desk/retry.sql", signature, f"{signature}Anew: ")
    grants = root / "grants.sql"
    text, left_out = re.subn(
        r" latest_cursor\b",
        "",
        grants.read_text("utf-8"),
    )
    assert left_out == 1
    grants.write_text(text, "utf-8")
    upgrades = root / "upgrades"
    upgrades.mkdir(exist_ok=True)
    (upgrades / f"{SHIPPED}--{BETWEEN}.sql").write_text(STEP_ONE + (WIDER if wider else ""))
    (upgrades / f"{BETWEEN}--{NEXT}.sql").write_text(STEP_TWO)
    return root


@pytest.fixture(scope="module")
def newer(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return next_release(tmp_path_factory.mktemp("newer"), wider=False)


@pytest.fixture(scope="module")
def wider(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The same, and board.tasks itself, the row that claim returns, has a column more."""
    return next_release(tmp_path_factory.mktemp("wider"), wider=True)


@pytest.fixture
def fresh(server: Server, newer: Path) -> Iterator[TestDb]:
    """A database in which the next release was installed at once."""
    with installed(server, newer) as database:
        yield database


@contextmanager
def installed(server: Server, root: Path | None) -> Iterator[TestDb]:
    with new_database(server, "fresh") as database:
        lifecycle.install(database.owner, root=root)
        yield database


def rows_in_every_state(database: TestDb) -> None:
    run = database.owner.execute
    run("SELECT board.enqueue('work', jsonb_build_object('n', n)) FROM generate_series(1, 20) AS n")
    run("SELECT board.enqueue('later', run_at => now() + interval '1 day')")
    run("SELECT board.complete(t.id, 'a', '{}') FROM board.claim('a', max_tasks => 3) AS t")
    run(
        "SELECT board.fail(t.id, 'a', permanent => true) FROM board.claim('a', max_tasks => 2) AS t"
    )
    run("SELECT board.fail(t.id, 'a') FROM board.claim('a') AS t")
    run("SELECT count(*) FROM board.claim('b', max_tasks => 4)")
    run("SELECT board.cancel(t.id, 'op') FROM board.tasks AS t WHERE t.status = 'pending' LIMIT 2")
    run("SELECT board.configure_kind('work', max_in_progress => 10)")
    run("SELECT board.configure(max_ttl => '3 days')")
    run("SELECT board.pause('kind:later', 'op', 'not now')")
    found = {row[0] for row in database.rows("SELECT DISTINCT t.status FROM board.tasks AS t")}
    assert found == {
        *("scheduled", "pending", "in_progress", "completed", "escalated", "cancelled"),
    }


CONTENTS = {
    "tasks": "SELECT to_jsonb(t) - 'colour' FROM board.tasks AS t ORDER BY t.id",
    "events": "SELECT to_jsonb(e) FROM board.task_events AS e ORDER BY e.seq",
    "kinds": "SELECT to_jsonb(k) - 'colour' FROM board.kinds AS k ORDER BY k.name",
    "settings": "SELECT to_jsonb(s) - 'colour' FROM board.settings AS s",
    "audit": "SELECT to_jsonb(a) FROM board.audit_log AS a ORDER BY a.seq",
}


def contents(database: TestDb) -> dict[str, list[Any]]:
    return {
        name: [row[0] for row in database.owner.execute(query.encode()).fetchall()]
        for name, query in CONTENTS.items()
    }


def dump(database: TestDb) -> list[str]:
    """The schema as pg_dump writes it, with privileges, comments and owners."""
    program = database.server.program("pg_dump")
    command = [program, "--schema-only", "--schema=board", f"--dbname={database.dsn}"]
    # Newer ones write a random key into each dump unless told one.
    done = subprocess.run(
        [*command, "--restrict-key=board"], capture_output=True, text=True, check=False
    )
    if done.returncode != 0:
        done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()


def assert_same(upgraded: TestDb, fresh: TestDb) -> None:
    """Upgraded equals fresh: by pg_dump, and by the catalog."""
    catalogs = []
    for database in (fresh, upgraded):
        with database.owner.transaction():
            database.owner.execute("SET LOCAL search_path = pg_catalog")
            catalogs.append(snapshot(database.owner, "board"))
    assert compare(catalogs[0], catalogs[1]) == []
    difference = list(difflib.unified_diff(dump(fresh), dump(upgraded), "fresh", "upgraded"))
    assert difference == []


def test_upgraded_equals_fresh_and_keeps_every_row(
    board_db: TestDb, fresh: TestDb, newer: Path
) -> None:
    rows_in_every_state(board_db)
    before = contents(board_db)
    done = lifecycle.upgrade(board_db.owner, root=newer)
    assert (done.changed, done.before, done.version) == (True, SHIPPED, NEXT)
    assert contents(board_db) == before
    assert_same(board_db, fresh)
    assert board_db.one("SELECT board.version()") == NEXT
    assert board_db.rows("SELECT version FROM board.releases ORDER BY installed_at") == [
        (SHIPPED,),
        (NEXT,),
    ]
    # And it works: what was held is completed, what waits is claimed.
    held = board_db.rows("SELECT t.id FROM board.tasks AS t WHERE t.leased_by = 'b'")
    assert len(held) == 4
    for (task,) in held:
        assert board_db.one("SELECT board.complete(%s, 'b')", task) == "completed"
    assert board_db.one("SELECT count(*) FROM board.claim('c')") == 1
    assert lifecycle.upgrade(board_db.owner, root=newer).changed is False


def test_a_release_may_widen_the_tasks_themselves(
    server: Server, board_db: TestDb, wider: Path
) -> None:
    rows_in_every_state(board_db)
    before = contents(board_db)
    lifecycle.upgrade(board_db.owner, root=wider)
    assert contents(board_db) == before
    with installed(server, wider) as now:
        assert_same(board_db, now)
    assert board_db.rows("SELECT colour FROM board.claim('c')") == [(None,)]


def test_loose_grants_are_tight_again_after_an_upgrade(
    board_db: TestDb, fresh: TestDb, newer: Path
) -> None:
    board_db.owner.execute("GRANT EXECUTE ON ALL FUNCTIONS IN SCHEMA board TO PUBLIC")
    board_db.owner.execute("GRANT ALL ON ALL TABLES IN SCHEMA board TO PUBLIC, board_viewer")
    lifecycle.upgrade(board_db.owner, root=newer)
    assert_same(board_db, fresh)


def test_the_printed_upgrade_does_the_same(
    board_db: TestDb, fresh: TestDb, newer: Path, tmp_path: Path
) -> None:
    script = tmp_path / "upgrade.sql"
    script.write_text(lifecycle.script_text(upgrade_from=SHIPPED, root=newer), "utf-8")
    psql = board_db.server.program("psql")
    done = subprocess.run(
        [psql, "-Xq", "-v", "ON_ERROR_STOP=1", "-f", str(script), board_db.dsn],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert_same(board_db, fresh)


def test_a_step_that_fails_changes_nothing(board_db: TestDb, newer: Path, tmp_path: Path) -> None:
    root = shutil.copytree(newer, tmp_path / "sql")
    with (root / "upgrades" / f"{BETWEEN}--{NEXT}.sql").open("a") as file:
        file.write("\nSELECT 1 / 0;\n")
    before = dump(board_db)
    with pytest.raises(InstallerError, match="division by zero") as raised:
        lifecycle.upgrade(board_db.owner, root=root)
    assert raised.value.code == Exit.FAILED
    assert dump(board_db) == before
    assert board_db.one("SELECT board.version()") == SHIPPED


def _releases() -> list[str]:
    folder = assemble.sql_root() / "releases"
    found = (path.stem.removeprefix("board--") for path in folder.glob("board--*.sql"))
    return sorted(version for version in found if version != SHIPPED)


@pytest.mark.parametrize("release", _releases())
def test_from_every_release_that_is_kept(server: Server, release: str) -> None:
    text = (assemble.sql_root() / "releases" / f"board--{release}.sql").read_text("utf-8")
    with new_database(server, "old") as old:
        with old.owner.transaction():
            old.owner.execute(text.encode())
        rows_in_every_state(old)
        lifecycle.upgrade(old.owner)
        with installed(server, None) as now:
            assert_same(old, now)


# Under live agents.


@dataclass
class Life:
    """Agents that go on claiming and completing; what went wrong for them."""

    database: TestDb
    number: int
    errors: list[str] = field(default_factory=list)
    done: int = 0
    stop: threading.Event = field(default_factory=threading.Event)
    threads: list[threading.Thread] = field(default_factory=list)

    def __enter__(self) -> Life:
        self.threads = [
            threading.Thread(target=self._agent, args=(f"agent-{n}",)) for n in range(self.number)
        ]
        for thread in self.threads:
            thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.stop.set()
        for thread in self.threads:
            thread.join(60)

    def _agent(self, name: str) -> None:
        while not self.stop.is_set():
            try:
                # psycopg prepares what is said often: after a few rounds the statements are.
                with psycopg.connect(
                    self.database.dsn, autocommit=True, row_factory=dict_row
                ) as own:
                    while not self.stop.is_set():
                        self._work(own, name)
            except psycopg.Error as error:  # as agents do: connect again and go on
                self.errors.append(f"{error.sqlstate} {error}")

    def _work(self, own: psycopg.Connection[dict[str, Any]], name: str) -> None:
        own.execute("SELECT board.enqueue('live')")
        for task in own.execute("SELECT * FROM board.claim(%s)", [name]).fetchall():
            held = [task["id"], name, task["claim_count"]]
            own.execute("SELECT board.heartbeat(%s, %s, attempt => %s)", held)
            own.execute("SELECT board.complete(%s, %s, '{}', %s)", held)
            self.done += 1
        own.execute("SELECT board.next_due()")
        own.execute("SELECT count(*) FROM board.queue")

    def wait_for(self, more: int) -> None:
        target = self.done + more
        deadline = time.monotonic() + 60
        while self.done < target:
            assert time.monotonic() < deadline, f"the agents stand still: {self.errors}"
            time.sleep(0.01)


@pytest.mark.parametrize("attempt", range(3))
def test_agents_work_on_while_the_upgrade_runs(board_db: TestDb, newer: Path, attempt: int) -> None:
    with Life(board_db, 6) as life:
        life.wait_for(50)
        with psycopg.connect(board_db.dsn, autocommit=True) as connection:
            done = lifecycle.upgrade(connection, root=newer, patience=Patience(60, 0.5))
        assert done.changed
        life.wait_for(50)
    assert life.errors == []
    assert board_db.one("SELECT count(*) FROM board.tasks AS t WHERE t.status = 'in_progress'") == 0


def test_a_wider_tasks_row_costs_a_connection_and_no_task(board_db: TestDb, wider: Path) -> None:
    """The one change that PostgreSQL shows to sessions: claim was prepared with the old row, or
    waited inside it. Those get 0A000 or 42804 and connect again; docs/operations.md says so."""
    with Life(board_db, 6) as life:
        life.wait_for(50)
        with psycopg.connect(board_db.dsn, autocommit=True) as connection:
            lifecycle.upgrade(connection, root=wider, patience=Patience(60, 0.5))
        life.wait_for(50)
    assert {error[:5] for error in life.errors} <= {"0A000", "42804"}
    # Nothing was half done: a claim that failed has claimed nothing.
    assert board_db.one("SELECT count(*) FROM board.tasks AS t WHERE t.status = 'in_progress'") == 0


def test_code_is_put_in_again_under_live_agents(board_db: TestDb) -> None:
    with Life(board_db, 6) as life:
        for _ in range(3):
            life.wait_for(20)
            with psycopg.connect(board_db.dsn, autocommit=True) as connection:
                assert lifecycle.upgrade(connection, repair=True).changed
        life.wait_for(20)
    assert life.errors == []


def test_a_verb_in_an_open_transaction_delays_the_upgrade_and_is_not_harmed(
    board_db: TestDb, newer: Path
) -> None:
    """Locks taken in another order than the upgrade's: it steps back, nobody deadlocks."""
    agent = board_db.connect(autocommit=False)
    task = agent.execute("SELECT board.enqueue('slow')").fetchone()
    said: list[str] = []
    result: list[object] = []

    def upgrade() -> None:
        with psycopg.connect(board_db.dsn, autocommit=True) as connection:
            patience = Patience(60, 0.3)
            result.append(
                lifecycle.upgrade(connection, root=newer, patience=patience, say=said.append)
            )

    thread = threading.Thread(target=upgrade)
    thread.start()
    deadline = time.monotonic() + 30
    while not said and time.monotonic() < deadline:
        time.sleep(0.05)
    # While the upgrade has stepped back and tries again, the transaction goes on with more tables.
    agent.execute("SELECT board.configure_kind('slow', max_failures => 5)")
    agent.execute("SELECT id FROM board.claim('slow-agent')")
    agent.execute("SELECT board.fail(%s, 'slow-agent')", task)
    agent.commit()
    thread.join(60)
    assert len(result) == 1
    assert said
    assert board_db.one("SELECT board.version()") == NEXT


def test_the_upgrade_gives_up_at_its_limit_and_says_so(board_db: TestDb, newer: Path) -> None:
    holder = board_db.connect(autocommit=False)
    holder.execute("SELECT board.enqueue('x')")
    with pytest.raises(InstallerError) as raised:
        lifecycle.upgrade(board_db.owner, root=newer, patience=Patience(1.5, 0.2))
    assert raised.value.code == Exit.LOCKED
    # Who it was: pid, application, role, state, and since when.
    assert re.search(
        rf"in the way at board\.\w+: pid {holder.info.backend_pid} \([^)]+\), role \w+, "
        r"idle in transaction since 20[\d: +-]+, transaction since 20",
        str(raised.value),
    ), raised.value
    holder.rollback()
    assert lifecycle.upgrade(board_db.owner, root=newer).changed


def test_a_cancelled_upgrade_ends_and_a_clock_that_has_run_out_goes_on(
    board_db: TestDb, newer: Path
) -> None:
    """Both are 57014, in whatever language: the time that has passed tells them apart."""
    holder = board_db.connect(autocommit=False, application_name="")
    holder.execute("SELECT board.enqueue('x')")
    patient = Patience(60, 50)
    upgrading = board_db.connect(options="-c deadlock_timeout=60s")
    result: list[BaseException] = []

    def upgrade() -> None:
        try:
            lifecycle.upgrade(upgrading, root=newer, patience=patient)
        except InstallerError as error:
            result.append(error)

    thread = threading.Thread(target=upgrade)
    thread.start()
    board_db.wait_until_blocked(upgrading, by=holder)
    board_db.owner.execute("SELECT pg_cancel_backend(%s)", [upgrading.info.backend_pid])
    thread.join(20)
    assert [error.code for error in result if isinstance(error, InstallerError)] == [Exit.FAILED]
    assert "57014" in str(result[0])
    # The clock: lock_timeout is far away, so it is statement_timeout that ends the phase of locks.
    said: list[str] = []
    with pytest.raises(InstallerError) as raised:
        lifecycle.upgrade(board_db.owner, root=newer, patience=Patience(3, 50), say=said.append)
    assert raised.value.code == Exit.LOCKED
    assert any("trying again" in one for one in said)
    holder.rollback()


# The order of locks itself.

SCENE = """
SELECT board.configure_kind('k', max_in_progress => 30, max_lapses => 9);
SELECT board.create_signing_key('key'), board.create_signing_key('spare');
SELECT board.configure_provider('p', base_url => 'http://127.0.0.1/', signing_key => 'key');
SELECT board.set_limit('p', '1 hour', 1000);
SELECT board.configure_kind('calling', provider => 'p');
SELECT board.configure_kind('shadowed', provider => 'p', mode => 'shadow');
SELECT board.register_agent('registered', current_user::text);
SELECT board.configure(retain_events => '1 day');
CREATE TABLE public.scene AS
SELECT board.acquire_lock('r', 'a') AS lock,
       board.issue_token('a', ARRAY['claim'], '1 day') AS token,
       board.enqueue('waiting') AS waiting, board.enqueue('held') AS held,
       board.enqueue('calling') AS calling, board.enqueue('done') AS done,
       board.enqueue('escalated') AS escalated,
       board.enqueue('shadowed', correlation_id => 'c') AS shadowed;
SELECT board.claim_task(unnest(ARRAY[s.held, s.calling, s.done, s.escalated, s.shadowed]), 'a')
FROM public.scene AS s;
SELECT board.complete(s.done, 'a') FROM public.scene AS s;
SELECT board.escalate(s.escalated, 'a') FROM public.scene AS s;
SELECT board.begin_call(s.calling, 'a', 'begun', 'p', '{}') FROM public.scene AS s;
SELECT board.schedule('due', '@daily', 'k'), board.schedule('later', '@daily', 'k');
UPDATE board.task_schedules SET next_at = clock_timestamp() WHERE name = 'due';
SELECT board.record_actual('shadowed', 'c', 'diverged', '1') FROM public.scene AS s;
SELECT board.record_decision(s.shadowed, 'a', 'diverged', '2') FROM public.scene AS s;
"""

# Each public function that touches a table, called so that it gets as far as it can.
CALLS = (
    "acquire_lock('other', 'a')",
    "begin_call('{calling}', 'a', 'step', 'p', '{{}}')",
    "begin_call('{shadowed}', 'a', 'step', 'p', '{{}}')",
    "cancel('{held}', 'op')",
    "check_lock('r', {lock})",
    "claim('a')",
    "claim('registered', kinds => ARRAY['calling', 'shadowed', 'k'], max_tasks => 3)",
    "cancel('{waiting}', 'op', dependents => true)",
    "claim_escalated('me')",
    "is_new('{waiting}')",
    "claim_task('{waiting}', 'a')",
    "complete('{held}', 'a')",
    "complete_many(ARRAY['{held}', '{calling}']::uuid[], 'a')",
    "drop_need('{waiting}', '{held}', 'op')",
    "enqueue('k', needs => ARRAY['{held}']::uuid[], sequence_key => 's')",
    'enqueue_plan(\'[{{"name": "a", "kind": "k", "needs": ["{held}"]}}]\')',
    "needed_results('{held}')",
    "release('{held}', 'a', needs => ARRAY['{waiting}']::uuid[])",
    "configure(max_ttl => '3 days')",
    "configure_kind('k', max_in_progress => 40, provider => 'p')",
    "configure_provider('p', base_url => 'http://127.0.0.2/', signing_key => 'key')",
    "create_signing_key('another')",
    "drop_limit('p', '1 hour')",
    "drop_signing_key('spare')",
    "enqueue('k', unique_key => 'u')",
    "enqueue('never seen')",
    "enqueue_many('k', ARRAY['1']::jsonb[])",
    "escalate('{held}', 'a')",
    "events_since(NULL)",
    "explain('{waiting}')",
    "explain_divergence('shadowed', 'c', 'diverged', 'op', 'understood')",
    "fail('{held}', 'a')",
    "fail('{held}', 'a', permanent => true)",
    "fire('later', 'op')",
    "fire_due()",
    "finish_call('{calling}', 'a', 'begun', '1')",
    "give_back('p', now())",
    "heartbeat('{held}', 'a', progress => '1')",
    "import_signing_key('another', 'whsec_' || encode(decode(repeat('ab', 24), 'hex'), 'base64'))",
    "issue_token('a', ARRAY['claim'], '1 day')",
    "next_due()",
    "next_due(ARRAY['calling', 'k'])",
    "pause('board', 'op')",
    "pause('kind:k', 'op')",
    "pause('provider:p', 'op')",
    "pause('schedule:due', 'op')",
    "pause('task:{waiting}', 'op')",
    "promote('shadowed', 'dry_run', 'op')",
    "promotion_report('shadowed')",
    "prune('0 seconds')",
    "prune_events()",
    "record_actual('shadowed', 'c', 'step', '1')",
    "record_decision('{shadowed}', 'a', 'step', '1')",
    "register_agent('b', current_user::text)",
    "release('{held}', 'a')",
    "release_lock('r', 'a', {lock})",
    "renew_lock('r', 'a', {lock})",
    "replay('{done}', 'op')",
    "replay('{done}', 'op', true)",
    "reprioritize('{waiting}', 'op', 5)",
    "request('{token}', 'claim', '{{}}')",
    "resume('kind:k', 'op')",
    "retry('{escalated}', 'op')",
    "revoke_token((SELECT t.id FROM board.access_tokens AS t))",
    "rotate_signing_key('key', '1 hour')",
    "schedule('another', '@daily', 'k')",
    "schedule('due', '@hourly', 'k')",
    "set_limit('p', '1 hour', 5)",
    "set_task_budget('{calling}', 'op', '{{\"token\": 5}}')",
    "sign('key', 'id', 'body')",
    "take('p')",
    "throttle('p', '')",
    "unschedule('due', 'op')",
    "unregister_agent('registered')",
    "unthrottle('p', '')",
    "verify('key', board.sign('key', 'id', 'body'), 'body')",
    "version()",
)
NO_TABLE = {
    *("help", "hmac_sha256", "idempotency_key", "latest_cursor", "lock_key", "lock_row"),
    *("next_occurrence", "try_lock"),
}


def test_the_calls_above_are_all_there_are(board_db: TestDb) -> None:
    public = {
        row[0]
        for row in board_db.rows(
            "SELECT p.proname FROM pg_proc AS p WHERE p.pronamespace = 'board'::regnamespace"
            " AND p.proname NOT LIKE '\\_%'"
        )
    }
    assert {call.partition("(")[0] for call in CALLS} | NO_TABLE == public
    tables = {
        row[0]
        for row in board_db.rows(
            "SELECT c.relname FROM pg_class AS c WHERE c.relnamespace = 'board'::regnamespace"
            " AND c.relkind = 'r'"
        )
    }
    assert set(assemble.LOCK_ORDER) == tables


def test_the_first_table_a_verb_touches_is_the_first_that_an_upgrade_locks(
    board_db: TestDb,
) -> None:
    """So a verb that an upgrade makes wait holds nothing that the upgrade still wants."""
    board_db.owner.execute(SCENE.encode())
    scene = board_db.one("SELECT to_jsonb(s) FROM public.scene AS s")
    order = {name: place for place, name in enumerate(assemble.LOCK_ORDER)}
    problems = []
    upgrade = board_db.connect(autocommit=False)
    for call in CALLS:
        verb = board_db.connect(autocommit=False)
        statement = f"SELECT * FROM board.{call.format(**scene)}".encode()
        verb.execute(statement)
        touched = sorted(_held(board_db, verb), key=order.__getitem__)
        verb.rollback()
        assert touched, call
        upgrade.execute(f"LOCK TABLE board.{touched[0]} IN ACCESS EXCLUSIVE MODE".encode())
        thread = threading.Thread(target=verb.execute, args=(statement,))
        thread.start()
        board_db.wait_until_blocked(verb, by=upgrade)
        if held := _held(board_db, verb):
            problems.append(f"{call} waits for {touched[0]} with {sorted(held)} in its hands")
        upgrade.rollback()
        thread.join(20)
        verb.close()
    assert problems == []


def _held(database: TestDb, session: psycopg.Connection[Any]) -> set[str]:
    return {
        row[0]
        for row in database.rows(
            "SELECT c.relname FROM pg_locks AS l JOIN pg_class AS c ON c.oid = l.relation"
            " WHERE l.pid = %s AND l.granted AND c.relkind = 'r'"
            "   AND c.relnamespace = 'board'::regnamespace",
            session.info.backend_pid,
        )
    }
