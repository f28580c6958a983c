"""What fitting learns of the columns before any λ is chosen."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from distsearch.boxcox._transform import scale_to_range
from distsearch.errors import DistsearchWarning

__all__ = ["Columns", "column_names"]

Floats = NDArray[np.floating[Any]]


@dataclass(frozen=True, slots=True)
class Columns:
    """The training range of each column and how many distinct values it holds.

    Parameters
    ----------
    low, high : ndarray of shape (n_features,)
        Smallest and largest training value; NaN for a column without any value.
    n_distinct : ndarray of int of shape (n_features,)
        Distinct values after scaling to [1, 2], NaN left out.
    """

    low: Floats
    high: Floats
    n_distinct: NDArray[np.int64]

    @classmethod
    def learn(cls, X: Floats, names: list[str]) -> Columns:
        """Learn from training rows; warn of columns that scaling robs of their resolution."""
        # Unlike nanmin, fmin says nothing of columns that are all NaN.
        low, high = np.fmin.reduce(X, axis=0), np.fmax.reduce(X, axis=0)
        distinct = np.zeros(X.shape[1], dtype=np.int64)
        blurred = []
        for j, column in enumerate(X.T):
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
        return cls(low, high, distinct)

    @property
    def constant(self) -> NDArray[np.bool_]:
        """Columns with one value or none: nothing can be scaled, λ has no meaning."""
        return self.n_distinct < 2

    @property
    def searchable(self) -> NDArray[np.bool_]:
        """Columns whose λ can matter: after standardising, two values are the same for every λ."""
        return self.n_distinct > 2

    def scale(self, X: Floats) -> Floats:
        """Scale to [1, 2] by the training range; constant columns become 1, NaN stays NaN."""
        scaled = np.empty_like(X, order="C")
        for j in range(X.shape[1]):
            if self.constant[j]:
                scaled[:, j] = np.where(np.isnan(X[:, j]), np.nan, 1.0)
            else:
                scaled[:, j] = scale_to_range(X[:, j], self.low[j], self.high[j])
        return scaled


def column_names(estimator: Any, n_features: int) -> list[str]:
    """Return the names that messages use: ``x0``, ``x1``, … without names in fit."""
    names = getattr(estimator, "feature_names_in_", None)
    return [f"x{j}" for j in range(n_features)] if names is None else [str(n) for n in names]
