"""Tables for tests of ODD."""

import os
from pathlib import Path

import numpy as np
import pandas as pd
import pytest


def blobs(seed=0, counts=(12, 9, 20), n_features=4, apart=2.0):
    """Gaussian classes, each with a covariance of its own."""
    rng = np.random.default_rng(seed)
    X, y = [], []
    for k, m in enumerate(counts):
        A = rng.normal(size=(n_features, n_features))
        X.append(rng.normal(size=(m, n_features)) @ A + apart * rng.normal(size=n_features))
        y += [k] * m
    return np.vstack(X), np.array(y)


def groups(X, y):
    return [X[y == label] for label in np.unique(y)]


def batches(X, y, n):
    return [(X[i::n], y[i::n]) for i in range(n)]


def in_range(X):
    return 2 * (X - X.min(axis=0)) / np.ptp(X, axis=0) - 1


def real(name, missing="drop"):
    """A real table in [-1, 1], or a skip; missing values are left out or become the mean."""
    folder = os.environ.get("DISTSEARCH_DATA")
    if not folder:
        pytest.skip("DISTSEARCH_DATA does not name the folder of real data")
    frame = pd.read_csv(Path(folder) / f"{name}.csv")
    frame = frame.dropna() if missing == "drop" else frame.fillna(frame.mean(numeric_only=True))
    y = pd.factorize(frame.pop("target"), sort=True)[0]
    text = frame.select_dtypes(exclude="number").columns
    X = frame.assign(**{name: pd.factorize(frame[name])[0] for name in text}).to_numpy(float)
    X = X[:, np.ptp(X, axis=0) > 0]
    return in_range(X), y


def divided(y, seed):
    """70 and 30 of a hundred rows of each class."""
    rng = np.random.default_rng(seed)
    shuffled = [rng.permutation(np.flatnonzero(y == label)) for label in np.unique(y)]
    cuts = [round(0.7 * len(rows)) for rows in shuffled]
    parts = zip(
        *(np.split(rows, [cut]) for rows, cut in zip(shuffled, cuts, strict=True)), strict=True
    )
    train, test = map(np.concatenate, parts)
    return train, test
