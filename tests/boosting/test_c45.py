"""The tree of C4.5: its estimate of errors, its pruning, and its place in scikit-learn."""

import math
import os
import pickle
from itertools import pairwise
from pathlib import Path
from statistics import NormalDist

import numpy as np
import pandas as pd
import pytest
import skops.io
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.sparse import csr_matrix
from sklearn.base import clone
from sklearn.datasets import load_breast_cancer, load_iris
from sklearn.ensemble import AdaBoostClassifier
from sklearn.model_selection import RepeatedStratifiedKFold, cross_val_score
from sklearn.tree import DecisionTreeClassifier, export_text
from sklearn.utils.estimator_checks import parametrize_with_checks

from distsearch.boosting import C45TreeClassifier
from distsearch.boosting._c45 import added_errors
from distsearch.boosting._learners import bind
from distsearch.boosting._reading import read_training

GROWN = {"criterion": "entropy", "min_samples_leaf": 2, "random_state": 0}

J48 = {
    "sonar": 71.15, "wdbc": 93.15, "pima": 73.83, "bupa": 67.83, "ionosphere": 90.60,
    "spect": 80.90,
}  # fmt: skip
"""Accuracy of Weka 3.6.14's J48, 10 folds."""


def real(name):
    folder = os.environ.get("DISTSEARCH_DATA")
    if not folder:
        pytest.skip("DISTSEARCH_DATA does not name the folder of real data")
    frame = pd.read_csv(Path(folder) / f"{name}.csv")
    y = frame.pop("target").to_numpy()
    return frame.fillna(frame.mean()).to_numpy(float), y


def added_by_hand(n, e, cf):
    """Weka's Stats.addErrs, one leaf at a time."""
    if e < 1:
        base = n * (1 - cf ** (1 / n))
        if e == 0:
            return base
        return base + e * (added_by_hand(n, 1, cf) - base)
    if e + 0.5 >= n:
        return max(n - e, 0)
    z = NormalDist().inv_cdf(1 - cf)
    f = (e + 0.5) / n
    r = (f + z * z / (2 * n) + z * math.sqrt(f / n - f * f / n + z * z / (4 * n * n))) / (
        1 + z * z / n
    )
    return r * n - e


def pruned_by_hand(tree, cf):
    """The leaves and splits that are left, as nested tuples: first collapsing, then pruning."""
    left, right = tree.children_left, tree.children_right

    def counts(node):
        return tree.value[node, 0] * tree.weighted_n_node_samples[node]

    def wrong(node):
        return counts(node).sum() - counts(node).max()

    def training_errors(node):
        if left[node] < 0:
            return wrong(node)
        return training_errors(left[node]) + training_errors(right[node])

    def as_leaf(node):
        return wrong(node) + added_by_hand(counts(node).sum(), wrong(node), cf)

    def prune(node):
        """What is left, and its estimated errors."""
        leaf = ("leaf", tuple(tree.value[node, 0])), as_leaf(node)
        if left[node] < 0 or training_errors(node) >= wrong(node) - 1e-3:
            return leaf
        (a, errors_a), (b, errors_b) = prune(left[node]), prune(right[node])
        if as_leaf(node) - (errors_a + errors_b + 0.1) < 1e-6:
            return leaf
        split = (tree.feature[node], tree.threshold[node], a, b)
        return split, errors_a + errors_b

    return prune(0)[0]


def shape(tree, node=0):
    if tree.children_left[node] < 0:
        return ("leaf", tuple(tree.value[node, 0]))
    below = [shape(tree, child[node]) for child in (tree.children_left, tree.children_right)]
    return (tree.feature[node], tree.threshold[node], *below)


@pytest.mark.parametrize(
    ("rows", "errors", "rate"),
    [(6, 0, 0.206), (9, 0, 0.143), (1, 0, 0.750)],
)
def test_rates_of_quinlans_book(rows, errors, rate):
    added = added_errors(np.array([float(rows)]), np.array([float(errors)]), 0.25)
    assert (errors + added[0]) / rows == pytest.approx(rate, abs=5e-4)


@given(
    st.floats(0.5, 2000), st.floats(0, 1), st.sampled_from([0.5, 0.25, 0.1, 0.01, 0.001])
)  # fmt: skip
def test_added_errors_follow_the_definition(rows, share, confidence):
    for errors in (rows * share, float(int(rows * share)), 0.0, min(share, rows)):
        added = added_errors(np.array([rows]), np.array([errors]), confidence)[0]
        assert added == pytest.approx(added_by_hand(rows, errors, confidence), rel=1e-9, abs=1e-9)


@given(st.integers(2, 500), st.data())
def test_laws_of_added_errors(rows, data):
    errors = data.draw(st.integers(0, rows // 2))
    n, e = np.array([float(rows)]), np.array([float(errors)])
    values = [added_errors(n, e, confidence)[0] for confidence in (0.5, 0.25, 0.1, 0.01)]
    assert all(a <= b + 1e-12 for a, b in pairwise(values))
    assert values[0] >= 0
    # Twice the rows at the same rate: surer, so less than twice is added.
    assert added_errors(2 * n, 2 * e, 0.25)[0] <= 2 * values[1] + 1e-12


@pytest.mark.parametrize("confidence", [0.5, 0.25, 0.05])
@pytest.mark.parametrize("name", J48)
def test_pruning_follows_the_definition(name, confidence):
    X, y = real(name)
    grown = DecisionTreeClassifier(**GROWN).fit(X, y)
    pruned = C45TreeClassifier(confidence=confidence, random_state=0).fit(X, y)
    assert shape(pruned.tree_) == pruned_by_hand(grown.tree_, confidence)
    assert pruned.get_n_leaves() <= grown.get_n_leaves()


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 10**6), st.integers(2, 4), st.booleans())
def test_pruning_of_noise(seed, n_classes, weighted):
    rng = np.random.default_rng(seed)
    X, y = rng.normal(size=(60, 3)), rng.integers(n_classes, size=60)
    y[X[:, 0] > 0] = 0
    weight = rng.integers(1, 4, 60).astype(float) if weighted else None
    grown = DecisionTreeClassifier(**GROWN).fit(X, y, weight)
    pruned = C45TreeClassifier(random_state=0).fit(X, y, weight)
    assert shape(pruned.tree_) == pruned_by_hand(grown.tree_, 0.25)


@pytest.mark.parametrize("name", J48)
def test_as_accurate_as_j48(name):
    X, y = real(name)
    folds = RepeatedStratifiedKFold(n_splits=10, n_repeats=3, random_state=0)
    accuracy = cross_val_score(C45TreeClassifier(random_state=0), X, y, cv=folds).mean()
    assert 100 * accuracy == pytest.approx(J48[name], abs=3.9)


def test_leaves_by_confidence():
    X, y = load_breast_cancer(return_X_y=True)
    leaves = [
        C45TreeClassifier(confidence=cf, random_state=0).fit(X, y).get_n_leaves()
        for cf in (0.5, 0.25, 0.1, 0.01, 1e-6)
    ]
    assert leaves == sorted(leaves, reverse=True)
    assert leaves[0] > leaves[-1] >= 2


def test_one_label_and_nothing_to_split():
    X, y = np.arange(6.0)[:, None], np.array(["a"] * 6)
    assert C45TreeClassifier().fit(X, y).get_n_leaves() == 1
    tree = C45TreeClassifier().fit(np.zeros((4, 1)), ["a", "b", "b", "b"])
    assert tree.predict([[0.0]]) == ["b"]


def test_a_split_that_is_sure_stays():
    X, y = np.arange(20.0)[:, None], np.arange(20) >= 8
    tree = C45TreeClassifier().fit(X, y)
    assert (tree.get_n_leaves(), tree.tree_.threshold[0]) == (2, 7.5)


def test_missing_values():
    X, y = load_breast_cancer(return_X_y=True)
    X[np.random.default_rng(0).random(X.shape) < 0.1] = np.nan
    grown = DecisionTreeClassifier(**GROWN).fit(X, y)
    tree = C45TreeClassifier(random_state=0).fit(X, y)
    assert shape(tree.tree_) == pruned_by_hand(grown.tree_, 0.25)
    paths, full = tree.decision_path(X), grown.decision_path(X)
    # Missing values take the same turns in both.
    assert (paths[:, [1]].toarray() == full[:, [1]].toarray()).all()
    rates = tree.tree_.n_node_samples[np.unique(tree.apply(X))]
    np.testing.assert_array_equal(rates, np.unique(tree.apply(X), return_counts=True)[1])


def by_skops(tree, folder):
    skops.io.dump(tree, folder / "tree.skops")
    unknown = skops.io.get_untrusted_types(file=folder / "tree.skops")
    assert set(unknown) <= {"distsearch.boosting._c45.C45TreeClassifier", "sklearn.tree._tree.Tree"}
    return skops.io.load(folder / "tree.skops", trusted=unknown)


@pytest.mark.parametrize("copy", [lambda tree, _: pickle.loads(pickle.dumps(tree)), by_skops])
def test_copies(copy, tmp_path):
    X, y = load_iris(return_X_y=True)
    tree = C45TreeClassifier(random_state=0).fit(X, y)
    again = copy(tree, tmp_path)
    np.testing.assert_array_equal(again.predict_proba(X), tree.predict_proba(X))
    assert again.get_n_leaves() == tree.get_n_leaves()
    assert clone(tree).get_params() == tree.get_params()


def test_the_rest_of_a_tree_works_after_pruning():
    X, y = load_breast_cancer(return_X_y=True)
    tree = C45TreeClassifier(random_state=0).fit(X, y)
    grown = DecisionTreeClassifier(**GROWN).fit(X, y)
    assert tree.tree_.node_count < grown.tree_.node_count
    assert tree.feature_importances_.sum() == pytest.approx(1)
    assert tree.get_depth() <= grown.get_depth()
    assert export_text(tree).count("class") == tree.get_n_leaves()
    path = tree.cost_complexity_pruning_path(X, y)
    assert len(path.ccp_alphas) <= tree.get_n_leaves()
    assert path.impurities[0] >= 0
    sparse = C45TreeClassifier(random_state=0).fit(csr_matrix(X), y)
    assert shape(sparse.tree_) == shape(tree.tree_)


def test_two_columns_of_labels_are_refused():
    with pytest.raises(ValueError, match="1d array"):
        C45TreeClassifier().fit([[0.0], [1.0]], [[0, 1], [1, 0]])


@pytest.mark.parametrize("confidence", [0, 0.6, "high"])
def test_confidence_is_checked(confidence):
    with pytest.raises(ValueError, match="'confidence' parameter of C45TreeClassifier"):
        C45TreeClassifier(confidence=confidence).fit([[0.0], [1.0]], [0, 1])


def test_weights_count_as_rows_where_leaves_may_be_small():
    X, y = load_iris(return_X_y=True)
    weight = np.random.default_rng(0).integers(0, 4, len(y))
    one = C45TreeClassifier(min_samples_leaf=1, random_state=0)
    weighted, repeated = clone(one), clone(one)
    weighted.fit(X[weight > 0], y[weight > 0], weight[weight > 0])
    repeated.fit(np.repeat(X, weight, axis=0), np.repeat(y, weight))
    assert shape(weighted.tree_) == shape(repeated.tree_)


def test_bound_to_rows():
    X, y = load_iris(return_X_y=True)
    rows = read_training(C45TreeClassifier(), C45TreeClassifier(), X, y)
    counts = np.random.default_rng(0).integers(0, 3, len(rows))
    learner = bind(C45TreeClassifier(), rows)
    function = learner.fit(counts, 3)
    drawn = np.repeat(np.arange(len(rows)), counts)
    alone = C45TreeClassifier(random_state=3).fit(rows.X[drawn], rows.labels[drawn])
    assert shape(function.tree_) == shape(alone.tree_)
    np.testing.assert_array_equal(learner.codes(function), alone.predict(rows.X))


CANNOT = {
    "check_sample_weight_equivalence_on_dense_data": "the smallest leaf counts rows, not weights",
    "check_sample_weight_equivalence_on_sparse_data": "the smallest leaf counts rows, not weights",
}


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.SkipTestWarning")
@parametrize_with_checks([C45TreeClassifier()])
def test_scikit_learns_own_checks(estimator, check):
    name = getattr(check, "func", check).__name__
    if name in CANNOT:
        pytest.skip(CANNOT[name])
    check(estimator)


@pytest.mark.parametrize("scale", [2.0**-1, 2.0**-9, 2.0**-40])  # these round nothing
def test_weights_that_are_no_counts_are_shares(scale):
    X, y = load_breast_cancer(return_X_y=True)
    plain = C45TreeClassifier(random_state=0).fit(X, y)
    scaled = C45TreeClassifier(random_state=0).fit(X, y, sample_weight=np.full(569, scale))
    assert plain.get_n_leaves() == scaled.get_n_leaves()
    np.testing.assert_array_equal(plain.predict(X), scaled.predict(X))


def test_boosting_by_weights_that_add_up_to_one():
    X, y = load_breast_cancer(return_X_y=True)
    boosted = AdaBoostClassifier(C45TreeClassifier(random_state=0), n_estimators=5, random_state=0)
    assert boosted.fit(X[:300], y[:300]).score(X[300:], y[300:]) > 0.9
