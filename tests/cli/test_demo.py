from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer, load_iris
from sklearn.model_selection import RepeatedStratifiedKFold, cross_val_score
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from distsearch.backends import open_backend
from distsearch.boxcox import BoxCoxSearchCV
from distsearch.cli import _demonstrating, _models
from distsearch.cli._comparison import METHODS, compare


def compare_on(backend: str) -> Any:
    X, y = load_iris(return_X_y=True)
    with open_backend(backend) as place:
        return compare(GaussianNB(), X, y, place, folds=2, repeats=1, seed=1)


def test_scores_are_those_of_estimators_built_by_hand() -> None:
    results = {result.method: result for result in compare_on("serial")}
    X, y = load_iris(return_X_y=True)
    cv = RepeatedStratifiedKFold(n_splits=2, n_repeats=1, random_state=1)
    plain = make_pipeline(StandardScaler(), GaussianNB())
    np.testing.assert_allclose(results["base"].scores, cross_val_score(plain, X, y, cv=cv))
    for method, strategy in METHODS.items():
        search = BoxCoxSearchCV(GaussianNB(), strategy, cv="resubstitution", random_state=1)
        by_hand = cross_val_score(search, X, y, cv=cv)
        np.testing.assert_array_equal(results[method].scores, by_hand)


@pytest.mark.parametrize("backend", ["processes:2", pytest.param("ray", marks=pytest.mark.ray)])
def test_the_backend_changes_nothing(backend: str, request: pytest.FixtureRequest) -> None:
    if backend == "ray":
        request.getfixturevalue("own_ray")
    for one, other in zip(compare_on("serial"), compare_on(backend), strict=True):
        assert one.method == other.method
        np.testing.assert_array_equal(one.scores, other.scores)
        np.testing.assert_array_equal(one.evaluations, other.evaluations)


def test_the_demo_saves_the_best_and_says_what_to_do_next(
    monkeypatch: pytest.MonkeyPatch, run: Callable[..., Any], tmp_path: Path
) -> None:
    monkeypatch.setattr(_demonstrating, "_DATA", "iris")
    output = tmp_path / "demo.skops"
    done = run("demo", "-o", output, "--backend", "serial", "--folds", "2", "--repeats", "1")
    assert done.code == 0
    lines = done.out.splitlines()
    rows = {line.split()[0]: float(line.split()[1]) for line in lines[2 : 3 + len(METHODS)]}
    assert rows.keys() == {"base", *METHODS}
    assert rows[_models.load(output)["report"]["method"]] == max(rows.values())
    assert lines[-1].strip() == f"distsearch predict {output} iris -o predictions.csv"
    again = run(*lines[-1].replace("predictions.csv", str(tmp_path / "p.csv")).split()[1:])
    assert again.code == 0
    assert "accuracy on 150 rows" in again.err


def test_the_map_helps_naive_bayes_on_rows_not_seen() -> None:
    X, y = load_breast_cancer(return_X_y=True)
    cv = RepeatedStratifiedKFold(n_splits=3, n_repeats=1, random_state=0)
    plain = cross_val_score(make_pipeline(StandardScaler(), GaussianNB()), X, y, cv=cv)
    mapped = cross_val_score(
        BoxCoxSearchCV(GaussianNB(), METHODS["mle"], cv="resubstitution"), X, y, cv=cv
    )
    assert mapped.mean() > plain.mean() + 0.01


def test_a_regressor_is_refused(run: Callable[..., Any]) -> None:
    result = run("demo", "--estimator", "ridge")
    assert result.code == 2
    assert "is no classifier" in result.error
