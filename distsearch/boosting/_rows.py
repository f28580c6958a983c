"""Training rows as boosting sees them: each distinct row once, with its weight."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from sklearn.utils import get_tags
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import _check_sample_weight, _num_samples, validate_data

from distsearch._frames import as_frame
from distsearch._wording import quoted
from distsearch.errors import InvalidInputError

__all__ = ["Rows", "read_rows", "read_training", "take"]

Codes = NDArray[np.intp]
Floats = NDArray[np.float64]


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


def read_training(
    estimator: Any, base: Any, X: Any, y: Any, sample_weight: Any = None, groups: Any = None
) -> Rows:
    """Return training rows, checked.

    Parameters
    ----------
    estimator : estimator
        Learns ``classes_``, ``n_features_in_`` and ``feature_names_in_``.
    base : estimator
        What will be fitted to the rows.
    X : array-like of shape (n_samples, n_features)
        As given. A frame that holds anything but numbers stays a frame.
    y : array-like of shape (n_samples,)
        Labels.
    sample_weight : array-like of shape (n_samples,), optional
        Weights that are whole numbers count as repetitions; others only say how likely a row is to
        be drawn.
    groups : array-like of shape (n_samples,), optional
        Groups of rows.

    Raises
    ------
    InvalidInputError
        When there is only one class, or no row has weight.
    ValueError
        For what is no table of numbers, for missing values that `base` does not take, and for
        lengths that differ.
    """
    X, y = _validate(estimator, base, X, y, reset=True)
    check_classification_targets(y)
    weight = _check_sample_weight(sample_weight, X, dtype=np.float64, ensure_non_negative=True)
    kept = np.flatnonzero(weight)
    classes, codes = np.unique(y[kept], return_inverse=True)
    if len(classes) < 2:
        which = f"one class, {quoted(classes[0])}" if len(classes) else "no row with any weight"
        raise InvalidInputError(
            f"{type(estimator).__name__} needs rows of two classes or more; the data have {which}. "
            f"Give rows of another class too."
        )
    estimator.classes_ = classes
    keys = [codes]
    if groups is not None:
        keys.append(np.unique(_as_groups(groups, _num_samples(X)), return_inverse=True)[1][kept])
    return _merge(take(X, kept), weight[kept], classes, keys, kept, len(weight))


def read_rows(estimator: Any, base: Any, X: Any) -> Any:
    """Return rows to predict, checked against those of training."""
    return _validate(estimator, base, X, None, reset=False)[0]


def _validate(estimator: Any, base: Any, X: Any, y: Any, *, reset: bool) -> tuple[Any, Any]:
    frame = as_frame(X)
    mixed = frame is not None and not all(
        pd.api.types.is_numeric_dtype(dtype) for dtype in frame.dtypes
    )
    target: Any = "no_validation" if y is None else y
    if mixed:
        read = validate_data(estimator, X, target, reset=reset, skip_check_array=True)
        if y is None:
            return frame, None
        y = np.asarray(read[1])
        if y.ndim != 1 or len(y) != len(frame):  # type: ignore[arg-type]
            raise InvalidInputError(
                f"y needs one label for each of the {len(frame)} rows of X. "  # type: ignore[arg-type]
                f"Got an array of shape {y.shape} instead."
            )
        return frame, y
    finite = "allow-nan" if get_tags(base).input_tags.allow_nan else True
    read = validate_data(
        estimator, X, target, reset=reset, dtype=np.float64, ensure_all_finite=finite
    )
    return (read, None) if y is None else read


def _as_groups(given: Any, n_rows: int) -> NDArray[Any]:
    groups: NDArray[Any] = np.asarray(given)
    if groups.shape != (n_rows,):
        raise InvalidInputError(
            f"groups needs one value for each of the {n_rows} rows of X. Got an array of shape "
            f"{groups.shape} instead."
        )
    return groups


def _merge(
    X: Any, weight: Floats, classes: NDArray[Any], keys: list[Codes], kept: Codes, n_given: int
) -> Rows:
    columns = [*_sortable(X), *keys]
    order = np.lexsort(columns[::-1])
    new = np.ones(len(order), dtype=bool)
    new[1:] = np.any([_differ(column[order]) for column in columns], axis=0)
    distinct = np.empty(len(order), dtype=np.intp)
    distinct[order] = np.cumsum(new) - 1
    first = order[new]
    total = np.bincount(distinct, weights=weight).astype(np.float64)
    given = np.bincount(distinct)
    whole = bool((weight == np.floor(weight)).all())
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
