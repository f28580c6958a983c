"""Situations in which boosting and clustering are known to go wrong."""

import json
from math import log

import numpy as np
import pandas as pd
import pytest
from boosting.data import same
from sklearn.model_selection import KFold, cross_val_score
from sklearn.naive_bayes import GaussianNB
from sklearn.neural_network import MLPClassifier
from sklearn.svm import SVC
from sklearn.tree import DecisionTreeClassifier

from distsearch.boosting import (
    AdaBoostKLClassifier,
    BrownBoostClassifier,
    CBBClassifier,
    DecisionStumpClassifier,
    PruneBoostClassifier,
    ResamplingAdaBoostClassifier,
)
from distsearch.boosting._resampling import _normalised
from distsearch.boosting._steps import AdaBoostStep

EVERY_BOOSTER = [
    ResamplingAdaBoostClassifier, AdaBoostKLClassifier, BrownBoostClassifier, PruneBoostClassifier,
    CBBClassifier,
]  # fmt: skip

left_alone = pytest.mark.filterwarnings("ignore:All .* left to the initial function")


def all_votes(model):
    votes = model.estimator_votes_
    return np.concatenate([np.atleast_1d(each) for each in votes] if isinstance(votes, list)
                          else [votes])  # fmt: skip


@left_alone
@pytest.mark.parametrize("base", ["stump", DecisionTreeClassifier()], ids=["stump", "tree"])
@pytest.mark.parametrize("booster", EVERY_BOOSTER)
def test_a_perfect_first_function(booster, base):
    # Case CB-01.
    X, y = np.arange(8.0)[:, None], np.arange(8) > 3.5
    model = booster(base, random_state=3)
    if booster is CBBClassifier:
        # Draws of eight rows need not be enough for a perfect function.
        model.set_params(min_clusters=2, max_clusters=2)
    model.fit(X, y)
    assert np.isfinite(all_votes(model)).all()
    assert np.isfinite(model.predict_proba(X)).all()
    written = json.dumps(all_votes(model).tolist(), allow_nan=False)
    assert json.loads(written) == all_votes(model).tolist()
    many = booster(base, random_state=3).fit(np.repeat(X, 5, axis=0), np.repeat(y, 5))
    assert many.score(X, y) == 1
    if booster is CBBClassifier:
        table = json.loads(json.dumps(many.clusters_, allow_nan=False))
        assert table["initial_vote"] == many.clusters_["initial_vote"]


def test_the_vote_of_a_perfect_function_is_that_of_half_a_wrong_row():
    X, y = np.repeat(np.arange(8.0), 5)[:, None], np.repeat(np.arange(8), 5) > 3.5
    model = ResamplingAdaBoostClassifier("stump", random_state=0).fit(X, y)
    assert len(model.estimators_) == 1
    assert model.estimator_errors_ == [0.0]
    assert model.estimator_votes_[0] == pytest.approx(log(79))


FIVE = np.array([[0.0, 1.0], [1.0, 0.0], [2.0, 2.0], [0.5, 3.0], [4.0, 1.5]])


@left_alone
def test_fewer_rows_than_clusters():
    # Case CB-04.
    y = [0, 1, 0, 1, 1]
    for how in ({}, {"clusterer": "x-means"}, {"variant": "pooled"}, {"delta": "auto"}):
        model = CBBClassifier(random_state=0, **how).fit(FIVE, y)
        assert max(model.bic_, default=0) <= 5
        assert set(model.predict(FIVE)) <= {0, 1}
    assert max(CBBClassifier(random_state=0).fit(FIVE, y).bic_) == 5
    repeated = CBBClassifier(random_state=0).fit(np.tile(FIVE, (4, 1)), y * 4)
    assert max(repeated.bic_) == 5


@left_alone
def test_ten_folds_of_twelve_rows():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(12, 2)), np.arange(12) % 2
    for how in ({}, {"delta": "auto", "delta_folds": 2}, {"variant": "pooled"}):
        model = CBBClassifier("stump", random_state=0, **how)
        scores = cross_val_score(model, X, y, cv=KFold(10))
        assert np.isfinite(scores).all()


def test_a_cluster_of_one_label():
    # Case CB-05: the initial function says "neg" where all is "pos".
    rng = np.random.default_rng(0)
    far = rng.normal([10.0, 0.0], 0.1, (6, 2))
    near = rng.normal([0.0, 0.0], 0.1, (40, 2))
    beyond = rng.normal([20.0, 0.0], 0.1, (60, 2))
    X = np.vstack([near, far, beyond])
    y = np.array(["neg"] * 40 + ["pos"] * 6 + ["neg"] * 60)
    base = SVC(kernel="linear", C=1e-3)  # no line has the six on a side of their own
    groups = np.repeat([0, 1, 2], [40, 6, 60])
    model = CBBClassifier(base, delta2=0.05, random_state=0).fit(X, y, groups=groups)
    assert model.clusters_["type"][1] == "HOS"
    assert model.clusters_["accuracy"][1] == 0
    (function,) = model.estimators_[1]
    same(function.predict(X), np.full(len(X), "pos"))
    assert model.estimator_votes_[1] == pytest.approx(log(11))
    same(model.predict(far), np.full(6, "pos"))
    assert model.predict_proba(far).shape == (6, 2)


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize(
    "base",
    [
        SVC(kernel="linear"),
        MLPClassifier((4,), solver="lbfgs", max_iter=2000),
        GaussianNB(),
    ],
    ids=lambda each: type(each).__name__,
)
@pytest.mark.parametrize("booster", EVERY_BOOSTER[:3])
def test_draws_of_one_label(booster, base):
    # Case CB-05: two rows of twenty; one draw in eight has none of them.
    X = np.random.default_rng(0).normal(size=(20, 2))
    y = np.array([1, 1] + [0] * 18)
    for seed in range(4):
        model = booster(base, random_state=seed).fit(X, y)
        same(model.classes_, [0, 1])
        probabilities = model.predict_proba(X)
        assert probabilities.shape == (20, 2)
        assert np.isfinite(probabilities).all()


@pytest.mark.filterwarnings("ignore:Nothing was left out")
def test_points_on_a_line():
    # Case CB-07: twelve rows, six places, the second column twice the first, k = 20.
    first = np.tile(np.array([0.0, 1.0, 2.0, 3.0, 4.0, 5.0]), 2)
    X, y = np.column_stack([first, 2 * first]), np.tile([0, 0, 1, 0, 1, 1], 2)
    for how in ({}, {"threshold": 0.9}, {"unit": "mahalanobis"}, {"clustering": "all-rows"}):
        model = PruneBoostClassifier("stump", random_state=0, **how).fit(X, y)
        assert np.isfinite(model.decision_function(X)).all()
        assert set(model.predict(X)) <= {0, 1}


def test_a_cluster_without_functions_has_the_answer_of_the_initial_one():
    # Case CB-09: one pure blob, one mixed.
    rng = np.random.default_rng(0)
    X = np.vstack([rng.normal(0, 0.3, (40, 2)), rng.normal(5, 0.3, (40, 2))])
    y = np.array([0] * 40 + [0, 1] * 20)
    model = CBBClassifier("stump", min_clusters=2, max_clusters=2, delta2=0.2, random_state=0).fit(
        X, y
    )
    pure = model.cluster_of([[0.0, 0.0]])[0]
    assert model.clusters_["type"][pure] == "HOP"
    assert model.estimators_[pure] == []
    asked = rng.normal(0, 0.5, (50, 2))
    same(model.predict(asked), model.initial_.predict(asked))
    vote = model.clusters_["initial_vote"][pure]
    assert vote == pytest.approx(log(79))  # forty rows, none wrong
    np.testing.assert_allclose(np.abs(model.decision_function(asked)), vote)


def test_ties_go_to_the_first_label():
    model = ResamplingAdaBoostClassifier("stump", random_state=0)
    X, y = [[0.0], [1.0], [2.0], [3.0]], ["b", "a", "b", "a"]
    model.fit(X, y)
    pair = [DecisionStumpClassifier().fit([[0.0]], [label]) for label in "ab"]
    for functions in (pair, pair[::-1]):
        model.estimators_, model.estimator_votes_ = functions, np.array([0.7, 0.7])
        assert model.predict([[0.0], [9.0]]).tolist() == ["a", "a"]


@pytest.mark.parametrize(
    ("rounds", "hard", "other"),
    [
        (1, 0.5000000000000001, 0.05555555555555555),
        (3, 0.9878048780487805, 0.0013550135501355011),
        (20, 1.0, 8.225263339969914e-20),
        (400, 1.0, 0.0),
    ],
)
def test_a_row_that_is_always_wrong(rounds, hard, other):
    # Case CB-10.
    log_weight = np.full(10, -log(10))
    wrong = np.arange(10) == 0
    step = AdaBoostStep("M1", 2)
    for _ in range(rounds):
        _, moved = step.take(log_weight, log_weight, wrong, 0.1, 10)
        weight, log_weight = _normalised(moved)
    assert weight[0] == pytest.approx(hard, rel=1e-14)
    np.testing.assert_allclose(weight[1:], other, rtol=1e-11, atol=1e-300)
    assert weight.sum() == pytest.approx(1, rel=1e-14)
    assert np.isfinite(log_weight).all()
    counts = np.random.default_rng(0).multinomial(10, weight)
    assert counts.sum() == 10


def test_twelve_numbers_in_three_groups():
    # Case CB-12: the ruling is that the default is the form with a variance for each cluster.
    numbers = [0, 0.2, 0.5, 0.9, 10.1, 10.4, 10.6, 11.1, 20, 20.3, 20.7, 21.2]
    X, y = np.array(numbers)[:, None], np.tile([0, 1, 1, 0], 3)
    how = {"estimator": "stump", "n_init": 100, "random_state": 0, "delta2": 0.3}
    printed = CBBClassifier(criterion="pooled", **how).fit(X, y)
    assert sorted(printed.bic_) == list(range(2, 11))
    assert len(printed.clusters_["size"]) == 10
    # In the scaled space ln SSE is less by 2 ln 21.2: n times that for every k.
    for k, value in {2: 68.6571, 3: 14.5082, 4: 11.7207, 10: -13.7774}.items():
        assert printed.bic_[k] == pytest.approx(value - 24 * log(21.2), abs=1e-3)
    documented = " ".join((CBBClassifier.__doc__ or "").split())
    assert "ten for twelve numbers in three groups" in documented
    assert len(CBBClassifier(criterion="x-means", **how).fit(X, y).clusters_["size"]) in range(
        2, 11
    )


def test_a_table_of_words_only():
    frame = pd.DataFrame({"a": list("xyxyxyxy") * 4, "b": list("ppqqppqq") * 4})
    y = np.tile([0, 1, 1, 0], 8)

    class Words(DecisionTreeClassifier):
        """Sees the words as numbers."""

        def fit(self, X, y, sample_weight=None):
            return super().fit(self._coded(X), y)

        def predict(self, X):
            return super().predict(self._coded(X))

        def _coded(self, X):
            return np.column_stack([X["a"] == "x", X["b"] == "p"]).astype(float)

    model = CBBClassifier(Words(max_depth=1), delta2=0.3, random_state=0).fit(frame, y)
    assert max(model.bic_) == 4
    assert model.score(frame, y) >= 0.5
