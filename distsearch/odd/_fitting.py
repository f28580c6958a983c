"""From rows, or from moments, to the best linear transform."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import reduce
from operator import add
from typing import Any

import numpy as np
from numpy.typing import NDArray

from distsearch._wording import count, quoted
from distsearch.backends import Backend, SerialBackend, Unit, run_all
from distsearch.errors import InvalidInputError
from distsearch.odd._criterion import LinearCriterion
from distsearch.odd._errors import TooFewRowsError
from distsearch.odd._history import Trail
from distsearch.odd._moments import Frame, Moments, moments_of
from distsearch.odd._orientation import signed
from distsearch.odd._reading import Rows
from distsearch.odd._shrinkage import shrink_classes
from distsearch.odd._solving import LinearSearch, checked_start

__all__ = [
    "BLOCK",
    "Settings",
    "Transform",
    "fit_linear",
    "fit_spanned",
    "sum_rows",
]

Floats = NDArray[np.float64]

BLOCK = 2**21
"""Values in a block of rows; the same on every backend, so that sums are."""

_WORTH_SENDING = 2**24
"""Values from which blocks go to workers: fewer take longer to send than to add up."""

_MOST_BYTES = 2**31
"""Room for class covariances."""

_SAME = 1e-10
"""Difference of class means, in ranges of the columns, that is rounding."""


@dataclass(frozen=True, eq=False)
class Settings:
    """What is asked for, besides the rows.

    Parameters
    ----------
    gamma, exponent, ddof, shrinkage
        As in `ODDClassifier`.
    class_factor : ndarray of shape (n_classes,)
        Factor of each class.
    search : LinearSearch
        How the linear transform is found.
    init : "auto", "random" or array-like
        Where descents through an activation start.
    """

    gamma: float
    exponent: float | None
    ddof: int
    shrinkage: Any
    class_factor: Floats
    search: LinearSearch
    init: Any


@dataclass(frozen=True, eq=False)
class Transform:
    """What was found, for prepared rows.

    Parameters
    ----------
    M : ndarray of shape (n_kept, n_components)
        F(x) = g(xM + r).
    r : ndarray of shape (n_components,)
        The bias.
    log_omega : float
        log Ω there.
    centers : ndarray of shape (n_classes, n_components)
        Where the means of the classes land.
    covariances : ndarray of shape (n_classes, n_components, n_components)
        Their covariances there, shrunk.
    shrinkage : ndarray of shape (n_classes,)
        By how much.
    trail : Trail
        The way.
    """

    M: Floats
    r: Floats
    log_omega: float
    centers: Floats
    covariances: Floats
    shrinkage: Floats
    trail: Trail

    def mirrored(self, sign: Floats) -> Transform:
        """Return the transform with the signs of its components changed."""
        return replace(
            self,
            M=self.M * sign,
            r=self.r * sign,
            centers=self.centers * sign,
            covariances=self.covariances * np.outer(sign, sign),
        )


def sum_rows(rows: Rows, frame: Frame, backend: Backend) -> Moments:
    """Add up rows block by block, on workers where there are very many.

    Parameters
    ----------
    rows : Rows
        Training rows.
    frame : Frame
        The coordinates to add up in.
    backend : Backend
        Where blocks are added up.

    Raises
    ------
    InvalidInputError
        When there are too many columns for a covariance of each class.
    """
    n_samples, n_features = rows.X.shape
    n_classes = len(rows.classes)
    needed = 8 * n_classes * n_features**2
    if needed > _MOST_BYTES:
        raise InvalidInputError(
            f"The covariances of {count(n_classes, 'class')} of {count(n_features, 'feature')} "
            f"would take {needed / 2**30:.1f} GiB, and at most {_MOST_BYTES // 2**30} GiB are "
            f"taken. Reduce the features first, for example with TruncatedSVD or pca."
        )
    size = max(1, BLOCK // n_features)
    units = [Unit((start, start + size)) for start in range(0, n_samples, size)]
    if n_samples * n_features < _WORTH_SENDING or backend.workers < 2:
        backend = SerialBackend()
    parts: list[Moments] = run_all(backend, _sum_block, units, (rows, frame))
    return reduce(add, parts)


def _sum_block(unit: Unit, shared: Any) -> Moments:
    rows, frame = shared
    block = slice(*unit.payload)
    return moments_of(
        rows.X[block], rows.codes[block], len(rows.classes), rows.weight[block], frame
    )


def fit_linear(
    moments: Moments,
    classes: NDArray[Any],
    settings: Settings,
    backend: Backend,
    n_variables: int | None = None,
) -> Transform:
    """Find the linear transform from the moments of prepared rows.

    Parameters
    ----------
    moments : Moments
        Of the rows in [-1, 1].
    classes : ndarray of shape (n_classes,)
        Their labels, for messages.
    settings : Settings
        What is asked for.
    backend : Backend
        For solvers that can use one.
    n_variables : int, optional
        Dimensions of the whole space, where the moments are of a subspace.

    Raises
    ------
    InvalidInputError
        When there is no such transform; the message says why.
    """
    if n_variables is None:
        n_variables = moments.mean.shape[1]
    _refuse_equal_means(moments.mean, classes)
    _refuse_light_classes(moments, classes, settings.ddof)
    covariance = moments.covariance(settings.ddof)
    shrunk, shrinkage = shrink_classes(covariance, settings.shrinkage, moments.weight, n_variables)
    wanted = settings.search.n_components
    criterion = LinearCriterion(
        moments.mean, shrunk, len(classes) if wanted == "auto" else int(wanted),
        gamma=settings.gamma, exponent=settings.exponent, class_factor=settings.class_factor,
    )  # fmt: skip
    trail = Trail()
    M = settings.search.run(criterion, backend, trail)
    r = -(moments.weight @ moments.mean / moments.weight.sum()) @ M
    return Transform(
        M, r, criterion.value(M), moments.mean @ M + r, M.T @ shrunk @ M,
        shrinkage, trail,
    )  # fmt: skip


def fit_spanned(rows: Rows, settings: Settings, backend: Backend) -> Transform:
    """Find the linear transform where features outnumber rows: within the span of the rows.

    Nothing is lost by that: outside the span the means do not differ, so that a transform that
    looks there is none the better for it.

    Parameters
    ----------
    rows : Rows
        Prepared.
    settings, backend
        As in `fit_linear`.
    """
    X = rows.X
    center = np.average(X, axis=0, weights=rows.weight)
    _, singular, basis = np.linalg.svd(X - center, full_matrices=False)
    span = basis[singular > singular[0] * max(X.shape) * np.finfo(float).eps].T
    within = moments_of((X - center) @ span, rows.codes, len(rows.classes), rows.weight)
    search = settings.search
    if not isinstance(search.init, str):
        wanted = search.n_components if isinstance(search.n_components, int) else len(rows.classes)
        start = checked_start(search.init, (X.shape[1], wanted))
        search = replace(search, init=span.T @ start)
    found = fit_linear(within, rows.classes, replace(settings, search=search), backend, X.shape[1])
    M = span @ found.M
    return replace(found, M=M, r=found.r - center @ M).mirrored(signed(M))


def _refuse_equal_means(mean: Floats, classes: NDArray[Any]) -> None:
    for i in range(len(mean)):
        apart = np.abs(mean[i + 1 :] - mean[i]).max(axis=1, initial=0.0)
        if (apart <= _SAME).any():
            other = i + 1 + int(np.argmax(apart <= _SAME))
            raise TooFewRowsError(
                f"Classes {quoted(classes[i])} and {quoted(classes[other])} have the same mean in "
                f"every feature, so that no linear transform can tell them apart, and others start "
                f"from the best linear one. Merge them into one class, leave one out, or add "
                f"features in which they differ."
            )


def _refuse_light_classes(moments: Moments, classes: NDArray[Any], ddof: int) -> None:
    varies = np.trace(moments.scatter, axis1=1, axis2=2) > 0
    light = varies & (moments.weight <= ddof)
    if light.any():
        k = int(np.argmax(light))
        raise TooFewRowsError(
            f"The rows of class {quoted(classes[k])} have a total sample_weight of "
            f"{moments.weight[k]:.3g}, and with ddof=1 it must be above 1, for weights count as "
            f"repetitions of rows. Multiply all weights, or set ddof=0, for which only their "
            f"ratios matter."
        )
