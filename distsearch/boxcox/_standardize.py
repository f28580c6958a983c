"""Standardising all columns but those that are handed on as they are."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.preprocessing import StandardScaler

__all__ = ["apply_scaler", "fit_scaler", "undo_scaler"]

Floats = NDArray[np.floating[Any]]


def fit_scaler(scaler: StandardScaler, X: Floats, passed: NDArray[np.int64]) -> StandardScaler:
    """Learn the standardisation; it leaves the columns ``passed`` alone."""
    if len(passed):
        X = X.copy()
        X[:, passed] = 0.0  # has mean 0, and is not divided
    with np.errstate(invalid="ignore"):  # columns without any value
        return scaler.fit(X)


def apply_scaler(scaler: StandardScaler, X: Floats, passed: NDArray[np.int64]) -> Floats:
    """Standardise; the columns ``passed`` keep their very floats."""
    return _keeping(X, passed, scaler.transform(X))


def undo_scaler(scaler: StandardScaler, X: Floats, passed: NDArray[np.int64]) -> Floats:
    """Undo `apply_scaler`."""
    return _keeping(X, passed, scaler.inverse_transform(X))


def _keeping(X: Floats, passed: NDArray[np.int64], result: Floats) -> Floats:
    if len(passed):
        result = np.array(result)  # a table may not be written to
        result[:, passed] = X[:, passed]
    return result
