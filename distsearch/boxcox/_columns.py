"""What fitting learns of the columns before any λ is chosen."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from numbers import Integral
from typing import Any

import numpy as np
from numpy.typing import NDArray

from distsearch._wording import did_you_mean, listed, quoted
from distsearch.boxcox._transform import scale_to_range
from distsearch.errors import DistsearchWarning, UnknownNameError

__all__ = ["Columns", "column_names", "find_features"]

Floats = NDArray[np.floating[Any]]


@dataclass(frozen=True, slots=True)
class Columns:
    """The training range of each column and how many distinct values it holds.

    Parameters
    ----------
    low, high : ndarray of shape (n_features,)
        Smallest and largest training value; NaN for a column without any value, infinite for one
        that is handed on as it is.
    n_distinct : ndarray of int of shape (n_features,)
        Distinct values after scaling to [1, 2], NaN left out; 0 where nothing is scaled.
    passed : ndarray of int
        The columns that are handed on as they are.
    """

    low: Floats
    high: Floats
    n_distinct: NDArray[np.int64]
    passed: NDArray[np.int64]

    @classmethod
    def learn(cls, X: Floats, names: list[str], passed: NDArray[np.int64] | None = None) -> Columns:
        """Learn from training rows; warn of columns that scaling robs of their resolution."""
        # Unlike nanmin, fmin says nothing of columns that are all NaN.
        low, high = np.fmin.reduce(X, axis=0), np.fmax.reduce(X, axis=0)
        passed = np.array([], dtype=np.int64) if passed is None else passed
        low[passed], high[passed] = -np.inf, np.inf
        distinct = np.zeros(X.shape[1], dtype=np.int64)
        blurred = []
        for j in np.setdiff1d(np.arange(X.shape[1]), passed):
            column = X[:, j]
            values = np.unique(column[~np.isnan(column)])
            if len(values) > 1:
                distinct[j] = len(np.unique(scale_to_range(values, low[j], high[j])))
            else:
                distinct[j] = len(values)
            if 2 * distinct[j] < len(values):
                blurred.append(names[j])
        if blurred:
            warnings.warn(
                f"Columns lost most of their distinct values when scaled to [1, 2], because few "
                f"values lie very far from the others: {', '.join(blurred)}. Clip or transform "
                f"them first.",
                DistsearchWarning,
                stacklevel=3,
            )
        return cls(low, high, distinct, passed)

    @property
    def constant(self) -> NDArray[np.bool_]:
        """Columns with one value or none: nothing can be scaled, λ has no meaning."""
        constant = self.n_distinct < 2
        constant[self.passed] = False
        return constant

    @property
    def searchable(self) -> NDArray[np.bool_]:
        """Columns whose λ can matter: after standardising, two values are the same for every λ."""
        return self.n_distinct > 2

    def scale(self, X: Floats) -> Floats:
        """Scale to [1, 2] by the training range; constant columns become 1, NaN stays NaN."""
        scaled = np.empty_like(X, order="C")
        constant, passed = self.constant, set(self.passed.tolist())
        for j in range(X.shape[1]):
            if j in passed:
                scaled[:, j] = X[:, j]
            elif constant[j]:
                scaled[:, j] = np.where(np.isnan(X[:, j]), np.nan, 1.0)
            else:
                scaled[:, j] = scale_to_range(X[:, j], self.low[j], self.high[j])
        return scaled


def column_names(estimator: Any, n_features: int) -> list[str]:
    """Return the names that messages use: ``x0``, ``x1``, … without names in fit."""
    names = getattr(estimator, "feature_names_in_", None)
    return [f"x{j}" for j in range(n_features)] if names is None else [str(n) for n in names]


def find_features(given: Any, estimator: Any, n_features: int) -> NDArray[np.int64]:
    """Return the ascending positions of features given as positions or names.

    Parameters
    ----------
    given : array-like of int or str, or None
        The parameter ``passthrough``.
    estimator : estimator
        Has ``feature_names_in_`` where the training data had names.
    n_features : int
        Number of features.

    Raises
    ------
    UnknownNameError
        For one that is no feature.
    """
    names = [str(name) for name in getattr(estimator, "feature_names_in_", ())]
    places = {name: j for j, name in enumerate(names)}
    found = set()
    for each in [] if given is None else np.asarray(given, dtype=object).ravel().tolist():
        position = isinstance(each, Integral) and not isinstance(each, bool)
        j = each if position else places.get(each) if isinstance(each, str) else None
        if j is None or not 0 <= j < n_features:
            called = f" and the names {listed(names, 20)}" if names else "; the data have no names"
            raise UnknownNameError(
                f"passthrough has {quoted(each)}, which is no feature. Allowed are the positions 0 "
                f"to {n_features - 1}{called}.{did_you_mean(str(each), names)}"
            )
        found.add(int(j))
    return np.array(sorted(found), dtype=np.int64)
