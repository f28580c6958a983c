"""One Ray head for the tests of jobs, ended by the processes that it is made of."""

from __future__ import annotations

import os
import secrets
import shutil
import socket
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import psutil
import pytest
from two_nodes import LOOPBACK, heard

import distsearch

ROOT = Path(distsearch.__file__).parents[1]
BIN = Path(sys.executable).parent


def free_ports(count: int) -> list[int]:
    with ExitStack() as stack:
        sockets = [stack.enter_context(socket.socket()) for _ in range(count)]
        for each in sockets:
            each.bind(("127.0.0.1", 0))
        return [each.getsockname()[1] for each in sockets]


def wait_for_dashboard(url: str, token: str, head: subprocess.Popen[bytes]) -> None:
    request = urllib.request.Request(f"{url}/api/version")
    request.add_header("Authorization", f"Bearer {token}")
    for _ in range(240):
        assert head.poll() is None, "the head ended"
        try:
            with urllib.request.urlopen(request, timeout=5):
                return
        except (urllib.error.URLError, OSError):
            time.sleep(0.5)
    raise AssertionError("the head did not come up")


def end(processes: list[psutil.Process]) -> None:
    """End these processes and no others; see that none is left."""
    for signal_, seconds in (("terminate", 2), ("kill", 10)):
        for process in processes:
            try:
                getattr(process, signal_)()
            except psutil.NoSuchProcess:
                continue
        _, processes = psutil.wait_procs(processes, timeout=seconds)
    assert not processes


@pytest.fixture(scope="session")
def environment() -> dict[str, str]:
    kept = {key: value for key, value in os.environ.items() if not key.startswith("RAY_")}
    kept.pop("PYTHONPATH", None)  # the job has to find the package without
    return {
        **kept,
        "PATH": f"{BIN}{os.pathsep}{kept['PATH']}",
        "RAY_USAGE_STATS_ENABLED": "0",
        "RAY_AUTH_MODE": "token",
        "RAY_AUTH_TOKEN": secrets.token_hex(32),
        **LOOPBACK,
    }


@pytest.fixture(scope="session")
def address(environment: dict[str, str]) -> Iterator[str]:
    """The address of a Ray of these tests' own."""
    folder = tempfile.mkdtemp(prefix="fj-", dir="/tmp")  # socket paths may have 107 characters
    port, dashboard, agent, client = free_ports(4)
    head = subprocess.Popen(
        [
            BIN / "ray", "start", "--head", "--block", f"--port={port}",
            "--node-ip-address=127.0.0.1", "--dashboard-host=127.0.0.1",
            f"--dashboard-port={dashboard}", f"--dashboard-agent-listen-port={agent}",
            f"--ray-client-server-port={client}", "--num-cpus=2",
            f"--object-store-memory={100 * 2**20}", f"--temp-dir={folder}",
        ],
        env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        start_new_session=True,
    )  # fmt: skip
    try:
        url = f"http://127.0.0.1:{dashboard}"
        wait_for_dashboard(url, environment["RAY_AUTH_TOKEN"], head)
        assert heard(head.pid) == {"127.0.0.1"}
        yield url
    finally:
        ours = psutil.Process(head.pid)
        end([*ours.children(recursive=True), ours])
        head.wait()
        shutil.rmtree(folder, ignore_errors=True)
        assert not [each for each in psutil.process_iter() if folder in _command(each)]


def _command(process: psutil.Process) -> str:
    try:
        return " ".join(process.cmdline())
    except psutil.Error:
        return ""


@pytest.fixture(scope="session")
def checkout(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What a clean checkout has, in a folder that is on no path."""
    folder = tmp_path_factory.mktemp("checkout")
    no_caches = shutil.ignore_patterns("__pycache__")
    for name in ("distsearch", "jobs"):
        shutil.copytree(ROOT / name, folder / name, ignore=no_caches)
    return folder
