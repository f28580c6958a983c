"""The space in which rows are clustered: every column between 0 and 1, categories as columns."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from sklearn.preprocessing import OneHotEncoder

__all__ = ["ClusterSpace"]

Floats = NDArray[np.float64]

_MISMATCH = 1 / np.sqrt(2)
"""A category's column has this value, so that different categories are at a distance of 1."""

_FAR = 1e100

_CATEGORIES = 100
"""Columns for the categories of one; an identifier would have one for each row."""


class ClusterSpace:
    """Columns scaled to [0, 1] by the training rows (spec: Weka's normalised Euclidean distance).

    Dates and truth values are numbers. Missing numbers become the mean, missing categories the most
    frequent one, constant columns 0. Of more than 100 categories the rarest count as one.
    A category that was not there in training differs from all others by less than they do from
    each other.
    """

    def fit(self, X: Any, weight: Floats) -> ClusterSpace:
        """Learn ranges, means and categories.

        Parameters
        ----------
        X : ndarray or DataFrame of shape (n_rows, n_features)
            Training rows.
        weight : ndarray of shape (n_rows,)
            Their weights.
        """
        self.numeric_, self.nominal_ = _kinds(X)
        numbers = self._numbers(X)
        present = ~np.isnan(numbers)
        total = weight @ present
        known = np.where(present, numbers, 0.0)
        self.mean_ = np.divide(weight @ known, total, out=np.zeros_like(total), where=total > 0)
        filled = np.where(present, numbers, self.mean_)
        self.low_, high = filled.min(axis=0, initial=np.inf), filled.max(axis=0, initial=-np.inf)
        span = high - self.low_
        # Ranges beyond the largest number, and below the smallest, leave nothing to tell apart.
        usable = (span > 0) & np.isfinite(span) & (span >= np.finfo(np.float64).tiny)
        self.span_ = np.where(usable, span, np.inf)
        if self.nominal_:
            text = self._text(X)
            self.mode_ = [_mode(text[:, j], weight) for j in range(text.shape[1])]
            self.encoder_ = OneHotEncoder(
                handle_unknown="infrequent_if_exist",
                max_categories=_CATEGORIES,
                sparse_output=False,
            )
            self.encoder_.fit(self._filled(text))
        return self

    def transform(self, X: Any) -> Floats:
        """Return rows in this space.

        Parameters
        ----------
        X : ndarray or DataFrame of shape (n_rows, n_features)
            Rows.

        Returns
        -------
        ndarray of shape (n_rows, n_dimensions)
        """
        numbers = self._numbers(X)
        numbers = np.where(np.isnan(numbers), self.mean_, numbers)
        with np.errstate(over="ignore"):
            above = np.where(np.isfinite(self.span_), numbers - self.low_, 0.0)
            # New rows may be as far off as numbers go; squares of distances must stay finite.
            scaled: Floats = np.clip(above / self.span_, -_FAR, _FAR)
        if not self.nominal_:
            return scaled
        categories = self.encoder_.transform(self._filled(self._text(X)))
        return np.hstack([scaled, _MISMATCH * categories])

    def _numbers(self, X: Any) -> Floats:
        if isinstance(X, np.ndarray):
            return X
        columns = [_as_numbers(X.iloc[:, j]) for j in self.numeric_]
        return np.column_stack(columns) if columns else np.empty((len(X), 0))

    def _text(self, X: pd.DataFrame) -> NDArray[Any]:
        columns = [X.iloc[:, j] for j in self.nominal_]
        missing = np.column_stack([column.isna() for column in columns])
        text = np.column_stack([column.astype(str).to_numpy(object) for column in columns])
        text[missing] = None
        return text

    def _filled(self, text: NDArray[Any]) -> NDArray[Any]:
        filled = text.copy()
        for j, mode in enumerate(self.mode_):
            filled[pd.isna(text[:, j]), j] = mode
        return filled


def _kinds(X: Any) -> tuple[list[int], list[int]]:
    if isinstance(X, np.ndarray):
        return list(range(X.shape[1])), []
    types = pd.api.types
    numeric = [
        types.is_numeric_dtype(kind)
        or types.is_datetime64_any_dtype(kind)
        or types.is_timedelta64_dtype(kind)
        for kind in X.dtypes
    ]
    return [j for j, is_it in enumerate(numeric) if is_it], [
        j for j, is_it in enumerate(numeric) if not is_it
    ]


def _as_numbers(column: pd.Series[Any]) -> Floats:
    numbers: Floats
    if column.dtype.kind in "mM":
        numbers = np.array(column.astype(np.int64), dtype=np.float64)
        numbers[column.isna()] = np.nan
        return numbers
    numbers = column.to_numpy(np.float64, na_value=np.nan)
    return numbers


def _mode(column: NDArray[Any], weight: Floats) -> str:
    """Return the value of the largest weight, of equal ones the first in the alphabet."""
    present = ~pd.isna(column)
    if not present.any():
        return ""
    values, codes = np.unique(column[present].astype(str), return_inverse=True)
    return str(values[np.argmax(np.bincount(codes, weights=weight[present]))])
