"""The results as tables, on the terminal and in docs/performance.md."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

Results = dict[str, Any]

DOCS = Path(__file__).parents[2] / "docs"
PAGE = DOCS / "performance.md"
BEGIN, END = "<!-- figures: begin -->", "<!-- figures: end -->"

CALLS = {
    "enqueue": ("enqueue", "insert"),
    "enqueue_many_100": ("enqueue_many(100), a task", "insert_100"),
    "claim_100": ("claim(max_tasks => 100), a task", None),
    "complete_many_100": ("complete_many of 100, a task", None),
    "heartbeat": ("heartbeat", None),
    "fail": ("fail", None),
    "release": ("release", None),
}


def table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> Iterator[str]:
    """Markdown; the first column is text, the others are numbers."""
    yield "| " + " | ".join(head) + " |"
    yield "| --- |" + " ---: |" * (len(head) - 1)
    for row in rows:
        yield "| " + " | ".join(row) + " |"


def number(value: float | None, form: str = ".2f") -> str:
    return "" if value is None else format(value, form)


def heading(results: Results) -> str:
    """On what it was measured."""
    here = results["machine"]
    busy = here["busy_before"]
    shown = "" if busy is None else f", {busy:.0%} of the cores busy"
    lasted = f", {results['minutes']:g} minutes" if "minutes" in results else ""
    return (
        f"{results['server']}; {here['processor']}, {here['cores']} cores,"
        f" {here['memory_gib']:g} GiB, {here['system']}, {here['file_system']} with"
        f" {here['fsyncs_per_second']:,} fsyncs a second.\n"
        f"Load average before the run {here['load_before']:g}{shown}.\n"
        f"{results['when']}, size: {results['size']}{lasted}."
    )


def targets(results: Results) -> Iterator[str]:
    from tests.bench.targets import Outcome

    rows = []
    for told in results["targets"]:
        one = Outcome(**told)
        aim = "" if one.aim is None else f" (aim {one.aim:g})"
        rows.append((one.text, f"{one.sense} {one.limit:g}{aim}", number(one.reached), one.word))
    yield from table(("what (at so many clients)", "target", "reached", "so"), rows)


def jobs(found: Results) -> Iterator[str]:
    keys = list(found["ratios"])
    head = ["jobs per second, the floor's = 1"]
    for clients in keys:
        head += [f"{clients} client{'s' if clients != '1' else ''}", "jobs/s", "rounds"]
    rows = []
    for name, queue in found["queues"].items():
        row = [f"**{queue['label']}**" if queue["group"] == "board" else queue["label"]]
        for clients in keys:
            reached = found["ratios"][clients].get(name)
            if reached is None:
                row += ["", "", ""]
                continue
            samples = sorted(found["samples"][clients][name])
            low, high = found["lowest"][clients][name], found["highest"][clients][name]
            row += [f"{reached:.2f}", f"{samples[len(samples) // 2]:,.0f}", f"{low:.2f}–{high:.2f}"]
        rows.append(row)
    yield from table(head, rows)
    yield ""
    loads = ", ".join(f"{load:g}" for load in found["load"].values())
    yield (
        f"{found['waiting']:,} jobs waiting, {found['rounds']} rounds of {found['seconds']} s"
        f" (peers {found['peer_seconds']} s) after a second of warm-up; load average {loads} at the"
        " end of each number of clients, the clients themselves in it."
    )
    if found["best_peer"]:
        labels = found["queues"]
        best = ", ".join(
            f"{labels[name]['label']} at {clients}" for clients, name in found["best_peer"].items()
        )
        yield f"The quickest peer that keeps a history or an archive: {best}."
    for name, why in found["missing"].items():
        yield f"**{name}** is not in this run: {why}"


def how(found: Results) -> Iterator[str]:
    rows = [
        (f"{queue['label']} {queue['version']}".strip(), queue["how"], queue["keeps"])
        for queue in found["queues"].values()
    ]
    yield "| queue | a job is taken and finished by | what is kept of it |"
    yield "| --- | --- | --- |"
    for row in rows:
        yield "| " + " | ".join(row) + " |"


def cost(found: Results) -> Iterator[str]:
    if "skipped" in found:
        yield f"CPU was not measured: {found['skipped']}"
        return
    rows: list[Sequence[str]] = []
    for name, label in found["labels"].items():
        ratios = found["ratios"][name]
        rows.append(
            (
                label, number(found["claim_us"][name], ".0f"),
                number(found["finish_us"][name], ".0f"), number(ratios["job"]),
                number(found["wal_bytes"][name], ",.0f"), number(ratios["wal"]),
            )
        )  # fmt: skip
    yield from table(
        ("CPU of one backend", "take µs", "finish µs", "job, floor = 1", "WAL bytes", "floor = 1"),
        rows,
    )
    yield ""
    calls = found["calls"]
    rows = []
    for name, (label, base) in CALLS.items():
        against = calls.get(base) if base else None
        ratio = None if not against or calls[name] is None else against / calls[name]
        rows.append((label, number(calls[name], ".1f"), number(against, ".1f"), number(ratio)))
    yield from table(("verb", "µs", "plain insert with event µs", "ratio of speed"), rows)


def batches(found: Results) -> Iterator[str]:
    keys = list(found["samples"])
    names = {
        "single": "claim, complete", "batch": "claim(100), complete_many",
        "enqueue": "enqueue", "insert": "one insert with its event",
        "enqueue_many_100": "enqueue_many(100)", "insert_100": "100 inserted with events",
    }  # fmt: skip
    rows = []
    for name, label in names.items():
        rates = [sorted(found["samples"][clients][name]) for clients in keys]
        rows.append([label, *(f"{rate[len(rate) // 2]:,.0f}" for rate in rates)])
    yield from table(("jobs or tasks per second, clients:", *keys), rows)


def flat(found: Results) -> Iterator[str]:
    rows = [
        (
            label, number(found["jobs"][name]), number(found["claim_us"][name], ".0f"),
            number(found["claim"][name]),
        )
        for name, label in found["labels"].items()
    ]  # fmt: skip
    yield from table(
        (
            f"beside {found['few']:,} pending tasks", f"jobs/s, {found['clients']} clients",
            "a claim, µs of CPU", "of the plain claim",
        ),
        rows,
    )  # fmt: skip
    feed = found["feed"]
    yield ""
    yield (
        f"The feed at {feed['events']:,} events: an empty poll {feed['plain']['poll_ms']:.1f} ms, a"
        f" page of 100 {feed['plain']['page_ms']:.1f} ms; under a held snapshot"
        f" {feed['held']['poll_ms']:.1f} and {feed['held']['page_ms']:.1f} ms."
    )


def held(found: Results) -> Iterator[str]:
    part = found["part"]
    rows = []
    for name, label in found["labels"].items():
        course = found["course"][name]
        first, last = sum(course[:part]) / part, sum(course[-part:]) / part
        rows.append(
            (label, f"{first:,.0f}", f"{last:,.0f}", number(found["last_against_first"][name]))
        )
    yield from table(
        (
            f"{found['seconds']} s under a held snapshot, {found['clients']} clients",
            f"first {part} s", f"last {part} s", "ratio",
        ),
        rows,
    )  # fmt: skip


TITLES: Mapping[str, tuple[str, Any]] = {
    "jobs": ("Jobs", jobs),
    "cost": ("What a call costs", cost),
    "batches": ("Batches", batches),
    "flat": ("Beside much else", flat),
    "held": ("A snapshot that somebody forgot", held),
}


def report(results: Results, level: str = "##", pictures: Mapping[str, str] | None = None) -> str:
    """All of it, as Markdown."""
    lines = [heading(results), "", f"{level} Targets", "", *targets(results)]
    for name, (title, write) in TITLES.items():
        if name not in results:
            continue
        lines += ["", f"{level} {title}", "", *write(results[name])]
        if pictures and name in pictures:
            lines += ["", pictures[name]]
    if "jobs" in results:
        lines += ["", f"{level} How each was driven", "", *how(results["jobs"])]
    for name, problem in results["problems"].items():
        lines += ["", f"**{name} failed:** {problem}"]
    return "\n".join(lines)


def replaced(page: str, figures: str) -> str:
    """The page with new figures between its two marks; the rest is written by hand."""
    before, found, rest = page.partition(BEGIN)
    _, closed, after = rest.partition(END)
    if not found or not closed:
        raise ValueError(f"{PAGE.name} lacks the marks {BEGIN} and {END}")
    return f"{before}{BEGIN}\n\n{figures}\n\n{END}{after}"


def write_docs(results: Results) -> None:
    from tests.bench import plots

    pictures = plots.write(results, DOCS)
    PAGE.write_text(replaced(PAGE.read_text(), report(results, "###", pictures)))
    print(f"wrote {PAGE.name} and {len(pictures)} plots into docs/")
