"""Categories in a fit: codes before the search, and their encoding inside every training part.

Codes know nothing of the target, so all rows may share them. What is learned from the target is
learned anew wherever the estimator is fitted, and so never from a row that it is scored on.
"""

from __future__ import annotations

from collections.abc import Collection
from itertools import groupby
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import is_classifier
from sklearn.compose import ColumnTransformer
from sklearn.impute import SimpleImputer
from sklearn.preprocessing import OrdinalEncoder

from distsearch._categorical import TargetType, encode_first, make_encoder

__all__ = ["in_place", "make_preparation", "with_encoding"]

_UNKNOWN, _MISSING = -1, -2
"""Codes of a category that training lacked, which gets the prior, and of a missing value."""


def make_preparation(impute: str, n_features: int, categorical: Collection[int]) -> Any:
    """Return what fills missing numbers and turns categories into codes; None where nothing does.

    Parameters
    ----------
    impute : {"error", "median", "mean"}
        What is done about missing numbers. A missing category is a category of its own.
    n_features : int
        Number of columns.
    categorical : collection of int
        Positions of the categories.
    """
    fill: Any = "passthrough"
    if impute != "error":
        fill = SimpleImputer(strategy=impute, keep_empty_features=True)
    if categorical:
        codes = OrdinalEncoder(
            handle_unknown="use_encoded_value",
            unknown_value=_UNKNOWN,
            encoded_missing_value=_MISSING,
        )
        return in_place(n_features, categorical, codes, fill).set_output(transform="pandas")
    return None if impute == "error" else fill.set_output(transform="pandas")


def with_encoding(estimator: Any, categorical: Collection[int], y: NDArray[Any], seed: int) -> Any:
    """Put the encoding of categories before an estimator, so that each of its fits learns it.

    Parameters
    ----------
    estimator : estimator
        A classifier or a regressor.
    categorical : collection of int
        Positions of the categories; without any, the estimator itself is returned.
    y : ndarray of shape (n_samples,)
        The target.
    seed : int
        Draws the order of the rows.
    """
    if not categorical:
        return estimator
    target_type: TargetType = "continuous"
    if is_classifier(estimator):
        target_type = "binary" if len(np.unique(y)) == 2 else "multiclass"
    return encode_first(estimator, make_encoder(list(categorical), target_type, seed))


def in_place(
    n_features: int, categorical: Collection[int], categories: Any, numbers: Any
) -> ColumnTransformer:
    """Treat categories in one way and numbers in another, each column staying where it is.

    Parameters
    ----------
    n_features : int
        Number of columns.
    categorical : collection of int
        Positions of the categories.
    categories, numbers : transformer or "passthrough"
        What is done to them.
    """
    steps = []
    for is_category, run in groupby(range(n_features), set(categorical).__contains__):
        columns = list(run)
        kind, step = ("categories", categories) if is_category else ("numbers", numbers)
        steps.append((f"{kind}_{columns[0]}", step, columns))
    return ColumnTransformer(steps, verbose_feature_names_out=False)
