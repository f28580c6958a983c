from __future__ import annotations

import re
import sys
from typing import Any

import pytest
from sklearn.base import is_classifier, is_regressor
from sklearn.linear_model import RidgeClassifier, SGDClassifier
from sklearn.neural_network import MLPClassifier

from distsearch import registry
from distsearch.errors import InvalidInputError, UnknownNameError
from distsearch.registry import SHORT_NAMES, make_estimator


@pytest.mark.parametrize("name", SHORT_NAMES)
def test_every_short_name_makes_a_classifier_or_a_regressor(name: str) -> None:
    estimator = make_estimator(name, seed=3)
    assert is_classifier(estimator) != is_regressor(estimator)
    assert estimator.get_params().get("random_state", 3) == 3


def test_the_documented_table_is_the_table() -> None:
    documented = re.findall(r"^``([\w-]+)`` +(\w+)", registry.__doc__ or "", flags=re.MULTILINE)
    made = [(name, place.partition(":")[2]) for name, (place, _) in SHORT_NAMES.items()]
    assert documented == made


@pytest.mark.parametrize(
    ("name", "params", "by_hand"),
    [
        ("perceptron", {}, SGDClassifier(loss="perceptron", random_state=0)),
        (
            "mlp",
            {"max_iter": 5},
            MLPClassifier(hidden_layer_sizes=(10, 10), max_iter=5, random_state=0),
        ),
        ("RidgeClassifier", {"alpha": 0.5}, RidgeClassifier(alpha=0.5, random_state=0)),
        ("RidgeClassifier", {"random_state": 7}, RidgeClassifier(random_state=7)),
    ],
)
def test_parameters(name: str, params: dict[str, Any], by_hand: Any) -> None:
    assert repr(make_estimator(name, params, seed=0)) == repr(by_hand)


@pytest.mark.parametrize(
    ("name", "params", "words"),
    [
        ("knm", {}, "Did you mean 'knn'"),
        ("GausianNB", {}, "Did you mean 'GaussianNB'"),
        ("knn", {"n_neighbours": 3}, "Did you mean 'n_neighbors'"),
    ],
)
def test_unknown_names_come_with_the_nearest(name: str, params: dict[str, Any], words: str) -> None:
    with pytest.raises(UnknownNameError, match=words):
        make_estimator(name, params)


@pytest.mark.parametrize(
    ("name", "params", "words"),
    [
        ("knn", {"n_neighbors": 0}, "must be an int in the range"),
        ("knn", {"weights": "far"}, "Got 'far' instead"),
        ("VotingClassifier", {}, "estimators"),
    ],
)
def test_values_are_checked(name: str, params: dict[str, Any], words: str) -> None:
    with pytest.raises(InvalidInputError, match=words):
        make_estimator(name, params)


def test_other_code_is_not_imported_unless_trusted(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Any
) -> None:
    (tmp_path / "elsewhere.py").write_text(
        "from sklearn.naive_bayes import GaussianNB\nclass Mine(GaussianNB): pass\nthing = 1\n"
    )
    monkeypatch.syspath_prepend(tmp_path)
    with pytest.raises(InvalidInputError, match="--trust elsewhere"):
        make_estimator("elsewhere:Mine", trust=["else"])
    assert "elsewhere" not in sys.modules
    assert type(make_estimator("elsewhere:Mine", trust=["elsewhere"])).__name__ == "Mine"
    with pytest.raises(InvalidInputError, match="not an estimator"):
        make_estimator("elsewhere:thing", trust=["elsewhere"])
    with pytest.raises(UnknownNameError, match="no 'Yours'"):
        make_estimator("elsewhere:Yours", trust=["elsewhere"])
    del sys.modules["elsewhere"]
