"""The best split in two of columns that are sorted once, for one weighting after another."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

__all__ = ["PresortedColumns", "Split"]

Codes = NDArray[np.intp]
Floats = NDArray[np.float64]

_MANY = 2.0**26
"""Products of two counts below are exact as floating numbers."""

_TINY = float(np.finfo(np.float64).tiny)

_HALF = 32
"""Bits; two running totals share an integer."""


class Split(NamedTuple):
    """A split of rows in two.

    Parameters
    ----------
    feature : int
        The column.
    threshold : float
        Rows up to it are left; infinite where no split helps.
    sides : ndarray of shape (2, n_classes)
        Weights of the classes left and right; where no split helps, of all rows twice.
    """

    feature: int
    threshold: float
    sides: Floats


class PresortedColumns:
    """Columns in order, and what of them does not depend on weights.

    Parameters
    ----------
    X : ndarray of shape (n_samples, n_features)
        Rows.
    codes : ndarray of int of shape (n_samples,)
        Their classes.
    n_classes : int
        How many there are.
    """

    def __init__(self, X: Floats, codes: Codes, n_classes: int) -> None:
        self.X, self.codes, self.n_classes = X, codes, n_classes
        columns = np.ascontiguousarray(X.T)
        self.order = np.argsort(columns, axis=1, kind="stable")
        values = np.take_along_axis(columns, self.order, axis=1)
        last = np.ones(values.shape, dtype=bool)
        np.not_equal(values[:, 1:], values[:, :-1], out=last[:, :-1])
        # Rows with equal values are never apart; this is where each value's rows end.
        self.ends = np.flatnonzero(last)
        self.column = self.ends // len(codes)

    def split(self, weight: Any) -> Split:
        """Return the split that lowers the Gini impurity most.

        Of equally good ones it is that of the first column and the lowest threshold.

        Parameters
        ----------
        weight : ndarray of shape (n_samples,)
            Weights or counts; rows without any are as if they were not there.
        """
        weight = np.asarray(weight)
        counts = weight.dtype.kind != "f" or bool((weight == np.floor(weight)).all())
        exact = counts and int(weight.sum()) < _MANY
        # Shares are taken of the largest, so that no product is too large or too small.
        weight = weight.astype(np.int64) if exact else weight / max(float(weight.max()), _TINY)
        place, inside, totals = self._best(weight)
        outside = totals - inside
        if place is None or not (inside.any() and outside.any()):
            return Split(0, np.inf, np.array([totals, totals]))
        feature = int(self.column[place])
        rows = self.order[feature]
        n_left = int(self.ends[place]) - feature * len(rows) + 1
        right = rows[n_left:]
        # Rows without weight between the two sides have no say in where the threshold is.
        next_right = right[(weight[right] > 0).argmax()]
        threshold = _between(self.X[rows[n_left - 1], feature], self.X[next_right, feature])
        return Split(feature, threshold, np.array([inside, outside]))

    def _best(self, weight: Any) -> tuple[int | None, Floats, Floats]:
        """Return the best split and the weights of the classes left of it and of all rows.

        A split is which of the distinct values is the last one left; None where none helps. With
        L and R the weights on both sides and W that of all, the impurity falls by
        Σ_k (W L_k - T_k L)² / (L R) but for a factor. Counts are added up as integers: that is
        exact, so that equally good splits are told from better ones, and several times as fast.
        """
        left, parts = self._sums(weight)
        # Behind the last value of the first column is all of it.
        last = int(np.searchsorted(self.column, 0, side="right")) - 1
        whole, totals = left[last], [part[last] for part in parts]
        score = np.zeros_like(left)
        for part, total in zip(parts, totals, strict=True):
            score += (whole * part - total * left) ** 2
        # What is left of the first row with weight, or has all weight, splits nothing.
        score /= np.maximum(left * (whole - left), 1e-12 * whole**2)
        place = int(score.argmax())
        inside, everything = [part[place] for part in parts], totals
        if len(parts) < self.n_classes:
            inside, everything = [left[place] - inside[0], *inside], [whole - totals[0], *totals]
        found = place if score[place] > 0 else None
        return found, np.array(inside), np.array(everything)

    def _sums(self, weight: Any) -> tuple[Floats, list[Floats]]:
        """Return the weights up to each value, of all rows and of those of each class.

        Of two classes the second says it all.
        """
        if self.n_classes == 2 and weight.dtype == np.int64:
            both = self._running((weight << _HALF) + weight * self.codes)
            ones = both & ((1 << _HALF) - 1)
            return (both >> _HALF).astype(np.float64), [ones.astype(np.float64)]
        first = 1 if self.n_classes == 2 else 0
        parts = [
            self._running(weight * (self.codes == k)).astype(np.float64)
            for k in range(first, self.n_classes)
        ]
        return self._running(weight).astype(np.float64), parts

    def _running(self, values: Any) -> Any:
        """Return the running totals of values in each column, at the end of each distinct value."""
        totals = values.take(self.order.ravel(), mode="clip").cumsum().take(self.ends, mode="clip")
        return totals - self.column * values.sum()


def _between(low: float, high: float) -> float:
    """Return the middle of two values, the lower one where there is no number between them."""
    middle = low / 2 + high / 2
    return float(middle) if low <= middle < high else float(low)
