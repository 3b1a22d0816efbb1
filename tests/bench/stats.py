"""What is made of the figures: medians, ratios within a round, the order of the rounds."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from statistics import median
from typing import TypeVar

Item = TypeVar("Item")


def turn(items: Sequence[Item], number: int) -> list[Item]:
    """The items in the order of that round: every other round runs backwards.

    Whatever drifts during a run (a warm cache, a growing table, a neighbour on the machine) then
    weighs on the first and the last alike.
    """
    return list(items) if number % 2 == 0 else list(reversed(items))


def ratio(samples: Mapping[str, Sequence[float]], name: str, base: str) -> float | None:
    """The median over the rounds of one against the other; None where either was not measured."""
    pairs = list(zip(samples.get(name, ()), samples.get(base, ()), strict=False))
    found = [one / other for one, other in pairs if other > 0]
    return median(found) if found else None


def spread(samples: Mapping[str, Sequence[float]], name: str, base: str) -> tuple[float, float]:
    """The lowest and the highest ratio of any round."""
    pairs = zip(samples[name], samples[base], strict=False)
    found = [one / other for one, other in pairs if other > 0]
    return min(found), max(found)


def middle(values: Sequence[float]) -> float | None:
    return median(values) if values else None


def ends(course: Sequence[float], seconds: int) -> tuple[float, float]:
    """The mean of the first and of the last so many seconds of a course told second by second."""
    if len(course) < 2 * seconds:
        raise ValueError(f"{len(course)} seconds are too few for twice {seconds}")
    return sum(course[:seconds]) / seconds, sum(course[-seconds:]) / seconds
