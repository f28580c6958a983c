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
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import numpy as np
import psutil
import pytest
from sklearn.datasets import load_iris
from sklearn.model_selection import StratifiedKFold
from sklearn.naive_bayes import GaussianNB

import distsearch
from distsearch.boxcox import BoxCoxSearchCV, IterativeGrid
from distsearch.cli import _models

pytestmark = [pytest.mark.ray, pytest.mark.timeout(280)]

ROOT = Path(distsearch.__file__).parents[1]
BIN = Path(sys.executable).parent
SUBMIT_SECONDS = 120


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
    for signal_ in ("terminate", "kill"):
        for process in processes:
            try:
                getattr(process, signal_)()
            except psutil.NoSuchProcess:
                continue
        _, processes = psutil.wait_procs(processes, timeout=5)
    assert not processes


@pytest.fixture(scope="module")
def environment() -> dict[str, str]:
    kept = {key: value for key, value in os.environ.items() if not key.startswith("RAY_")}
    kept.pop("PYTHONPATH", None)  # the job has to find the package without
    return {
        **kept,
        "PATH": f"{BIN}{os.pathsep}{kept['PATH']}",
        "RAY_USAGE_STATS_ENABLED": "0",
        "RAY_AUTH_MODE": "token",
        "RAY_AUTH_TOKEN": secrets.token_hex(32),
    }


@pytest.fixture(scope="module")
def address(environment: dict[str, str]) -> Iterator[str]:
    """The address of a Ray of this module's own."""
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


@pytest.fixture(scope="module")
def checkout(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What a clean checkout has, in a folder that is on no path."""
    folder = tmp_path_factory.mktemp("checkout")
    no_caches = shutil.ignore_patterns("__pycache__")
    for name in ("distsearch", "jobs"):
        shutil.copytree(ROOT / name, folder / name, ignore=no_caches)
    return folder


@pytest.fixture
def submit(
    address: str, checkout: Path, environment: dict[str, str]
) -> Callable[..., subprocess.CompletedProcess[str]]:
    def call(*args: Any) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [BIN / "ray", "job", "submit", "--address", address, "--working-dir", ".", "--",
             "python", "jobs/fit.py", *map(str, args)],
            cwd=checkout, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
            text=True, timeout=SUBMIT_SECONDS, check=False,
        )  # fmt: skip

    return call


def test_the_job_writes_the_model_that_a_serial_fit_finds(
    submit: Callable[..., subprocess.CompletedProcess[str]], tmp_path: Path
) -> None:
    output = tmp_path / "m.skops"
    done = submit("iris", "--estimator", "nb", "--epochs", "1", "--cv", "3", "-o", output)
    assert done.returncode == 0, done.stdout
    X, y = load_iris(return_X_y=True, as_frame=True)
    folds = StratifiedKFold(3, shuffle=True, random_state=0)
    by_hand = BoxCoxSearchCV(GaussianNB(), IterativeGrid(epochs=1), cv=folds, random_state=0)
    by_hand.fit(X, y)
    content = _models.load(output)
    assert content["report"]["backend"] == "ray"
    assert list(content["report"]["lambdas"].values()) == by_hand.lambdas_.tolist()
    np.testing.assert_array_equal(content["model"].predict_proba(X), by_hand.predict_proba(X))


def test_a_job_without_data_fails_and_says_why(
    submit: Callable[..., subprocess.CompletedProcess[str]], tmp_path: Path
) -> None:
    missing = tmp_path / "missing.csv"
    done = submit(missing, "--target", "label", "-o", tmp_path / "m.skops")
    assert done.returncode != 0
    assert f"Error: {missing} does not exist" in done.stdout
    assert "FAILED" in done.stdout or "failed" in done.stdout
