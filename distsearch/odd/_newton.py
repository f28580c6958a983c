"""Quasi-Newton descent with exact gradients."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize as scipy_minimize

__all__ = ["Minimum", "minimize"]

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Minimum:
    """Where a descent ended.

    Parameters
    ----------
    point : ndarray
        The lowest point.
    value : float
        The value there.
    trace : list of float
        The value after each iteration.
    """

    point: Floats
    value: float
    trace: list[float] = field(default_factory=list)


def minimize(
    function: Callable[[Floats], tuple[float, Floats]],
    start: Floats,
    *,
    max_iter: int,
    tol: float,
    watch: Callable[[Floats], bool] | None = None,
) -> Minimum:
    """Descend by L-BFGS from a start.

    Parameters
    ----------
    function : callable
        Returns value and gradient at a matrix.
    start : ndarray
        A matrix at which the value is finite.
    max_iter : int
        Iterations.
    tol : float
        An iteration that improves the value by less than this, relative to it or to 1 if it is
        smaller, is the last.
    watch : callable, optional
        Called with the point after each iteration; True ends the descent.
    """
    trace: list[float] = []

    def flat(x: Floats) -> tuple[float, Floats]:
        value, gradient = function(x.reshape(start.shape))
        return value, gradient.ravel()

    def note(intermediate_result: Any) -> None:
        trace.append(float(intermediate_result.fun))
        if watch is not None and watch(intermediate_result.x.reshape(start.shape)):
            raise StopIteration

    found = scipy_minimize(
        flat,
        start.ravel(),
        method="L-BFGS-B",
        jac=True,
        callback=note,
        options={
            "maxiter": max_iter,
            "maxfun": 20 * max_iter,
            "maxcor": 20,
            "ftol": tol,
            "gtol": 1e-9,
        },
    )
    return Minimum(found.x.reshape(start.shape), float(found.fun), trace)
