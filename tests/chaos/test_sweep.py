"""Whatever happens to workers, and wherever a study runs, its table is the same to the byte."""

from __future__ import annotations

import hashlib
import os
import secrets
import signal
import subprocess
import sys
import threading
import time
from collections import Counter
from pathlib import Path

import pytest
from chaos.studies import KILL, SECONDS, TRACE, fits, make_tests_plan, table
from two_nodes import LOOPBACK

from distsearch.errors import StoreBusyError
from distsearch.sweep import TooManyFailuresError, run_plan
from distsearch.sweep.store import StoreReader


@pytest.fixture
def trace(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    path = tmp_path / "trace"
    monkeypatch.setenv(TRACE, str(path))
    return path


@pytest.fixture(scope="module")
def plan():
    return make_tests_plan()


@pytest.fixture(scope="module")
def expected(plan, tmp_path_factory: pytest.TempPathFactory) -> str:
    folder = tmp_path_factory.mktemp("expected")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv(TRACE, str(folder / "trace"))
        run_plan(plan, folder / "store.sqlite", backend="serial")
    return table(folder / "store.sqlite")


def digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


@pytest.mark.parametrize("backend", ["processes:1", "processes:2", "processes:4"])
def test_one_hash_for_any_number_of_processes(tmp_path, plan, expected, backend):
    store = tmp_path / "store.sqlite"
    summary = run_plan(plan, store, backend=backend)
    assert (summary.done, summary.failed) == (20, 0)
    assert digest(table(store)) == digest(expected)


@pytest.mark.ray
def test_the_same_hash_on_ray(tmp_path, plan, expected, own_ray):
    store = tmp_path / "store.sqlite"
    summary = run_plan(plan, store, backend=own_ray)
    assert (summary.done, summary.failed) == (20, 0)
    assert digest(table(store)) == digest(expected)


def test_a_killed_worker_costs_a_second_try(tmp_path, trace, plan, expected, monkeypatch):
    bomb = tmp_path / "bomb"
    bomb.touch()
    monkeypatch.setenv(KILL, str(bomb))
    store = tmp_path / "store.sqlite"
    run_plan(plan, store, backend="processes:2")
    assert not bomb.exists()
    assert table(store) == expected
    assert max(Counter(fits(trace)).values()) == 2
    with StoreReader(store) as reader:
        assert reader.results(reader.study())["attempts"].max() == 2


@pytest.mark.parametrize("backend", ["serial", "processes:2"])
def test_ctrl_c_keeps_what_is_done(tmp_path, trace, expected, plan, backend, monkeypatch):
    monkeypatch.setenv(SECONDS, "0.05")
    store = tmp_path / "store.sqlite"

    def interrupt() -> None:
        while len(fits(trace)) < 8:
            time.sleep(0.01)
        os.kill(os.getpid(), signal.SIGINT)

    thread = threading.Thread(target=interrupt)
    thread.start()
    with pytest.raises(KeyboardInterrupt):
        run_plan(plan, store, backend=backend)
    thread.join()
    with StoreReader(store) as reader:
        done = int((reader.results(reader.study())["state"] == "done").sum())
        assert reader.runs()["outcome"].tolist() == ["interrupted"]
        assert reader.driver() is None
    assert 0 < done < 20
    before = len(fits(trace))
    summary = run_plan(plan, store, backend=backend)
    assert (summary.known, summary.done) == (done, 20 - done)
    assert len(fits(trace)) == before + 20 - done
    assert table(store) == expected


@pytest.mark.ray
def test_a_lost_node_loses_nothing(tmp_path, trace, expected):
    store = tmp_path / "store.sqlite"
    tests = Path(__file__).parents[1]
    environment = {
        **{key: value for key, value in os.environ.items() if not key.startswith("RAY_")},
        SECONDS: "0.3",
        TRACE: str(trace),
        "PYTHONPATH": os.pathsep.join([str(tests), str(tests.parent)]),
        "RAY_AUTH_MODE": "token",
        "RAY_AUTH_TOKEN": secrets.token_hex(32),
        **LOOPBACK,
    }
    subprocess.run(
        [sys.executable, str(tests / "chaos" / "lost_node.py"), str(store)],
        env=environment, check=True, timeout=200,
    )  # fmt: skip
    assert table(store) == expected
    assert 20 <= len(fits(trace)) <= 20 + 4  # one task each in hand, and as many waiting


def test_a_second_driver_is_refused_at_once(tmp_path, trace, plan, monkeypatch):
    monkeypatch.setenv(SECONDS, "0.05")
    store = tmp_path / "store.sqlite"
    thread = threading.Thread(target=run_plan, args=(plan, store), kwargs={"backend": "serial"})
    thread.start()
    while len(fits(trace)) < 2:
        time.sleep(0.01)
    start = time.monotonic()
    with pytest.raises(StoreBusyError, match=f"{os.getpid()}"):
        run_plan(plan, store, backend="serial")
    assert time.monotonic() - start < 1.0
    thread.join()


@pytest.mark.usefixtures("trace")
def test_failures_are_kept_told_and_tried_again_only_when_asked(tmp_path, plan):
    store = tmp_path / "store.sqlite"
    broken = make_tests_plan()
    for estimator in broken.work.estimators:
        estimator.set_params(fails=True)
    told = []
    summary = run_plan(
        broken, store, backend="serial", on_failure=lambda unit, result: told.append(result)
    )
    assert (summary.done, summary.failed) == (0, 20)
    assert {each.error_type for each in told} == {"ValueError"}
    assert {each.error for each in told} == {"no luck with 120 rows"}
    again = run_plan(plan, store, backend="serial")
    assert (again.done, again.failed, again.left) == (0, 0, 20)
    retried = run_plan(plan, store, backend="serial", retry_failed=True)
    assert (retried.done, retried.failed, retried.left) == (20, 0, 0)


@pytest.mark.usefixtures("trace")
@pytest.mark.parametrize("backend", ["serial", "processes:2"])
def test_fail_fast_stops_at_the_first(tmp_path, backend):
    broken = make_tests_plan()
    for estimator in broken.work.estimators:
        estimator.set_params(fails=True)
    with pytest.raises(TooManyFailuresError, match="1 unit failed, and 0 are tolerated"):
        run_plan(broken, tmp_path / "store.sqlite", backend=backend, fail_fast=True)
