"""One transform of the many that are as good: Ω does not change when components are turned."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from distsearch.odd._criterion import LinearCriterion

__all__ = ["canonical", "signed"]

Floats = NDArray[np.float64]

_ROUNDING = 1e-6


def canonical(criterion: LinearCriterion, M: Floats) -> Floats:
    """Return M turned so that its components are uncorrelated within classes, the widest first.

    Parameters
    ----------
    criterion : LinearCriterion
        Has the covariances of the classes.
    M : ndarray of shape (n_features, n_components)
        The transform.
    """
    within = M.T @ criterion.covariance.mean(axis=0) @ M
    values, vectors = np.linalg.eigh(within)
    turned = M @ vectors[:, ::-1]
    empty = values[::-1] <= 1e-12 * values[-1]
    turned[:, empty & (np.linalg.norm(turned, axis=0) <= 1e-6 * np.linalg.norm(turned))] = 0.0
    oriented: Floats = turned * signed(turned)
    return oriented


def signed(M: Floats) -> Floats:
    """Return 1 for each column whose entry of largest magnitude is positive, else -1.

    Of entries that are as large but for rounding, as those of copied features are, the first one
    decides.

    Parameters
    ----------
    M : ndarray of shape (n_features, n_components)
        Columns.
    """
    size = np.abs(M)
    first = (size >= (1 - _ROUNDING) * size.max(axis=0)).argmax(axis=0)
    largest = M[first, np.arange(M.shape[1])]
    return np.where(largest < 0, -1.0, 1.0)
