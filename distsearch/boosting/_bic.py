"""Bayesian information criteria by which a number of clusters is chosen; the smallest wins."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

__all__ = ["CRITERIA", "bic"]

Floats = NDArray[np.float64]

_FLOOR = 1e-12
"""Scatter of a cluster whose rows are all the same, and of an empty one."""


def bic(criterion: str, n_dimensions: int, sizes: Floats, scatters: Floats) -> float:
    """Return a criterion of a set of clusters.

    Parameters
    ----------
    criterion : str
        One of `CRITERIA`.
    n_dimensions : int
        Columns of the space.
    sizes : ndarray of shape (n_clusters,)
        Rows of each cluster.
    scatters : ndarray of shape (n_clusters,)
        Sum of their squared distances from its centre.

    Examples
    --------
    Twelve numbers in three groups; the form as printed would have ten clusters of them.

    >>> bic("pooled", 1, np.array([4.0, 4.0, 4.0]), np.array([0.46, 0.54, 0.8]))
    14.50...
    """
    return float(CRITERIA[criterion](n_dimensions, sizes, scatters))


def _variance(_: int, sizes: Floats, scatters: Floats) -> float:
    each = sizes * np.log(np.maximum(scatters / sizes, _FLOOR)) + len(sizes) * np.log(sizes)
    return float(each.sum())


def _scatter(_: int, sizes: Floats, scatters: Floats) -> float:
    each = sizes * np.log(np.maximum(scatters, _FLOOR)) + len(sizes) * np.log(sizes)
    return float(each.sum())


def _pooled(_: int, sizes: Floats, scatters: Floats) -> float:
    n = sizes.sum()
    return float(n * np.log(max(scatters.sum(), _FLOOR)) + len(sizes) * np.log(n))


def _pooled_variance(_: int, sizes: Floats, scatters: Floats) -> float:
    n = sizes.sum()
    return float(n * np.log(max(scatters.sum() / n, _FLOOR)) + len(sizes) * np.log(n))


def _x_means(n_dimensions: int, sizes: Floats, scatters: Floats) -> float:
    """Return minus the criterion of Pelleg and Moore (2000): one variance, spherical clusters."""
    n, k, d = sizes.sum(), len(sizes), n_dimensions
    variance = max(scatters.sum() / max(n - k, 1), _FLOOR)
    likelihood = (
        -0.5 * n * np.log(2 * np.pi)
        - 0.5 * n * d * np.log(variance)
        - 0.5 * (n - k * k)
        + (sizes * np.log(sizes)).sum()
        - n * np.log(n)
    )
    return float(0.5 * k * (d + 1) * np.log(n) - likelihood)


CRITERIA: dict[str, Callable[[int, Floats, Floats], float]] = {
    "variance": _variance,
    "scatter": _scatter,
    "pooled": _pooled,
    "pooled-variance": _pooled_variance,
    "x-means": _x_means,
}
"""``variance``
    Σ n_c ln(SS_c / n_c) + k ln n_c over the clusters: the reading of equation (2) that gives the
    paper's numbers of clusters.
``scatter``
    The same without dividing by n_c.
``pooled``
    n ln SSE + k ln n: as printed; it takes nearly always as many clusters as it may.
``pooled-variance``
    n ln(SSE / n) + k ln n.
``x-means``
    Pelleg and Moore's.
"""
