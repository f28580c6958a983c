"""A transform through an activation: descents with exact gradients from several starts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.fft import dct

from distsearch.backends import Backend, SerialBackend, Unit, run_all
from distsearch.odd._activations import Activation
from distsearch.odd._criterion import ActivationCriterion
from distsearch.odd._discriminants import by_gaussians
from distsearch.odd._moments import moments_of
from distsearch.odd._newton import Minimum, minimize
from distsearch.odd._reading import Rows

__all__ = ["Descent", "HeldOut", "descend_from", "starts_from"]

Floats = NDArray[np.float64]

_SCALES = (0.5, 1.0, 2.0, 4.0)
_WORTH_SENDING = 2e5
"""Work of an evaluation from which a descent takes longer than sending it to a worker."""


@dataclass(frozen=True, eq=False)
class HeldOut:
    """Rows that a descent does not see, and by which it is stopped.

    Parameters
    ----------
    held, seen : Rows
        They, and the rows that it sees.
    activation : Activation
        g.
    priors : ndarray of shape (n_classes,)
        Prior probabilities of the classes.
    patience : int
        Iterations without improvement before it is stopped.
    """

    held: Rows
    seen: Rows
    activation: Activation
    priors: Floats
    patience: int

    def loss(self, W: Floats) -> float:
        """Return the log loss of class Gaussians fitted to the rows that are seen."""
        seen, held = self.seen, self.held
        moments = moments_of(self._land(seen.X, W), seen.codes, len(seen.classes), seen.weight)
        log_probability = by_gaussians(
            self._land(held.X, W), moments.mean, moments.covariance(), moments.weight, self.priors
        )
        own = log_probability[np.arange(len(held.codes)), held.codes]
        return float(-np.average(own, weights=held.weight))

    def _land(self, X: Floats, W: Floats) -> Floats:
        return self.activation.value(X @ W[:-1] + W[-1])


@dataclass(frozen=True, eq=False)
class Descent:
    """Where a descent ended.

    Parameters
    ----------
    minimum : Minimum
        The point taken, log Ω there, and the trace.
    loss : float
        The loss on held-out rows; log Ω where there are none.
    """

    minimum: Minimum
    loss: float


def starts_from(M: Floats, r: Floats, seeds: Sequence[np.random.SeedSequence]) -> list[Floats]:
    """Return starts: the linear solution at several scales, then random ones.

    Parameters
    ----------
    M : ndarray of shape (n_features, n_components)
        The best linear transform at its best scale.
    r : ndarray of shape (n_components,)
        Its bias, with which the mean of the rows lands on 0.
    seeds : sequence of SeedSequence
        Of each random start, uniform in (-1, 1).
    """
    # The best linear M has columns of zeros, at which the gradient is 0 for ever. Turned by a dense
    # matrix it is as good, and every column is used.
    turned = np.vstack([M, r]) @ dct(np.eye(M.shape[1]), norm="ortho")
    starts = [scale * turned for scale in _SCALES]
    shape = (M.shape[0] + 1, M.shape[1])
    return starts + [np.random.default_rng(seed).uniform(-1, 1, shape) for seed in seeds]


def descend_from(
    starts: Sequence[Floats],
    criterion: ActivationCriterion,
    held_out: HeldOut | None,
    backend: Backend,
    *,
    max_iter: int,
    tol: float,
) -> list[Descent]:
    """Descend from each start, side by side where that pays.

    Parameters
    ----------
    starts : sequence of ndarray
        Where Ω is not finite, a start is skipped.
    criterion : ActivationCriterion
        What is minimised.
    held_out : HeldOut or None
        What stops a descent early.
    backend : Backend
        Where the descents run if they are long.
    max_iter, tol
        As in `minimize`.
    """
    if criterion.work < _WORTH_SENDING:
        backend = SerialBackend()
    units = [Unit(start, name=f"start {number}") for number, start in enumerate(starts)]
    found = run_all(backend, _descend, units, (criterion, held_out, max_iter, tol))
    return [each for each in found if each is not None]


def _descend(unit: Unit, shared: Any) -> Descent | None:
    criterion, held_out, max_iter, tol = shared
    start: Floats = unit.payload
    if not np.isfinite(criterion.value(start)):
        return None
    if held_out is None:
        found = minimize(criterion.value_and_gradient, start, max_iter=max_iter, tol=tol)
        return Descent(found, found.value)
    patience: int = held_out.patience
    losses, points = [held_out.loss(start)], [start]

    def watch(W: Floats) -> bool:
        losses.append(held_out.loss(W))
        if losses[-1] < min(losses[:-1]):
            points[0] = W.copy()
        return len(losses) - int(np.argmin(losses)) > int(patience)

    found = minimize(criterion.value_and_gradient, start, max_iter=max_iter, tol=tol, watch=watch)
    return Descent(Minimum(points[0], criterion.value(points[0]), found.trace), min(losses))
