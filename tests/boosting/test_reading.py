"""What callers give: weights of any scale, frames and arrays, learners, and what is refused."""

import numpy as np
import pandas as pd
import pytest
from boosting.data import overlapping, same
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.compose import make_column_transformer
from sklearn.ensemble import AdaBoostClassifier
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler
from sklearn.svm import SVC
from sklearn.tree import DecisionTreeClassifier

from distsearch.boosting import (
    AdaBoostKLClassifier,
    BrownBoostClassifier,
    C45TreeClassifier,
    CBBClassifier,
    PruneBoostClassifier,
    ResamplingAdaBoostClassifier,
)
from distsearch.errors import InvalidInputError

ALL = [
    ResamplingAdaBoostClassifier,
    AdaBoostKLClassifier,
    BrownBoostClassifier,
    PruneBoostClassifier,
    CBBClassifier,
]
X, Y = overlapping(0, 80)


@pytest.mark.parametrize("cls", ALL)
@pytest.mark.filterwarnings("ignore::UserWarning")
def test_fractional_weights_have_no_scale(cls):
    weight = np.random.default_rng(0).uniform(0.5, 2.0, 80)
    one, *others = (
        cls("stump", 5, random_state=0).fit(X, Y, scale * weight).predict_proba(X)
        for scale in (1.0, 2.0**-7, 2.0**30)
    )
    for other in others:
        np.testing.assert_allclose(other, one, rtol=1e-9)


def test_weights_that_add_up_to_one_as_boosters_give_them():
    model = CBBClassifier("stump", 3, variant="pooled", random_state=0)
    model.fit(X, Y, np.full(80, 1 / 80))
    assert sum(model.clusters_["size"]) == pytest.approx(80)
    assert max(model.clusters_["n_functions"]) > 0
    outer = AdaBoostClassifier(model, n_estimators=2)
    assert outer.fit(X, Y).score(X, Y) > 0.6


@pytest.mark.parametrize("cls", [ResamplingAdaBoostClassifier, CBBClassifier])
@pytest.mark.filterwarnings("ignore::UserWarning")
def test_whole_numbers_too_large_to_draw_are_shares(cls):
    half, vast = (cls("stump", 3, random_state=0).fit(X, Y, np.full(80, w)) for w in (0.5, 1e20))
    np.testing.assert_allclose(vast.predict_proba(X), half.predict_proba(X))


@pytest.mark.parametrize("cls", ALL)
@pytest.mark.parametrize(
    ("base", "match"),
    [
        (C45TreeClassifier(confidence=7), "'confidence' parameter"),
        (DecisionTreeClassifier(max_depth=-1), "'max_depth' parameter"),
        (make_pipeline(StandardScaler(), LogisticRegression(C=-1)), "'C' parameter"),
        (GaussianNB, "must be a classifier"),
    ],
)
def test_parameters_of_the_learner_are_checked(cls, base, match):
    with pytest.raises(ValueError, match=match):
        cls(base).fit(X, Y)


class Answering(ClassifierMixin, BaseEstimator):
    """Predicts what it is told to."""

    def __init__(self, how="shifted"):
        self.how = how

    def fit(self, X, y):
        self.classes_ = np.unique(y)
        return self

    def predict(self, X):
        first = np.full(len(X), self.classes_[0])
        return {"shifted": first - 5, "column": first[:, None], "short": first[1:]}[self.how]


@pytest.mark.parametrize("cls", ALL)
@pytest.mark.parametrize("how", ["shifted", "column", "short"])
def test_answers_that_are_no_labels(cls, how):
    with pytest.raises(InvalidInputError, match="must give one of its classes_ for each row"):
        cls(Answering(how)).fit(X, Y)


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_numbers_that_trees_cannot_hold():
    with pytest.raises(ValueError, match="too large for dtype"):
        ResamplingAdaBoostClassifier(DecisionTreeClassifier()).fit(1e39 * X, Y)
    model = ResamplingAdaBoostClassifier(DecisionTreeClassifier(), random_state=0).fit(X, Y)
    with pytest.raises(ValueError, match="too large for dtype"):
        model.predict(np.full((2, X.shape[1]), 1e39))


def words(n=60):
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"word": rng.choice(["p", "q"], n), "size": rng.normal(size=n)})
    return frame, ((frame["word"] == "p") ^ (frame["size"] > 1)).to_numpy(int)


ENCODED = make_pipeline(
    make_column_transformer(
        (OneHotEncoder(handle_unknown="ignore"), ["word"]), remainder="passthrough"
    ),
    GaussianNB(),
)


def test_missing_numbers_are_the_learners_to_refuse():
    frame, y = words()
    frame.loc[3, "size"] = np.nan
    for cls in (ResamplingAdaBoostClassifier, CBBClassifier):
        with pytest.raises(ValueError, match="NaN"):
            cls(ENCODED, 3).fit(frame, y)


@pytest.mark.filterwarnings("ignore::UserWarning")
def test_an_imputer_in_front_takes_missing_numbers():
    gaps = X.copy()
    gaps[::7, 0] = np.nan
    for cls in ALL:
        model = cls(make_pipeline(SimpleImputer(), SVC()), 3, random_state=0).fit(gaps, Y)
        assert model.score(gaps, Y) > 0.6


def test_rows_to_predict_come_in_the_form_of_training():
    frame, y = words()
    model = CBBClassifier(ENCODED, 3, random_state=0).fit(frame, y)
    expected = model.predict(frame)
    same(model.predict(frame.astype({"word": "category"})), expected)
    alone = frame.iloc[[0]].assign(word=pd.Series([None], dtype=object))
    assert model.predict(alone).shape == (1,)
    numbers = frame[["size"]].assign(more=1.0)
    objects = CBBClassifier(GaussianNB(), 3, random_state=0).fit(numbers.astype(object), y)
    same(objects.predict(numbers), objects.predict(numbers.astype(object)))
    plain = CBBClassifier(GaussianNB(), 3, random_state=0).fit(numbers, y)
    same(plain.predict(numbers.astype(object)), plain.predict(numbers))


def test_a_pipeline_sees_the_names_of_columns():
    frame = pd.DataFrame(X, columns=[f"c{i}" for i in range(X.shape[1])])
    base = make_pipeline(make_column_transformer((StandardScaler(), ["c0"])), GaussianNB())
    model = ResamplingAdaBoostClassifier(base, 3, random_state=0).fit(frame, Y)
    assert model.score(frame, Y) > 0.6


def test_words_for_a_learner_that_needs_numbers():
    frame, y = words()
    with pytest.raises(InvalidInputError, match=r"1 column of others: 'word'\. Encode them"):
        CBBClassifier("tree").fit(frame, y)


@pytest.mark.parametrize("cls", ALL)
@pytest.mark.parametrize(
    ("y", "match"),
    [
        (None, "requires y to be passed"),
        (np.array(["a", None] * 40, dtype=object), "40 rows without a label, the first at"),
        (pd.Series(["a", pd.NA] * 40), "without a label"),
    ],
)
def test_labels_that_are_missing(cls, y, match):
    with pytest.raises(ValueError, match=match):
        cls("stump").fit(X, y)


def test_groups_that_are_missing():
    groups = np.array(["p", None] * 40, dtype=object)
    with pytest.raises(InvalidInputError, match="without a group, the first at position 1"):
        CBBClassifier("stump").fit(X, Y, groups=groups)


def test_no_rows():
    frame, y = words()
    with pytest.raises(InvalidInputError, match="0 rows"):
        CBBClassifier(ENCODED).fit(frame[:0], y[:0])


@pytest.mark.parametrize(
    ("how", "match"),
    [
        ({"min_clusters": 8, "max_clusters": 3}, "min_clusters must be at most max_clusters"),
        ({"delta_grid": [(9, 9)]}, "delta_grid"),
        ({"actions": {"HEX": "boost"}}, "types of clusters"),
    ],
)
def test_parameters_that_cannot_work(how, match):
    with pytest.raises(InvalidInputError, match=match):
        CBBClassifier("stump", **how).fit(X, Y)


def test_one_cluster_is_one_cluster():
    model = CBBClassifier("stump", 3, max_clusters=1, random_state=0).fit(X, Y)
    assert len(model.clusters_["size"]) == 1


def test_what_was_learned_does_not_change_with_parameters():
    model = CBBClassifier("stump", 5, delta1=0.0, random_state=0).fit(X, Y)
    before = model.predict_proba(X)
    model.set_params(voting="unrestricted", estimator="svm")
    same(model.predict_proba(X), before)
