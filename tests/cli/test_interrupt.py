from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import psutil
import pytest
from sklearn.datasets import load_iris

from distsearch.boxcox import BoxCoxSearchCV
from distsearch.cli import _models
from distsearch.cli._errors import terminable
from distsearch.search import Memo

SLOW = """
import os, time
from sklearn.naive_bayes import GaussianNB

class Slow(GaussianNB):
    def fit(self, X, y):
        time.sleep(float(os.environ.get("SLOW_SECONDS", 0)))
        return super().fit(X, y)
"""
FIT = ("fit", "iris", "--estimator", "slow_estimator:Slow", "--trust", "slow_estimator",
       "--epochs", "1", "--cv", "3")  # fmt: skip


@pytest.fixture(autouse=True)
def _slow_estimator(
    tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> Iterator[None]:
    folder = tmp_path_factory.mktemp("modules")
    (folder / "slow_estimator.py").write_text(SLOW)
    monkeypatch.syspath_prepend(folder)
    monkeypatch.setenv("PYTHONPATH", str(folder))
    yield
    sys.modules.pop("slow_estimator", None)


def wait_for(path: Path, process: subprocess.Popen[str]) -> None:
    """Wait until some scores are on disk."""
    for _ in range(600):
        if path.exists():
            return
        assert process.poll() is None, process.communicate()
        time.sleep(0.1)
    raise AssertionError("no checkpoint was written")


@pytest.mark.parametrize(
    ("number", "code"),
    [(signal.SIGINT, 130), (signal.SIGTERM, 143), (signal.SIGHUP, 129)],
    ids=["ctrl-c", "term", "closed terminal"],
)
def test_a_stopped_fit_continues_to_the_same_bits(
    monkeypatch: pytest.MonkeyPatch,
    start: Callable[..., subprocess.Popen[str]],
    run: Callable[..., Any],
    tmp_path: Path,
    number: signal.Signals,
    code: int,
) -> None:
    output, partial = tmp_path / "m.skops", tmp_path / "m.skops.partial"
    with monkeypatch.context() as slowly:
        slowly.setenv("SLOW_SECONDS", "0.3")
        process = start(*FIT, "--backend", "processes:2", "-o", output)
    wait_for(partial, process)
    family = psutil.Process(process.pid).children(recursive=True)
    if number == signal.SIGINT:  # a terminal sends it to every process of the group
        os.killpg(process.pid, number)
    else:
        process.send_signal(number)
    out, err = process.communicate(timeout=20)
    assert (process.returncode, out) == (code, ""), err
    assert family
    assert not psutil.wait_procs(family, timeout=5)[1]
    assert "Traceback" not in err
    kept = re.match(r"Interrupted: (\d+) evaluations? kept in .*same command", last_line(err))
    assert kept is not None, err
    assert os.listdir(tmp_path) == [partial.name]

    again = run(*FIT, "--backend", "serial", "-o", output, "--quiet")
    whole = run(*FIT, "--backend", "serial", "-o", tmp_path / "whole.skops", "--quiet")
    assert (again.code, whole.code, partial.exists()) == (0, 0, False)
    one = _models.load(output, ["slow_estimator"])
    other = _models.load(tmp_path / "whole.skops", ["slow_estimator"])
    assert one["report"]["lambdas"] == other["report"]["lambdas"]
    X = load_iris(as_frame=True).data
    np.testing.assert_array_equal(one["model"].predict_proba(X), other["model"].predict_proba(X))
    done = int(kept.group(1))
    assert one["report"]["evaluations"] == other["report"]["evaluations"] - done < 45


def last_line(text: str) -> str:
    return text.splitlines()[-1]


def test_a_checkpoint_of_another_search_is_not_used(
    run: Callable[..., Any], tmp_path: Path
) -> None:
    kept = Memo(tmp_path / "m.skops.partial", "another search")
    kept.put(np.ones(4), 0.5)
    kept.save()
    result = run(*FIT, "--backend", "serial", "-o", tmp_path / "m.skops")
    assert result.code == 2
    assert "belongs to another search" in result.error
    assert os.listdir(tmp_path) == ["m.skops.partial"]


def test_a_signal_that_is_ignored_stays_so() -> None:
    """So a fit under nohup outlives its terminal."""
    before = signal.signal(signal.SIGHUP, signal.SIG_IGN)
    try:
        with terminable():
            signal.raise_signal(signal.SIGHUP)
        with pytest.raises(KeyboardInterrupt), terminable():
            signal.raise_signal(signal.SIGTERM)
    finally:
        signal.signal(signal.SIGHUP, before)


def test_nothing_kept_is_not_said_to_be_in_a_file(
    monkeypatch: pytest.MonkeyPatch, run: Callable[..., Any], tmp_path: Path
) -> None:
    def stop(*args: Any, **how: Any) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(BoxCoxSearchCV, "fit", stop)
    result = run(*FIT, "--backend", "serial", "-o", tmp_path / "m.skops")
    assert result.code == 130
    assert "nothing was kept" in result.error


def test_ctrl_c_during_the_imports_is_no_traceback() -> None:
    program = (
        "import sys\n"
        "class Stop:\n"
        "    def find_spec(self, name, path, target=None):\n"
        "        if name == 'click': raise KeyboardInterrupt\n"
        "sys.meta_path.insert(0, Stop())\n"
        "from distsearch.cli import main\n"
        "main(['--version'])\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stderr) == (130, "Interrupted: nothing was written.\n")
