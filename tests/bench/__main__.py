"""Measures the board against hand-written floors and other queues, or writes what was measured.

    python -m tests.bench                        everything
    python -m tests.bench --quick                four minutes: is anything badly off?
    python -m tests.bench --only held --only cost
    python -m tests.bench --write-docs           everything, then docs/performance.md with plots
    python -m tests.bench --from FILE            the report of a run that was kept

Figures of different runs, machines or hours cannot be compared; the ratios of one run can. The
server is a private one that syncs to disk as a real one would.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
import time
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from tests.bench import machine, plots, report
from tests.bench.sections import SECTIONS
from tests.bench.sections.common import FULL, QUICK, TINY, say
from tests.bench.server import Host, choose
from tests.bench.targets import outcomes

ARTEFACTS = Path(__file__).parents[1] / "artefacts"
SIZES = {"full": FULL, "quick": QUICK, "tiny": TINY}


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tests.bench", description=__doc__)
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    add = parser.add_argument
    add("--quick", action="store_true", help="four minutes instead of 25")
    add("--tiny", action="store_true", help="tries the runner and measures nothing")
    sections = ", ".join(SECTIONS)
    add("--only", action="append", choices=list(SECTIONS), metavar="SECTION", help=sections)
    which = "embedded, or a major version of this machine, such as 15"
    add("--server", default="embedded", metavar="WHICH", help=which)
    add("--json", type=Path, metavar="FILE", help="where the results go")
    add("--from", type=Path, metavar="FILE", dest="kept", help="no run: the results of this file")
    add("--write-docs", action="store_true", help="docs/performance.md and its plots, too")
    return parser.parse_args()


def measure(asked: argparse.Namespace, size_name: str, path: Path) -> dict[str, Any]:
    size = SIZES[size_name]
    installation = choose(asked.server)
    here = machine.look(Path(tempfile.gettempdir()))
    results: dict[str, Any] = {
        "when": datetime.now(UTC).isoformat(timespec="seconds"),
        "size": size_name,
        "server": installation.label,
        "machine": here.told(),
        "problems": {},
    }
    print(report.heading(results), flush=True)
    if here.busy_before is not None and here.busy_before > 0.1:
        say("other work runs on this machine: only the CPU figures mean anything")
    path.parent.mkdir(parents=True, exist_ok=True)
    began = time.monotonic()
    host = Host(installation)
    try:
        for name in asked.only or SECTIONS:
            say(f"-- {name}, after {time.monotonic() - began:.0f} s")
            try:
                results[name] = SECTIONS[name](host, size)
            except Exception as error:  # what other sections find is kept
                results["problems"][name] = f"{type(error).__name__}: {error}"
                say(f"{name} failed: {error}")
                host.forget()
            results["minutes"] = round((time.monotonic() - began) / 60, 1)
            results["targets"] = [one.told() for one in outcomes(results)]
            path.write_text(json.dumps(results, indent=1) + "\n")
    finally:
        host.remove()
    return results


def main() -> int:
    asked = arguments()
    size = "tiny" if asked.tiny else "quick" if asked.quick else "full"
    if asked.write_docs:
        plots.need_matplotlib()
    if asked.kept is not None:
        results = json.loads(asked.kept.read_text())
    else:
        parts = ["bench", *([] if size == "full" else [size]), *(asked.only or [])]
        parts += [] if asked.server == "embedded" else [asked.server]
        path = asked.json or ARTEFACTS / f"{'-'.join(parts)}.json"
        results = measure(asked, size, path)
        say(f"results: {path}")
    print(report.report(results))
    if asked.write_docs:
        report.write_docs(results)
    return 1 if results["problems"] else 0


if __name__ == "__main__":
    sys.exit(main())
