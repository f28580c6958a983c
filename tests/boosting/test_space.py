"""The space in which rows are clustered."""

import numpy as np
import pandas as pd
import pytest
from boosting.data import mixed_frame, overlapping, same
from scipy.spatial.distance import cdist
from sklearn.preprocessing import MinMaxScaler

from distsearch.boosting._space import ClusterSpace


def fitted(X, weight=None):
    return ClusterSpace().fit(X, np.ones(len(X)) if weight is None else np.asarray(weight, float))


def test_numbers_are_scaled_as_by_min_max():
    X, _ = overlapping()
    X[:, 1] *= 1e6
    asked = overlapping(1)[0]
    space, scaler = fitted(X), MinMaxScaler().fit(X)
    np.testing.assert_allclose(space.transform(X), scaler.transform(X), atol=1e-14)
    np.testing.assert_allclose(space.transform(asked), scaler.transform(asked), rtol=1e-9)


def test_constant_columns_are_0():
    X = np.column_stack([np.full(5, 7.0), np.arange(5.0)])
    same(fitted(X).transform(X)[:, 0], np.zeros(5))


def test_missing_numbers_are_the_weighted_mean():
    X = np.array([[0.0], [10.0], [np.nan], [4.0]])
    space = fitted(X, [1, 3, 5, 1])
    np.testing.assert_allclose(space.transform(X)[2], (0 + 30 + 4) / 5 / 10)
    np.testing.assert_allclose(space.transform(np.array([[np.nan], [20.0]])), [[0.68], [2.0]])


def test_columns_without_any_number_are_0():
    X = np.array([[np.nan, 1.0], [np.nan, 2.0]])
    same(fitted(X).transform(X), [[0.0, 0.0], [0.0, 1.0]])


def test_categories_are_at_a_distance_of_1():
    frame = pd.DataFrame({"word": ["a", "b", "c", "a"], "kind": ["x", "x", "y", "y"]})
    Z = fitted(frame).transform(frame)
    hamming = cdist(*[pd.DataFrame({c: frame[c].factorize()[0] for c in frame}).to_numpy()] * 2,
                    "hamming")  # fmt: skip
    np.testing.assert_allclose(cdist(Z, Z, "sqeuclidean"), 2 * hamming, atol=1e-12)


def test_mixed_distances_add_up():
    frame, _ = mixed_frame()
    Z = fitted(frame).transform(frame)
    filled = frame.copy()
    filled["number"] = frame["number"].fillna(frame["number"].mean())
    filled["word"] = frame["word"].fillna(frame["word"].mode()[0])
    numbers = MinMaxScaler().fit_transform(filled[["number", "whole"]])
    expected = cdist(numbers, numbers, "sqeuclidean")
    for name in ("word", "kind"):
        words = filled[name].astype(str).to_numpy()
        expected += words[:, None] != words[None, :]
    np.testing.assert_allclose(cdist(Z, Z, "sqeuclidean"), expected, atol=1e-12)


def test_the_most_frequent_category_counts_weights():
    frame = pd.DataFrame({"word": ["a", "b", "b", None]})
    gap = fitted(frame, [5, 1, 1, 1]).transform(frame)[3]
    same(gap, fitted(frame).transform(frame.iloc[[0]])[0])
    tie = fitted(frame, [2, 1, 1, 1]).transform(frame)
    same(tie[3], tie[0])  # the first in the alphabet
    plain = fitted(frame).transform(frame)
    same(plain[3], plain[1])


def test_new_categories_are_nearer_to_all_than_these_to_each_other():
    frame = pd.DataFrame({"word": ["a", "b", "c"]})
    space = fitted(frame)
    Z, new = space.transform(frame), space.transform(pd.DataFrame({"word": ["z"]}))
    np.testing.assert_allclose(cdist(Z, new, "sqeuclidean"), 0.5)


def test_truth_values_and_nullable_numbers_are_numbers():
    frame = pd.DataFrame({
        "yes": [True, False, True],
        "whole": pd.array([1, None, 3], dtype="Int64"),
        "text": ["p", "p", "p"],
    })  # fmt: skip
    Z = fitted(frame).transform(frame)
    assert Z.shape == (3, 1 + 1 + 1)
    np.testing.assert_allclose(Z[:, :2], [[1.0, 0.0], [0.0, 0.5], [1.0, 1.0]])
    assert ((Z[0] - Z[1]) ** 2).sum() == pytest.approx(0.25 + 1)


def test_ranges_at_the_edges_of_numbers():
    X = np.array([[-1.7e308, 5e-324, 1.0], [1.7e308, 0.0, 2.0]])
    with np.errstate(over="ignore"):
        Z = fitted(X).transform(X)
    assert np.isfinite(Z).all()
    same(Z[:, 2], [0.0, 1.0])


def test_dates_are_numbers():
    days = pd.to_datetime(["2020-01-01", "2020-01-02", None, "2020-01-05"])
    frame = pd.DataFrame({"day": days, "since": days - days[0], "text": ["p", "q", "p", "q"]})
    Z = fitted(frame).transform(frame)
    np.testing.assert_allclose(Z[:, 0], [0.0, 0.25, 5 / 12, 1.0])
    np.testing.assert_allclose(Z[:, 1], Z[:, 0])
    assert Z.shape == (4, 4)


def test_an_identifier_has_a_hundred_columns_at_most():
    frame = pd.DataFrame({"name": [f"n{i:04}" for i in range(500)] + ["n0000"]})
    Z = fitted(frame).transform(frame)
    assert Z.shape == (501, 100)
    assert ((Z[0] - Z[1]) ** 2).sum() == pytest.approx(1.0)
    same(Z[0], Z[500])
