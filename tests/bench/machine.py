"""On what and beside what it was measured: without that, no figure means anything."""

from __future__ import annotations

import os
import platform
import time
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any


@dataclass(frozen=True)
class Machine:
    processor: str
    cores: int
    memory_gib: float
    system: str
    file_system: str
    fsyncs_per_second: float
    load_before: float
    busy_before: float | None

    def told(self) -> dict[str, Any]:
        return asdict(self)


def look(folder: Path) -> Machine:
    """Before anything of ours runs; the folder is where the server's data will lie."""
    return Machine(
        processor=_processor(),
        cores=len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else _cores(),
        memory_gib=round(os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30, 1),
        system=f"{platform.system()} {platform.release()}",
        file_system=_file_system(folder),
        fsyncs_per_second=round(fsync_rate(folder)),
        load_before=round(os.getloadavg()[0], 2),
        busy_before=busy(2.0),
    )


def _cores() -> int:
    return os.cpu_count() or 1


def _processor() -> str:
    path = Path("/proc/cpuinfo")
    if path.exists():
        for line in path.read_text().splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    return platform.processor() or platform.machine()


def _file_system(folder: Path) -> str:
    """The type of file system that holds the folder: on one in memory, fsync costs nothing."""
    mounts = Path("/proc/mounts")
    if not mounts.exists():
        return "unknown"
    best, kind = "", "unknown"
    for line in mounts.read_text().splitlines():
        _, point, this, *_ = line.split()
        if folder.resolve().is_relative_to(point) and len(point) >= len(best):
            best, kind = point, this
    return kind


def fsync_rate(folder: Path, seconds: float = 1.0) -> float:
    """How often a second 8 kB can be written and made durable, one after the other."""
    path = folder / f"board-fsync-{os.getpid()}"
    page = bytes(8192)
    sync = getattr(os, "fdatasync", os.fsync)
    handle = os.open(path, os.O_CREAT | os.O_WRONLY, 0o600)
    try:
        os.write(handle, page * 64)
        sync(handle)
        began, count = time.monotonic(), 0
        while time.monotonic() - began < seconds:
            os.pwrite(handle, page, 8192 * (count % 64))
            sync(handle)
            count += 1
        return count / (time.monotonic() - began)
    finally:
        os.close(handle)
        path.unlink()


def busy(seconds: float) -> float | None:
    """Which part of all cores is busy, looking for so long; None where /proc does not tell."""
    first = _ticks()
    time.sleep(seconds)
    second = _ticks()
    if first is None or second is None:
        return None
    used, total = second[0] - first[0], second[1] - first[1]
    return round(used / total, 3) if total else 0.0


def _ticks() -> tuple[int, int] | None:
    path = Path("/proc/stat")
    if not path.exists():
        return None
    fields = [int(field) for field in path.read_text().splitlines()[0].split()[1:9]]
    idle = fields[3] + fields[4]
    return sum(fields) - idle, sum(fields)


def cpu_microseconds(pid: int) -> float | None:
    """CPU time of a process of this machine so far; None where it cannot be had."""
    try:
        return int(Path(f"/proc/{pid}/schedstat").read_text().split()[0]) / 1000
    except OSError:
        return None
