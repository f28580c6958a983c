"""Situations in which encoders are known to go wrong, with the numbers worked out beforehand."""

import numpy as np
import pandas as pd
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import KFold, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.tree import DecisionTreeClassifier

from distsearch.encoding import OrderedTargetEncoder


def agrees(found, expected):
    np.testing.assert_allclose(
        np.asarray(found, dtype=float).ravel(), np.ravel(expected), atol=1e-12
    )


def fruit(values, **how):
    return pd.DataFrame({"fruit": pd.Series(values, **how)})


class TestOtherLabelsOfRows:
    TRAIN = (0.6, 0.6, 0.8, 0.3, 0.866666666667)
    TEST = (0.65, 0.533333333333, 0.6)

    def test_frame_and_series(self):
        X = fruit(["a", "b", "a", "b", "a"], index=range(10, 15))
        y = pd.Series([1, 0, 1, 1, 0], index=range(11, 16))
        encoder = OrderedTargetEncoder().set_output(transform="pandas")
        trained = encoder.fit_transform(X, y)
        agrees(trained, self.TRAIN)
        assert trained.index.tolist() == [10, 11, 12, 13, 14]
        agrees(encoder.transform(fruit(["a", "b", "zzz"])), self.TEST)
        agrees(encoder.transform(X, y), self.TRAIN)

    def test_array_and_series(self):
        X = np.array([["a"], ["b"], ["a"], ["b"], ["a"]])
        y = pd.Series([1, 0, 1, 1, 0], index=[101, 105, 42, 76, 7])
        encoder = OrderedTargetEncoder()
        agrees(encoder.fit_transform(X, y), self.TRAIN)
        agrees(encoder.transform([["a"], ["b"], ["zzz"]]), self.TEST)


def test_levels_of_a_category_dtype_that_training_had_not():
    dtype = pd.CategoricalDtype(["A", "B", "C"])
    encoder = OrderedTargetEncoder()
    trained = encoder.fit_transform(fruit(list("AABB"), dtype=dtype), [1, 0, 1, 1])
    assert trained.dtype == np.float64
    agrees(trained, [0.75, 0.875, 0.75, 0.875])
    expected = [0.583333333333, 0.916666666667, 0.75, 0.75]
    wider = pd.CategoricalDtype(["D", "C", "B", "A"])
    for later in (fruit(list("ABCD")), fruit(list("ABCD"), dtype=wider)):
        agrees(encoder.transform(later), expected)
    agrees(encoder.transform(fruit(list("ABC"), dtype=dtype)), expected[:3])


@pytest.mark.parametrize(
    "y",
    [
        [True, False, True, True],
        ["yes", "no", "yes", "yes"],
        [1, 0, 1, 1],
        np.array([1, 0, 1, 1], dtype=object),
        np.array([1, 0, 1, 1], dtype=np.uint8),
        pd.Categorical(["yes", "no", "yes", "yes"]),
    ],
    ids=["bool", "text", "list", "object", "uint8", "category"],
)
def test_labels_of_any_type(y):
    encoder = OrderedTargetEncoder()
    agrees(encoder.fit_transform(fruit(list("abab")), y), [0.75, 0.75, 0.875, 0.375])
    agrees(encoder.transform(fruit(["a", "b"])), [0.916666666667, 0.583333333333])
    assert encoder.classes_.tolist() == sorted(set(np.asarray(y).tolist()))
    assert encoder.classes_[1] in {"yes", 1}


class Recorder(LogisticRegression):
    """Notes what it is fitted on and what it predicts for."""

    def fit(self, X, y, sample_weight=None):
        self.fitted_on_ = X
        return super().fit(X, y, sample_weight)

    def predict(self, X):
        self.predicted_for_ = X
        return super().predict(X)


def test_training_and_later_rows_in_a_pipeline():
    X, y = fruit(list("kkmkmm")), [1, 1, 0, 1, 0, 1]
    train = [
        0.666666666667, 0.833333333333, 0.666666666667, 0.888888888889, 0.333333333333,
        0.222222222222,
    ]  # fmt: skip
    test = [0.916666666667, 0.916666666667, 0.416666666667, 0.916666666667]
    encoder = OrderedTargetEncoder()
    agrees(encoder.fit_transform(X, y), train)
    agrees(encoder.transform(X, y), train)
    agrees(encoder.transform(fruit(list("kmkm"))), [test[0], test[2]] * 2)
    model = make_pipeline(OrderedTargetEncoder(), Recorder())
    model.fit(X, y)
    agrees(model[-1].fitted_on_, train)
    model.predict(X)
    agrees(model[-1].predicted_for_, [*test, test[2], test[2]])


def test_a_category_seen_once_follows_the_formula():
    encoder = OrderedTargetEncoder()
    trained = encoder.fit_transform(fruit(list("aabbc")), [1, 0, 1, 1, 1])
    agrees(trained, [0.8, 0.9, 0.8, 0.9, 0.8])
    agrees(encoder.transform(fruit(list("abcd"))), [0.6, 0.933333333333, 0.9, 0.8])


class TestTwoColumnsOfThreeClasses:
    X = pd.DataFrame(
        {"fruit": list("aabbab"), "colour": list("xyxyyx"), "weight": [10, 20, 30, 40, 50, 60]}
    )
    Y = tuple("LMHLMH")
    THIRD = (0.333333333333,) * 3
    LAST = (
        [0.111111111111, 0.444444444444, 0.444444444444],
        [0.444444444444, 0.444444444444, 0.111111111111],
    )
    FRUIT = (
        THIRD, [0.166666666667, 0.666666666667, 0.166666666667],
        THIRD, [0.666666666667, 0.166666666667, 0.166666666667], *LAST,
    )  # fmt: skip
    COLOUR = (
        THIRD, THIRD, [0.166666666667, 0.666666666667, 0.166666666667],
        [0.166666666667, 0.166666666667, 0.666666666667], *LAST,
    )  # fmt: skip
    LOW = (0.083333333333, 0.333333333333, 0.583333333333)

    def test_values_names_and_what_is_passed_through(self):
        encoder = OrderedTargetEncoder(["fruit", "colour"]).set_output(transform="pandas")
        trained = encoder.fit_transform(self.X, self.Y)
        assert encoder.classes_.tolist() == ["H", "L", "M"]
        assert trained.columns.tolist() == [
            "fruit_H", "fruit_L", "fruit_M", "colour_H", "colour_L", "colour_M", "weight",
        ]  # fmt: skip
        agrees(trained.iloc[:, :3], self.FRUIT)
        agrees(trained.iloc[:, 3:6], self.COLOUR)
        assert trained["weight"].tolist() == [10, 20, 30, 40, 50, 60]
        assert trained["weight"].dtype == self.X["weight"].dtype
        later = pd.DataFrame({"fruit": ["a", "b"], "colour": ["x", "y"], "weight": [1, 2]})
        found = encoder.transform(later)
        agrees(found.iloc[:, :3], [self.LOW, self.LOW[::-1]])
        agrees(found.iloc[:, 3:6], [self.LOW[::-1], self.LOW])
        for block in (trained.iloc[:, :3], trained.iloc[:, 3:6], found.iloc[:, :3]):
            np.testing.assert_allclose(block.sum(axis=1), 1.0, rtol=1e-15)

    def test_by_default_the_same_columns(self):
        found = OrderedTargetEncoder().fit_transform(self.X, self.Y)
        agrees(found[:, :3], self.FRUIT)
        agrees(found[:, 6], self.X["weight"])


def test_a_number_and_its_text_are_two_categories():
    X = fruit([1, "1", 1, "1"], dtype=object)
    encoder = OrderedTargetEncoder()
    agrees(encoder.fit_transform(X, [1, 0, 1, 0]), [0.5, 0.5, 0.75, 0.25])
    agrees(encoder.transform(fruit([1, "1"], dtype=object)), [0.833333333333, 0.166666666667])
    agrees(encoder.transform(fruit([1])), [0.833333333333])
    agrees(encoder.transform(fruit(["1"])), [0.166666666667])


class TestUniqueIds:
    X = pd.DataFrame({"id": range(8)})
    Y = np.array([0, 1, 0, 1, 1, 0, 1, 0])

    def test_leak_nothing_in_cross_validation(self):
        for train, test in KFold(2).split(self.X):
            encoder = OrderedTargetEncoder(["id"]).fit(self.X.iloc[train], self.Y[train])
            assert encoder.prior_.tolist() == [0.5]
            agrees(encoder.transform(self.X.iloc[test]), [0.5] * 4)
        for model in (LogisticRegression(), DecisionTreeClassifier(random_state=0)):
            pipeline = make_pipeline(OrderedTargetEncoder(["id"]), model)
            assert cross_val_score(pipeline, self.X, self.Y, cv=KFold(2)).mean() <= 0.5

    def test_are_all_the_prior_in_training(self):
        encoder = OrderedTargetEncoder(["id"])
        agrees(encoder.fit_transform(self.X, self.Y), [0.5] * 8)
        # The formula on the whole data, which a model must not be fitted on.
        agrees(encoder.transform(self.X), [0.25, 0.75, 0.25, 0.75, 0.75, 0.25, 0.75, 0.25])
