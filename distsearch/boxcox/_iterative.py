"""The iterative one-dimensional grid search, with restarts, shuffles and finer grids."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from numbers import Integral
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from distsearch._sklearn import Interval, StrOptions
from distsearch.boxcox._grids import GridStrategy
from distsearch.search import Batch, Plan

__all__ = ["IterativeGrid"]

Vector = NDArray[np.float64]

_EVERY = [Interval(Integral, 1, None, closed="left"), None]


@dataclass(frozen=True, slots=True)
class _Epoch:
    """What happens at the beginning of an epoch, and the grid it searches."""

    number: int
    shift: bool = False
    shuffle: bool = False
    finer: bool = False
    scale: float = 1.0

    @property
    def local(self) -> bool:
        return self.scale < 1.0


class IterativeGrid(GridStrategy):
    """Search one feature after another on a grid of λ, over several epochs.

    In each epoch every feature in turn is given every grid value while the others keep theirs;
    it takes the first best value if that is better than the present point.

    Parameters
    ----------
    gridsize : int, default=11
        Number of λ on the grid, ends included.
    bounds : (float, float), default=(-5, 5)
        The ends of the grid. A finer grid, being centred on the present λ, may reach beyond.
    epochs : int, default=4
        Number of rounds over all features.
    shift_epoch : int or None, default=None
        Every so many epochs, restart at a point drawn uniformly within the bounds.
    shuffle_epoch : int or None, default=None
        Every so many epochs, shuffle the order of the features.
    finer_epoch : int or None, default=None
        Every so many epochs since the last restart, halve the grid's width and centre it on the
        present λ; its number of values stays. A restart brings the full grid back.
    semantics : {"product", "reference"}, default="product"
        "reference" repeats the authors' program move by move, its slips included: the start is
        never scored, a restart is drawn back to the incumbent within an epoch, and the λ returned
        may not be those that earned the score.

    Notes
    -----
    Epochs count from 0 and nothing happens at epoch 0. The first start is the likelihood
    estimate, clipped to the bounds ("reference": not clipped). Each restart climbs from its own
    start by strict improvement; the best point of all restarts is returned, so its score is
    always the one it earned. An epoch is left out when the one before it searched the same grid
    and moved nothing.

    Algorithm 6 of the paper, with its variants 6.1 (shift), 6.2 (shuffle) and 6.3 (finer).
    """

    foreseeable: ClassVar[bool] = True

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **GridStrategy._parameter_constraints,
        "epochs": [Interval(Integral, 1, None, closed="left")],
        "shift_epoch": _EVERY,
        "shuffle_epoch": _EVERY,
        "finer_epoch": _EVERY,
        "semantics": [StrOptions({"product", "reference"})],
    }

    def __init__(
        self,
        gridsize: int = 11,
        bounds: tuple[float, float] = (-5.0, 5.0),
        *,
        epochs: int = 4,
        shift_epoch: int | None = None,
        shuffle_epoch: int | None = None,
        finer_epoch: int | None = None,
        semantics: str = "product",
    ) -> None:
        super().__init__(gridsize, bounds)
        self.epochs = epochs
        self.shift_epoch = shift_epoch
        self.shuffle_epoch = shuffle_epoch
        self.finer_epoch = finer_epoch
        self.semantics = semantics

    def planned(self, n_dimensions: int) -> int:
        """Return epochs × features × grid values, and one candidate for each start scored."""
        directions = int(self.epochs) * n_dimensions * int(self.gridsize)
        if self.semantics == "reference":
            return max(directions, 1)
        restarts = 0 if self.shift_epoch is None else (self.epochs - 1) // self.shift_epoch
        return directions + 1 + int(restarts)

    def _plan(self, start: Vector, rng: np.random.Generator) -> Plan:
        if self.semantics == "reference":
            return self._plan_reference(start, rng)
        return self._plan_product(start, rng)

    def _epochs(self) -> Iterator[_Epoch]:
        """Yield the events of each epoch: a restart goes before a finer grid."""
        since, scale = 0, 1.0
        for number in range(self.epochs):
            since += number > 0
            shift = _due(number, self.shift_epoch)
            finer = not shift and _due(since, self.finer_epoch)
            if shift:
                since, scale = 0, 1.0
            if finer:
                scale /= 2.0
            yield _Epoch(number, shift, _due(number, self.shuffle_epoch), finer, scale)

    def _draw(self, n: int, rng: np.random.Generator) -> Vector:
        low, high = map(float, self.bounds)
        return (high - low) * rng.random(n) + low

    def _plan_product(self, start: Vector, rng: np.random.Generator) -> Plan:
        grid, order = self._grid(), np.arange(len(start))
        point = np.clip(start, *self.bounds)
        score = -np.inf
        moved = True
        for epoch in self._epochs():
            if epoch.shift:
                point = self._draw(len(start), rng)
            if epoch.shuffle:
                rng.shuffle(order)
            if epoch.shift or epoch.number == 0:
                score = (yield Batch.of(point, epoch.number))[0]
                self._offer(point, score)
            if not (moved or epoch.shift or epoch.finer):
                continue
            moved = False
            for j in order.tolist():
                values = grid * epoch.scale + (point[j] if epoch.local else 0.0)
                scores = yield Batch.along(point, j, values, epoch.number)
                best = int(np.argmax(scores))
                if scores[best] > score:
                    moved, score = True, scores[best]
                    point[j] = values[best]
                    self._offer(point, score)

    def _plan_reference(self, start: Vector, rng: np.random.Generator) -> Plan:
        grid, order = self._grid(), np.arange(len(start))
        if not len(start):  # no direction to look in, and so no candidate
            self._offer(start, (yield Batch.of(start))[0])
        drawn, working, incumbent, best = start, start.copy(), start.copy(), -np.inf
        pending = False
        for epoch in self._epochs():
            if epoch.shift:
                drawn, pending = self._draw(len(start), rng), True
                working = drawn.copy()
            if epoch.shuffle:
                rng.shuffle(order)
            for j in order.tolist():
                values = grid * epoch.scale + (incumbent[j] if epoch.local else 0.0)
                scores = yield Batch.along(working, j, values, epoch.number)
                for value, score in zip(values, scores, strict=True):
                    if score > best:
                        if pending:
                            incumbent, pending = drawn.copy(), False
                        incumbent[j], best = value, score
                self._best = (incumbent.copy(), float(best))
                working[j] = incumbent[j]


def _due(epoch: int, every: int | None) -> bool:
    return every is not None and epoch > 0 and epoch % every == 0
