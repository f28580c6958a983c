"""The target of an encoding: labels of classes, or numbers; and the weights of the rows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from sklearn.utils.validation import _check_sample_weight, column_or_1d

from distsearch._wording import count, listed, quoted
from distsearch.encoding._categories import count_codes, factorize, is_missing
from distsearch.encoding._exact import COUNTS, Grid, find_grid, to_limbs
from distsearch.errors import InvalidInputError

__all__ = ["MOST_CLASSES", "Target", "TargetType", "check_labels", "read_target"]

TargetType = Literal["binary", "continuous", "multiclass"]

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]

_BYTE = 256

MOST_CLASSES = 100
"""Whole numbers with more distinct values are no labels, unless the user says so."""


@dataclass(frozen=True, eq=False, slots=True)
class Target:
    """The target and the weights of some rows.

    Parameters
    ----------
    classes : ndarray of shape (n_classes,) or None
        The labels, sorted; None for numbers.
    y : ndarray of shape (n,)
        Places among the classes, or the numbers themselves.
    weights : ndarray of float of shape (n,) or None
        None where every row counts once.
    weight_grid, sum_grid : Grid
        Grids of the weights, and of weight times target.
    """

    classes: NDArray[Any] | None
    y: NDArray[Any]
    weights: NDArray[np.float64] | None
    weight_grid: Grid = COUNTS
    sum_grid: Grid = COUNTS

    def __len__(self) -> int:
        return len(self.y)

    @property
    def n_sums(self) -> int:
        """Sums kept of a category: of the numbers, or of every class but the first.

        What the first class has is the rest of the weight.
        """
        return 1 if self.classes is None else max(1, len(self.classes) - 1)

    @property
    def is_counted(self) -> bool:
        """Whether weights are kept as the number of rows."""
        return self.weights is None and self.weight_grid == COUNTS

    def weight_limbs(self) -> Ints:
        """Return the weights as limbs, of shape (weight_grid.size, n)."""
        weights = np.ones(len(self)) if self.weights is None else self.weights
        return to_limbs(weights, self.weight_grid)

    def sum_limbs(self) -> Ints:
        """Return weight times number as limbs, of shape (sum_grid.size, n)."""
        weighted = self.y if self.weights is None else self.y * self.weights
        return to_limbs(weighted, self.sum_grid)

    def take(self, rows: Any) -> Target:
        """Return the target of some rows, on the same grids."""
        weights = None if self.weights is None else self.weights[rows]
        return replace(self, y=self.y[rows], weights=weights)

    def with_grids(self, weight_grid: Grid, sum_grid: Grid) -> Target:
        """Return the same rows on other grids, which contain theirs."""
        return replace(self, weight_grid=weight_grid, sum_grid=sum_grid)

    def with_classes(self, classes: NDArray[Any] | None) -> Target:
        """Return the same rows with places among more classes."""
        if self.classes is None or classes is None or len(classes) == len(self.classes):
            return self
        places = np.searchsorted(classes, self.classes)
        return replace(self, classes=classes, y=places[self.y])


def read_target(y: Any, target_type: str, sample_weight: Any, n_rows: int, who: str) -> Target:
    """Read a target.

    Parameters
    ----------
    y : array-like of shape (n_rows,)
        The target.
    target_type : {"auto", "binary", "continuous", "multiclass"}
        What the user calls it.
    sample_weight : array-like of shape (n_rows,) or None
        Weights.
    n_rows : int
        How many rows the features have.
    who : str
        The estimator's name, for messages.

    Raises
    ------
    InvalidInputError
        When it is missing, has another length, or cannot be what it is called.
    """
    column = _read_column(y, n_rows, who)
    weights = _read_weights(sample_weight, n_rows)
    labels = None if target_type == "continuous" else _read_labels(column, target_type)
    if labels is None:
        values = _read_numbers(column)
        with np.errstate(over="ignore"):
            weighted = values if weights is None else values * weights
            if not np.isfinite(np.abs(weighted).sum()):
                raise InvalidInputError(
                    "The target is too large: its values add up to more than 1.8e308. Scale it."
                )
        if weights is not None:
            _refuse_underflow(values, weights, weighted)
        target = Target(None, values, weights, sum_grid=find_grid(weighted))
    else:
        target = Target(labels[1], labels[0], weights)
    if weights is None:
        return target
    grid = find_grid(weights)
    return target.with_grids(grid, target.sum_grid if labels is None else grid)


def _refuse_underflow(values: Floats, weights: Floats, weighted: Floats) -> None:
    tiny = np.flatnonzero((np.abs(weighted) < np.finfo(np.float64).tiny) & (weights != 0))
    lost = np.abs(weighted[tiny] / weights[tiny] - values[tiny]) > 1e-9 * np.abs(values[tiny])
    if lost.any():
        row = int(tiny[lost.argmax()])
        raise InvalidInputError(
            f"The weight {weights[row]} times the target {values[row]} of row {row} is too small a "
            f"number. Scale the target or the weights."
        )


def _read_column(y: Any, n_rows: int, who: str) -> Any:
    if y is None:
        raise InvalidInputError(
            f"{who} requires y to be passed, but the target y is None. Pass the target of each row."
        )
    column = _as_series(y)
    if len(column) != n_rows:
        raise InvalidInputError(
            f"X and y have inconsistent numbers of samples: {n_rows} and {len(column)}. Rows are "
            f"matched by position, so both need the same number."
        )
    missing = is_missing(column)
    if missing.any():
        raise InvalidInputError(
            f"The target is missing (NaN) in {count(int(missing.sum()), 'row')}, the first being "
            f"row {int(missing.argmax())}. Drop these rows or fill them in."
        )
    if pd.api.types.is_complex_dtype(column.dtype):
        raise InvalidInputError("Complex data not supported: the target has complex numbers.")
    if isinstance(column.dtype, np.dtype) or not pd.api.types.is_numeric_dtype(column.dtype):
        return column
    return pd.Series(np.array(column.tolist()))


def _as_series(y: Any) -> pd.Series[Any]:
    if np.ma.isMaskedArray(y) and np.ma.is_masked(y):
        y = pd.Series(y.tolist(), dtype=object)
    if isinstance(y, (pd.Series, pd.Categorical)):
        column: pd.Series[Any] = pd.Series(y, copy=False)
    elif hasattr(y, "__array__") and not hasattr(y, "to_list"):
        column = pd.Series(column_or_1d(y, warn=True), copy=False)
    elif hasattr(y, "to_list") or (isinstance(y, Sequence) and not isinstance(y, str)):
        values = y.to_list() if hasattr(y, "to_list") else list(y)  # Polars and Arrow have it
        column = pd.Series(values, dtype=object)
    else:
        raise InvalidInputError(
            f"y must be an array-like with one value a row. Got {type(y).__name__} instead."
        )
    if isinstance(column.dtype, np.dtype) and column.dtype.kind == "O":
        if pd.api.types.infer_dtype(column) == "decimal":
            return column.astype(np.float64)
        return column.infer_objects()
    return column


def _read_weights(sample_weight: Any, n_rows: int) -> NDArray[np.float64] | None:
    if sample_weight is None:
        return None
    weights = np.asarray(
        _check_sample_weight(
            sample_weight, np.empty((n_rows, 0)), dtype=np.float64, ensure_non_negative=True
        )
    )
    with np.errstate(over="ignore"):
        total = float(weights.sum())
    if not np.isfinite(total):
        raise InvalidInputError(
            "The weights add up to more than 1.8e308. Divide all of them by the same number."
        )
    return weights


def _read_numbers(column: pd.Series[Any]) -> NDArray[np.float64]:
    if not pd.api.types.is_numeric_dtype(column.dtype):
        raise InvalidInputError(
            f"A continuous target must be numbers. Got values such as {quoted(column.iloc[0])} "
            f"instead. Use target_type='auto' for labels."
        )
    values = column.to_numpy(dtype=np.float64)
    if not np.isfinite(values).all():
        raise InvalidInputError(
            f"The target has infinity in row {int(np.isinf(values).argmax())}. Only finite numbers "
            f"have a mean; correct it."
        )
    return values


def _read_labels(
    column: pd.Series[Any], target_type: str
) -> tuple[NDArray[Any], NDArray[Any]] | None:
    """Return places among the sorted classes and these; None for what are no labels."""
    numeric = pd.api.types.is_numeric_dtype(column.dtype)
    if numeric and column.dtype.kind not in "biu":
        if target_type == "auto" and not _are_whole(column):
            return None
        _read_numbers(column)
    codes, classes = factorize(column, "y")
    if len(classes) <= _BYTE:  # a byte a row is read faster than eight
        codes = codes.astype(np.uint8)
    present = np.flatnonzero(count_codes(codes, len(classes)))
    if target_type == "auto" and numeric and len(present) > MOST_CLASSES:
        return None
    classes, order = _sort(classes[present])
    check_labels(classes, target_type)
    places = np.zeros(codes.max() + 1, dtype=codes.dtype)
    places[present[order]] = np.arange(len(present))
    known = np.array_equal(places, np.arange(len(places)))
    return codes if known else places[codes], classes


def check_labels(classes: NDArray[Any], target_type: str) -> None:
    """Refuse more labels than a target of that type has.

    Raises
    ------
    InvalidInputError
        For more than two labels of a binary target.
    """
    if target_type == "binary" and len(classes) > 2:
        raise InvalidInputError(
            f"A binary target has two labels. Got {len(classes)} of them: {listed(classes, 5)}. "
            f"Use target_type='multiclass', or 'continuous' for numbers."
        )


def _are_whole(column: pd.Series[Any]) -> bool:
    if column.dtype.kind in "iu":
        return True
    values = column.to_numpy(dtype=np.float64)
    if not (np.isfinite(values).all() and (values[:1000] % 1 == 0).all()):
        return False
    return bool((values % 1 == 0).all())


def _sort(classes: NDArray[Any]) -> tuple[NDArray[Any], NDArray[np.intp]]:
    try:
        order = np.argsort(classes, kind="stable")
    except TypeError:
        raise InvalidInputError(
            f"The labels of the target are of mixed kinds: {listed(classes, 5)}. Make them all "
            f"text or all numbers."
        ) from None
    classes = classes[order]
    if classes.dtype.kind == "O":
        simple = np.array(classes.tolist())
        classes = simple if simple.tolist() == classes.tolist() else classes
    if classes.ndim > 1:
        raise InvalidInputError(
            f"The labels of the target must be text or numbers. Got {quoted(classes[0])} instead."
        )
    return classes, order
