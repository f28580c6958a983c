"""What was tried: one row a candidate, one dtype a column."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from distsearch.search._strategy import Batch

__all__ = ["History"]


@dataclass
class History:
    """The candidates of a search in the order they were asked.

    Rows are added batch by batch; `table` joins them into typed columns that load unchanged into
    pandas, polars or a database.
    """

    _batches: list[Batch] = field(default_factory=list)
    _scores: list[NDArray[np.float64]] = field(default_factory=list)
    _from_memo: list[NDArray[np.bool_]] = field(default_factory=list)

    def add(self, batch: Batch, scores: NDArray[np.float64], from_memo: NDArray[np.bool_]) -> None:
        """Append a batch with its scores and which of them were known already."""
        self._batches.append(batch)
        self._scores.append(scores)
        self._from_memo.append(from_memo)

    def __len__(self) -> int:
        return sum(map(len, self._scores))

    @property
    def candidates(self) -> NDArray[np.float64]:
        """Every candidate, one a row, aligned with the rows of `table`."""
        return np.concatenate([batch.candidates for batch in self._batches])

    def table(self) -> dict[str, NDArray[Any]]:
        """Return the columns of the history.

        Returns
        -------
        dict of str to ndarray of shape (n_rows,)
            ``evaluation`` (0, 1, …), ``epoch``, ``coordinate`` (-1: more than one varies),
            ``value`` (of that coordinate; NaN where more than one varies), ``score`` (NaN: the
            candidate failed), ``from_memo`` (whether the score was known already) and
            ``best_score`` (the highest so far; NaN while there is none).
        """
        coordinate = np.concatenate([batch.coordinates for batch in self._batches])
        candidates = self.candidates
        rows = np.arange(len(candidates))
        value = np.full(len(rows), np.nan)
        single = coordinate >= 0
        value[single] = candidates[rows[single], coordinate[single]]
        score = np.concatenate(self._scores)
        best = np.maximum.accumulate(np.where(np.isnan(score), -np.inf, score))
        return {
            "evaluation": rows,
            "epoch": np.repeat(
                [batch.epoch for batch in self._batches], [len(s) for s in self._scores]
            ),
            "coordinate": coordinate,
            "value": value,
            "score": score,
            "from_memo": np.concatenate(self._from_memo),
            "best_score": np.where(np.isneginf(best), np.nan, best),
        }
