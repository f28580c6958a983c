"""What a whole grid of λ for two features has to say: the exploration of the method's Algorithm 1.

The search strategies look at one score after another; here every pair of λ has been evaluated, and
the question is how much of the best gain one λ for both features, or two λ found one by one, get.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from distsearch.errors import InvalidInputError

__all__ = ["GridSummary", "summarize_grid"]

_SAME = 1e-9
"""Means closer than this are equal: the same right answers may have been summed in another order,
and no number of rows at hand makes a smaller step."""


@dataclass(frozen=True)
class GridSummary:
    """The best of a grid of λ, and what two shorter searches would have found on it.

    Parameters
    ----------
    base : float
        The mean without the map.
    best : float
        The largest mean on the grid.
    argmax : (float, float)
        The λ of the two features that have it; the first pair in ascending order.
    full : float
        Gain of the best over the base.
    spherical : float
        Gain of the best pair with the same λ twice.
    spherical_lambda : float
        That λ, the first among equals.
    diagonal : float
        Gain of the pair joined from the best λ of each feature while the other is left at 1.
    diagonal_lambdas : (float, float)
        That pair. Where a feature has several best λ, of all pairs of these the best one.
    """

    base: float
    best: float
    argmax: tuple[float, float]
    full: float
    spherical: float
    spherical_lambda: float
    diagonal: float
    diagonal_lambdas: tuple[float, float]


def summarize_grid(means: ArrayLike, base: float, grid: ArrayLike) -> GridSummary:
    """Summarise the mean scores of every pair of λ.

    Parameters
    ----------
    means : array-like of shape (n, n)
        Mean scores, higher is better; the row is the λ of the first feature.
    base : float
        The mean score without the map, in the same unit.
    grid : array-like of shape (n,)
        The λ, ascending, 1 among them: it changes nothing but the scale.

    Returns
    -------
    GridSummary
        Gains in the unit of the means.

    Raises
    ------
    InvalidInputError
        When the grid does not ascend or lacks 1, when the shapes do not fit, or when a mean is
        missing.

    Examples
    --------
    >>> summary = summarize_grid([[70, 72, 75], [71, 70, 73], [70, 70, 70]], 70, [0, 1, 2])
    >>> summary.argmax, summary.full
    ((0.0, 2.0), 5.0)
    >>> summary.spherical, summary.diagonal
    (0.0, 5.0)
    """
    A, values = _checked(means, base, grid)
    one = int(np.flatnonzero(values == 1.0)[0])
    row, column = divmod(int(_maximisers(A.ravel())[0]), len(values))
    same = int(_maximisers(A.diagonal())[0])
    rows, columns = _maximisers(A[:, one]), _maximisers(A[one, :])
    joined = A[np.ix_(rows, columns)]
    i, j = divmod(int(_maximisers(joined.ravel())[0]), len(columns))
    first, second = rows[i], columns[j]
    return GridSummary(
        base=float(base),
        best=float(A[row, column]),
        argmax=(float(values[row]), float(values[column])),
        full=float(A[row, column] - base),
        spherical=float(A[same, same] - base),
        spherical_lambda=float(values[same]),
        diagonal=float(A[first, second] - base),
        diagonal_lambdas=(float(values[first]), float(values[second])),
    )


def _maximisers(scores: NDArray[np.float64]) -> NDArray[np.intp]:
    """Return the positions of the maximum in ascending order."""
    return np.flatnonzero(scores >= scores.max() - _SAME)


def _checked(
    means: ArrayLike, base: float, grid: ArrayLike
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    A, values = np.asarray(means, dtype=np.float64), np.asarray(grid, dtype=np.float64)
    ascending = values.ndim == 1 and bool((np.diff(values) > 0).all())
    if not ascending or 1.0 not in values:
        raise InvalidInputError(
            f"grid must be ascending numbers with 1 among them, the λ that the other feature is "
            f"left at. Got {values.tolist()} instead."
        )
    if A.shape != (len(values), len(values)):
        raise InvalidInputError(
            f"means must have a row and a column for each of the {len(values)} λ of the grid. "
            f"Got an array of shape {A.shape} instead."
        )
    missing = int((~np.isfinite(A)).sum())
    if missing or not np.isfinite(base):
        what = "base" if not missing else f"{missing} of the {A.size} means"
        raise InvalidInputError(
            f"Every mean and the base must be finite numbers, but {what} is not. Evaluate what is "
            f"missing first."
        )
    return A, values
