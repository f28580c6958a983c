"""Beside the CatBoostEncoder of category_encoders, wherever it follows the formula.

Later values of a category seen once are its mean there, and 1 and "1" are not kept apart.
"""

import os
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from encoding.ordered_definition import is_close
from encoding.tables import quietly
from hypothesis import given, settings
from hypothesis import strategies as st

from distsearch.encoding import OrderedTargetEncoder

peers = pytest.importorskip("category_encoders")


def theirs(X, y, smoothing=1.0):
    encoder = peers.CatBoostEncoder(cols=list(X.columns), a=smoothing)
    return encoder, encoder.fit_transform(X, y).to_numpy(dtype=float)


@settings(max_examples=40, deadline=None)
@given(
    st.integers(4, 30).flatmap(
        lambda n: st.tuples(
            st.lists(st.sampled_from(["a", "b", "c", None]), min_size=n, max_size=n),
            st.lists(st.sampled_from([1, 2, 3, 4, 5]), min_size=n, max_size=n),
            st.lists(st.integers(0, 1) | st.floats(0, 1e3), min_size=n, max_size=n),
            st.booleans(),
        )
    ),
    st.sampled_from([0.1, 1.0, 20.0]),
)
def test_training_and_later_values(table, smoothing):
    text, codes, y, binary = table
    X = pd.DataFrame({"text": pd.Series(text, dtype=object), "code": codes})
    y = pd.Series([float(v > 0) for v in y] if binary else y, dtype=float)
    encoder = OrderedTargetEncoder(
        "all", smoothing=smoothing, target_type="binary" if binary else "continuous"
    )
    if binary and y.nunique() < 2:
        y[0] = 1 - y[0]
    other, expected = theirs(X, y, smoothing)
    is_close(encoder.fit_transform(X, y), expected, y.max())
    later, expected = encoder.transform(X), other.transform(X).to_numpy(dtype=float)
    for j, name in enumerate(X):
        often = X[name].map(X[name].value_counts()).gt(1).to_numpy()
        is_close(later[often, j], expected[often, j], y.max())


def test_new_categories():
    X = pd.DataFrame({"c": list("aabb")})
    y = pd.Series([0, 1, 1, 1])
    other, _ = theirs(X, y)
    new = pd.DataFrame({"c": ["a", "zzz"]})
    found = OrderedTargetEncoder().fit(X, y).transform(new)
    is_close(found, other.transform(new))


def test_where_the_two_differ():
    X = pd.DataFrame({"c": list("aab")})
    y = pd.Series([0, 1, 1])
    other, _ = theirs(X, y)
    once = pd.DataFrame({"c": ["b"]})
    assert other.transform(once).iloc[0, 0] == pytest.approx(2 / 3)
    assert OrderedTargetEncoder().fit(X, y).transform(once).item() == pytest.approx(5 / 6)


@pytest.mark.parametrize(
    ("name", "columns"), [("mushroom", "all"), ("adult_train", "categorical"), ("car", "all")]
)
def test_real_tables(name, columns):
    folder = os.environ.get("DISTSEARCH_DATA")
    if not folder:
        pytest.skip(f"DISTSEARCH_DATA names no folder with {name}.csv")
    X = pd.read_csv(Path(folder) / f"{name}.csv", nrows=6000)
    y = X.pop("target")
    encoder = OrderedTargetEncoder(columns).fit(X, y)
    encoded = X.columns[encoder.encoded_features_]
    X = X[encoded]
    values = OrderedTargetEncoder("all").fit_transform(X, y)
    later = quietly(encoder.set_params(columns="all").fit(X, y).transform, X)
    labels = [encoder.classes_[1]] if len(encoder.classes_) == 2 else encoder.classes_
    for k, label in enumerate(labels):
        other, expected = theirs(X, (y == label).astype(int))
        is_close(values[:, k :: len(labels)], expected)
        expected = other.transform(X).to_numpy(dtype=float)
        often = np.array([X[column].map(X[column].value_counts()) > 1 for column in X]).T
        is_close(later[:, k :: len(labels)][often], expected[often])
