"""Learners bound to rows give what the estimator alone gives for copies of rows."""

import numpy as np
import pytest
from boosting.data import overlapping, rows_of, same
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.base import clone
from sklearn.ensemble import AdaBoostClassifier
from sklearn.naive_bayes import GaussianNB
from sklearn.tree import DecisionTreeClassifier, ExtraTreeClassifier

from distsearch.boosting import C45TreeClassifier
from distsearch.boosting._learners import bind

TREES = [
    DecisionTreeClassifier(),
    DecisionTreeClassifier(criterion="entropy", min_samples_leaf=2),
    DecisionTreeClassifier(min_samples_leaf=5, max_features=2),
    DecisionTreeClassifier(criterion="log_loss", max_depth=3, min_samples_leaf=3),
    DecisionTreeClassifier(max_leaf_nodes=6, min_samples_leaf=2),
    DecisionTreeClassifier(min_impurity_decrease=0.01, ccp_alpha=0.01),
    DecisionTreeClassifier(min_samples_leaf=0.1),
    DecisionTreeClassifier(min_samples_split=6),
    DecisionTreeClassifier(min_weight_fraction_leaf=0.1),
    DecisionTreeClassifier(class_weight="balanced"),
    ExtraTreeClassifier(min_samples_leaf=2),
    C45TreeClassifier(),
    C45TreeClassifier(confidence=0.05, min_samples_leaf=4),
]


def assert_same_tree(one, other):
    for name in ("feature", "threshold", "value", "children_left", "weighted_n_node_samples"):
        same(getattr(one.tree_, name), getattr(other.tree_, name))
    assert one.get_params() == other.get_params()


@settings(max_examples=25, deadline=None)
@given(st.sampled_from(TREES), st.integers(0, 10**6), st.integers(2, 3), st.booleans())
def test_trees(tree, seed, n_classes, coarse):
    X, y = overlapping(seed, 60, n_classes)
    rows = rows_of(np.round(X) if coarse else X, y)
    rng = np.random.default_rng(seed)
    counts = rng.multinomial(60, rng.dirichlet(np.full(len(rows), 0.5)))
    drawn = np.repeat(np.arange(len(rows)), counts)
    if len(set(rows.codes[drawn])) < 2:
        return
    alone = clone(tree).set_params(random_state=seed).fit(rows.X[drawn], rows.labels[drawn])
    assert_same_tree(bind(tree, rows).fit(counts, seed), alone)


@pytest.mark.parametrize("n_copies", [2, 3, 4])
def test_fewer_copies_than_two_leaves(n_copies):
    rows = rows_of(np.array([[0.0], [1.0]]), np.array([0, 1]))
    tree = DecisionTreeClassifier(min_samples_leaf=2)
    counts = np.array([n_copies - n_copies // 2, n_copies // 2])
    found = bind(tree, rows).fit(counts, 0)
    assert found.get_n_leaves() == (2 if n_copies == 4 else 1)


def test_others():
    X, y = overlapping(0, 40)
    rows = rows_of(X, y)
    counts = np.random.default_rng(0).multinomial(40, np.full(40, 1 / 40))
    drawn = np.repeat(np.arange(40), counts)
    for base in (GaussianNB(), AdaBoostClassifier(n_estimators=3, random_state=3)):
        alone = clone(base)
        if "random_state" in alone.get_params():
            alone.set_params(random_state=7)
        alone.fit(rows.X[drawn], rows.labels[drawn])
        found = bind(base, rows).fit(counts, 7)
        same(found.predict_proba(rows.X), alone.predict_proba(rows.X))
