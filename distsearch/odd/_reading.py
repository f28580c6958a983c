"""Rows, labels and weights as given, checked."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import _check_sample_weight, validate_data

from distsearch._wording import listed
from distsearch.errors import InvalidInputError
from distsearch.odd._moments import is_sparse

__all__ = ["Rows", "read_rows", "read_training"]


@dataclass(frozen=True, eq=False)
class Rows:
    """Training rows with their classes.

    Parameters
    ----------
    X : ndarray or CSR array of shape (n_samples, n_features)
        Rows.
    codes : ndarray of int of shape (n_samples,)
        The class of each.
    weight : ndarray of shape (n_samples,)
        How often each counts.
    classes : ndarray of shape (n_classes,)
        The labels.
    """

    X: Any
    codes: NDArray[np.intp]
    weight: NDArray[np.float64]
    classes: NDArray[Any]


def read_rows(estimator: Any, X: Any, *, sparse_too: bool) -> Any:
    """Return rows as numbers, a sparse array as CSR.

    Parameters
    ----------
    estimator : estimator
        Whose rows they are.
    X : array-like of shape (n_samples, n_features)
        As given.
    sparse_too : bool
        Whether sparse rows can be worked with.

    Raises
    ------
    InvalidInputError
        When a value is missing or infinite; with its column and row.
    """
    accept: Any = "csr" if sparse_too else False
    X = validate_data(
        estimator, X, reset=False, dtype=np.float64, accept_sparse=accept, ensure_all_finite=False
    )
    _refuse_not_finite(estimator, X)
    return X


def read_training(
    estimator: Any, X: Any, y: Any, sample_weight: Any, *, sparse_too: bool, reset: bool
) -> Rows:
    """Return training rows of positive weight with their classes.

    Parameters
    ----------
    estimator : estimator
        Whose rows they are.
    X, y, sample_weight
        As given.
    sparse_too : bool
        Whether sparse rows can be worked with.
    reset : bool
        Whether these are the rows that say how many features there are.

    Raises
    ------
    InvalidInputError
        As `read_rows`, and when no row has a weight.
    """
    if y is None:
        raise InvalidInputError(
            f"{type(estimator).__name__} requires y to be passed, but the target y is None. "
            f"Pass the labels of the rows."
        )
    X, y = validate_data(
        estimator, X, y, reset=reset, dtype=np.float64, ensure_all_finite=False,
        accept_sparse="csr" if sparse_too else False,
    )  # fmt: skip
    check_classification_targets(y)
    _refuse_not_finite(estimator, X)
    weight = _check_sample_weight(sample_weight, X, dtype=np.float64, ensure_non_negative=True)
    used = weight > 0  # of one row at least, which scikit-learn has checked
    if not used.all():
        X, y, weight = X[used], y[used], weight[used]
    classes, codes = np.unique(y, return_inverse=True)
    return Rows(X, codes, weight, classes)


def _refuse_not_finite(estimator: Any, X: Any) -> None:
    values = X.data if is_sparse(X) else X
    if np.isfinite(values).all():
        return
    whole = X.tocoo() if is_sparse(X) else None
    wrong = ~np.isfinite(values)
    rows, columns = (whole.row[wrong], whole.col[wrong]) if whole is not None else wrong.nonzero()
    first = int(columns.min())
    names = getattr(estimator, "feature_names_in_", None)
    name = f"x{first}" if names is None else names[first]
    kind = "NaN" if np.isnan(values[wrong]).any() else "infinity"
    raise InvalidInputError(
        f"Input X contains {kind}: column {name!r}, row {listed(sorted(rows[columns == first]), 5)}"
        f" (from 0). {type(estimator).__name__} needs finite numbers. Fill missing values in, for "
        f"example with SimpleImputer, or leave those rows out."
    )
