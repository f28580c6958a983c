"""Training rows: neither their order nor how repetition is written matters."""

import numpy as np
import pandas as pd
import pytest
from boosting.data import mixed_frame, overlapping, same
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.compose import make_column_transformer
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder
from sklearn.tree import DecisionTreeClassifier

from distsearch.boosting import (
    AdaBoostKLClassifier,
    BrownBoostClassifier,
    CBBClassifier,
    PruneBoostClassifier,
    ResamplingAdaBoostClassifier,
)
from distsearch.boosting._reading import read_training

BASES = {
    "stump": "stump",
    "c45": "tree",
    "cart": DecisionTreeClassifier(max_depth=2, max_features=1),
    "bayes": GaussianNB(),
}

BOOSTERS = {
    "adaboost": ResamplingAdaBoostClassifier,
    "adaboost, first on all": lambda base, **how: ResamplingAdaBoostClassifier(
        base, first_on_all=True, **how
    ),
    "kl": AdaBoostKLClassifier,
    "prune": PruneBoostClassifier,
    "brown": BrownBoostClassifier,
    "cbb": lambda base, **how: CBBClassifier(base, delta1=0.05, delta2=0.1, **how),
    "cbb, auto": lambda base, **how: CBBClassifier(
        base, delta="auto", delta_folds=2, estimate="out-of-fold", max_clusters=3, **how
    ),
    "cbb, pooled": lambda base, **how: CBBClassifier(base, variant="pooled", **how),
    "cbb, x-means": lambda base, **how: CBBClassifier(
        base, delta1=0.05, delta2=0.1, clusterer="x-means", voting="unrestricted", **how
    ),
}

ignore_advice = pytest.mark.filterwarnings("ignore:All .* left to the initial function")


def read(X, y, sample_weight=None, groups=None):
    return read_training(ResamplingAdaBoostClassifier("stump"), GaussianNB(), X, y, sample_weight,
                         groups)  # fmt: skip


def learned(model):
    votes = model.estimator_votes_
    return votes if isinstance(votes, list) else [votes]


@ignore_advice
@pytest.mark.parametrize("base", BASES)
@pytest.mark.parametrize("booster", BOOSTERS)
def test_the_order_of_rows_does_not_matter(booster, base):
    X, y = overlapping(3, 70, 2 if booster != "adaboost" else 3)
    X = np.vstack([X, X[:15]])
    y = np.concatenate([y, y[:15]])
    shuffled = np.random.default_rng(1).permutation(len(y))
    one, other = (
        BOOSTERS[booster](BASES[base], n_estimators=2, random_state=5).fit(X[rows], y[rows])
        for rows in (np.arange(len(y)), shuffled)
    )
    asked = overlapping(4, 50)[0]
    same(one.decision_function(asked), other.decision_function(asked))
    same(one.predict_proba(asked), other.predict_proba(asked))
    same(learned(one), learned(other))


@ignore_advice
@pytest.mark.parametrize("base", BASES)
@pytest.mark.parametrize("booster", BOOSTERS)
def test_weights_that_are_whole_numbers_are_repetitions(booster, base):
    X, y = overlapping(3, 60)
    weight = np.random.default_rng(0).integers(0, 4, len(y))
    how = {
        "n_estimators": 2,
        "random_state": 5,
        **({"max_clusters": 5} if "cbb" in booster and "auto" not in booster else {}),
    }
    one = BOOSTERS[booster](BASES[base], **how).fit(X, y, sample_weight=weight)
    other = BOOSTERS[booster](BASES[base], **how).fit(np.repeat(X, weight, 0), np.repeat(y, weight))
    asked = overlapping(4, 50)[0]
    same(one.decision_function(asked), other.decision_function(asked))
    same(learned(one), learned(other))


@pytest.mark.parametrize("booster", ["adaboost", "kl", "brown", "cbb", "cbb, pooled"])
def test_tables_with_words_and_gaps(booster):
    frame, y = mixed_frame(n_rows=50)
    words = make_column_transformer(
        (OneHotEncoder(handle_unknown="ignore", sparse_output=False), ["word", "kind"]),
        remainder="passthrough",
    )
    base = make_pipeline(words, DecisionTreeClassifier(max_depth=2, random_state=0))
    shuffled = np.random.default_rng(1).permutation(len(y))
    again = pd.concat([frame.iloc[shuffled], frame.iloc[:9]])
    weight = np.ones(len(y))
    weight[:9] = 2
    how = {"n_estimators": 2, "random_state": 0}
    if booster.startswith("cbb"):
        how["max_clusters"] = 3
    one = BOOSTERS[booster](base, **how).fit(frame, y, sample_weight=weight)
    other = BOOSTERS[booster](base, **how).fit(again, np.concatenate([y[shuffled], y[:9]]))
    asked = mixed_frame(1)[0]
    same(one.decision_function(asked), other.decision_function(asked))
    assert (one.predict(frame) == y).mean() > 0.6


@ignore_advice
def test_missing_numbers_go_to_learners_that_take_them():
    X, y = overlapping(0, 80)
    X[::7, 1] = np.nan
    for booster in ("adaboost", "kl", "cbb", "cbb, pooled"):
        model = BOOSTERS[booster](
            DecisionTreeClassifier(max_depth=2), random_state=0, n_estimators=3
        )
        back = model.fit(X[::-1], y[::-1]).decision_function(X)
        same(model.fit(X, y).decision_function(X), back)
        with pytest.raises(ValueError, match="NaN"):
            BOOSTERS[booster](GaussianNB()).fit(X, y)


def test_distinct_rows_with_their_weights():
    X = [[2.0, 1.0], [1.0, 5.0], [2.0, 1.0], [1.0, 5.0], [0.0, 0.0]]
    rows = read(X, list("baabb"), [1, 2, 3, 4, 0])
    same(rows.X, [[1.0, 5.0], [1.0, 5.0], [2.0, 1.0], [2.0, 1.0]])
    same(rows.labels, list("abab"))
    same(rows.weight, [2.0, 4.0, 3.0, 1.0])
    same(rows.copies, [2, 4, 3, 1])
    same(rows.places, [3, 0, 2, 1, -1])
    assert rows.whole
    assert rows.draws == 10
    assert len(rows) == 4


def test_weights_with_fractions_leave_the_number_of_rows():
    rows = read([[1.0], [1.0], [2.0]], [0, 0, 1], [0.5, 0.25, 2.0])
    np.testing.assert_allclose(rows.weight, np.array([0.75, 2.0]) * 3 / 2.75)
    same(rows.copies, [2, 1])
    assert not rows.whole
    assert rows.draws == 3


def test_rows_that_differ_in_a_group_only_are_two():
    rows = read([[1.0], [1.0], [2.0]], [0, 0, 1], groups=["p", "q", "q"])
    same(rows.groups, [0, 1, 1])
    same(rows.only(np.array([1, 2])).groups, [1, 1])


def test_gaps_are_equal_to_each_other():
    X, y = [[np.nan, 1.0], [np.nan, 1.0], [1.0, np.nan]], [0, 0, 1]
    rows = read_training(
        ResamplingAdaBoostClassifier(DecisionTreeClassifier()), DecisionTreeClassifier(), X, y
    )
    assert sorted(rows.weight) == [1.0, 2.0]


@settings(max_examples=40, deadline=None)
@given(st.lists(st.tuples(st.integers(0, 2), st.integers(0, 2), st.integers(0, 1)), min_size=2))
def test_places_lead_back_to_the_rows(table):
    *columns, y = np.array(table).T
    X = np.column_stack(columns).astype(float)
    if len(np.unique(y)) < 2:
        return
    rows = read(X, y)
    same(rows.X[rows.places], X)
    same(rows.labels[rows.places], y)
    same(rows.weight, np.bincount(rows.places))
    assert len(np.unique(np.column_stack([rows.X, rows.codes]), axis=0)) == len(rows)


def test_borrowed_rows_weigh_less():
    rows = read([[1.0], [2.0], [3.0], [4.0]], [0, 1, 0, 1], [1, 2, 3, 4])
    members, others = np.array([3, 1]), np.array([0, 2])
    some = rows.borrowing(members, others, 0.25)
    same(some.weight, [0.25, 2.0, 0.75, 4.0])
    same(some.copies, [1, 2, 3, 4])
    same(rows.borrowing(np.array([1, 3]), others, 0.0).X, [[2.0], [4.0]])
    same(rows.weight, [1.0, 2.0, 3.0, 4.0])


@pytest.mark.parametrize(
    ("y", "weight", "groups", "match"),
    [
        ([1, 1, 1], None, None, "two classes or more; the data have one class, 1"),
        ([1, 0, 1], [0, 0, 0], None, "no row with any weight|at least one non-zero"),
        ([1, 0, 1], [1, 0, 1], None, "the data have one class, 1"),
        ([1, 0, 1], None, [1, 2], r"one value for each of the 3 rows of X. Got an array of shape"),
    ],
)
def test_what_cannot_be_learned_from(y, weight, groups, match):
    with pytest.raises(ValueError, match=match):
        read([[1.0], [2.0], [3.0]], y, weight, groups)


def test_negative_weights():
    with pytest.raises(ValueError, match="Negative values"):
        read([[1.0], [2.0]], [0, 1], [1, -1])
