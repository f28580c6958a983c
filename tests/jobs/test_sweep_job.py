"""``distsearch submit`` on a Ray head of the tests' own, as a person would use it."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack
from dataclasses import dataclass
from importlib.metadata import version
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

Process = subprocess.Popen[str]


@dataclass(frozen=True)
class Ended:
    code: int
    out: str
    err: str


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


@pytest.fixture(scope="module")
def start(address: str, environment: Mapping[str, str]) -> Iterator[Callable[..., Process]]:
    """Give a command with the server's address, from a folder."""
    with ExitStack() as stack:

        def call(folder: Path, *args: object, **env: str) -> Process:
            process = subprocess.Popen(
                [sys.executable, "-m", "distsearch.cli", *map(str, args), "--address", address],
                cwd=folder,
                env={
                    **environment,
                    "PYTHONPATH": str(ROOT),
                    "WINE_FOLDER": str(folder.parent),
                    # Neither of them is where the job goes, which the option says.
                    "RAY_ADDRESS": "127.0.0.1:1",
                    "RAY_API_SERVER_ADDRESS": "http://127.0.0.1:1",
                    **env,
                },
                stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
            )  # fmt: skip
            stack.enter_context(process)
            stack.callback(process.kill)
            return process

        yield call


def submit(
    start: Callable[..., Process], study: Path, store: Path, *args: str, **env: str
) -> Process:
    """Submit a study from its folder."""
    return start(study.parent, "submit", study.name, "--store", store, *args, **env)


def ended(process: Process) -> Ended:
    out, err = process.communicate(timeout=SUBMIT_SECONDS)
    return Ended(process.returncode, out, err)


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("results") / "results.sqlite"


@pytest.fixture(scope="module")
def first_ones(
    start: Callable[..., Process],
    study: Path,
    store: Path,
    tmp_path_factory: pytest.TempPathFactory,
) -> dict[str, Ended]:
    """What becomes of a study, one whose units fail, one with a wrong token, and of a doctor.

    Most of a job is waiting, so they wait together.
    """
    folder = tmp_path_factory.mktemp("failing")
    (folder / "study.toml").write_text(FAILING)
    (folder / "broken_on_purpose.py").write_text(BROKEN)
    failing = ("--trust", "broken_on_purpose", "--backend", "serial")
    processes = {
        "good": submit(start, study, store, "--follow", "--name", "good"),
        "failing": submit(start, folder / "study.toml", folder / "f.sqlite", "--follow", *failing),
        "doctor": start(folder, "doctor", "--store", folder / "d.sqlite"),
        "refused": submit(start, study, store, RAY_AUTH_TOKEN="0" * 64),
    }
    return {name: ended(process) for name, process in processes.items()}


def test_a_study_runs_on_the_cluster(first_ones: Mapping[str, Ended], store: Path) -> None:
    good = first_ones["good"]
    assert good.code == 0, good
    sent, following = good.err.splitlines()
    assert "the study, 2 files that it names and distsearch" in sent
    assert following == "Following the job good."
    assert "12 units, 12 done, 0 failed" in good.out
    with StoreReader(store) as reader:
        record = reader.study("shipped")
        done = reader.finished(record)
    assert set(done) == {unit.hash for unit in record.units}
    assert len(done) == 2 * 2 * 3


def test_submitted_again_it_continues(
    first_ones: Mapping[str, Ended], start: Callable[..., Process], study: Path, store: Path
) -> None:
    assert first_ones["good"].code == 0
    second = submit(start, study, store, "--follow", "--only", "data=iris")
    same_name = ended(submit(start, study, store, "--name", "good"))
    assert same_name.code == 2
    *_, line = same_name.err.splitlines()
    assert "has a job 'good' already" in line
    again = ended(second)
    assert again.code == 0, again
    assert "6 units, 6 known before, 0 done, 0 failed" in again.out


def test_the_exit_code_is_that_of_the_job(first_ones: Mapping[str, Ended]) -> None:
    failing = first_ones["failing"]
    assert failing.code == 1, failing
    assert "ArithmeticError: broken on purpose" in failing.out
    assert failing.err.splitlines()[-1].endswith("failed with exit code 1.")


def test_a_wrong_token_is_one_line(first_ones: Mapping[str, Ended], address: str) -> None:
    refused = first_ones["refused"]
    assert (refused.code, refused.out) == (1, "")
    _, line = refused.err.splitlines()
    assert f"no Ray job server to use at {address}: Authentication failed" in line
    assert "RAY_AUTH_TOKEN" in line


def test_the_doctor_goes_as_a_job(first_ones: Mapping[str, Ended]) -> None:
    doctor = first_ones["doctor"]
    assert (doctor.code, doctor.err) == (0, ""), doctor
    assert ["numpy", version("numpy")] in [line.split() for line in doctor.out.splitlines()]
    (node,) = [line.split() for line in doctor.out.splitlines() if "(head)" in line]
    assert node[:4] == ["127.0.0.1", "(head)", "ok", "2"]
    assert "d.sqlite on 127.0.0.1, " in doctor.out
    assert "Error" not in doctor.out
    assert doctor.out.splitlines()[-1] == "A study can run on 1 node with 2 CPUs."
