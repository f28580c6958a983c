"""Tables for tests of boosting."""

import os
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from distsearch.boosting._rows import Rows


def overlapping(seed=0, n_rows=120, n_classes=2, n_features=3, apart=1.5):
    """Classes that overlap, so that nothing learns them perfectly."""
    rng = np.random.default_rng(seed)
    y = rng.permutation(np.arange(n_rows) % n_classes)
    centres = apart * rng.normal(size=(n_classes, n_features))
    return centres[y] + rng.normal(size=(n_rows, n_features)), y


def islands(seed=0):
    """Five far islands of rows; a stump on the first column meets all four types of clusters.

    Returns rows, labels and the island of each row: 0 is all "a" (prospering), 1 is mixed and
    half wrong, 2 is nearly all "b" with two "a" (prospering), 3 is nearly all "b" where the stump
    says "a", and 4 is mixed where the stump is right.
    """
    rng = np.random.default_rng(seed)
    sizes = (40, 40, 40, 10, 40)
    centres = np.array([[0, 0], [10, 0], [10, 10], [0, 10], [5, 5]], dtype=float)
    island = np.repeat(np.arange(5), sizes)
    third = island // 2 + rng.uniform(-0.05, 0.05, 170)
    X = np.column_stack([centres[island] + rng.uniform(-1, 1, (170, 2)), third])
    y = np.where(np.isin(island, [0]), "a", "b")
    mixed = island == 1
    y[mixed] = np.where(X[mixed, 1] < np.median(X[mixed, 1]), "a", "b")
    y[np.flatnonzero(island == 2)[:2]] = "a"
    y[np.flatnonzero(island == 3)[:1]] = "a"
    y[(island == 4) & (X[:, 0] < 5)] = "a"
    return X, y, island


def uneven(X, y):
    """Give the last row in the order of learning twice more.

    Draws of two equally likely last rows hang on the last digit of their weights.
    """
    last = np.full(2, np.lexsort(X.T[::-1])[-1])
    return np.vstack([X, X[last]]), np.concatenate([y, y[last]])


def mixed_frame(seed=0, n_rows=90):
    """Numbers, words and a category, all with gaps, and a label that depends on them."""
    rng = np.random.default_rng(seed)
    number = rng.normal(size=n_rows)
    word = rng.choice(["red", "green", "blue"], n_rows)
    frame = pd.DataFrame({
        "number": np.where(rng.random(n_rows) < 0.1, np.nan, number),
        "word": pd.Series(np.where(rng.random(n_rows) < 0.1, None, word), dtype=object),
        "kind": pd.Categorical(rng.choice(["x", "y"], n_rows)),
        "whole": rng.integers(0, 3, n_rows),
    })  # fmt: skip
    y = np.where((number > 0) ^ (word == "red") ^ (rng.random(n_rows) < 0.1), "yes", "no")
    return frame, y


def rows_of(X, codes, weight=None):
    """Rows as they are, without merging any."""
    X = np.asarray(X, dtype=float)
    codes = np.asarray(codes)
    weight = np.ones(len(codes)) if weight is None else np.asarray(weight, dtype=float)
    whole = (weight == np.floor(weight)).all()
    return Rows(
        X=X,
        codes=codes,
        weight=weight,
        copies=weight.astype(np.intp) if whole else np.ones(len(codes), dtype=np.intp),
        classes=np.arange(codes.max() + 1),
        places=np.arange(len(codes)),
    )


def real(name):
    """A real table of numbers, or a skip."""
    folder = os.environ.get("DISTSEARCH_DATA")
    if not folder:
        pytest.skip("DISTSEARCH_DATA does not name the folder of real data")
    frame = pd.read_csv(Path(folder) / f"{name}.csv").dropna()
    y = frame.pop("target").to_numpy()
    return pd.get_dummies(frame).to_numpy(float), y


def same(one, other):
    """Assert that two arrays, or sequences of them, have the same bits."""
    if isinstance(one, list | tuple):
        assert len(one) == len(other)
        for a, b in zip(one, other, strict=True):
            same(a, b)
    else:
        np.testing.assert_array_equal(one, other)
