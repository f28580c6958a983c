"""The benchmark of boosters compares like with like; its figures are for people to look at."""

from __future__ import annotations

import argparse
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from sklearn.datasets import make_classification
from sklearn.ensemble import AdaBoostClassifier

import distsearch
from distsearch.boosting import DecisionStumpClassifier

JOBS = Path(distsearch.__file__).parents[1] / "jobs"


@pytest.fixture
def boosting(monkeypatch: pytest.MonkeyPatch) -> Any:
    """The benchmark's module, found as it is when it is run."""
    monkeypatch.syspath_prepend(str(JOBS))
    import benchmarks.boosting

    return benchmarks.boosting


@pytest.fixture
def problem(boosting: Any) -> Any:
    X, y = make_classification(90, 5, n_informative=3, flip_y=0.2, random_state=0)
    return boosting.Problem("made up", X, y)


def options(boosting: Any, *more: str) -> argparse.Namespace:
    parser = argparse.ArgumentParser()
    boosting.add_options(parser)
    return parser.parse_args(["--seeds=1", "--rounds=1", "--fanned=stump", *more])


def test_a_tiny_run(
    boosting: Any, problem: Any, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(boosting, "real", lambda _: iter([problem]))
    # No worker processes in a test this small.
    monkeypatch.setattr(boosting, "clusters", _serial(boosting.clusters))
    boosting.run(options(boosting))
    out = capsys.readouterr().out
    for name in ("made up, stump", "made up, unpruned", "made up, C4.5", "'stump'", "processes:2"):
        assert name in out
    assert out.count(" 10x m") == 1
    assert len([line for line in out.splitlines() if line.endswith((" met", " missed"))]) == 5


def _serial(make: Any) -> Any:
    return lambda seed, **params: make(seed, **{**params, "backend": "serial"})


def test_only_some_tables(
    boosting: Any, problem: Any, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(boosting, "real", lambda _: iter([problem]))
    boosting.run(options(boosting, "--only=stumps"))
    out = capsys.readouterr().out
    assert "Stumps" in out
    assert "Trees" not in out
    assert "grid" not in out


def test_without_data_there_is_a_bundled_set(
    boosting: Any, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.delenv("DISTSEARCH_DATA", raising=False)
    (found,) = boosting.real(["sonar", "pima"])
    assert (found.name, found.X.shape, len(set(found.y))) == ("breast_cancer", (569, 30), 2)
    assert "Not at hand (DISTSEARCH_DATA is not set): sonar, pima" in capsys.readouterr().out


def test_sets_at_hand_are_read_in_order_with_two_classes(
    boosting: Any,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setenv("DISTSEARCH_DATA", str(tmp_path))
    for name, labels in {"contraceptive": "1232", "pima": "1010"}.items():
        rows = "".join(f"{a},{label}\n" for a, label in enumerate(labels))
        (tmp_path / f"{name}.csv").write_text(f"a,target\n{rows}")
    first, second = boosting.real(["pima", "sonar", "contraceptive"])
    assert (first.name, second.name) == ("pima", "contraceptive")
    assert first.X.ravel().tolist() == [0, 1, 2, 3]
    assert second.y.tolist() == [0, 1, 1, 1]
    assert f"(DISTSEARCH_DATA is {tmp_path}): sonar" in capsys.readouterr().out


def test_costs_are_shared_among_the_functions_that_are_kept(
    boosting: Any, problem: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    def measured(fits: Any, rounds: int, **_: Any) -> dict[str, list[float]]:
        for fit in fits.values():
            fit()
        return {"ours": [5.0, 9.0, 6.0], "theirs": [8.0, 1.0, 8.0]}

    monkeypatch.setattr(boosting, "seconds_in_turns", measured)
    makers = {
        "ours": lambda seed: boosting.resampling("stump", 3, seed),
        "theirs": lambda seed: boosting.reweighting(None, 4, seed),
    }
    found = boosting.costs(problem, makers, 2, 3)
    assert found["ours"].functions == [3, 3]
    assert found["ours"].each == [2.0, 2.0]
    assert found["theirs"].each == [2.0, 2.0]


def test_functions_of_clusters_are_counted_with_the_initial_one(
    boosting: Any, problem: Any
) -> None:
    model = boosting.clusters(0, delta2=0.1).fit(problem.X, problem.y)
    assert boosting.n_functions(model) == 1 + sum(model.clusters_["n_functions"]) > 2


def test_both_stumps_split_alike(problem: Any) -> None:
    theirs = AdaBoostClassifier(n_estimators=1).fit(problem.X, problem.y)
    ours = DecisionStumpClassifier().fit(problem.X, problem.y)
    np.testing.assert_array_equal(ours.predict(problem.X), theirs.predict(problem.X))


def test_results_that_differ_are_not_timed(
    boosting: Any, problem: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    boosting.check_grid(problem)
    clusters = boosting.clusters

    def other(seed: int, **params: Any) -> Any:
        return clusters(seed + ("delta_grid" in params), **params)

    monkeypatch.setattr(boosting, "clusters", other)
    with pytest.raises(SystemExit, match=r"made up: .* alone, .* in the grid"):
        boosting.check_grid(problem)


def test_backends_that_differ_are_not_compared(
    boosting: Any, problem: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Other:
        def __init__(self, backend: Any) -> None:
            self.value = float(backend == "serial")

        def fit(self, *_: Any) -> None:
            pass

        def predict_proba(self, X: Any) -> Any:
            return np.full((len(X), 2), self.value)

    monkeypatch.setattr(boosting, "clusters", lambda seed, *, backend, **_: Other(backend))
    wanted = SimpleNamespace(workers=2, fanned="stump", rounds=1)
    with pytest.raises(SystemExit, match="processes:2, started for it gives other bits"):
        boosting.fan_out([problem], wanted)
