"""Comparisons of several competitors over several data sets by their ranks.

Scores come as one row a data set and one column a competitor, and the larger wins. Both the rank
tests and the signed-rank test treat data sets as the sample: splits of one data set are not
independent, data sets are.
"""

from __future__ import annotations

import math
from functools import lru_cache

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import special, stats

from distsearch.errors import InvalidInputError

__all__ = ["average_ranks", "critical_difference", "friedman", "iman_davenport", "nemenyi"]


def average_ranks(scores: ArrayLike) -> NDArray[np.float64]:
    """Return the mean over data sets of each competitor's rank.

    Parameters
    ----------
    scores : array-like of shape (n_data, k)
        The larger is better.

    Returns
    -------
    ranks : ndarray of shape (k,)
        1 is best; ties share the mean of their ranks, so that the sum is k (k + 1) / 2.

    Raises
    ------
    InvalidInputError
        When the scores are no table of numbers.
    """
    return np.asarray(_ranked(scores).mean(axis=0))


def friedman(scores: ArrayLike) -> tuple[float, float]:
    """Return χ² and the p-value of the Friedman test that all competitors rank alike.

    Parameters
    ----------
    scores : array-like of shape (n_data, k)
        The larger is better.

    Returns
    -------
    chi2 : float
        The statistic, corrected for ties.
    p : float
        The probability of a larger one, from χ² on k - 1 degrees of freedom.

    Raises
    ------
    InvalidInputError
        When the scores are no table of numbers, or have fewer than two columns.

    Notes
    -----
    With R_j the average ranks over N data sets,
    χ² = 12 N / (k (k + 1)) [Σ R_j² - k (k + 1)² / 4] / (1 - Σ (t³ - t) / (N k (k² - 1))),
    where t are the sizes of the groups of ties within data sets. Where all are tied everywhere,
    χ² is 0 and p is 1. It is `scipy.stats.friedmanchisquare`, for two competitors as well.

    References
    ----------
    M. Friedman, "A comparison of alternative tests of significance for the problem of m rankings",
    Annals of Mathematical Statistics 11 (1940), 86-92. J. Demšar, "Statistical comparisons of
    classifiers over multiple data sets", Journal of Machine Learning Research 7 (2006), 1-30.
    """
    ranks = _ranked(scores, at_least=2)
    n, k = ranks.shape
    spread = float(((ranks.mean(axis=0) - (k + 1) / 2) ** 2).sum())
    # The variance of untied ranks is (k² - 1) / 12; every tie takes some of it away.
    correction = float(((ranks - (k + 1) / 2) ** 2).sum()) * 12 / (n * k * (k * k - 1))
    if correction == 0:
        return 0.0, 1.0
    chi2 = 12 * n / (k * (k + 1)) * spread / correction
    return chi2, float(special.chdtrc(k - 1, chi2))


def iman_davenport(chi2: float, n_data: int, k: int) -> tuple[float, float]:
    """Return F and the p-value of Iman and Davenport's form of the Friedman test.

    Parameters
    ----------
    chi2 : float
        Friedman's statistic.
    n_data : int
        Data sets that it is over.
    k : int
        Competitors.

    Returns
    -------
    f : float
        The statistic, infinite where all data sets agree.
    p : float
        The probability of a larger one.

    Notes
    -----
    F = (N - 1) χ² / (N (k - 1) - χ²) on k - 1 and (k - 1)(N - 1) degrees of freedom. It is less
    conservative than χ². Both are NaN for fewer than two data sets or competitors.

    References
    ----------
    R. L. Iman and J. M. Davenport, "Approximations of the critical region of the Friedman
    statistic", Communications in Statistics A9 (1980), 571-595.
    """
    if n_data < 2 or k < 2:
        return math.nan, math.nan
    rest = n_data * (k - 1) - chi2
    if rest <= 1e-12 * n_data * k:
        return math.inf, 0.0
    f = (n_data - 1) * chi2 / rest
    return f, float(special.fdtrc(k - 1, (k - 1) * (n_data - 1), f))


def nemenyi(scores: ArrayLike) -> NDArray[np.float64]:
    """Return the p-values of Nemenyi's test of every two competitors.

    Parameters
    ----------
    scores : array-like of shape (n_data, k)
        The larger is better.

    Returns
    -------
    p : ndarray of shape (k, k)
        Symmetric, with 1 on the diagonal.

    Raises
    ------
    InvalidInputError
        When the scores are no table of numbers, or have fewer than two columns.

    Notes
    -----
    q = |R_i - R_j| / sqrt(k (k + 1) / (12 N)) is held against the studentized range of k values on
    infinitely many degrees of freedom (Tukey), with average ranks R over N data sets. That the
    test is of all pairs at once is in the distribution; the values need no further adjustment.

    References
    ----------
    P. B. Nemenyi, "Distribution-free multiple comparisons", PhD thesis, Princeton (1963).
    J. Demšar, "Statistical comparisons of classifiers over multiple data sets", Journal of Machine
    Learning Research 7 (2006), 1-30.
    """
    ranks = _ranked(scores, at_least=2)
    n, k = ranks.shape
    average = ranks.mean(axis=0)
    q = np.abs(average[:, None] - average[None, :]) / math.sqrt(k * (k + 1) / (12 * n))
    return _range_tail(q, k)


def critical_difference(k: int, n_data: int, alpha: float = 0.05) -> float:
    """Return how far apart two average ranks must be for Nemenyi's test to tell them apart.

    Parameters
    ----------
    k : int
        Competitors, two or more.
    n_data : int
        Data sets, one or more.
    alpha : float
        Level of the test, between 0 and 1.

    Returns
    -------
    difference : float
        q sqrt(k (k + 1) / (12 N)), with q the upper `alpha` quantile of the studentized range.

    Raises
    ------
    InvalidInputError
        When a value is out of its bounds.
    """
    if k < 2 or n_data < 1 or not 0 < alpha < 1:
        raise InvalidInputError(
            f"A critical difference needs k of 2 or more, n_data of 1 or more and alpha between "
            f"0 and 1. Got k={k!r}, n_data={n_data!r} and alpha={alpha!r} instead."
        )
    return _range_quantile(k, alpha) * math.sqrt(k * (k + 1) / (12 * n_data))


@lru_cache(maxsize=256)
def _range_quantile(k: int, alpha: float) -> float:
    return float(stats.studentized_range.ppf(1 - alpha, k, np.inf))


def _range_tail(q: NDArray[np.float64], k: int) -> NDArray[np.float64]:
    """Return P(range of k standard normals > q) for each q."""
    # Pairs often lie equally far apart, and each distance is an integral.
    values, places = np.unique(np.round(q, 12), return_inverse=True)
    tail = stats.studentized_range.sf(values, k, np.inf)
    return np.asarray(np.clip(tail, 0.0, 1.0)[places.reshape(q.shape)])


def _ranked(scores: ArrayLike, at_least: int = 1) -> NDArray[np.float64]:
    table = np.asarray(scores, dtype=float)
    if table.ndim != 2 or min(table.shape) < 1 or table.shape[1] < at_least:
        raise InvalidInputError(
            f"scores must be a table with a row for each data set and a column for each of "
            f"{at_least} or more competitors. Got an array of shape {table.shape} instead."
        )
    if np.isnan(table).any():
        raise InvalidInputError(
            "scores must not have NaN in them. Leave out the data sets that some competitor has "
            "no score on."
        )
    return np.asarray(stats.rankdata(-table, axis=1), dtype=float)
