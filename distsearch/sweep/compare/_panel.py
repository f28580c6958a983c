"""One metric in one group of competitors: what of a comparison stands in one table."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

import pandas as pd

from distsearch.sweep.compare._comparison import Comparison
from distsearch.sweep.compare._metrics import heading, in_percent, lower_is_better, scale
from distsearch.sweep.compare._numbers import digits_for

__all__ = ["BEST", "Panel", "panels"]

_MANY = 30
BEST = 10
"""How many to show where there are too many."""
_TIE_DIGITS = 12


class Panel:
    """One metric in one group of competitors.

    Parameters
    ----------
    whole : Comparison
        All of it.
    metric, group : str
        Which part.
    cells : DataFrame
        That part of its cells.
    """

    def __init__(self, whole: Comparison, metric: str, group: str, cells: pd.DataFrame) -> None:
        self.whole, self.metric, self.group, self.cells = whole, metric, group, cells
        self.scale = scale(metric)
        self.lower = lower_is_better(metric)
        self.data = [str(each) for each in pd.unique(cells["data"])]
        present = set(cells["competitor"])
        self.every = [name for name in whole.competitors if name in present]
        self.across = self.part(whole.across)
        self.shown = self._choose()
        self.rows: dict[tuple[str, str], dict[str, Any]] = {
            (str(row["data"]), str(row["competitor"])): {str(key): row[key] for key in row}
            for row in cells[cells["competitor"].isin(self.shown)].to_dict("records")
        }

    def part(self, table: pd.DataFrame) -> pd.DataFrame:
        """Return its part of a table of the comparison."""
        return table[(table["metric"] == self.metric) & (table["group"] == self.group)]

    def digits(self, data: str) -> int:
        """Return the decimals to show on a data set."""
        if in_percent(self.metric):
            return 2
        return digits_for(row["mean"] for (each, _), row in self.rows.items() if each == data)

    @property
    def heading(self) -> str:
        """The metric with its unit."""
        return heading(self.metric)

    @property
    def name(self) -> str:
        """What it is of, for titles."""
        better = " (lower is better)" if self.lower else ""
        return ", ".join(filter(None, [f"{self.heading}{better}", self.group]))

    def best(self, data: str) -> list[int]:
        """Return the places of those shown that have the best mean on a data set, if any loses."""
        sign = -1 if self.lower else 1
        means = {
            place: round(sign * float(row["mean"]), _TIE_DIGITS)
            for place, name in enumerate(self.shown)
            if (row := self.rows.get((data, name))) and not math.isnan(row["mean"])
        }
        best = [place for place, mean in means.items() if mean == max(means.values())]
        return best if len(best) < len(means) else []

    def _choose(self) -> list[str]:
        """Return whom to show: all, or of many the best by rank and the baseline."""
        if len(self.every) <= _MANY:
            return self.every
        if len(self.across):
            ranks = self.across.set_index("competitor")["average_rank"]
        else:
            means = self.cells.set_index(["data", "competitor"])["mean"].round(_TIE_DIGITS)
            of_data = means.groupby(level="data").rank(ascending=self.lower)
            ranks = of_data.groupby(level="competitor").mean()
        order = ranks.reindex(self.every).sort_values(kind="stable").index
        best = [str(name) for name in order[:BEST]]
        baseline = self.whole.baseline
        return best if baseline in best or baseline not in self.every else [*best, baseline]


def panels(comparison: Comparison) -> Iterator[Panel]:
    """Yield every metric in every group, in the study's order."""
    for metric in comparison.metrics:
        cells = comparison.cells[comparison.cells["metric"] == metric]
        for group, some in cells.groupby("group", sort=False):
            yield Panel(comparison, metric, str(group), some)
