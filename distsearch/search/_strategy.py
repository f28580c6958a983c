"""How the next candidates are chosen: ask, score, tell.

A strategy holds no data and no estimator. It proposes batches of points whose scores are
independent of each other, is told those scores in the same order, and proposes again. The obvious
way to write one, a class with a hand-made state machine, hides the algorithm; here a strategy is
a generator that reads like the published pseudo-code, and its state is simply the scores it has
been told, which replay in microseconds.
"""

from __future__ import annotations

import copy
from abc import ABC, abstractmethod
from collections.abc import Generator
from dataclasses import dataclass
from typing import Any, ClassVar, Protocol, Self, runtime_checkable

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator

__all__ = ["Batch", "Plan", "ScriptedStrategy", "Strategy"]

Vector = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Batch:
    """Candidates that may be scored in any order, together.

    Parameters
    ----------
    candidates : ndarray of shape (n_candidates, n_dimensions)
        One point a row.
    epoch : int
        The round of the search that asks.
    coordinates : ndarray of int of shape (n_candidates,)
        The coordinate that a candidate varies; -1 where it varies more than one.
    """

    candidates: Vector
    epoch: int
    coordinates: NDArray[np.int64]

    @classmethod
    def of(cls, candidates: Vector, epoch: int = 0) -> Self:
        """Make a batch of whole points, copied: a strategy goes on with its own."""
        points = np.array(candidates, dtype=np.float64, ndmin=2)
        return cls(points, epoch, np.full(len(points), -1, dtype=np.int64))

    @classmethod
    def along(cls, point: Vector, coordinate: int, values: Vector, epoch: int = 0) -> Self:
        """Make a batch that puts each of ``values`` at one coordinate of ``point``."""
        points = np.repeat(point[np.newaxis, :], len(values), axis=0)
        points[:, coordinate] = values
        return cls(points, epoch, np.full(len(values), coordinate, dtype=np.int64))


@runtime_checkable
class Strategy(Protocol):
    """Chooses candidates; higher scores are better, NaN is a candidate that has none."""

    def begin(self, start: Vector, seed: np.random.SeedSequence) -> None:
        """Start a search at the point ``start``, forgetting any earlier one."""

    def ask(self) -> Batch:
        """Return the next candidates; the same ones until they are told."""

    def tell(self, scores: Vector) -> None:
        """Take the scores of the last batch, in its order."""

    def planned(self, n_dimensions: int) -> int:
        """Return the largest number of candidates a search of that size asks for."""

    @property
    def done(self) -> bool:
        """Whether there is nothing left to ask."""

    @property
    def best(self) -> tuple[Vector, float]:
        """The point the search would return now and the score it earned."""


Plan = Generator[Batch, Vector, None]
"""A strategy's algorithm: yields batches and receives their scores, NaN already -inf."""


class ScriptedStrategy(BaseEstimator, ABC):  # type: ignore[misc]
    """A strategy written as one generator, `_plan`.

    Its parameters are those of a scikit-learn object, so that ``strategy__epochs`` can be set
    from outside. A copy or a pickle taken in mid-search continues with the same bits.
    """

    uses_start: ClassVar[bool] = True
    """Whether `begin` makes something of the start, which may be costly to find."""

    foreseeable: ClassVar[bool] = False
    """Whether most batches change nothing, so that it pays to score the next ones ahead."""

    @abstractmethod
    def _plan(self, start: Vector, rng: np.random.Generator) -> Plan:
        """Yield batches, receive their scores; call `_offer` for every point worth returning."""

    @abstractmethod
    def planned(self, n_dimensions: int) -> int:
        """Return the largest number of candidates a search of that size asks for."""

    def begin(self, start: Vector, seed: np.random.SeedSequence) -> None:
        """Start a search at ``start``, forgetting any earlier one.

        Parameters
        ----------
        start : ndarray of shape (n_dimensions,)
            The point to start from, for strategies that have one.
        seed : numpy.random.SeedSequence
            Where every draw of the strategy comes from.
        """
        self._begun = (np.array(start, dtype=np.float64), seed)
        self._told: list[Vector] = []
        self._best = (self._begun[0], -np.inf)
        self._script = self._plan(self._begun[0].copy(), np.random.default_rng(seed))
        self._batch = next(self._script, None)

    def ask(self) -> Batch:
        """Return the next candidates; the same ones until they are told.

        Raises
        ------
        RuntimeError
            When the search has not begun or is done.
        """
        batch: Batch | None = getattr(self, "_batch", None)
        if batch is None:
            raise RuntimeError(
                "ask() was called with nothing left to ask: call begin() first, and stop at `done`."
            )
        return batch

    def tell(self, scores: Vector) -> None:
        """Take the scores of the last batch, in its order; NaN counts as the worst there is.

        Raises
        ------
        RuntimeError
            When there is no batch to tell about, or its number of candidates differs.
        """
        scores = np.asarray(scores, dtype=np.float64)
        if scores.shape != (len(self.ask().candidates),):
            raise RuntimeError(
                f"tell() got scores of shape {scores.shape}, but the batch that ask() returned "
                f"has {len(self.ask().candidates)} candidates."
            )
        self._told.append(scores)
        try:
            self._batch = self._script.send(np.where(np.isnan(scores), -np.inf, scores))
        except StopIteration:
            self._batch = None

    @property
    def done(self) -> bool:
        """Whether there is nothing left to ask."""
        return getattr(self, "_batch", None) is None

    @property
    def best(self) -> tuple[Vector, float]:
        """The point the search would return now and the score it earned; -inf before any."""
        best: tuple[Vector, float] = getattr(self, "_best", (np.empty(0), -np.inf))
        return best

    def _offer(self, point: Vector, score: float) -> None:
        """Keep ``point`` as the answer when its score beats the answer's."""
        if score > self._best[1]:
            self._best = (point.copy(), float(score))

    def __getstate__(self) -> dict[str, Any]:
        state: dict[str, Any] = dict(super().__getstate__())
        for name in ("_script", "_batch", "_best"):
            state.pop(name, None)
        if "_begun" in state:  # the seed as plain numbers, which every serialiser can keep
            start, seed = state["_begun"]
            state["_begun"] = (start, (seed.entropy, seed.spawn_key, seed.pool_size))
        return state

    def __setstate__(self, state: dict[str, Any]) -> None:
        super().__setstate__(state)
        if "_begun" in state:
            told = state["_told"]
            start, (entropy, spawn_key, pool_size) = state["_begun"]
            seed = np.random.SeedSequence(entropy, spawn_key=spawn_key, pool_size=pool_size)
            self.begin(start, seed)
            for scores in told:
                self.tell(scores)

    def __sklearn_clone__(self) -> Self:
        fresh = type(self)(**copy.deepcopy(self.get_params(deep=False)))
        return fresh
