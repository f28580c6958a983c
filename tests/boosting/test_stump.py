"""Stumps against trees of depth 1."""

import numpy as np
import pytest
from boosting.data import overlapping, rows_of, same
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.datasets import load_breast_cancer, load_wine
from sklearn.tree import DecisionTreeClassifier

from distsearch.boosting import DecisionStumpClassifier
from distsearch.boosting._learners import bind
from distsearch.boosting._presorted import PresortedColumns


def impurity(codes, weight):
    shares = np.bincount(codes, weights=weight) / weight.sum()
    return 1 - (shares**2).sum()


def fall(column, threshold, codes, weight):
    """The fall of the Gini impurity by a split."""
    left = column <= threshold
    after = sum(
        weight[side].sum() * impurity(codes[side], weight[side])
        for side in (left, ~left)
        if weight[side].sum()
    )
    return impurity(codes, weight) - after / weight.sum()


def all_falls(X, codes, weight):
    """Column, threshold and fall of every split there is, of rows with weight."""
    found = []
    for j in range(X.shape[1]):
        values = np.unique(X[weight > 0, j])
        found += [(j, t, fall(X[:, j], t, codes, weight)) for t in (values[1:] + values[:-1]) / 2]
    return found


def check(X, y, weight=None):
    weight = np.ones(len(y)) if weight is None else np.asarray(weight, dtype=float)
    stump = DecisionStumpClassifier().fit(X, y, sample_weight=weight)
    tree = DecisionTreeClassifier(max_depth=1, random_state=0).fit(X, y, sample_weight=weight)
    falls = all_falls(X, y, weight)
    best = max(f for _, _, f in falls)
    assert fall(X[:, stump.feature_], stump.threshold_, y, weight) == pytest.approx(best, abs=1e-9)
    if sum(f > best - 1e-9 for _, _, f in falls) == 1 and best > 1e-6:
        assert stump.feature_ == tree.tree_.feature[0]
        assert stump.threshold_ == pytest.approx(tree.tree_.threshold[0])
        np.testing.assert_allclose(stump.predict_proba(X), tree.predict_proba(X), atol=1e-12)
        same(stump.predict(X), tree.predict(X))
    return stump


@pytest.mark.parametrize("n_classes", [2, 3, 5])
@pytest.mark.parametrize("weights", ["none", "whole", "fractions", "zeros"])
@pytest.mark.parametrize("seed", range(4))
def test_against_a_tree_of_depth_1(seed, weights, n_classes):
    X, y = overlapping(seed, 60, n_classes)
    X = X.astype(np.float32).astype(float)
    rng = np.random.default_rng(seed)
    weight = {
        "none": None,
        "whole": rng.integers(1, 5, 60),
        "fractions": rng.random(60) + 0.1,
        "zeros": rng.integers(0, 2, 60) * rng.random(60),
    }[weights]
    check(X, y, weight)


@pytest.mark.parametrize("load", [load_breast_cancer, load_wine])
def test_real_data(load):
    X, y = load(return_X_y=True)
    X = X[:, :6].astype(np.float32).astype(float)
    check(X, y)


@settings(max_examples=60, deadline=None)
@given(
    st.lists(
        st.tuples(st.integers(0, 3), st.integers(0, 3), st.integers(0, 2), st.integers(1, 3)),
        min_size=3, max_size=20,
    )
)  # fmt: skip
def test_small_tables(table):
    *columns, y, weight = np.array(table).T
    X = np.column_stack(columns).astype(float)
    _, y = np.unique(y, return_inverse=True)
    falls = all_falls(X, y, weight.astype(float))
    stump = DecisionStumpClassifier().fit(X, y, sample_weight=weight)
    best = max((f for _, _, f in falls), default=0.0)
    if best <= 1e-12:
        same(stump.predict_proba(X), np.tile(np.bincount(y, weights=weight) / weight.sum(),
                                             (len(X), 1)))  # fmt: skip
        return
    # Of equally good splits the first column and the lowest threshold.
    column, threshold, _ = next(each for each in falls if each[2] > best - 1e-12)
    assert (stump.feature_, stump.threshold_) == (column, threshold)


def test_equal_splits():
    X = [[0.0, 9.0], [1.0, 8.0], [2.0, 7.0], [3.0, 6.0]]
    stump = DecisionStumpClassifier().fit(X, [0, 1, 0, 1])
    assert (stump.feature_, stump.threshold_) == (0, 0.5)


def test_no_split_helps():
    stump = DecisionStumpClassifier().fit(np.zeros((4, 2)), list("abbb"))
    assert stump.threshold_ == np.inf
    same(stump.predict([[5.0, 5.0]]), ["b"])
    same(stump.predict_proba([[5.0, 5.0]]), [[0.25, 0.75]])
    tie = DecisionStumpClassifier().fit([[0.0], [0.0]], ["b", "a"])
    same(tie.predict([[1.0]]), ["a"])


def test_no_split_helps_where_none_is_possible():
    stump = DecisionStumpClassifier().fit([[1.0, 2.0]] * 3, [0, 1, 1])
    same(stump.predict([[0.0, 0.0], [1.0, 2.0], [3.0, 3.0]]), [1, 1, 1])


def test_one_class():
    stump = DecisionStumpClassifier().fit([[0.0], [1.0]], ["a", "a"])
    same(stump.predict([[0.0], [7.0]]), ["a", "a"])
    same(stump.predict_proba([[0.0]]), [[1.0]])


def test_rows_without_weight_are_not_there():
    X, y = overlapping(0, 60)
    weight = (np.arange(60) % 3 > 0).astype(float)
    one = DecisionStumpClassifier().fit(X, y, sample_weight=weight)
    other = DecisionStumpClassifier().fit(X[weight > 0], y[weight > 0])
    assert (one.feature_, one.threshold_) == (other.feature_, other.threshold_)
    same(one.shares_, other.shares_)


def test_neighbouring_numbers():
    low = 1.0
    high = np.nextafter(low, 2.0)
    stump = DecisionStumpClassifier().fit([[low], [high]], [0, 1])
    same(stump.predict([[low], [high]]), [0, 1])


def test_huge_numbers():
    stump = DecisionStumpClassifier().fit([[-1.7e308], [1.7e308]], [0, 1])
    assert stump.threshold_ == 0
    same(stump.predict([[-1.7e308], [1.7e308]]), [0, 1])


def test_columns_sorted_once_give_the_same_stumps():
    X, y = overlapping(0, 50, 3)
    columns = PresortedColumns(X, y, 3)
    rng = np.random.default_rng(0)
    learner = bind(DecisionStumpClassifier(), rows_of(X, y))
    for _ in range(20):
        counts = rng.multinomial(50, np.full(50, 1 / 50))
        one = DecisionStumpClassifier().set_split(columns.split(counts), np.arange(3))
        other = DecisionStumpClassifier().fit(np.repeat(X, counts, 0), np.repeat(y, counts))
        assert (one.feature_, one.threshold_) == (other.feature_, other.threshold_)
        bound = learner.fit(counts, 0)
        same(learner.codes(bound), other.predict(X))


def test_weights_of_any_scale():
    X, y = overlapping(0, 50)
    weight = np.random.default_rng(0).random(50)
    one = DecisionStumpClassifier().fit(X, y, sample_weight=weight)
    for factor in (2.0**-40, 2.0**40):
        other = DecisionStumpClassifier().fit(X, y, sample_weight=factor * weight)
        assert (one.feature_, one.threshold_) == (other.feature_, other.threshold_)


def test_many_counts_do_not_overflow():
    X = np.arange(6.0)[:, None]
    y, counts = np.array([0, 0, 0, 1, 1, 1]), np.full(6, 10**6)
    stump = DecisionStumpClassifier().fit(X, y, sample_weight=counts)
    assert stump.threshold_ == 2.5
    stump = DecisionStumpClassifier().fit(X, y, sample_weight=counts.astype(float) * 1e6)
    assert stump.threshold_ == 2.5
