"""The parts that a candidate is scored on, checked before any work starts."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.model_selection import (
    BaseShuffleSplit,
    RepeatedStratifiedKFold,
    StratifiedKFold,
    check_cv,
)

from distsearch._wording import quoted
from distsearch.errors import InvalidInputError

__all__ = ["RESUBSTITUTION", "make_splits"]

RESUBSTITUTION = "resubstitution"
"""Score on the training rows themselves, as the paper does."""

Splits = list[tuple[NDArray[np.int64], NDArray[np.int64]]]


def make_splits(
    cv: Any, X: NDArray[Any], y: NDArray[Any], *, classifier: bool, split_params: dict[str, Any]
) -> Splits:
    """Draw the splits once, so that every candidate meets the same ones.

    Parameters
    ----------
    cv : int, splitter, iterable or "resubstitution"
        As scikit-learn's ``cv``; "resubstitution" trains and scores on all rows.
    X : ndarray of shape (n_samples, n_features)
        Rows.
    y : ndarray of shape (n_samples,)
        Targets.
    classifier : bool
        Whether classes are to be stratified by default.
    split_params : dict
        Passed to the splitter, such as ``groups``.

    Raises
    ------
    InvalidInputError
        When a class has fewer rows than a stratified splitter has folds, a part would be trained
        on one class only, or a split is no two sets of rows.
    """
    if isinstance(cv, str) and cv == RESUBSTITUTION:
        rows = np.arange(len(y))
        return [(rows, rows)]
    splitter = check_cv(cv, y, classifier=classifier)
    if classifier and isinstance(splitter, (StratifiedKFold, RepeatedStratifiedKFold)):
        repeats = getattr(splitter, "n_repeats", 1)
        _refuse_rare_class(X, y, splitter.get_n_splits(X, y) // repeats)
    splits = _checked(list(splitter.split(X, y, **split_params)), len(y))
    if not splits:
        raise InvalidInputError(f"cv={cv!r} makes no split at all. Give at least one.")
    if classifier and not isinstance(splitter, BaseShuffleSplit):
        _refuse_one_class(y, splits)
    return splits


def _checked(splits: list[Any], n_rows: int) -> Splits:
    """Return the splits as arrays of row numbers; they may be lists or masks."""
    checked = []
    for number, split in enumerate(splits):
        try:
            train, test = (_row_numbers(side, n_rows) for side in split)
        except (ValueError, IndexError):
            raise InvalidInputError(
                f"Split {number} of cv must be two arrays, of the rows to train on and of those to "
                f"score on, each with one row or more from 0 to {n_rows - 1}. "
                f"Got {quoted(split)} instead."
            ) from None
        checked.append((train, test))
    return checked


def _row_numbers(side: Any, n_rows: int) -> NDArray[np.int64]:
    rows: NDArray[np.int64] = np.arange(n_rows)[np.asarray(side)]
    if rows.ndim != 1 or not len(rows):
        raise ValueError
    return rows


def _refuse_rare_class(X: NDArray[Any], y: NDArray[Any], n_splits: int) -> None:
    labels, counts = np.unique(y, return_counts=True)
    rarest = int(np.argmin(counts))
    if counts[rarest] >= n_splits:
        return
    hint = (
        f"Use at most {counts[rarest]} folds"
        if counts[rarest] > 1
        else "Use cv='resubstitution', leave the class out"
    )
    raise InvalidInputError(
        f"Class {_plain(labels[rarest])} has {counts[rarest]} of the rows (n_samples={X.shape[0]}, "
        f"n_features={X.shape[1]}), too few for {n_splits} folds: some would have none of it. "
        f"{hint}, or merge the class with another."
    )


def _refuse_one_class(y: NDArray[Any], splits: Splits) -> None:
    for number, (train, _) in enumerate(splits):
        labels = np.unique(y[train])
        if len(labels) < 2:
            raise InvalidInputError(
                f"The training rows of split {number} have one class, {_plain(labels[0])}. "
                f"Use a stratified splitter or fewer folds."
            )


def _plain(label: Any) -> str:
    return repr(label.item() if hasattr(label, "item") else label)
