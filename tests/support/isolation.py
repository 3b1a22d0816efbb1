"""Run a spec with PostgreSQL's own isolationtester, which ships with the client package.

A newer server is fine: the tester is an ordinary client. It looks for lock waits through
`pg_isolation_test_session_is_blocked`, which every server has.
"""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

STEP_SECONDS = 20


def run_spec(tester: Path, spec: Path, dsn: str) -> str:
    """What the tester prints; its messages on standard error follow it when it failed."""
    environment = {
        **os.environ,
        "PG_TEST_TIMEOUT_DEFAULT": str(STEP_SECONDS),  # since 16
        "PGISOLATIONTIMEOUT": str(STEP_SECONDS),  # 15
    }
    with spec.open() as text:
        done = subprocess.run(
            [tester, dsn],
            stdin=text,
            capture_output=True,
            text=True,
            env=environment,
            timeout=240,
            check=False,
        )
    if done.returncode != 0:
        return f"{done.stdout}\nisolationtester ended with {done.returncode}: {done.stderr}"
    return done.stdout
