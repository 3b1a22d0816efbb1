"""What is measured. Each section gives a part of the results, as JSON can hold it.

Within a section everything is interleaved: a short slice of each in turn, the order turned round
after every round, VACUUM before each slice, and the ratios taken within a round.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from tests.bench.sections.batches import batches
from tests.bench.sections.common import Results, Size
from tests.bench.sections.cost import cost
from tests.bench.sections.flat import flat
from tests.bench.sections.held import held
from tests.bench.sections.jobs import jobs
from tests.bench.server import Host

SECTIONS: Mapping[str, Callable[[Host, Size], Results]] = {
    "jobs": jobs,
    "cost": cost,
    "batches": batches,
    "flat": flat,
    "held": held,
}
