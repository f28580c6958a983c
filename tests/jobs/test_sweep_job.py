"""``distsearch submit`` on a Ray head of the tests' own, as a person would use it."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest
from sklearn.datasets import load_wine

import distsearch
from distsearch.sweep.store import StoreReader

pytestmark = [pytest.mark.ray, pytest.mark.timeout(280)]

ROOT = Path(distsearch.__file__).parents[1]
SUBMIT_SECONDS = 120

STUDY = """
study = "shipped"
seed = 7

[protocol]
folds = 3

[[data]]
source = "iris"

[[data]]
label = "wine"
source = "$WINE_FOLDER/wine.csv"
target = "kind"

[[estimators]]
label = "KNN"
name = "knn"
table = "neighbours.csv"

[[methods]]
label = "base"
name = "standardize"
"""

FAILING = """
study = "failing"

[[data]]
source = "iris"

[protocol]
folds = 2

[[estimators]]
label = "broken"
name = "broken_on_purpose:Broken"
"""

BROKEN = """
from sklearn.base import BaseEstimator, ClassifierMixin


class Broken(ClassifierMixin, BaseEstimator):
    def fit(self, X, y):
        raise ArithmeticError("broken on purpose")

    def predict(self, X):
        raise AssertionError
"""

Submit = Callable[..., "subprocess.CompletedProcess[str]"]


@pytest.fixture(scope="module")
def study(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A study with a table beside it, and with data in another folder."""
    root = tmp_path_factory.mktemp("studies")
    X, y = load_wine(return_X_y=True, as_frame=True)
    X.assign(kind=y).to_csv(root / "wine.csv", index=False)
    folder = root / "here"
    folder.mkdir()
    (folder / "neighbours.csv").write_text("label,n_neighbors\none,1\nthree,3\n")
    (folder / "study.toml").write_text(STUDY)
    return folder / "study.toml"


@pytest.fixture
def submit(address: str, environment: Mapping[str, str]) -> Submit:
    def call(study: Path, store: Path, *args: str, **env: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, "-m", "distsearch.cli", "submit", study.name, "--address", address,
             "--store", store, *args],
            cwd=study.parent,
            env={
                **environment,
                "PYTHONPATH": str(ROOT),
                "WINE_FOLDER": str(study.parents[1]),
                # Neither of them is where the job goes, which the option says.
                "RAY_ADDRESS": "127.0.0.1:1",
                "RAY_API_SERVER_ADDRESS": "http://127.0.0.1:1",
                **env,
            },
            capture_output=True, text=True, timeout=SUBMIT_SECONDS, check=False,
        )  # fmt: skip

    return call


def test_a_study_runs_on_the_cluster_and_continues_there(
    submit: Submit, study: Path, tmp_path: Path
) -> None:
    store = tmp_path / "results.sqlite"
    first = submit(study, store, "--follow", "--name", "first")
    assert first.returncode == 0, first.stdout + first.stderr
    assert "Following the job first" in first.stderr
    assert "12 units, 12 done, 0 failed" in first.stdout
    with StoreReader(store) as reader:
        record = reader.study("shipped")
        done = reader.finished(record)
    assert set(done) == {unit.hash for unit in record.units}
    assert len(done) == 2 * 2 * 3

    again = submit(study, store, "--name", "first")
    assert again.returncode == 2
    assert "has a job 'first' already" in again.stderr
    assert len(again.stderr.splitlines()) == 1

    second = submit(study, store, "--follow", "--only", "data=iris")
    assert second.returncode == 0, second.stdout + second.stderr
    assert "6 units, 6 known before, 0 done, 0 failed" in second.stdout


def test_the_exit_code_is_that_of_the_job(submit: Submit, tmp_path: Path) -> None:
    study = tmp_path / "study.toml"
    study.write_text(FAILING)
    (tmp_path / "broken_on_purpose.py").write_text(BROKEN)
    trust = ("--trust", "broken_on_purpose")
    failing = submit(study, tmp_path / "results.sqlite", *trust, "--follow", "--backend", "serial")
    assert failing.returncode == 1, failing.stdout + failing.stderr
    assert "ArithmeticError: broken on purpose" in failing.stdout
    assert failing.stderr.splitlines()[-1].endswith("failed with exit code 1.")


def test_a_wrong_token_is_one_line(
    submit: Submit, address: str, study: Path, tmp_path: Path
) -> None:
    done = submit(study, tmp_path / "results.sqlite", RAY_AUTH_TOKEN="0" * 64)
    assert done.returncode == 1
    assert done.stdout == ""
    (line,) = done.stderr.splitlines()
    assert f"no Ray job server to use at {address}: Authentication failed" in line
    assert "RAY_AUTH_TOKEN" in line
