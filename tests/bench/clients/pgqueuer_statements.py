"""Prints, as JSON, the statements with which pgqueuer takes and finishes one job.

PYTHONPATH=FOLDER python pgqueuer_statements.py
"""

from __future__ import annotations

import importlib
import json
import uuid
from datetime import timedelta


def main() -> None:
    builders = importlib.import_module("pgqueuer.adapters.persistence.qb")
    queue = builders.QueryQueueBuilder()
    dequeue = queue.build_dequeue_query(
        batch_size=1,
        entrypoints=["bench"],
        concurrency_limits=[0],
        queue_manager_id=uuid.UUID(int=1),
        global_concurrency_limit=None,
        heartbeat_timeout=timedelta(seconds=30),
    )
    install = builders.QueryBuilderEnvironment().build_install_query()
    told = {
        "install": install,
        "claim": dequeue.sql,
        "finish": queue.build_log_job_query(),
        "insert": queue.build_enqueue_query(),
    }
    print(json.dumps(told))


if __name__ == "__main__":
    main()
