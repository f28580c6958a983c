"""The choice of δ1 and δ2 by inner folds."""

import numpy as np
import pytest
from boosting import slow
from boosting.data import islands, overlapping, same
from sklearn.naive_bayes import GaussianNB

from distsearch.backends import derive_seed
from distsearch.boosting import CBBClassifier, DecisionStumpClassifier
from distsearch.boosting._cluster_fit import deal
from distsearch.boosting._cluster_runs import ACTIONS
from distsearch.boosting._deltas import default_grid
from distsearch.boosting._reading import read_training
from distsearch.boosting._types import type_of

X, Y, _ = islands()
pytestmark = pytest.mark.filterwarnings("ignore:All .* left to the initial", "ignore:delta2=")
PAPER = {"HES": "boost", "HEP": "boost slowly", "HOS": "one function", "HOP": "nothing"}
SMALL = [(0.02, 0.05), (0.1, 0.3), (0.2, 0.3), (0.3, 0.05), (0.6, 0.2)]


def cbb(base="stump", rows=X, y=Y, **how):
    how = {"min_clusters": 4, "max_clusters": 4, "delta": "auto", "random_state": 0, **how}
    return CBBClassifier(base, **how).fit(rows, y)


def slow_scores(base, X, y, model, grid, n_folds, voting):
    """The accuracy of each pair, by folds, clusters and rows one after another."""
    rows = read_training(CBBClassifier(), base, X, y)
    assert rows.draws == len(rows)
    X, y, where = rows.X, rows.codes, model.cluster_of(rows.X)
    n_clusters, n_classes = where.max() + 1, len(rows.classes)
    rule = "M1" if n_classes == 2 else "SAMME"
    inner = derive_seed(np.random.SeedSequence(0), 1)
    fold_of = deal(y, n_folds, np.random.default_rng(derive_seed(inner, 2)))
    right = []
    for delta in grid:
        n_right = 0
        for fold in range(n_folds):
            train, asked = np.flatnonzero(fold_of != fold), np.flatnonzero(fold_of == fold)
            f0 = type(base)().fit(X[train], y[train])
            wrong = f0.predict(X[train]) != y[train]
            runs, first = [], []
            for c in range(n_clusters):
                inside = where[train] == c
                members = train[inside]
                size = len(members)
                if not size:
                    runs.append(([], []))
                    first.append(0.0)
                    continue
                minority = size - np.bincount(y[members]).max()
                missed = int(wrong[inside].sum())
                kind = type_of(size, minority, missed, *delta)
                action = PAPER[kind] if size >= 2 else "nothing"
                first.append(slow.log_odds(missed / size, size, 1.0, rule, n_classes))
                seed = derive_seed(
                    derive_seed(inner, 3), fold + 1, c, ACTIONS.index(action)
                )  # fmt: skip
                if action == "nothing":
                    runs.append(([], []))
                elif action == "one function":
                    f = slow.fitted(base, X[members], y[members], np.ones(size, int), 0)
                    error = (f.predict(X[members]) != y[members]).mean()
                    vote = slow.log_odds(error, size, 1.0, rule, n_classes)
                    runs.append(([f], [vote]))
                else:
                    eta = 1.0 if action == "boost" else 0.5
                    functions, votes, _, _ = slow.adaboost(
                        base, X[members], y[members], seed, 10, eta, rule, n_classes
                    )
                    runs.append((functions, votes))
            for i in asked:
                totals = np.zeros(n_classes)
                totals[f0.predict(X[[i]])[0]] += first[where[i]]
                for c in [where[i]] if voting == "restricted" else range(n_clusters):
                    totals += slow.totals(*runs[c], X[[i]], range(n_classes))[0]
                n_right += totals.argmax() == y[i]
        right.append(n_right)
    return np.array(right) / len(y)


@pytest.mark.parametrize("voting", ["restricted", "unrestricted"])
@pytest.mark.parametrize("n_classes", [2, 3])
def test_against_slow_cross_validation(n_classes, voting):
    rows, y = overlapping(3, 60, n_classes)
    base = DecisionStumpClassifier()
    grid = [(0.05, 0.1), (0.2, 0.3), (0.3, 0.5)]
    model = cbb(base, rows, y, delta_grid=grid, delta_folds=3, voting=voting, n_estimators=10)
    expected = slow_scores(base, rows, y, model, grid, 3, voting)
    assert [pair[:2] for pair in model.delta_scores_] == grid
    # A draw of two equally likely last rows, which hangs on a last digit, may turn a row.
    np.testing.assert_allclose([s for *_, s in model.delta_scores_], expected, atol=1.1 / 60)


def test_the_best_pair_is_taken_and_the_nearest_to_the_defaults_of_equal_ones():
    model = cbb(GaussianNB(), delta_grid=SMALL)
    best = max(s for *_, s in model.delta_scores_)
    tied = [(d1, d2) for d1, d2, s in model.delta_scores_ if s == best]
    assert model.delta_ == min(tied, key=lambda p: abs(p[0] - 0.2) + abs(p[1] - 0.3))
    same_pair = cbb(GaussianNB(), delta_grid=[(0.25, 0.3), (0.25, 0.3)])
    assert same_pair.delta_scores_[0] == same_pair.delta_scores_[1]


def test_the_model_is_that_of_the_chosen_pair():
    for grid in (SMALL, SMALL[:1]):
        model = cbb(GaussianNB(), delta_grid=grid)
        d1, d2 = model.delta_
        fixed = cbb(GaussianNB(), delta="fixed", delta1=d1, delta2=d2)
        same(model.decision_function(X), fixed.decision_function(X))
        assert model.clusters_ == fixed.clusters_
        assert fixed.delta_scores_ is None
        assert fixed.delta_ == (d1, d2)


def test_a_pair_has_the_same_score_in_any_grid():
    whole = {pair[:2]: pair[2] for pair in cbb(GaussianNB(), delta_grid=SMALL).delta_scores_}
    for pair in SMALL[1:3]:
        (alone,) = cbb(GaussianNB(), delta_grid=[pair]).delta_scores_
        assert alone[2] == whole[pair]


def test_the_grid_of_the_paper():
    grid = default_grid(2)
    assert len(grid) == len(set(grid)) == 25
    assert {d1 for d1, _ in grid} == {0.1, 0.15, 0.2, 0.25, 0.3}
    assert {d2 for _, d2 in grid} == {0.2, 0.25, 0.3, 0.35, 0.4}
    # With K classes a cluster's minority is at most 1 - 1/K instead of 1/2.
    assert {d2 for _, d2 in default_grid(4)} == {0.3, 0.375, 0.45, 0.525, 0.6}
    model = cbb(max_clusters=4, delta_folds=2)
    assert [pair[:2] for pair in model.delta_scores_] == grid


def test_folds_are_dealt_evenly():
    codes = np.array([0] * 31 + [1] * 8 + [2])
    fold = deal(codes, 4, np.random.default_rng(0))
    assert np.bincount(fold).tolist() == [10, 10, 10, 10]
    for code in (0, 1):
        counts = np.bincount(fold[codes == code], minlength=4)
        assert counts.max() - counts.min() <= 1
    same(fold, deal(codes, 4, np.random.default_rng(0)))


def test_weights_count_in_scores():
    rows, y = overlapping(0, 60)
    weight = np.random.default_rng(0).integers(1, 4, 60)
    model = CBBClassifier(GaussianNB(), delta="auto", delta_grid=SMALL, random_state=0)
    model.fit(rows, y, sample_weight=weight)
    for *_, score in model.delta_scores_:
        assert score * weight.sum() == pytest.approx(round(score * weight.sum()))


def test_small_data():
    rows, y = overlapping(0, 12)
    for folds in (2, 5, 12):
        model = CBBClassifier("stump", delta="auto", delta_folds=folds, random_state=0)
        assert np.isfinite(model.fit(rows, y).decision_function(rows)).all()
