"""Training rows as boosting sees them: each distinct row once, with its weight."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

__all__ = ["Rows", "merge", "take"]

Codes = NDArray[np.intp]
Floats = NDArray[np.float64]

_MANY = 2.0**31
"""From here on whole numbers are shares like others: so many rows cannot be drawn."""


@dataclass(frozen=True, eq=False)
class Rows:
    """Distinct training rows in an order that does not depend on the order of the data.

    Everything that is learned is a function of this object, so that the order of rows does not
    matter, and a row that is given twice counts as one with twice the weight.

    Parameters
    ----------
    X : ndarray or DataFrame of shape (n_rows, n_features)
        Rows.
    codes : ndarray of int of shape (n_rows,)
        The class of each.
    weight : ndarray of shape (n_rows,)
        Its weight.
    copies : ndarray of int of shape (n_rows,)
        As how many rows it counts where rows are counted: its weight, if all weights are whole
        numbers, else how often it was given.
    classes : ndarray of shape (n_classes,)
        The labels.
    places : ndarray of int of shape (n_samples,)
        The distinct row of each row as given; -1 for rows without weight.
    groups : ndarray of int of shape (n_rows,) or None
        The group of each, where groups were given.
    """

    X: Any
    codes: Codes
    weight: Floats
    copies: Codes
    classes: NDArray[Any]
    places: Codes
    groups: Codes | None = None

    def __len__(self) -> int:
        return len(self.codes)

    @property
    def labels(self) -> NDArray[Any]:
        """The label of each row."""
        labels: NDArray[Any] = self.classes[self.codes]
        return labels

    @property
    def draws(self) -> int:
        """How many rows a draw has."""
        return int(self.copies.sum())

    @property
    def whole(self) -> bool:
        """Whether weights only say how often a row is there."""
        return bool((self.weight == self.copies).all())

    def only(self, members: Codes) -> Rows:
        """Return some of the rows."""
        return replace(
            self,
            X=take(self.X, members),
            codes=self.codes[members],
            weight=self.weight[members],
            copies=self.copies[members],
            places=np.empty(0, dtype=np.intp),
            groups=None if self.groups is None else self.groups[members],
        )

    def borrowing(self, members: Codes, others: Codes, factor: float) -> Rows:
        """Return some rows, and others with their weights multiplied by a factor."""
        if not (factor and len(others)):
            return self.only(members)
        factors = np.ones(len(self))
        factors[others] = factor
        both = np.sort(np.concatenate([members, others]))
        return replace(self, weight=self.weight * factors).only(both)


def take(X: Any, rows: Codes) -> Any:
    """Return some rows of an array or a frame."""
    return X.iloc[rows] if isinstance(X, pd.DataFrame) else X[rows]


def merge(
    X: Any, weight: Floats, classes: NDArray[Any], keys: list[Codes], kept: Codes, n_given: int
) -> Rows:
    """Return distinct rows.

    Parameters
    ----------
    X : ndarray or DataFrame of shape (n_rows, n_features)
        Rows with weight.
    weight : ndarray of shape (n_rows,)
        Their weights. Those that are no whole numbers are made to add up to the number of rows.
    classes : ndarray of shape (n_classes,)
        The labels.
    keys : list of ndarray of int of shape (n_rows,)
        What rows must have in common too: the class first, then perhaps the group.
    kept : ndarray of int of shape (n_rows,)
        Where they were among the rows as given.
    n_given : int
        How many were given.
    """
    columns = [*_sortable(X), *keys]
    order = np.lexsort(columns[::-1])
    new = np.ones(len(order), dtype=bool)
    new[1:] = np.any([_differ(column[order]) for column in columns], axis=0)
    distinct = np.empty(len(order), dtype=np.intp)
    distinct[order] = np.cumsum(new) - 1
    first = order[new]
    total = np.bincount(distinct, weights=weight).astype(np.float64)
    given = np.bincount(distinct)
    whole = bool((weight == np.floor(weight)).all()) and total.sum() < _MANY
    if not whole:
        total *= len(weight) / total.sum()
    places = np.full(n_given, -1)
    places[kept] = distinct
    return Rows(
        X=take(X, first),
        codes=keys[0][first],
        weight=total,
        copies=total.astype(np.intp) if whole else given,
        classes=classes,
        places=places,
        groups=keys[1][first] if len(keys) > 1 else None,
    )


def _sortable(X: Any) -> list[NDArray[Any]]:
    if not isinstance(X, pd.DataFrame):
        return list(X.T)
    return [_numbers(X.iloc[:, j]) for j in range(X.shape[1])]


def _numbers(column: pd.Series[Any]) -> NDArray[Any]:
    if pd.api.types.is_numeric_dtype(column.dtype):
        return column.to_numpy(np.float64, na_value=np.nan)
    text: NDArray[Any] = column.astype(str).where(column.notna()).factorize(sort=True)[0]
    return text


def _differ(values: NDArray[Any]) -> NDArray[np.bool_]:
    before, after = values[:-1], values[1:]
    differ: NDArray[np.bool_] = (before != after) & ~((before != before) & (after != after))  # noqa: PLR0124
    return differ
