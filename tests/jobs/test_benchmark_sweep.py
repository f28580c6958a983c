"""The benchmark of sweeps compares like with like; its figures are for people to look at."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sklearn.datasets import make_classification
from sklearn.model_selection import cross_val_score
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import distsearch
from distsearch.backends import SerialBackend

JOBS = Path(distsearch.__file__).parents[1] / "jobs"


@pytest.fixture
def benchmarks(monkeypatch: pytest.MonkeyPatch) -> Any:
    """The benchmark's modules, found as they are when it is run."""
    monkeypatch.syspath_prepend(str(JOBS))
    import benchmarks.overhead
    import benchmarks.peers
    import benchmarks.studies
    import benchmarks.sweep

    return benchmarks


def test_everybody_has_the_accuracies_of_cross_validation(benchmarks: Any, tmp_path: Path) -> None:
    X, y = make_classification(80, 6, flip_y=0.3, class_sep=0.5, random_state=1)
    grid = {"n_neighbors": [1, 4], "weights": ["uniform", "distance"], "p": [1, 2]}
    splits = benchmarks.studies.make_splits(X, y)
    trials = benchmarks.peers.Trials(X, y, splits, grid)
    spec = benchmarks.studies.make_spec(str(tmp_path), X, y, "knn", "standardize", trials.settings)
    expected = [
        cross_val_score(
            make_pipeline(StandardScaler(), KNeighborsClassifier(**each)), X, y, cv=splits
        ).mean()
        for each in trials.settings
    ]
    assert len(set(expected)) > 3
    for found in (
        benchmarks.sweep.sweep_accuracies(spec, SerialBackend()),
        benchmarks.peers.grid_search(trials, 1),
        [trials.accuracy(each) for each in trials.settings],
    ):
        np.testing.assert_allclose(found, expected, rtol=0, atol=1e-12)


def test_units_that_spin_take_their_time_and_are_all_kept(benchmarks: Any, tmp_path: Path) -> None:
    spec, _, y = benchmarks.studies.spinning_study(str(tmp_path), 20, 0.002)
    results = benchmarks.studies.in_new_store(spec, SerialBackend())
    assert len(results) == 20
    assert set(results["state"]) == {"done"}
    assert results["fit_seconds"].min() >= 0.002
    share_of_first = (y == min(y)).mean()
    assert results["accuracy"].mean() == pytest.approx(share_of_first, abs=0.03)


def test_contenders_that_differ_are_not_compared(benchmarks: Any) -> None:
    serial = np.array([0.5, 0.75])
    benchmarks.sweep._check_agreement({"serial": serial, "other": serial + 1e-14})
    with pytest.raises(SystemExit, match="other found other accuracies"):
        benchmarks.sweep._check_agreement({"serial": serial, "other": serial[::-1]})


def test_growth_is_seen_from_the_first_look_to_the_last(
    benchmarks: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    memory = iter([100.0, 130.0, 110.0])
    monkeypatch.setattr(benchmarks.overhead, "_resident", lambda: next(memory))
    monkeypatch.setattr(benchmarks.overhead, "get_backend", lambda _: SerialBackend())
    assert benchmarks.overhead.memory_of("run and kept", 15, 1, 6) == (100.0, 110.0, 130.0)


def test_missing_tools_are_named(benchmarks: Any, capsys: pytest.CaptureFixture[str]) -> None:
    assert not benchmarks.peers.is_installed("no_such_module")
    seconds = {"ray": [1.0], "processes": [2.0], "serial": [4.0], "Optuna, x": [8.0]}
    benchmarks.sweep._print_trials(seconds, 16)
    lines = capsys.readouterr().out.splitlines()
    assert lines[4].split() == ["Optuna,", "x", "8.000", "2.00", "8.00x", "4.00x", "2.00x"]
    assert lines[-1].split() == ["Ray", "Tune", "not", "installed", "(ray.tune)"]
