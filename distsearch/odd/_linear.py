"""The best linear transform, to the last digit and in milliseconds.

Three facts make it quick (each with its proof in a line or two). Ω at the best scale of M is a
growing function of the scale-free J(M) = log V - 2 log G, V = Σ v_k and G the geometric mean
distance of the centres, so that only J is minimised. In P = MMᵀ, V is convex and G² concave, both
homogeneous of degree 1, so that J is pseudo-convex: a stationary P at which the gradient by P has
no negative eigenvalue is the global minimum. And for any M, its projection on the span of its
centres' differences has the same G and no larger V, so that the minimum has rank c - 1 at most.

So J is descended with c - 1 columns in whitened coordinates; where the gradient by P then has a
negative eigenvalue, its eigenvector is added as a further column, and the descent goes on.

With fewer columns than that there are separate minima: for one column the order of the centres
cannot change without two of them meeting. Thousands of combinations of the columns of the global
solution are screened in one batch, and the best of different kinds polished.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

import numpy as np
from numpy.typing import NDArray

from distsearch._wording import count
from distsearch.odd._criterion import LinearCriterion
from distsearch.odd._errors import TooFewRowsError
from distsearch.odd._newton import minimize

__all__ = ["Solution", "global_minimum", "polish", "screen", "whitening"]

Floats = NDArray[np.float64]

_SCREENED = 4096
_MOST_VALUES = 2**22
_POLISHED = 10
_RANK_TOLERANCE = 1e-10
_CURVATURE_TOLERANCE = 1e-6
_WORTH_A_COLUMN = 1e-9


@dataclass(frozen=True, eq=False)
class Solution:
    """A transform and the way to it.

    Parameters
    ----------
    M : ndarray of shape (n_features, n_components)
        In the criterion's coordinates; its scale means nothing.
    value : float
        J there.
    trace : tuple of list of float
        J after each iteration, for each start.
    """

    M: Floats
    value: float
    trace: tuple[list[float], ...]


def whitening(criterion: LinearCriterion) -> Floats:
    """Return W with WᵀSW the identity for the mean S of the class covariances.

    Directions in which neither the classes vary nor their means differ are left out.

    Returns
    -------
    ndarray of shape (n_features, rank)

    Raises
    ------
    InvalidInputError
        Where the means differ in a direction in which no class varies: Ω has no minimum then.
    """
    factor = criterion.class_factor[:, None, None]
    values, vectors = np.linalg.eigh((factor * criterion.covariance).mean(axis=0))
    varies = values > max(values[-1], 0.0) * len(values) * 1e-14
    still = vectors[:, ~varies]
    differences = criterion.mean_difference
    limit = 1e-9 * max(float(np.abs(differences).max()), float(np.sqrt(max(values[-1], 0.0))))
    if np.abs(differences @ still).max(initial=0.0) > limit:
        raise TooFewRowsError(
            f"The classes vary in {count(int(varies.sum()), 'direction')} of the "
            f"{count(len(values), 'variable')} and their means differ in others too, so that the "
            f"criterion has no minimum: there are too few rows for a covariance of each class, or "
            f"a feature tells classes apart by itself. Give more rows, leave such a feature out, "
            f"reduce the features with pca, or shrink the covariances: shrinkage='auto' or a "
            f"number above 0, which needs a class that varies."
        )
    white: Floats = vectors[:, varies] / np.sqrt(values[varies])
    return white


def global_minimum(
    criterion: LinearCriterion, start: Floats | None, *, max_iter: int, tol: float
) -> Solution:
    """Return the M of any width with the smallest J.

    Parameters
    ----------
    criterion : LinearCriterion
        In whitened coordinates.
    start : ndarray of shape (n_features, n_columns), optional
        Where to start; by default the span of the differences of the means, as linear
        discriminant analysis does.
    max_iter, tol
        As in `minimize`.

    Returns
    -------
    Solution
        Its M has c - 1 columns or fewer.
    """
    descend = partial(minimize, criterion.shape_value_and_gradient, max_iter=max_iter, tol=tol)
    found = descend(_span(criterion.mean_difference.T) if start is None else start)
    trace = found.trace
    while len(trace) < max_iter:
        curvature, direction = _least_curvature(criterion, found.point)
        if curvature >= -_CURVATURE_TOLERANCE:
            break
        further = descend(_escaped(criterion, found.point, direction))
        if not further.value < found.value - _WORTH_A_COLUMN:
            break
        found, trace = further, trace + further.trace
    M = found.point @ _span(found.point.T @ criterion.mean_difference.T)
    return Solution(M, criterion.shape_value(M), (trace,))


def polish(criterion: LinearCriterion, starts: Floats, *, max_iter: int, tol: float) -> Solution:
    """Descend from each of some starts and return the lowest end.

    Parameters
    ----------
    criterion : LinearCriterion
        In whitened coordinates.
    starts : ndarray of shape (n_starts, n_features, n_components)
        Where to start.
    max_iter, tol
        As in `minimize`.
    """
    found = [
        minimize(criterion.shape_value_and_gradient, start, max_iter=max_iter, tol=tol)
        for start in starts
    ]
    best = min(found, key=lambda each: each.value)
    return Solution(best.point, best.value, tuple(each.trace for each in found))


def screen(
    criterion: LinearCriterion, whole: Floats, n_components: int, rng: np.random.Generator
) -> Floats:
    """Return starts for fewer columns than the global minimum has.

    Parameters
    ----------
    criterion : LinearCriterion
        In whitened coordinates.
    whole : ndarray of shape (n_features, rank)
        M of the global minimum.
    n_components : int
        Columns wanted, fewer than `rank`.
    rng : numpy.random.Generator
        Draws the combinations.

    Returns
    -------
    ndarray of shape (n_starts, n_features, n_components)
        The best of the screened combinations; for one column, the best of different orders of the
        centres.
    """
    within = criterion.seen_through(whole, n_components)
    drawn = rng.standard_normal((_SCREENED, whole.shape[1], n_components))
    size = max(1, _MOST_VALUES // (n_components * within.covariance[:, 0].size))
    values = [
        within.shape_values(drawn[first : first + size]) for first in range(0, _SCREENED, size)
    ]
    order = np.argsort(np.concatenate(values), kind="stable")
    kind = _order_of_centers(within) if n_components == 1 else None
    chosen: list[int] = []
    seen: set[bytes] = set()
    for candidate in order.tolist():
        key = str(candidate).encode() if kind is None else kind(drawn[candidate])
        if key not in seen:
            seen.add(key)
            chosen.append(candidate)
        if len(chosen) == _POLISHED:
            break
    starts: Floats = whole @ drawn[chosen]
    return starts


def _order_of_centers(criterion: LinearCriterion) -> Callable[[Floats], bytes]:
    """Return what tells the order of the centres on a line, the same for both directions."""

    def order(M: Floats) -> bytes:
        ranks = np.argsort((criterion.mean @ M)[:, 0], kind="stable")
        return min(ranks.tobytes(), ranks[::-1].tobytes())

    return order


def _span(A: Floats) -> Floats:
    """Return an orthonormal basis of the columns' span."""
    left, values, _ = np.linalg.svd(A, full_matrices=False)
    basis: Floats = left[:, values > _RANK_TOLERANCE * values[0]]
    return basis


def _least_curvature(criterion: LinearCriterion, M: Floats) -> tuple[float, Floats]:
    """Return the smallest eigenvalue of J's gradient by P = MMᵀ, relative, and its eigenvector."""
    projected = criterion.covariance @ M
    products = M.T @ projected
    norms = np.sqrt(np.einsum("kij,kij->k", products, products))
    factor = np.divide(criterion.class_factor, norms, out=np.zeros_like(norms), where=norms > 0) / (
        criterion.class_factor @ norms
    )
    within = np.einsum("kip,kjp->kij", projected, projected)
    within = (factor[:, None, None] * within).sum(axis=0)
    apart = criterion.mean_difference
    squares = ((apart @ M) ** 2).sum(axis=1)
    between = (apart / squares[:, None]).T @ apart / len(apart)
    values, vectors = np.linalg.eigh(within - between)
    scale = max(float(np.abs(values).max()), np.finfo(float).tiny)
    return float(values[0]) / scale, vectors[:, 0]


def _escaped(criterion: LinearCriterion, M: Floats, direction: Floats) -> Floats:
    """Return M with a further column along a direction of descent, of the best tried length."""
    lengths = np.linalg.norm(M) * 2.0 ** -np.arange(0, 20)
    wider = [np.column_stack([M, length * direction]) for length in lengths]
    lowest: Floats = min(wider, key=criterion.shape_value)
    return lowest
