"""The live board as a browser shows it: a real Chromium, and pictures of it in tests/artefacts/.

The driver is Playwright, with the Chromium of the distribution.
"""

from __future__ import annotations

import contextlib
import http.server
import os
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from uuid import UUID

import psycopg
import pytest
from psycopg.types.json import Jsonb

from installer.server import Cluster
from tests.support.live import Audience, Relay, wait_until
from tests.support.testdb import TestDb
from tests.support.tools import CHROMIUM, playwright_environment
from tests.test_live_board import (
    assert_complete,
    by_task,
    log,
    own_cluster,
    relay,
    token,
    work_together,
)
from tests.test_live_board import work as work_alone

__all__ = ["own_cluster", "relay"]  # fixtures

api = pytest.importorskip("playwright.sync_api")
pytestmark = [pytest.mark.browser, pytest.mark.slow]

ARTEFACTS = Path(__file__).parent / "artefacts"

# Notes every event that the page is given, whatever the page makes of it.
WITNESS = """
window.seen = []; window.resyncs = 0; window.born = Math.random();
window.EventSource = class extends EventSource {
  constructor(...given) {
    super(...given);
    this.addEventListener('message', (m) => {
      const e = JSON.parse(m.data); window.seen.push([e.seq, e.task_id]);
    });
    this.addEventListener('resync', () => { window.resyncs += 1; });
  }
};
"""


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    """Of this module only: while it runs, the thread has an event loop that others would meet."""
    program = CHROMIUM.require()
    # The sandbox needs root's help or namespaces, which a container may not have. What is visited
    # here is our own page.
    options = ["--no-sandbox"]
    os.environ.update(playwright_environment())
    with api.sync_playwright() as playwright:
        running = playwright.chromium.launch(executable_path=program, args=options)
        yield running
        running.close()


class Visits:
    """Opens pages, each in a context of its own, and notes what they complain about."""

    def __init__(self, browser: Any) -> None:
        self.contexts: list[Any] = []
        self.complaints: list[str] = []
        self._browser = browser

    def __call__(self, url: str, *, width: int = 1400, height: int = 860, **more: Any) -> Any:
        context = self._browser.new_context(viewport={"width": width, "height": height}, **more)
        self.contexts.append(context)
        complaints: Any = self.complaints
        page = context.new_page()
        page.set_default_timeout(15_000)
        page.on("pageerror", lambda error: complaints.append(str(error)))
        page.on("dialog", lambda dialog: complaints.append(dialog.message) or dialog.dismiss())
        page.on("console", lambda said: complaints.append(said.text) if _bad(said) else None)
        page.add_init_script(WITNESS)
        page.goto(url)
        page.wait_for_selector('#link[data-state="live"]')
        return page


@pytest.fixture
def visit(browser: Any) -> Iterator[Visits]:
    """At the end no page may have complained."""
    visits = Visits(browser)
    yield visits
    for context in visits.contexts:
        context.close()
    assert visits.complaints == []


def _bad(said: Any) -> bool:
    """Errors of the page's own, violations of its policy among them; not a relay that is away."""
    return said.type == "error" and "Failed to load resource" not in said.text


def enqueue(db: TestDb, kind: str, payload: object = None, **more: object) -> UUID:
    options = "".join(f", {name} => %s" for name in more)
    task = db.owner.execute(
        f"SELECT board.enqueue(%s::text, %s::jsonb{options})",
        (kind, Jsonb(payload or {}), *more.values()),
    ).fetchone()
    assert task is not None
    return UUID(str(task[0]))


def claim(db: TestDb, agent: str, ttl: str = "2 minutes", kind: str | None = None) -> UUID:
    return UUID(
        str(
            db.one(
                "SELECT c.id FROM board.claim(%s::text, %s::interval, %s::text[]) AS c",
                agent,
                ttl,
                None if kind is None else [kind],
            )
        )
    )


def fail_for_good(db: TestDb, task: UUID, agent: str, error: str) -> None:
    db.one(
        "SELECT board.fail(%s::uuid, %s::text, %s::jsonb, true)",
        task,
        agent,
        Jsonb({"error": error}),
    )


def scene(db: TestDb) -> None:
    """A board in the middle of a working day."""
    troubles = [
        ("review_contract", "agent-1", "the customer asked to speak to a person"),
        ("send_invoice", "agent-2", "the mail server refused the recipient"),
        ("summarise_call", "ocr-worker-12", "the recording is silent after 40 seconds"),
    ]
    payloads: dict[str, dict[str, object]] = {
        "send_invoice": {"invoice": 1042, "customer": "Harbour Bakery", "amount": "318.20 EUR"},
        "summarise_call": {"call": "c-271", "minutes": 31, "language": "de"},
        "sync_stock": {"warehouse": "Porto", "items": 412},
        "review_contract": {"contract": "K-67", "party": "Atelier Foss", "pages": 28},
    }
    for kind, agent, error in troubles:
        enqueue(db, kind, payloads[kind], priority=5 if kind == "send_invoice" else 0)
        fail_for_good(db, claim(db, agent), agent, error)
    for number in range(9):
        enqueue(db, "sync_stock", {"warehouse": ("Kiel", "Lyon", "Porto")[number % 3], "items": 40})
        agent = f"agent-{number % 4 + 1}"
        task = claim(db, agent)
        db.one(
            "SELECT board.complete(%s::uuid, %s::text, %s::jsonb)", task, agent, Jsonb({"ok": 1})
        )
    for number in range(18):
        kind = list(payloads)[number % 4]
        enqueue(db, kind, payloads[kind], priority=10 if number == 7 else 0)
    for agent, ttl in (
        ("agent-1", "9 minutes"),
        ("agent-2", "1 minute"),
        ("night-shift-4", "20 seconds"),
        ("mara", "1 hour"),
    ):
        task = claim(db, agent, ttl)
        if agent == "mara":
            db.one(
                "SELECT board.heartbeat(%s::uuid, 'mara', '1 hour', %s::jsonb)",
                task,
                Jsonb({"step": "reading page 3 of 12"}),
            )
    lapsed = claim(db, "agent-9")
    with db.owner.transaction():
        db.owner.execute(
            "UPDATE board.tasks SET leased_until = leased_until - interval '150 seconds',"
            " heartbeat_at = heartbeat_at - interval '150 seconds' WHERE id = %s",
            (lapsed,),
        )
    db.owner.execute(
        "SELECT board.enqueue('sync_stock', '{\"warehouse\": \"Kiel\"}', 0,"
        " now() + interval '7 minutes')"
    )
    db.one("SELECT board.cancel(%s::uuid, 'mara')", enqueue(db, "send_invoice"))


def where(page: Any) -> str:
    """Its address now; `page.url` is what the driver last heard."""
    return str(page.evaluate("location.href"))


def column(page: Any, name: str) -> Any:
    return page.locator(f'.column[data-column="{name}"]')


def count(page: Any, name: str) -> int:
    return int(column(page, name).locator(".count").inner_text())


def card(page: Any, task: UUID, where: str) -> Any:
    return column(page, where).locator(f'.card[data-id="{task}"]')


# -- how it looks --------------------------------------------------------------------------------


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize(("width", "height"), [(400, 820), (1400, 860)])
def test_it_fits_and_tells(
    board_db: TestDb, relay: Relay, visit: Visits, theme: str, width: int, height: int
) -> None:
    scene(board_db)
    page = visit(relay.url, width=width, height=height, color_scheme=theme)
    page.wait_for_function("document.querySelectorAll('.card').length > 25")
    wanted = {"waiting": 14, "progress": 5, "human": 3, "done": 10}
    wait_until(lambda: {name: count(page, name) for name in wanted} == wanted, "the counts")
    # Nothing sticks out; all four columns, or the tabs to them, are on the screen.
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    assert page.evaluate("document.documentElement.scrollHeight <= innerHeight")
    dark = page.evaluate("getComputedStyle(document.body).backgroundColor").startswith("rgb(1")
    assert dark == (theme == "dark")
    for name in wanted:
        if width > 1000:
            box = column(page, name).bounding_box()
            assert box["x"] >= 0
            assert box["x"] + box["width"] <= width + 1
        else:
            assert page.locator(f'.tabs [data-column="{name}"]').is_visible()
    assert "oldest" in column(page, "waiting").locator(".age").inner_text()
    # A lease runs down; one has lapsed.
    left = column(page, "progress").locator(".card:not(.lapsed) .left").first
    before = left.inner_text()
    wait_until(lambda: left.inner_text() != before, "the lease runs down", 5)
    assert "lapsed" in column(page, "progress").locator(".card.lapsed .left").inner_text()
    reasons = column(page, "human").locator(".reason").all_inner_texts()
    assert any("the mail server refused the recipient" in reason for reason in reasons)
    page.wait_for_timeout(1000)  # the arrivals have faded: a picture to look at
    _picture(page, f"board-{theme}-{width}")
    if width < 1000:
        page.locator('.tabs [data-column="human"]').click()
        page.wait_for_timeout(700)
        box = column(page, "human").bounding_box()
        assert abs(box["x"]) < 2
        _picture(page, f"board-{theme}-{width}-human")
    column(page, "human").locator(".card .open").first.click()
    page.wait_for_selector("#task[open] .timeline li")
    page.wait_for_timeout(300)
    _picture(page, f"task-{theme}-{width}")


def _picture(page: Any, name: str) -> None:
    ARTEFACTS.mkdir(exist_ok=True)
    page.screenshot(path=str(ARTEFACTS / f"live_{name}.png"))


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_text_can_be_read(board_db: TestDb, relay: Relay, visit: Visits, theme: str) -> None:
    """Every text on the wall has a contrast of 4.5 or more (WCAG 2.2, AA)."""
    scene(board_db)
    page = visit(relay.url, color_scheme=theme, reduced_motion="reduce")
    page.wait_for_function("document.querySelectorAll('.card').length > 25")
    low = page.evaluate(CONTRAST)
    assert low == []


# Colours are resolved by a canvas, whatever notation the stylesheet has them in.
CONTRAST = """() => {
  const pen = new OffscreenCanvas(1, 1).getContext('2d', { willReadFrequently: true });
  const rgba = (colour) => {
    pen.clearRect(0, 0, 1, 1); pen.fillStyle = colour; pen.fillRect(0, 0, 1, 1);
    const [r, g, b, a] = pen.getImageData(0, 0, 1, 1).data;
    return [r, g, b, a / 255];
  };
  const over = (top, below) => top.slice(0, 3).map((c, i) => c * top[3] + below[i] * (1 - top[3]));
  const ground = (node) => {
    const layers = [];
    for (let n = node; n; n = n.parentElement) {
      layers.push(rgba(getComputedStyle(n).backgroundColor));
    }
    return layers.reverse().reduce((below, top) => over(top, below), [255, 255, 255]);
  };
  const light = (c) => {
    const [r, g, b] = c.map((v) => v / 255)
      .map((v) => (v <= .04045 ? v / 12.92 : ((v + .055) / 1.055) ** 2.4));
    return .2126 * r + .7152 * g + .0722 * b;
  };
  const low = new Set();
  const walk = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (walk.nextNode()) {
    const node = walk.currentNode.parentElement;
    if (!walk.currentNode.data.trim()) continue;
    if (!node.checkVisibility({ visibilityProperty: true })) continue;
    if (node.closest('dialog, .hide, .skip, noscript, script, option, .zero')) continue;
    const back = ground(node);
    const [a, b] = [light(over(rgba(getComputedStyle(node).color), back)), light(back)];
    const ratio = (Math.max(a, b) + .05) / (Math.min(a, b) + .05);
    if (ratio < 4.5) low.add(`${walk.currentNode.data}: ${ratio.toFixed(2)}`);
  }
  return [...low];
}"""


# -- what it shows -------------------------------------------------------------------------------


def test_a_card_goes_its_way(board_db: TestDb, relay: Relay, visit: Visits) -> None:
    """Waiting, in progress, the human queue, done: without the page being loaded again."""
    page = visit(relay.url)
    born = page.evaluate("window.born")
    task = enqueue(board_db, "send_invoice", {"invoice": 1042})
    card(page, task, "waiting").wait_for()
    assert "invoice 1042" in card(page, task, "waiting").inner_text()
    claim(board_db, "agent-7")
    card(page, task, "progress").wait_for()
    assert "agent-7" in card(page, task, "progress").inner_text()
    # Heartbeats leave no event, and the lease on the wall follows them all the same.
    board_db.one("SELECT board.heartbeat(%s::uuid, 'agent-7', '50 minutes')", task)
    left = card(page, task, "progress").locator(".left")
    wait_until(lambda: left.inner_text().startswith(("49:", "50:")), "the longer lease", 10)
    fail_for_good(board_db, task, "agent-7", "no such customer")
    card(page, task, "human").wait_for()
    assert "no such customer" in card(page, task, "human").inner_text()
    wait_until(lambda: page.title() == "(1) board", "the title calls")
    board_db.one("SELECT board.retry(%s::uuid, 'mara')", task)
    card(page, task, "waiting").wait_for()
    claim(board_db, "agent-8")
    board_db.one("SELECT board.complete(%s::uuid, 'agent-8')", task)
    card(page, task, "done").wait_for()
    wait_until(
        lambda: [count(page, n) for n in ("waiting", "progress", "human", "done")] == [0, 0, 0, 1],
        "the counts",
    )
    assert page.title() == "board"
    assert page.evaluate("window.born") == born


def test_cards_move_up_from_beyond_the_screen(
    board_db: TestDb, relay: Relay, visit: Visits
) -> None:
    """More tasks wait than a column shows: as some leave, the next come into view."""
    for number in range(80):
        enqueue(board_db, "sync_stock", {"n": number})
    page = visit(relay.url)
    wait_until(lambda: count(page, "waiting") == 80, "80 wait")
    assert column(page, "waiting").locator(".card").count() == 50
    assert "30 more" in column(page, "waiting").locator(".more").inner_text()
    for _ in range(20):
        claim(board_db, "agent-1")
    wait_until(lambda: count(page, "waiting") == 60, "60 wait")
    wait_until(lambda: column(page, "waiting").locator(".card").count() == 50, "50 shown")
    assert column(page, "progress").locator(".card").count() == 20
    assert "n 69" in column(page, "waiting").locator(".card").last.inner_text()


def test_a_watching_page_shows_what_a_fresh_one_does(
    board_db: TestDb, relay: Relay, visit: Visits
) -> None:
    """More leases than the relay tells of; the first to end are renewed to the very end."""
    board_db.owner.execute(
        "SELECT board.enqueue('sync_stock', jsonb_build_object('n', g))"
        " FROM generate_series(1, 260) AS g"
    )
    board_db.owner.execute(
        "SELECT board.claim('agent-1', (60 + g) * interval '1 second')"
        " FROM generate_series(1, 260) AS g"
    )
    page = visit(relay.url)
    wait_until(lambda: count(page, "progress") == 260, "260 are held")
    assert shown(page) == first_to_end(board_db)
    for task in shown(page)[:10]:
        board_db.one("SELECT board.heartbeat(%s::uuid, 'agent-1', '1 hour')", task)
    with board_db.owner.transaction():
        board_db.owner.execute(
            "UPDATE board.tasks SET leased_until = clock_timestamp() - interval '9 seconds',"
            " heartbeat_at = heartbeat_at - interval '1 hour'"
            " WHERE id IN (SELECT x.id FROM board.tasks AS x ORDER BY x.leased_until DESC"
            "              OFFSET 100 LIMIT 3)"
        )
    wait_until(lambda: shown(page) == first_to_end(board_db), "the watching page", 15)
    assert "3 lapsed" in column(page, "progress").locator(".age").inner_text()
    assert shown(visit(relay.url)) == shown(page)


def shown(page: Any) -> list[str]:
    """The cards in progress, from above."""
    found: list[str] = page.evaluate(
        "[...document.querySelectorAll('.column[data-column=progress] .card')]"
        ".map((card) => card.dataset.id)"
    )
    return found


def first_to_end(db: TestDb) -> list[str]:
    return [
        str(row[0])
        for row in db.rows(
            "SELECT t.id FROM board.tasks AS t WHERE t.status = 'in_progress'"
            " ORDER BY t.leased_until, t.id LIMIT 50"
        )
    ]


def test_one_kind_alone(board_db: TestDb, relay: Relay, visit: Visits) -> None:
    for number in range(60):
        enqueue(board_db, "common", {"n": number}, priority=5)
    rare = enqueue(board_db, "rare")
    page = visit(relay.url)
    wait_until(lambda: count(page, "waiting") == 61, "all wait")
    assert card(page, rare, "waiting").count() == 0
    page.locator("#kind").select_option("rare")
    card(page, rare, "waiting").wait_for()
    assert count(page, "waiting") == 1
    enqueue(board_db, "common")
    second = enqueue(board_db, "rare")
    card(page, second, "waiting").wait_for()
    assert count(page, "waiting") == 2
    page.keyboard.press("Escape")
    wait_until(lambda: count(page, "waiting") == 63, "all again")


HOSTILE = "<img src=x onerror=window.pwned=1><script>window.pwned=2</script>\"'><b>bold</b>"


def test_payloads_are_text(board_db: TestDb, relay: Relay, visit: Visits) -> None:
    """Markup in every place that others can write to: shown as it is, run nowhere."""
    waiting = enqueue(board_db, f"kind{HOSTILE}"[:180], {"text": HOSTILE, HOSTILE: [HOSTILE]})
    enqueue(board_db, "progress", {"text": HOSTILE})
    held = claim(board_db, f"agent{HOSTILE}", kind="progress")
    board_db.one(
        "SELECT board.heartbeat(%s::uuid, %s::text, '1 hour', %s::jsonb)",
        held,
        f"agent{HOSTILE}",
        Jsonb({"at": HOSTILE}),
    )
    enqueue(board_db, "failing", HOSTILE)
    failed = claim(board_db, "agent-1", kind="failing")
    fail_for_good(board_db, failed, "agent-1", HOSTILE)
    enqueue(board_db, "finished")
    done = claim(board_db, "agent-1", kind="finished")
    board_db.one("SELECT board.complete(%s::uuid, 'agent-1', %s::jsonb)", done, Jsonb(HOSTILE))
    page = visit(relay.url)
    for task, where in (
        (waiting, "waiting"),
        (held, "progress"),
        (failed, "human"),
        (done, "done"),
    ):
        card(page, task, where).wait_for()
        assert "<script>window.pwned=2</script>" in card(page, task, where).inner_text()
        card(page, task, where).locator(".open").click()
        page.wait_for_selector("#task[open] .timeline li")
        assert "<script>" in page.locator("#task").inner_text()
        page.keyboard.press("Escape")
    again = enqueue(board_db, "live", {"text": HOSTILE})
    card(page, again, "waiting").wait_for()
    assert page.evaluate("window.pwned") is None
    assert (
        page.evaluate("document.querySelectorAll('main img, main script, dialog script').length")
        == 0
    )
    assert visit.complaints == []
    # And what the page might get wrong one day, the browser refuses, and says so.
    refused = page.evaluate(
        "(() => { try { document.body.insertAdjacentHTML('beforeend', '<b>x</b>'); return false; }"
        " catch { return true; } })()"
    )
    assert refused
    assert "TrustedHTML" in visit.complaints.pop()


def test_the_timeline_follows(board_db: TestDb, relay: Relay, visit: Visits) -> None:
    task = enqueue(board_db, "send_invoice", {"invoice": 7})
    page = visit(f"{relay.url}/tasks/{task}")
    lines = page.locator("#task .timeline li")
    wait_until(lambda: lines.count() == 1, "one line")
    claim(board_db, "agent-3")
    wait_until(lambda: lines.count() == 2, "the claim")
    assert "agent-3 claimed it" in lines.last.inner_text()
    page.keyboard.press("Escape")
    wait_until(lambda: where(page) == f"{relay.url}/", "the address is the board's again")


# -- hands ---------------------------------------------------------------------------------------


def test_it_works_by_keyboard(board_db: TestDb, relay: Relay, visit: Visits) -> None:
    """From nothing to a retried task without a mouse."""
    for number in range(3):
        enqueue(board_db, "send_invoice", {"n": number})
    for agent in ("agent-1", "agent-2"):
        fail_for_good(board_db, claim(board_db, agent), agent, f"trouble of {agent}")
    secret = token(board_db, "mara", "operator")
    page = visit(relay.url)
    wait_until(lambda: count(page, "human") == 2, "two need a person")
    keys = page.keyboard
    focused = "document.activeElement.closest('.column')?.dataset.column"
    keys.press("ArrowRight")
    assert page.evaluate(focused) == "waiting"
    keys.press("ArrowRight")
    assert page.evaluate(focused) == "human"  # over the empty column
    first = page.evaluate("document.activeElement.closest('.card').dataset.id")
    keys.press("ArrowDown")
    second = page.evaluate("document.activeElement.closest('.card').dataset.id")
    assert second != first
    keys.press("Enter")
    page.wait_for_selector("#task[open] .timeline li")
    keys.press("Escape")
    assert page.evaluate("document.activeElement.closest('.card').dataset.id") == second
    keys.press("r")
    page.wait_for_selector("#token[open]")
    keys.type(secret)
    keys.press("Enter")
    page.wait_for_selector("#deed[open]")
    keys.type("mail is back")
    keys.press("Tab")
    keys.press("Tab")
    keys.press("Enter")
    page.wait_for_selector("#deed", state="hidden")
    wait_until(lambda: board_db.status(UUID(second)) == "pending", "it is retried")
    event = board_db.rows(
        "SELECT e.actor, e.payload FROM board.task_events AS e WHERE e.type = 'retried'"
    )
    assert event == [("mara", {"note": "mail is back"})]
    card(page, UUID(second), "waiting").wait_for()
    # The keyboard is still somewhere useful.
    assert page.evaluate("document.activeElement.closest('.card')?.dataset.id") in (first, second)
    keys.press("/")
    assert page.evaluate("document.activeElement.id") == "kind"
    keys.press("s")
    wait_until(lambda: where(page).endswith("?kind=send_invoice"), "the filter is set")
    keys.press("Escape")
    wait_until(lambda: "kind" not in where(page), "and gone")
    keys.press("t")
    assert page.evaluate("document.documentElement.dataset.theme") == "dark"
    keys.press("?")
    page.wait_for_selector("#help[open]")


def test_buttons_of_the_human_queue(board_db: TestDb, relay: Relay, visit: Visits) -> None:
    tasks = []
    for number in range(2):
        enqueue(board_db, "send_invoice", {"n": number})
        tasks.append(claim(board_db, "agent-1"))
        fail_for_good(board_db, tasks[-1], "agent-1", "trouble")
    page = visit(relay.url)
    complete, cancel = (card(page, task, "human") for task in tasks)
    complete.get_by_role("button", name="Complete").click()
    page.locator("#token-value").fill(token(board_db, "mara", "operator"))
    page.keyboard.press("Enter")
    page.locator("#deed-note").fill('{"sent": "by hand"}')
    page.locator("#deed-do").click()
    card(page, tasks[0], "done").wait_for()
    row = board_db.rows(
        "SELECT t.finished_by, t.result FROM board.tasks AS t WHERE t.id = %s", tasks[0]
    )
    assert row == [("mara", {"sent": "by hand"})]
    cancel.get_by_role("button", name="Cancel").click()
    page.locator("#deed-do").click()
    card(page, tasks[1], "done").wait_for()
    assert board_db.status(tasks[1]) == "cancelled"


def test_a_refusal_is_shown(board_db: TestDb, relay: Relay, visit: Visits) -> None:
    enqueue(board_db, "send_invoice")
    task = claim(board_db, "agent-1")
    fail_for_good(board_db, task, "agent-1", "trouble")
    page = visit(relay.url)
    card(page, task, "human").get_by_role("button", name="Retry").click()
    page.locator("#token-value").fill(token(board_db, "agent-1", "agent"))
    page.keyboard.press("Enter")
    page.locator("#deed-do").click()
    page.wait_for_selector("#deed-error:not([hidden])")
    assert "request refused" in page.locator("#deed-error").inner_text()
    assert board_db.status(task) == "escalated"


# -- what breaks ---------------------------------------------------------------------------------


def page_has(page: Any) -> list[tuple[int, str]]:
    return [(seq, task) for seq, task in page.evaluate("window.seen")]


@pytest.mark.parametrize("notify", ["each", "coalesced"])
def test_browsers_see_every_event_once(board_db: TestDb, visit: Visits, notify: str) -> None:
    """1,000 transitions by 8 agents before 50 viewers, 6 of them browsers."""
    board_db.owner.execute("SELECT board.configure(notify => %s::text)", (notify,))
    with Relay(board_db.dsn) as relay, Audience() as audience:
        viewers = audience.add_many(44, relay.port)
        pages = [visit(relay.url) for _ in range(6)]
        work_together(board_db.dsn)
        truth = log(board_db)
        assert len(truth) >= 1000
        assert_complete(viewers, truth)
        open_tasks = board_db.one(
            "SELECT count(*) FROM board.tasks AS t WHERE t.status IN ('pending', 'scheduled')"
        )
        for page in pages:
            wait_until(lambda p=page: len(page_has(p)) >= len(truth), "it has them all")  # type: ignore[misc]
            got = page_has(page)
            assert len(got) == len(set(got))
            assert set(got) == set(truth)
            assert by_task(got) == by_task(truth)
            # And what it makes of them agrees with the board.
            wait_until(lambda p=page: count(p, "waiting") == open_tasks, "the count", 10)  # type: ignore[misc]


def test_a_page_survives_everything(own_cluster: Cluster, visit: Visits) -> None:
    """Its line to the relay, the relay and the database die in turn; it goes on by itself."""
    db = own_cluster.dsn()
    with Relay(db) as relay:
        page = visit(relay.url)
        born = page.evaluate("window.born")

        def add(number: int) -> None:
            work_alone(db, number, 6)

        add(1)
        with psycopg.connect(db, autocommit=True) as connection:
            connection.execute(
                "SELECT pg_terminate_backend(a.pid) FROM pg_stat_activity AS a"
                " WHERE a.application_name = 'board_live'"
            )
        add(2)
        relay.stop()
        page.wait_for_selector('#link:not([data-state="live"])')
        add(3)
        relay.start()
        add(4)
        page.wait_for_selector('#link[data-state="live"]')
        own_cluster.stop()
        page.wait_for_selector("#notice:not([hidden])")
        assert "has not answered since" in page.locator("#notice").inner_text()
        own_cluster.start()
        page.wait_for_selector("#notice", state="hidden")
        add(5)
        with psycopg.connect(db, autocommit=True) as connection:
            truth = [
                (row[0], str(row[1]))
                for row in connection.execute(
                    "SELECT e.seq, e.task_id FROM board.task_events AS e ORDER BY e.seq"
                )
            ]
        wait_until(lambda: len(page_has(page)) >= len(truth), "it has them all")
        got = page_has(page)
        assert len(got) == len(set(got))
        assert set(got) == set(truth)
        assert page.evaluate("window.born") == born
        assert page.evaluate("window.resyncs") == 0


def test_a_page_that_cannot_resume_reloads_its_state(
    board_db: TestDb, relay: Relay, visit: Visits
) -> None:
    """The events that it missed are pruned: one resync, and it shows what is."""
    gone = enqueue(board_db, "send_invoice")
    page = visit(relay.url)
    card(page, gone, "waiting").wait_for()
    relay.stop()
    page.wait_for_selector('#link:not([data-state="live"])')
    board_db.one("SELECT board.cancel(%s::uuid, 'mara')", gone)
    missed = enqueue(board_db, "sync_stock")
    owner = board_db.owner
    owner.execute("SELECT board.configure(retain_events => '1 hour')")
    owner.execute("ALTER TABLE board.task_events DISABLE TRIGGER ALL")
    owner.execute("UPDATE board.task_events SET created_at = created_at - interval '2 hours'")
    owner.execute("ALTER TABLE board.task_events ENABLE TRIGGER ALL")
    owner.execute("SELECT board.prune_events(100000)")
    owner.execute("UPDATE board.tasks SET priority = 3 WHERE id = %s", (missed,))
    relay.start()
    card(page, missed, "waiting").wait_for()
    card(page, gone, "done").wait_for()
    after = enqueue(board_db, "sync_stock")
    card(page, after, "waiting").wait_for()
    assert page.evaluate("window.resyncs") == 1
    assert page.evaluate("document.documentElement.dataset.resyncs") == "1"


def test_another_site_gets_nothing(
    board_db: TestDb, relay: Relay, visit: Visits, browser: Any, tmp_path: Path
) -> None:
    """A page of another origin can neither read the board nor act, even with a token."""
    enqueue(board_db, "send_invoice")
    fail_for_good(board_db, claim(board_db, "agent-1"), "agent-1", "trouble")
    secret = token(board_db, "mara", "operator")
    before = len(log(board_db))
    with _site(tmp_path) as site:
        context = browser.new_context()
        page = context.new_page()
        page.goto(site)
        tried = page.evaluate(
            """async ([board, secret]) => {
                const out = [];
                for (const path of ['/state', '/events', '/healthz']) {
                    out.push(await fetch(board + path).then(() => 'read', () => 'refused'));
                }
                out.push(await fetch(board + '/api/enqueue', {
                    method: 'POST', body: '{"kind": "evil"}',
                    headers: { Authorization: 'Bearer ' + secret },
                }).then(() => 'acted', () => 'refused'));
                out.push(await new Promise((done) => {
                    const source = new EventSource(board + '/events');
                    source.onopen = () => done('read');
                    source.onerror = () => done('refused');
                }));
                return out;
            }""",
            [relay.url, secret],
        )
        context.close()
    assert tried == ["refused"] * 5
    assert len(log(board_db)) == before


@contextlib.contextmanager
def _site(folder: Path) -> Iterator[str]:
    (folder / "index.html").write_text("<!doctype html><title>elsewhere</title>")

    class Quiet(http.server.SimpleHTTPRequestHandler):
        def __init__(self, *given: Any) -> None:
            super().__init__(*given, directory=str(folder))

        def log_message(self, *_: object) -> None:
            pass

    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Quiet) as server:
        thread = threading.Thread(target=server.serve_forever, daemon=True)
        thread.start()
        yield f"http://127.0.0.1:{server.server_address[1]}/"
        server.shutdown()
        thread.join()


def test_budgets_are_bars(board_db: TestDb, relay: Relay, visit: Visits) -> None:
    """What holds tasks back comes first and says until when; what nobody uses is not shown."""
    board_db.rows("SELECT board.configure_provider(p) FROM unnest('{model,idle}'::text[]) AS p")
    board_db.rows(
        "SELECT board.set_limit('model', '1 minute', 50), board.set_limit('idle', '1 d', 5)"
    )
    board_db.rows("SELECT board.set_limit('model', '1 hour', 8000, 'token')")
    board_db.rows("SELECT * FROM board.take('model', units => '{\"token\": 2000}')")
    board_db.rows("SELECT * FROM board.take('model', 'key-2', 50)")
    page = visit(relay.url)
    page.wait_for_selector("#budgets li")
    said = page.locator("#budgets li").all_inner_texts()
    assert len(said) == 3
    assert "model, key-2" in said[0]
    assert "50 of 50 call / 1 min" in said[0]
    assert "exhausted until" in said[0]
    assert "2000 of 8000 token / 1 h" in said[1]
    meter = page.locator("#budgets li meter").nth(1)
    assert meter.get_attribute("aria-label") == "model: 2000 of 8000 token in 1 h"
    board_db.owner.execute("SELECT board.throttle('model', NULL, '1 hour')")
    page.wait_for_function(
        "() => [...document.querySelectorAll('#budgets em')]"
        ".filter((e) => e.textContent.startsWith('throttled until')).length === 4"
    )


def test_a_kind_may_be_called_anything(board_db: TestDb, relay: Relay, visit: Visits) -> None:
    """Names that mean something to JavaScript are kinds like any other."""
    names = ("__proto__", "constructor", "toString", "hasOwnProperty")
    page = visit(relay.url)
    for number, name in enumerate(names, 1):
        for _ in range(number):
            enqueue(board_db, name)
    chip = "#chips button[data-kind='{}'] small"
    for number, name in enumerate(names, 1):
        page.wait_for_function(
            "([query, n]) => document.querySelector(query)?.textContent === n",
            arg=[chip.format(name), str(number)],
        )
    assert page.evaluate("Object.keys(Object.prototype).length") == 0
    assert page.evaluate("({}).waiting === undefined")
    # A page that comes later counts the same, and shows one of them alone.
    later = visit(f"{relay.url}/?kind=__proto__")
    later.wait_for_selector(chip.format("__proto__"))
    assert later.inner_text(chip.format("constructor")) == "2"
    later.wait_for_function("document.querySelectorAll('.card').length === 1")
