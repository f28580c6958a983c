"""Runs the study on two Ray nodes of its own, one of which dies: ``python lost_node.py STORE``.

A process of its own, because a process can be connected to one Ray at a time.
"""

from __future__ import annotations

import os
import sys
import threading
import time
from contextlib import ExitStack
from pathlib import Path

from chaos.studies import TRACE, fits, make_tests_plan
from two_nodes import end, join, start, start_head

from distsearch.sweep import run_plan


def main() -> None:
    plan = make_tests_plan()
    trace, over = Path(os.environ[TRACE]), threading.Event()
    with ExitStack() as stack:
        address = start_head(stack)
        join(address, 1).close()
        second = start(stack, f"--address={address}")

        def pull_the_plug() -> None:
            while len(fits(trace)) < 4 and not over.is_set():
                time.sleep(0.05)
            end(second)

        with join(address, 2) as backend:
            thread = threading.Thread(target=pull_the_plug)
            thread.start()
            run_plan(plan, sys.argv[1], backend=backend)
            over.set()
            thread.join()


if __name__ == "__main__":
    main()
