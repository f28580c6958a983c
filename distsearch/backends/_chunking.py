"""How many units go into one task, from how long units have been taking."""

from __future__ import annotations

from collections import OrderedDict
from math import ceil
from typing import Any

__all__ = ["Pace", "Paces"]

WANTED_SECONDS = 0.5
"""A task this long costs an engine's overhead (1.4 ms on Ray) well under a percent."""

LEAST_SECONDS = 0.04
"""Below this the overhead shows, so that tasks at the tail get no shorter."""


class Pace:
    """How long units of one function on one piece of data take.

    Attributes
    ----------
    seconds : float or None
        Mean seconds a unit; None until one has been measured. Recent units count more.
    """

    __slots__ = ("_weight", "seconds")

    def __init__(self) -> None:
        self.seconds: float | None = None
        self._weight = 0.0

    def note(self, seconds: float, units: int) -> None:
        """Take in that ``units`` units took ``seconds`` together."""
        # Half of what is remembered fades with every task that weighs as much.
        kept = self._weight * 0.5
        total = (self.seconds or 0.0) * kept + seconds
        self._weight = kept + units
        self.seconds = total / self._weight

    def units_per_task(self, remaining: int, slots: int) -> int:
        """Return how many of the ``remaining`` units the next task gets.

        One until the pace is known; then half a second's worth, less towards the end so that the
        workers finish together, and never so many that a worker goes without.
        """
        if self.seconds is None:
            return 1
        unit = max(self.seconds, 1e-7)
        wanted = min(WANTED_SECONDS / unit, remaining / (2 * slots))
        least = LEAST_SECONDS / unit
        return max(1, min(ceil(max(wanted, least)), ceil(remaining / slots)))


class Paces:
    """The paces that a backend remembers, the most recent ones.

    Parameters
    ----------
    most : int
        How many to remember.
    """

    def __init__(self, most: int = 64) -> None:
        self._most = most
        self._known: OrderedDict[Any, Pace] = OrderedDict()

    def of(self, key: Any) -> Pace:
        """Return the pace that belongs to ``key``, a new one if there is none."""
        pace = self._known.pop(key, None) or Pace()
        self._known[key] = pace
        while len(self._known) > self._most:
            self._known.popitem(last=False)
        return pace
