"""What is to be reached, and how far it was: every figure beside its target."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict, dataclass
from typing import Any, Literal


@dataclass(frozen=True)
class Target:
    """A figure, named by its path in the results, that should be at least or at most a number."""

    path: str
    text: str
    limit: float
    sense: Literal["at least", "at most"] = "at least"
    aim: float | None = None

    def missed_by(self, reached: float) -> float:
        """The relative distance from the limit; 0 where it is reached."""
        if self.sense == "at least":
            return max(0.0, 1 - reached / self.limit)
        return max(0.0, reached / self.limit - 1)


@dataclass(frozen=True)
class Outcome:
    text: str
    sense: str
    limit: float
    aim: float | None
    reached: float | None
    missed_by: float | None

    @property
    def word(self) -> str:
        if self.reached is None or self.missed_by is None:
            return "not measured"
        if self.missed_by > 0:
            return f"**missed by {self.missed_by:.0%}**"
        if self.aim is not None and (
            self.reached < self.aim if self.sense == "at least" else self.reached > self.aim
        ):
            return "reached, not the aim"
        return "reached"

    def told(self) -> dict[str, Any]:
        return asdict(self)


def _jobs() -> Iterable[Target]:
    for clients, limit, aim in ((1, 0.70, 0.80), (8, 0.65, 0.75), (32, 0.65, 0.75)):
        yield Target(
            f"jobs.ratios.{clients}.board_off",
            f"notify off against the floor, at {clients}", limit, aim=aim,
        )  # fmt: skip
    for clients in (1, 8, 32):
        yield Target(
            f"jobs.against_off.{clients}.board_coalesced",
            f"notify coalesced against off, at {clients}", 0.9,
        )  # fmt: skip
    for clients in (1, 8, 32):
        yield Target(
            f"jobs.against_bell.{clients}.board_each",
            f"notify each against the floor with notification, at {clients}", 0.8,
        )  # fmt: skip
    for clients in (1, 8, 32):
        yield Target(
            f"jobs.against_best_peer.{clients}",
            f"notify off against the best peer that keeps a history, at {clients}", 1.0,
        )  # fmt: skip


TARGETS: tuple[Target, ...] = (
    *_jobs(),
    Target("cost.ratios.board_off.job", "CPU of a job against the floor's", 1.6, "at most"),
    Target("cost.ratios.board_off.wal", "WAL of a job against the floor's", 1.4, "at most"),
    Target("batches.batch_against_single.1", "claims of 100 against single, at 1", 8, aim=10),
    Target("batches.batch_against_single.8", "claims of 100 against single, at 8", 8, aim=10),
    Target("batches.enqueue.1", "enqueue against an insert with event, at 1", 0.4),
    Target("batches.enqueue.8", "enqueue against an insert with event, at 8", 0.4),
    Target("batches.enqueue_many.1", "enqueue_many(100) against the same insert, at 1", 0.4),
    Target("batches.enqueue_many.8", "enqueue_many(100) against the same insert, at 8", 0.4),
    Target("flat.jobs.pending", "1 M pending against 10 k", 0.9),
    Target("flat.jobs.finished", "1 M finished", 0.9),
    Target("flat.jobs.scheduled", "100 k scheduled", 0.9),
    Target("flat.jobs.in_progress", "100 k in progress", 0.9),
    Target("flat.claim.live_kinds", "CPU of a claim over 500 live kinds", 3.0, "at most"),
    Target("flat.claim.old_names", "CPU of a claim beside 20 k finished kinds", 1.1, "at most"),
    Target("flat.jobs.cap", "a kind with a cap against a plain one", 0.7),
    Target("flat.jobs.provider", "a kind with a provider against a plain one", 0.7),
    Target("held.last_against_first.board_off", "held snapshot: last 10 s against first", 0.85),
)


def lookup(results: dict[str, Any], path: str) -> float | None:
    found: Any = results
    for step in path.split("."):
        if not isinstance(found, dict) or step not in found:
            return None
        found = found[step]
    return float(found) if isinstance(found, int | float) else None


def outcomes(results: dict[str, Any]) -> list[Outcome]:
    told = []
    for target in TARGETS:
        reached = lookup(results, target.path)
        missed = None if reached is None else target.missed_by(reached)
        told.append(Outcome(target.text, target.sense, target.limit, target.aim, reached, missed))
    return told
