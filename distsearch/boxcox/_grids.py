"""Strategies that look at a fixed set of points.

Ties: the first in ascending order of λ wins among equal scores, and no point is left for one
that is not better.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from numbers import Integral
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from distsearch._sklearn import Interval, validate_parameter_constraints
from distsearch.boxcox._mle import MLE_BOUND
from distsearch.errors import InvalidInputError
from distsearch.search import Batch, Plan, ScriptedStrategy

__all__ = ["MLE", "DiagonalGrid", "FullGrid", "GridStrategy", "SphericalGrid"]

Vector = NDArray[np.float64]

_BATCH = 1024
"""Candidates asked for at once: plenty for any number of workers, little memory."""


class GridStrategy(ScriptedStrategy):
    """What the strategies on a grid of λ share.

    Parameters
    ----------
    gridsize : int, default=11
        Number of λ on each axis, ends included.
    bounds : (float, float), default=(-5, 5)
        The ends of the grid.
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "gridsize": [Interval(Integral, 1, None, closed="left")],
        "bounds": [tuple, list],
    }

    def __init__(self, gridsize: int = 11, bounds: tuple[float, float] = (-5.0, 5.0)) -> None:
        self.gridsize = gridsize
        self.bounds = bounds

    def begin(self, start: Vector, seed: np.random.SeedSequence) -> None:
        """Check the parameters and start a search at ``start``, forgetting any earlier one."""
        self._check()
        super().begin(start, seed)

    def _check(self) -> None:
        validate_parameter_constraints(
            self._parameter_constraints, self.get_params(deep=False), type(self).__name__
        )
        bounds = getattr(self, "bounds", (-1.0, 1.0))
        ends = np.asarray(bounds)
        numbers = ends.shape == (2,) and ends.dtype.kind in "iuf"
        if not (numbers and np.isfinite(ends).all() and ends[0] < ends[1]):
            raise InvalidInputError(
                f"The 'bounds' parameter of {type(self).__name__} must be two finite numbers, "
                f"the smaller first. Got {bounds!r} instead."
            )

    def _grid(self) -> Vector:
        return np.linspace(float(self.bounds[0]), float(self.bounds[1]), self.gridsize)


class FullGrid(GridStrategy):
    """Every combination of grid values: the whole grid, feasible for two or three features.

    Parameters
    ----------
    gridsize : int, default=11
        Number of λ on each axis, ends included.
    bounds : (float, float), default=(-5, 5)
        The ends of the grid.
    max_candidates : int, default=1_000_000
        Refuse larger grids; gridsize ** n_features candidates would be scored.

    Notes
    -----
    Section 5 of the method (Algorithm 5 of the paper): the last coordinate runs fastest and the
    first maximum wins.
    """

    uses_start = False

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **GridStrategy._parameter_constraints,
        "max_candidates": [Interval(Integral, 1, None, closed="left")],
    }

    def __init__(
        self,
        gridsize: int = 11,
        bounds: tuple[float, float] = (-5.0, 5.0),
        max_candidates: int = 1_000_000,
    ) -> None:
        super().__init__(gridsize, bounds)
        self.max_candidates = max_candidates

    def planned(self, n_dimensions: int) -> int:
        """Return ``gridsize ** n_dimensions``."""
        size: int = int(self.gridsize) ** n_dimensions
        return size

    def begin(self, start: Vector, seed: np.random.SeedSequence) -> None:
        """Refuse a grid that is too large, then start.

        Raises
        ------
        InvalidInputError
            When the grid has more than ``max_candidates`` points.
        """
        self._check()
        if self.planned(len(start)) > self.max_candidates:
            raise InvalidInputError(
                f"A full grid of {self.gridsize} values on {len(start)} features has "
                f"{self.gridsize}^{len(start)} candidates; at most {self.max_candidates:,} are "
                f"allowed (max_candidates). Use IterativeGrid, or fewer features."
            )
        super().begin(start, seed)

    def _plan(self, start: Vector, rng: np.random.Generator) -> Plan:
        del rng
        points = itertools.product(self._grid(), repeat=len(start))
        for block in _blocks(points):
            batch = Batch.of(np.array(block))
            for point, score in zip(batch.candidates, (yield batch), strict=True):
                self._offer(point, score)


class SphericalGrid(GridStrategy):
    """One λ for all features.

    Parameters
    ----------
    gridsize : int, default=11
        Number of λ, ends included.
    bounds : (float, float), default=(-5, 5)
        The ends of the grid.
    """

    uses_start = False

    def planned(self, n_dimensions: int) -> int:
        """Return ``gridsize``."""
        del n_dimensions
        return int(self.gridsize)

    def _plan(self, start: Vector, rng: np.random.Generator) -> Plan:
        del rng
        batch = Batch.of(np.repeat(self._grid()[:, np.newaxis], len(start), axis=1))
        for point, score in zip(batch.candidates, (yield batch), strict=True):
            self._offer(point, score)


class DiagonalGrid(GridStrategy):
    """The best λ of each feature while all others are left at 1, joined.

    Parameters
    ----------
    gridsize : int, default=11
        Number of λ for each feature, ends included.
    bounds : (float, float), default=(-5, 5)
        The ends of the grid.

    Notes
    -----
    A feature whose best λ does not beat λ = 1 keeps λ = 1. The joined vector is scored itself and
    is the answer whatever its score; the authors' program shares one running best between the
    features and returns λ = 0 for most of them, which is not repeated here.
    """

    uses_start = False

    def planned(self, n_dimensions: int) -> int:
        """Return one candidate a feature and grid value, the plain data and the joined vector."""
        return int(self.gridsize) * n_dimensions + 2

    def _plan(self, start: Vector, rng: np.random.Generator) -> Plan:
        del rng
        plain, grid = np.ones(len(start)), self._grid()
        floor = (yield Batch.of(plain))[0]
        joined = plain.copy()
        for block in _blocks(iter(range(len(start))), max(1, _BATCH // len(grid))):
            columns = np.repeat(block, len(grid))
            points = np.repeat(plain[np.newaxis, :], len(columns), axis=0)
            points[np.arange(len(columns)), columns] = np.tile(grid, len(block))
            scores = yield Batch(points, 0, columns)
            for j, own in zip(block, scores.reshape(len(block), len(grid)), strict=True):
                if own.max() > floor:
                    joined[j] = grid[np.argmax(own)]
        self._best = (joined, (yield Batch.of(joined))[0])


class MLE(GridStrategy):
    """The λ of maximal likelihood, which know nothing of the classifier: the usual baseline.

    Notes
    -----
    The estimates are bounded to [-20, 20]. One candidate is scored, for the record.
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {}

    def __init__(self) -> None:
        pass

    def planned(self, n_dimensions: int) -> int:
        """Return 1."""
        del n_dimensions
        return 1

    def _plan(self, start: Vector, rng: np.random.Generator) -> Plan:
        del rng
        point = np.clip(start, -MLE_BOUND, MLE_BOUND)
        self._best = (point, (yield Batch.of(point))[0])


def _blocks(items: Iterator[Any], size: int = _BATCH) -> Iterator[list[Any]]:
    while block := list(itertools.islice(items, size)):
        yield block
