"""The way to a transform: a row an iteration."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["Trail"]


@dataclass(eq=False)
class Trail:
    """Rows of a history, added start by start."""

    _rows: list[tuple[str, int, int, float]] = field(default_factory=list)

    def add(self, stage: str, criterion: Iterable[float], start: int = 0) -> None:
        """Append the iterations of one start.

        Parameters
        ----------
        stage : str
            What kind of search it was.
        criterion : iterable of float
            Ω after each iteration.
        start : int
            The number of the start.
        """
        self._rows += [(stage, start, i, float(value)) for i, value in enumerate(criterion)]

    def add_rows(self, stages: Sequence[Any], criterion: Sequence[Any]) -> None:
        """Append iterations of several stages that follow each other from one start."""
        places: dict[str, int] = {}
        for stage, value in zip(map(str, stages), criterion, strict=True):
            places[stage] = places.get(stage, -1) + 1
            self._rows.append((stage, 0, places[stage], float(value)))

    def table(self) -> dict[str, NDArray[Any]]:
        """Return the columns: ``stage``, ``start``, ``iteration`` (from 0) and ``criterion``."""
        stage, start, iteration, criterion = zip(*self._rows, strict=True)
        return {
            "stage": np.array(stage),
            "start": np.array(start, dtype=np.int64),
            "iteration": np.array(iteration, dtype=np.int64),
            "criterion": np.array(criterion, dtype=np.float64),
        }
