"""The plots of docs/performance.md. They need matplotlib: the optional extra `bench`."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from typing import Any

Results = dict[str, Any]

GROUP_COLOURS = {"floor": "#9aa4ad", "board": "#1f6feb", "peer": "#d9a441"}
TARGET = {"color": "#c0392b", "linewidth": 1, "linestyle": "--"}


def need_matplotlib() -> None:
    if importlib.util.find_spec("matplotlib") is None:
        raise SystemExit("the plots need matplotlib: pip install -e '.[bench]'")


def write(results: Results, folder: Path) -> dict[str, str]:
    """Writes one PNG for each section that has a picture; Markdown for each, by section."""
    need_matplotlib()
    made = {}
    for name, (draw, text) in PICTURES.items():
        if name in results:
            file = folder / f"performance-{name}.png"
            figure = draw(results[name])
            figure.savefig(file, dpi=110, metadata={"Software": None})
            made[name] = f"![{text}]({file.name})"
    return made


def _figure(rows: int, width: float, height: float) -> tuple[Any, Any]:
    from matplotlib.figure import Figure

    figure = Figure(figsize=(width, height), layout="constrained")
    axes = figure.subplots(1, rows, sharey=True)
    return figure, (axes if rows > 1 else [axes])


def _bare(axes: Any) -> None:
    for side in ("top", "right"):
        axes.spines[side].set_visible(False)


def jobs(found: Results) -> Any:
    levels = list(found["ratios"])
    figure, all_axes = _figure(len(levels), 11, 4.6)
    names = list(found["queues"])
    for axes, clients in zip(all_axes, levels, strict=True):
        ratios = found["ratios"][clients]
        values = [ratios.get(name, 0.0) for name in names]
        low = [
            max(0.0, v - found["lowest"][clients].get(n, v))
            for n, v in zip(names, values, strict=True)
        ]
        high = [
            max(0.0, found["highest"][clients].get(n, v) - v)
            for n, v in zip(names, values, strict=True)
        ]
        colours = [GROUP_COLOURS[found["queues"][name]["group"]] for name in names]
        labels = [found["queues"][name]["label"] for name in names]
        axes.barh(labels, values, color=colours, xerr=[low, high], error_kw={"linewidth": 0.8})
        for place, value in enumerate(values):
            axes.text(0.02, place, f"{value:.2f}" if value else "–", va="center", fontsize=8)
        axes.axvline(1, color="#444", linewidth=0.8)
        axes.axvline(0.70 if clients == "1" else 0.65, **TARGET)
        axes.set_title(f"{clients} client{'' if clients == '1' else 's'}", fontsize=10)
        axes.invert_yaxis() if axes is all_axes[0] else None
        _bare(axes)
    figure.suptitle(
        "Jobs per second, the hand-written floor = 1 (dashed: notify off is to be beyond)",
        fontsize=10,
    )
    return figure


def cost(found: Results) -> Any:
    figure, (axes,) = _figure(1, 8, 4)
    if "skipped" in found:
        return figure
    names = list(found["labels"])
    take = [found["claim_us"][name] for name in names]
    finish = [found["finish_us"][name] for name in names]
    labels = [found["labels"][name] for name in names]
    axes.barh(labels, take, color="#1f6feb", label="take")
    axes.barh(labels, finish, left=take, color="#8fb8f6", label="finish")
    axes.axvline(1.6 * (found["claim_us"]["floor"] + found["finish_us"]["floor"]), **TARGET)
    axes.set_xlabel("CPU of the backend for one job, µs (dashed: target for notify off)")
    axes.invert_yaxis()
    axes.legend(frameon=False)
    _bare(axes)
    return figure


def flat(found: Results) -> Any:
    figure, (axes,) = _figure(1, 8, 4)
    names = [name for name in found["labels"] if name != "base"]
    values = [found["jobs"][name] or 0.0 for name in names]
    axes.barh([found["labels"][name] for name in names], values, color="#1f6feb")
    for place, value in enumerate(values):
        axes.text(0.02, place, f"{value:.2f}", va="center", fontsize=8, color="white")
    axes.axvline(1, color="#444", linewidth=0.8)
    axes.set_xlabel(f"jobs per second, a plain board with {found['few']:,} pending = 1")
    axes.invert_yaxis()
    _bare(axes)
    return figure


def held(found: Results) -> Any:
    figure, (axes,) = _figure(1, 8, 3.6)
    part = found["part"]
    for name, course in found["course"].items():
        first = sum(course[:part]) / part
        colour = GROUP_COLOURS["board" if name.startswith("board") else "floor"]
        share = [value / first for value in course]
        axes.plot(range(1, len(course) + 1), share, color=colour, label=found["labels"][name])
    axes.axhline(0.85, **TARGET)
    axes.set_ylim(bottom=0)
    axes.set_xlabel("seconds under a held snapshot, without autovacuum")
    axes.set_ylabel(f"jobs/s, first {part} s = 1")
    axes.legend(frameon=False)
    _bare(axes)
    return figure


PICTURES = {
    "jobs": (
        jobs,
        "Jobs per second of every queue at 1, 8 and 32 clients, as a ratio to the floor",
    ),
    "cost": (cost, "CPU of one backend for taking and finishing a job"),
    "flat": (flat, "Jobs per second beside a million of other tasks, as a ratio to a plain board"),
    "held": (held, "Jobs per second over a minute under a held snapshot"),
}
