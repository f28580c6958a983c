"""Objectives and strategies small enough to check by hand."""

import hashlib
import time
import warnings
from dataclasses import dataclass, field
from typing import ClassVar

import numpy as np

from distsearch.search import Batch, Scored, ScriptedStrategy


def drive(strategy, score, start, seed=42):
    """Run a strategy without the loop; return its answer, its score and every point asked."""
    strategy.begin(np.asarray(start, dtype=float), np.random.SeedSequence(seed))
    asked = []
    while not strategy.done:
        points = strategy.ask().candidates
        asked.extend(points.copy())
        strategy.tell([score(point) for point in points])
    return *strategy.best, np.array(asked)


def steps(levels, salt=0):
    """Return an objective with few different scores and so with many ties."""

    def score(point):
        digest = hashlib.blake2b((np.asarray(point) + 0.0).tobytes() + bytes([salt])).digest()
        return digest[0] % levels / levels

    return score


@dataclass
class Toy:
    """Scores a point by ``function(point, part)``; what that raises or warns of is passed on."""

    function: object
    n_parts: int = 1
    maximum: float = np.inf
    candidates_per_unit: int = 1
    parts_per_unit: int = 1
    seen: list = field(default_factory=list)

    def score(self, candidates, parts):
        values = np.empty((len(candidates), len(parts)))
        with warnings.catch_warnings(record=True) as log:
            warnings.simplefilter("always")
            for i, point in enumerate(candidates):
                for k, part in enumerate(parts):
                    values[i, k] = self.function(point, part)
        notes = {}
        for warning in log:
            notes[str(warning.message)] = notes.get(str(warning.message), 0) + 1
        return Scored(values, notes)


class Points(ScriptedStrategy):
    """Asks for the given batches of points, one after the other, and returns the best."""

    def __init__(self, batches=()):
        self.batches = batches

    def planned(self, n_dimensions):
        return sum(map(len, self.batches))

    def _plan(self, start, rng):
        for epoch, points in enumerate(self.batches):
            batch = Batch.of(np.array(points, dtype=float), epoch)
            for point, score in zip(batch.candidates, (yield batch), strict=True):
                self._offer(point, score)


class Walk(ScriptedStrategy):
    """A random walk that keeps what is better."""

    def __init__(self, length=8, step=1.0):
        self.length = length
        self.step = step

    def planned(self, n_dimensions):
        return self.length * 2

    def _plan(self, start, rng):
        point, best = start, -np.inf
        for epoch in range(self.length):
            moves = point + self.step * rng.normal(size=(2, len(start)))
            scores = yield Batch.of(moves, epoch)
            if scores.max() > best:
                point, best = moves[np.argmax(scores)], scores.max()
                self._offer(point, best)


def slow_square(point, part):
    """Take a moment to find the distance from 1."""
    time.sleep(0.001)
    return -float(np.sum((point - 1.0) ** 2))


@dataclass
class Interrupted:
    """Behaves as ``function``, and as somebody pressing Ctrl-C when there is nothing ``left``."""

    left: ClassVar[int] = 0  # of the class, which no copy takes along
    function: object

    def __call__(self, point, part):
        if not Interrupted.left:
            raise KeyboardInterrupt
        Interrupted.left -= 1
        return self.function(point, part)
