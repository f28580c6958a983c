"""Runs the study on two Ray nodes of its own, one of which dies: ``python lost_node.py STORE``.

A process of its own, because a process can be connected to one Ray at a time.
"""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import sys
import tempfile
import threading
import time
from contextlib import ExitStack, suppress
from pathlib import Path

import psutil
from chaos.studies import TRACE, fits, make_tests_plan

from distsearch.backends import RayBackend
from distsearch.errors import BackendError
from distsearch.sweep import run_plan

RAY = Path(sys.executable).with_name("ray")
SMALL = ["--block", "--node-ip-address=127.0.0.1", "--num-cpus=1",
         f"--object-store-memory={100 * 2**20}"]  # fmt: skip


def free_port() -> int:
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return int(one.getsockname()[1])


def end(node: subprocess.Popen[bytes]) -> None:
    """Kill a node's processes, which are children of the one that started it."""
    with suppress(psutil.NoSuchProcess):
        process = psutil.Process(node.pid)
        for each in [*process.children(recursive=True), process]:
            with suppress(psutil.NoSuchProcess):
                each.kill()
    node.wait()


def start(stack: ExitStack, *options: str) -> subprocess.Popen[bytes]:
    node = subprocess.Popen(
        [RAY, "start", *SMALL, *options], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    stack.callback(end, node)
    return node


def join(address: str, nodes: int) -> RayBackend:
    """Return a backend on a cluster when that has so many nodes."""
    for _ in range(120):
        backend = RayBackend(address=address)
        with suppress(BackendError):
            if backend.start().workers == nodes:
                return backend
        backend.close()
        time.sleep(0.5)
    raise SystemExit("the nodes did not come up")


def main() -> None:
    plan = make_tests_plan()
    trace, over = Path(os.environ[TRACE]), threading.Event()
    port = free_port()
    with ExitStack() as stack:
        folder = tempfile.mkdtemp(prefix="ln-", dir="/tmp")  # for the short paths of sockets
        stack.callback(shutil.rmtree, folder, ignore_errors=True)
        start(stack, "--head", f"--port={port}", "--include-dashboard=false",
              f"--dashboard-agent-listen-port={free_port()}",
              f"--ray-client-server-port={free_port()}", f"--temp-dir={folder}")  # fmt: skip
        join(f"127.0.0.1:{port}", 1).close()
        second = start(stack, f"--address=127.0.0.1:{port}",
                       f"--dashboard-agent-listen-port={free_port()}")  # fmt: skip

        def pull_the_plug() -> None:
            while len(fits(trace)) < 4 and not over.is_set():
                time.sleep(0.05)
            end(second)

        with join(f"127.0.0.1:{port}", 2) as backend:
            thread = threading.Thread(target=pull_the_plug)
            thread.start()
            run_plan(plan, sys.argv[1], backend=backend)
            over.set()
            thread.join()


if __name__ == "__main__":
    main()
