"""What callers give, checked: rows, labels, weights and groups."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from sklearn.utils import get_tags
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import (
    _check_sample_weight,
    _num_samples,
    check_consistent_length,
    column_or_1d,
    validate_data,
)

from distsearch._frames import as_frame
from distsearch._wording import count, listed, quoted
from distsearch.boosting._rows import Rows, merge, take
from distsearch.errors import InvalidInputError

__all__ = ["allows_missing", "read_rows", "read_training"]


def read_training(
    estimator: Any, base: Any, X: Any, y: Any, sample_weight: Any = None, groups: Any = None
) -> Rows:
    """Return training rows, checked.

    Parameters
    ----------
    estimator : estimator
        Learns ``classes_``, ``n_features_in_`` and ``feature_names_in_``, and in which form rows
        reach `base`.
    base : estimator
        What will be fitted to the rows.
    X : array-like of shape (n_samples, n_features)
        As given. A frame stays a frame for a learner of the caller's own if it holds anything but
        numbers, or if that learner is a pipeline.
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
        When there is only one class, no row has weight, or a label or group is missing.
    ValueError
        For what is no table of numbers, for missing values that `base` does not take, and for
        lengths that differ.
    """
    name = type(estimator).__name__
    if y is None:
        raise InvalidInputError(
            f"{name} requires y to be passed, but the target y is None. Give a label for each row."
        )
    _refuse_missing("y", "label", y)
    estimator._as_frame = _stays_frame(estimator, base, X)
    estimator._allow_missing = allows_missing(base)
    X, y = _validate(estimator, X, y, reset=True)
    check_classification_targets(y)
    weight = _check_sample_weight(sample_weight, X, dtype=np.float64, ensure_non_negative=True)
    kept = np.flatnonzero(weight)
    classes, codes = np.unique(y[kept], return_inverse=True)
    if len(classes) < 2:
        which = f"one class, {quoted(classes[0])}" if len(classes) else "no row with any weight"
        raise InvalidInputError(
            f"{name} needs rows of two classes or more; the data have {which}. Give rows of "
            f"another class too."
        )
    estimator.classes_ = classes
    keys = [codes]
    if groups is not None:
        keys.append(np.unique(_as_groups(groups, _num_samples(X)), return_inverse=True)[1][kept])
    return merge(take(X, kept), weight[kept], classes, keys, kept, len(weight))


def read_rows(estimator: Any, X: Any) -> Any:
    """Return rows to predict, checked against those of training and in the same form."""
    return _validate(estimator, X, None, reset=False)[0]


def allows_missing(base: Any) -> bool:
    """Say whether a learner takes missing values, itself or by the first step of a pipeline."""
    steps = getattr(base, "steps", None)
    first = steps[0][1] if steps else base
    return any(
        bool(get_tags(each).input_tags.allow_nan) for each in (base, first) if hasattr(each, "fit")
    )


def _stays_frame(estimator: Any, base: Any, X: Any) -> bool:
    frame = as_frame(X)
    if frame is None or isinstance(estimator.estimator, str):
        return False
    return hasattr(base, "steps") or bool(_words_in(frame))


def _words_in(frame: pd.DataFrame) -> list[Any]:
    """Return the columns that hold anything but numbers."""
    return [
        column
        for column, kind in zip(frame.columns, frame.dtypes, strict=True)
        if not pd.api.types.is_numeric_dtype(kind)
    ]


def _validate(estimator: Any, X: Any, y: Any, *, reset: bool) -> tuple[Any, Any]:
    target: Any = "no_validation" if y is None else y
    if estimator._as_frame:
        frame = as_frame(X)
        if frame is None:
            names = getattr(estimator, "feature_names_in_", None)
            validate_data(estimator, X, reset=False, dtype=None, ensure_all_finite=False)
            frame = pd.DataFrame(np.asarray(X), columns=names)
        validate_data(estimator, frame, target, reset=reset, skip_check_array=True)
        if not len(frame):
            raise InvalidInputError("X has 0 rows; at least one is required. Give more.")
        if y is None:
            return frame, None
        labels = column_or_1d(y, warn=True)
        check_consistent_length(frame, labels)
        return frame, labels
    try:
        read = validate_data(
            estimator,
            X,
            target,
            reset=reset,
            dtype=np.float64,
            ensure_all_finite="allow-nan" if estimator._allow_missing else True,
        )
    except ValueError as error:
        frame = as_frame(X)
        words = [] if frame is None else _words_in(frame)
        if not words or "could not convert" not in str(error):
            raise
        raise InvalidInputError(
            f"{type(estimator).__name__} with estimator={estimator.estimator!r} needs numbers. Got "
            f"{count(len(words), 'column')} of others: {listed(map(str, words))}. Encode them, or "
            f"give a pipeline that does, such as make_pipeline(OrderedTargetEncoder(), ...)."
        ) from None
    return (read, None) if y is None else read


def _as_groups(given: Any, n_rows: int) -> NDArray[Any]:
    groups: NDArray[Any] = np.asarray(given)
    if groups.shape != (n_rows,):
        raise InvalidInputError(
            f"groups needs one value for each of the {n_rows} rows of X. Got an array of shape "
            f"{groups.shape} instead."
        )
    _refuse_missing("groups", "group", groups)
    return groups


def _refuse_missing(argument: str, what: str, given: Any) -> None:
    values = np.asarray(given)
    if values.dtype.kind not in "Of":
        return
    missing = np.flatnonzero(pd.isna(values.ravel()))
    if len(missing):
        raise InvalidInputError(
            f"Input {argument} contains NaN or None: {count(len(missing), 'row')} without a "
            f"{what}, the first at position {missing[0]}. Leave these rows out."
        )
