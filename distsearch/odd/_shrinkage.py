"""Class covariances that can be relied on, however few the rows.

Where a class has fewer rows than there are variables its covariance is singular, and the criterion
falls without limit along directions in which no class varies. Drawing every class to a multiple of
the identity closes them, but drowns the small directions of correlated variables, often those that
tell the classes apart. So "auto" draws a class to the mean of all, and only that to the identity.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["shrink", "shrink_classes"]

Floats = NDArray[np.float64]

_SINGULAR = 1e-12


def shrink_classes(
    covariance: Floats, given: Any, weight: Floats, n_variables: int
) -> tuple[Floats, Floats]:
    """Return the shrunk covariance of each class and how far each was drawn.

    Parameters
    ----------
    covariance : ndarray of shape (n_classes, n, n)
        Class covariances, perhaps within the subspace that the rows span.
    given : float or "auto"
        The share for all, drawn to tr(S)/n · I of each class, or the two steps below.
    weight : ndarray of shape (n_classes,)
        Rows of each class.
    n_variables : int
        Dimensions of the whole space.

    Notes
    -----
    "auto" takes the oracle approximating shrinkage of Chen, Wiesel, Eldar and Hero (2010),
    equation 23 as scikit-learn's `oas` has it, twice: for the mean covariance of all classes, as
    if from so many rows as a class has on average, and then, in coordinates in which that is the
    identity, for each class. It needs nothing but covariances and numbers of rows, and so works
    for moments that were added up.
    """
    if given != "auto":
        share = np.full(len(weight), float(given))
        return shrink(covariance, share, n_variables), share
    pooled = np.tensordot(weight, covariance, axes=1)[None] / weight.sum()
    if not pooled.any():
        return covariance, np.ones(len(weight))
    own = _oracle_share(pooled, weight.mean(keepdims=True), n_variables)
    values, vectors = np.linalg.eigh(shrink(pooled, own, n_variables)[0])
    root = np.sqrt(np.maximum(values, _SINGULAR * values[-1]))
    there, back = vectors / root, (vectors * root).T
    white = there.T @ covariance @ there
    share = _oracle_share(white, weight, n_variables)
    return back.T @ shrink(white, share, n_variables) @ back, share


def shrink(covariance: Floats, share: Floats, n_variables: int) -> Floats:
    """Return (1 - s) S + s tr(S)/n I of each class.

    Parameters
    ----------
    covariance : ndarray of shape (n_classes, n, n)
        S, perhaps within a subspace.
    share : ndarray of shape (n_classes,)
        s.
    n_variables : int
        n, the dimensions of the whole space.
    """
    trace = np.trace(covariance, axis1=1, axis2=2)
    shrunk: Floats = (1.0 - share)[:, None, None] * covariance
    shrunk += (share * trace / n_variables)[:, None, None] * np.eye(covariance.shape[1])
    return shrunk


def _oracle_share(covariance: Floats, weight: Floats, n_variables: int) -> Floats:
    square = np.einsum("kij,kij->k", covariance, covariance) / n_variables**2
    mean = np.trace(covariance, axis1=1, axis2=2) / n_variables
    above = square + mean**2
    below = (weight + 1.0) * (square - mean**2 / n_variables)
    # One variable, or a covariance that is the identity already: nothing is left to shrink.
    share = np.divide(above, below, out=np.ones_like(above), where=below > 1e-12 * above)
    least: Floats = np.minimum(share, 1.0)
    return least
