"""Tests of paired differences, and what to do about making many of them."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import special, stats

from distsearch.errors import InvalidInputError

__all__ = ["corrected_t_test", "holm", "paired_t_test", "t_test", "wilcoxon_signed_rank"]


def paired_t_test(differences: ArrayLike) -> tuple[float, float]:
    """Return t and the two-sided p-value of the paired t-test.

    Parameters
    ----------
    differences : array-like of shape (n_splits,)
        A competitor's score minus the baseline's, a value a split.

    Returns
    -------
    t : float
        The statistic.
    p : float
        The probability of one as far from 0.

    Raises
    ------
    InvalidInputError
        When the differences are no row of finite numbers.

    Notes
    -----
    t = mean / sqrt(var / J) on J - 1 degrees of freedom, with the variance that divides by J - 1.
    Both are NaN for fewer than two differences. Where all differences are equal, t is 0 and p is 1
    if they are 0, and t is infinite and p is 0 if they are not.

    The training parts of a resampling overlap, so that its differences are not independent and
    this p-value is too small; see `corrected_t_test`.
    """
    values = _row(differences)
    return _of_row(values, 0.0)


def corrected_t_test(differences: ArrayLike, test_to_train_ratio: float) -> tuple[float, float]:
    """Return t and the two-sided p-value of the corrected resampled t-test.

    Parameters
    ----------
    differences : array-like of shape (n_splits,)
        A competitor's score minus the baseline's, a value a split.
    test_to_train_ratio : float
        Rows in a test part by rows in its training part: 1 / (k - 1) for k folds.

    Returns
    -------
    t : float
        The statistic.
    p : float
        The probability of one as far from 0.

    Raises
    ------
    InvalidInputError
        When the differences are no row of finite numbers, or the ratio is not above 0.

    Notes
    -----
    t = mean / sqrt((1 / J + n_test / n_train) var) on J - 1 degrees of freedom, with the variance
    that divides by J - 1. The second term stands for the overlap of the training parts. Equal
    differences, and fewer than two, are treated as in `paired_t_test`.

    References
    ----------
    C. Nadeau and Y. Bengio, "Inference for the generalization error", Machine Learning 52 (2003),
    239-281. R. R. Bouckaert and E. Frank, "Evaluating the replicability of significance tests for
    comparing learning algorithms", PAKDD 2004, for repeated k-fold.
    """
    if not (test_to_train_ratio > 0 and math.isfinite(test_to_train_ratio)):
        raise InvalidInputError(
            f"test_to_train_ratio must be a number above 0. Got {test_to_train_ratio!r} instead. "
            f"Divide the rows of a test part by the rows of its training part."
        )
    return _of_row(_row(differences), float(test_to_train_ratio))


def t_test(
    mean: NDArray[np.float64],
    sd: NDArray[np.float64],
    n: NDArray[np.int64],
    ratio: NDArray[np.float64] | float,
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return t and p of many rows of differences from their means and standard deviations.

    Parameters
    ----------
    mean, sd : ndarray of shape (n_rows,)
        Of each row's differences.
    n : ndarray of int of shape (n_rows,)
        Their number.
    ratio : ndarray of shape (n_rows,) or float
        Test rows by training rows; 0 for no correction.

    Returns
    -------
    t, p : ndarray of shape (n_rows,)
        As of `corrected_t_test`.
    """
    with np.errstate(divide="ignore", invalid="ignore"):
        t = mean / (sd * np.sqrt(1.0 / n + ratio))
    t = np.where((sd == 0) & (mean == 0) & ~np.isnan(ratio), 0.0, t)
    t = np.where(n < 2, np.nan, t)
    p = 2 * special.stdtr(np.maximum(n - 1, 1), -np.abs(t))
    return t, p


def _of_row(values: NDArray[np.float64], ratio: float) -> tuple[float, float]:
    if values.size < 2:
        return math.nan, math.nan
    # The mean of equal numbers may differ from them in the last bit.
    equal = bool(np.all(values == values[0]))
    mean = values[0] if equal else values.mean()
    sd = 0.0 if equal else values.std(ddof=1)
    t, p = t_test(np.array([mean]), np.array([sd]), np.array([values.size]), ratio)
    return float(t[0]), float(p[0])


def wilcoxon_signed_rank(differences: ArrayLike) -> float:
    """Return the two-sided p-value of the Wilcoxon signed-rank test.

    Parameters
    ----------
    differences : array-like of shape (n_data,)
        A competitor's mean score minus the baseline's, a value a data set.

    Returns
    -------
    p : float
        1 where every difference is 0; NaN where there is none.

    Raises
    ------
    InvalidInputError
        When the differences are no row of finite numbers.

    Notes
    -----
    It is `scipy.stats.wilcoxon` with ``zero_method="pratt"``: absolute differences are ranked, ties
    share the mean of their ranks, and differences of 0 are ranked with the others and then left
    out. To split their ranks between both sums, as Demšar does, gives the same normal p-value.

    References
    ----------
    F. Wilcoxon, "Individual comparisons by ranking methods", Biometrics Bulletin 1 (1945), 80-83.
    J. W. Pratt, "Remarks on zeros and ties in the Wilcoxon signed rank procedures", Journal of the
    American Statistical Association 54 (1959), 655-667. J. Demšar, "Statistical comparisons of
    classifiers over multiple data sets", Journal of Machine Learning Research 7 (2006), 1-30.
    """
    values = _row(differences)
    if values.size == 0:
        return math.nan
    if not values.any():
        return 1.0
    return float(stats.wilcoxon(values, zero_method="pratt").pvalue)


def holm(p_values: ArrayLike) -> NDArray[np.float64]:
    """Return p-values adjusted for their number by Holm's step-down method.

    Parameters
    ----------
    p_values : array-like of shape (n,)
        Raw ones. NaN stays NaN and does not count.

    Returns
    -------
    adjusted : ndarray of shape (n,)
        In the order given.

    Raises
    ------
    InvalidInputError
        When a value lies outside [0, 1].

    Notes
    -----
    With p(1) <= ... <= p(m), the adjusted p(i) is the largest of min(1, (m - j + 1) p(j)) over
    j <= i. Reject what is at most α: the chance of any false rejection is then at most α.

    References
    ----------
    S. Holm, "A simple sequentially rejective multiple test procedure", Scandinavian Journal of
    Statistics 6 (1979), 65-70.
    """
    raw = np.asarray(p_values, dtype=float)
    known = np.flatnonzero(~np.isnan(raw))
    if raw.ndim != 1 or np.any((raw[known] < 0) | (raw[known] > 1)):
        raise InvalidInputError(
            "p_values must be a row of numbers from 0 to 1, or NaN. "
            f"Got {raw.tolist()!r} instead. Pass p-values that no other method has changed."
        )
    adjusted = np.full(raw.shape, np.nan)
    order = known[np.argsort(raw[known], kind="stable")]
    stepped = raw[order] * np.arange(order.size, 0, -1)
    adjusted[order] = np.minimum(np.maximum.accumulate(stepped), 1.0)
    return adjusted


def _row(values: Any) -> NDArray[np.float64]:
    array = np.asarray(values, dtype=float)
    if array.ndim != 1 or not np.all(np.isfinite(array)):
        raise InvalidInputError(
            f"differences must be a row of finite numbers. Got an array of shape {array.shape}"
            f"{'' if array.ndim != 1 else ' with NaN or infinity in it'} instead. "
            f"Leave out the splits, or data sets, that only one of the two has."
        )
    return array
