from __future__ import annotations

import os
import re
import signal
import subprocess
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import psutil
import pytest
from sklearn.datasets import load_digits

from distsearch.cli import _models

# The target is the last digit's column; few rows keep the run short, many features long enough.
FIT = ("--target", "target", "--estimator", "knn", "--epochs", "1", "--gridsize", "9",
       "--cv", "3")  # fmt: skip


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("digits") / "digits.csv"
    load_digits(as_frame=True).frame.iloc[:300].to_csv(path, index=False)
    return path


def wait_for(path: Path, process: subprocess.Popen[str]) -> None:
    """Wait until some scores are on disk."""
    for _ in range(600):
        if path.exists():
            return
        assert process.poll() is None, process.communicate()
        time.sleep(0.1)
    raise AssertionError("no checkpoint was written")


def members(group: int) -> list[psutil.Process]:
    """Return the processes of a group that still run."""
    found = []
    for process in psutil.process_iter():
        try:
            if os.getpgid(process.pid) == group and process.status() != psutil.STATUS_ZOMBIE:
                found.append(process)
        except (ProcessLookupError, psutil.NoSuchProcess):
            continue
    return found


@pytest.mark.parametrize(
    ("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)], ids=["ctrl-c", "term"]
)
def test_a_stopped_fit_continues_to_the_same_bits(
    start: Callable[..., subprocess.Popen[str]],
    run: Callable[..., Any],
    data: Path,
    tmp_path: Path,
    number: signal.Signals,
    code: int,
) -> None:
    output = tmp_path / "m.skops"
    call = ("fit", data, *FIT, "--backend", "processes:2", "-o", output)
    process = start(*call)
    children = [process.pid]
    wait_for(tmp_path / "m.skops.partial", process)
    children += [each.pid for each in psutil.Process(process.pid).children(recursive=True)]
    if number == signal.SIGINT:  # a terminal sends it to every process of the group
        os.killpg(process.pid, number)
    else:
        process.send_signal(number)
    out, err = process.communicate(timeout=20)
    assert process.returncode == code, err
    assert not members(process.pid)
    assert not [pid for pid in children if psutil.pid_exists(pid)]
    assert out == ""
    assert "Traceback" not in err
    last = err.splitlines()[-1]
    kept = re.match(r"Interrupted: ([\d,]+) evaluations are kept in .*the same command", last)
    assert kept is not None, err
    assert os.listdir(tmp_path) == ["m.skops.partial"]

    report = tmp_path / "again.json"
    assert run(*call, "--json", report, "--quiet").code == 0
    whole = tmp_path / "whole.skops"
    assert run("fit", data, *FIT, "--backend", "serial", "-o", whole, "--quiet").code == 0
    one, other = (_models.load(path) for path in (output, whole))
    frame = load_digits(as_frame=True).data
    assert one["report"]["lambdas"] == other["report"]["lambdas"]
    np.testing.assert_array_equal(
        one["model"].predict_proba(frame), other["model"].predict_proba(frame)
    )
    assert one["report"]["evaluations"] < other["report"]["evaluations"]
    assert not (tmp_path / "m.skops.partial").exists()


def test_a_checkpoint_of_another_search_is_not_used(
    start: Callable[..., subprocess.Popen[str]],
    run: Callable[..., Any],
    data: Path,
    tmp_path: Path,
) -> None:
    kept = tmp_path / "kept"
    call = ("fit", data, *FIT, "--backend", "serial", "--checkpoint", kept)
    process = start(*call)
    wait_for(kept, process)
    process.kill()
    assert process.wait(20) == -signal.SIGKILL
    result = run(*call, "--seed", "5", "--scoring", "f1_macro")
    assert result.code == 2
    assert "belongs to another search" in result.error
