"""What a strategy will ask for next, provided that what it asks now changes nothing.

A search along one direction after another is a chain: no direction can be asked for before the one
before it is decided. But most directions change nothing, and then the next ones are known already.
"""

from __future__ import annotations

import copy
from collections import deque
from collections.abc import Iterator

import numpy as np

from distsearch.search._strategy import Batch, Strategy

__all__ = ["Foresight"]


class Foresight:
    """Looks ahead of a strategy, by telling a copy of it that nothing was better.

    Parameters
    ----------
    strategy : Strategy
        One that a copy continues with the same draws. It is only looked at.
    """

    def __init__(self, strategy: Strategy) -> None:
        self._strategy = strategy
        self._scout = strategy
        self._coming: deque[Batch] = deque()

    def after(self, batch: Batch) -> Iterator[Batch]:
        """Yield the batches that come after ``batch``, which the strategy asks for now.

        Parameters
        ----------
        batch : Batch
            What its ``ask`` returns.
        """
        if self._coming and _are_same(self._coming[0], batch):
            self._coming.popleft()
            yield from self._coming
        else:
            self._scout = copy.copy(self._strategy)
            self._coming.clear()
        while (following := self._look()) is not None:
            self._coming.append(following)
            yield following

    def _look(self) -> Batch | None:
        scout = self._scout
        scout.tell(np.full(len(scout.ask().candidates), np.nan))
        return None if scout.done else scout.ask()


def _are_same(one: Batch, other: Batch) -> bool:
    return one.epoch == other.epoch and np.array_equal(one.candidates, other.candidates)
