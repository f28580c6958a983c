"""Ray nodes on this machine, of the tests' own."""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping
from contextlib import ExitStack, suppress

import psutil

from distsearch.backends import RayBackend
from distsearch.errors import BackendError

# ``ray start`` listens on every interface whatever its options, except where Ray has no clusters,
# and there it refuses a second node. So it is told so everywhere but in that check.
LOOPBACK = {"RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER": "0"}
RAY = """
from ray.scripts import scripts

class Constants:
    real = scripts.ray_constants
    ENABLE_RAY_CLUSTER = True
    def __getattr__(self, name):
        return getattr(self.real, name)

scripts.ray_constants = Constants()
scripts.main()
"""
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


def start(
    stack: ExitStack, *options: str, env: Mapping[str, str] | None = None
) -> subprocess.Popen[bytes]:
    """Start a node that ends with the stack."""
    agent = f"--dashboard-agent-listen-port={free_port()}"
    node = subprocess.Popen(
        [sys.executable, "-c", RAY, "start", *SMALL, agent, *options],
        env={**(os.environ if env is None else env), **LOOPBACK},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    stack.callback(end, node)
    return node


def start_head(stack: ExitStack, env: Mapping[str, str] | None = None) -> str:
    """Start a head; return its address, which takes a few seconds to answer."""
    port = free_port()
    folder = tempfile.mkdtemp(prefix="tn-", dir="/tmp")  # for the short paths of sockets
    stack.callback(shutil.rmtree, folder, ignore_errors=True)
    options = ["--include-dashboard=false", f"--ray-client-server-port={free_port()}"]
    start(stack, "--head", f"--port={port}", f"--temp-dir={folder}", *options, env=env)
    return f"127.0.0.1:{port}"


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


def heard(pid: int) -> set[str]:
    """Return the addresses that a process and its children listen on."""
    process = psutil.Process(pid)
    return {
        connection.laddr.ip.removeprefix("::ffff:")
        for each in [process, *process.children(recursive=True)]
        for connection in each.net_connections("tcp")
        if connection.status == psutil.CONN_LISTEN
    }
