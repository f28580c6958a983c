"""Drives studies in processes that may be killed: ``python driver.py JOBS``, a JSON list of jobs.

Each job is a fork of this process, which has imported everything and computed nothing: an import
for each would take longer than the study.
"""

from __future__ import annotations

import json
import os
import signal
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1]))

from chaos.studies import TRACE, make_tests_plan

from distsearch.sweep import run_plan
from distsearch.sweep.store import Store


def die_after(number: int) -> None:
    """Kill this process when so many results are in the store."""
    record, count = Store.record, 0

    def record_and_die(self: Store, result: Any) -> None:
        nonlocal count
        record(self, result)
        count += 1
        if count == number:
            os.kill(os.getpid(), signal.SIGKILL)

    Store.record = record_and_die  # type: ignore[method-assign]


def do(job: Mapping[str, Any], plan: Any) -> None:
    os.environ[TRACE] = job["trace"]
    if job.get("die_after"):
        die_after(job["die_after"])
    run_plan(plan, job["store"], backend=job["backend"])


def main() -> None:
    jobs = json.loads(sys.argv[1])
    plan = make_tests_plan()
    for job in jobs:
        child = os.fork()
        if not child:
            try:
                do(job, plan)
            except BaseException as error:
                print(repr(error), file=sys.stderr)
                os._exit(1)
            os._exit(0)
        _, status = os.waitpid(child, 0)
        print(os.waitstatus_to_exitcode(status), flush=True)


if __name__ == "__main__":
    main()
