"""Worked tables of the definition, to all of their digits."""

import numpy as np
import pandas as pd
import pytest
from encoding.tables import quietly

from distsearch.encoding import OrderedTargetEncoder

X = pd.DataFrame({"fruit": ["apple"] * 3 + ["banana"] * 3 + ["cherry"] * 3})
LATER = pd.DataFrame({"fruit": ["apple", "banana", "cherry", "dates"]})
NAN = np.nan

BINARY = [0, 0, 1, 0, 1, 1, 1, 1, 1]
BINARY_TRAINING = [
    0.666667, 0.333333, 0.222222, 0.666667, 0.333333, 0.555556, 0.666667, 0.833333, 0.888889,
]  # fmt: skip
BINARY_LATER = [0.416667, 0.666667, 0.916667, 0.666667]

CLASSES = [1, 1, 2, 1, 2, 2, 2, 3, 3]
CLASSES_TRAINING = [
    [0.333333, 0.444444, 0.222222],
    [0.666667, 0.222222, 0.111111],
    [0.777778, 0.148148, 0.074074],
    [0.333333, 0.444444, 0.222222],
    [0.666667, 0.222222, 0.111111],
    [0.444444, 0.481481, 0.074074],
    [0.333333, 0.444444, 0.222222],
    [0.166667, 0.722222, 0.111111],
    [0.111111, 0.481481, 0.407407],
]
CLASSES_LATER = [
    [0.583333, 0.361111, 0.055556],
    [0.333333, 0.611111, 0.055556],
    [0.083333, 0.361111, 0.555556],
    [0.333333, 0.444444, 0.222222],
]


def agrees(found, digits):
    np.testing.assert_array_equal(np.round(np.asarray(found, dtype=float), 6), digits)


def test_binary():
    encoder = OrderedTargetEncoder()
    agrees(encoder.fit_transform(X, BINARY).ravel(), BINARY_TRAINING)
    agrees(encoder.transform(LATER).ravel(), BINARY_LATER)
    agrees(encoder.transform(X, BINARY).ravel(), BINARY_TRAINING)
    assert encoder.prior_.tolist() == [6 / 9]


def test_binary_without_smoothing():
    encoder = OrderedTargetEncoder(smoothing=0)
    trained = quietly(encoder.fit_transform, X, BINARY).ravel()
    np.testing.assert_array_equal(trained, [NAN, 0, 0, NAN, 0, 0.5, NAN, 1, 1])
    agrees(encoder.transform(LATER).ravel(), [0.333333, 0.666667, 1, 0.666667])


def test_several_classes():
    encoder = OrderedTargetEncoder()
    agrees(encoder.fit_transform(X, CLASSES), CLASSES_TRAINING)
    agrees(encoder.transform(LATER), CLASSES_LATER)
    agrees(encoder.prior_, [0.333333, 0.444444, 0.222222])


def test_several_classes_without_smoothing():
    trained = quietly(OrderedTargetEncoder(smoothing=0).fit_transform, X, CLASSES)
    np.testing.assert_array_equal(
        trained,
        [
            [NAN, NAN, NAN], [1, 0, 0], [1, 0, 0],
            [NAN, NAN, NAN], [1, 0, 0], [0.5, 0.5, 0],
            [NAN, NAN, NAN], [0, 1, 0], [0, 0.5, 0.5],
        ],
    )  # fmt: skip


@pytest.mark.parametrize("weight", [1, 2.5])
def test_equal_weights_change_priors_part_only(weight):
    """All weights w and smoothing w are weights 1 and smoothing 1."""
    encoder = OrderedTargetEncoder(smoothing=weight)
    agrees(encoder.fit_transform(X, BINARY, [weight] * 9).ravel(), BINARY_TRAINING)


def test_a_continuous_target_of_noughts_and_ones_is_the_binary_one():
    encoder = OrderedTargetEncoder(target_type="continuous")
    agrees(encoder.fit_transform(X, BINARY).ravel(), BINARY_TRAINING)
    agrees(encoder.transform(LATER).ravel(), BINARY_LATER)


def test_statistics():
    encoder = OrderedTargetEncoder().fit(X, CLASSES)
    table = encoder.statistics("fruit").sort_values("category")
    assert table.columns.tolist() == ["category", "weight", "fruit_1", "fruit_2", "fruit_3"]
    assert table["category"].tolist() == ["apple", "banana", "cherry"]
    assert table["weight"].tolist() == [3, 3, 3]
    agrees(table.iloc[:, 2:], CLASSES_LATER[:3])
    pd.testing.assert_frame_equal(table, encoder.statistics(0).sort_values("category"))
    assert [len(each) for each in encoder.categories_] == [3]
    by_category = dict(zip(encoder.categories_[0], encoder.encodings_[0][:-1], strict=True))
    agrees([by_category[name] for name in ("apple", "banana", "cherry")], CLASSES_LATER[:3])
    agrees(encoder.encodings_[0][-1], [0.333333, 0.444444, 0.222222])


def test_statistics_with_missing_values_and_weights():
    encoder = OrderedTargetEncoder().fit([["a"], [None], ["a"]], [0, 1, 1], [1.5, 2.0, 0.5])
    table = encoder.statistics(-1)
    assert table["category"].tolist() == ["a", None]
    assert table["weight"].tolist() == [2.0, 2.0]
    p = 2.5 / 4
    np.testing.assert_allclose(table["x0"], [(0.5 + p) / 3, (2 + p) / 3], rtol=1e-15)
