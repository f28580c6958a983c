from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sklearn.datasets import load_iris
from sklearn.model_selection import StratifiedKFold
from sklearn.naive_bayes import GaussianNB

from distsearch.boxcox import BoxCoxSearchCV, IterativeGrid
from distsearch.cli import _models

pytestmark = [pytest.mark.ray, pytest.mark.timeout(280)]

BIN = Path(sys.executable).parent
SUBMIT_SECONDS = 120


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
