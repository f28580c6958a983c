"""The λ of maximal likelihood, column by column."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import stats

__all__ = ["MLE_BOUND", "mle_lambdas"]

MLE_BOUND = 20.0
"""Largest |λ| that an estimate is used with; beyond it a column is all but two-valued."""


def mle_lambdas(scaled: NDArray[np.floating[Any]]) -> NDArray[np.float64]:
    """Estimate λ for each column by the profile likelihood.

    Parameters
    ----------
    scaled : ndarray of shape (n_samples, n_columns)
        Positive values, as the search sees them: scaled to [1, 2]. NaN is left out.

    Returns
    -------
    ndarray of shape (n_columns,)
        Brent's optimum from the bracket (-2, 2), not bounded; 1 for a column whose likelihood
        has none.

    Notes
    -----
    On the raw values the likelihood of a column with a small spread around a large value drives
    λ beyond machine precision; on the scaled ones it does not.
    """
    return np.array([_column(column[~np.isnan(column)]) for column in scaled.T], dtype=np.float64)


def _column(values: NDArray[np.floating[Any]]) -> float:
    if values.size < 2 or values.min() == values.max():
        return 1.0
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        estimate = float(stats.boxcox_normmax(values, brack=(-2.0, 2.0), method="mle"))
    return estimate if np.isfinite(estimate) else 1.0
