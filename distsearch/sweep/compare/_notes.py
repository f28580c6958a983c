"""What a reader of a comparison should know before believing it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from distsearch._wording import count, joined
from distsearch.sweep.compare._across import Across
from distsearch.sweep.compare._grid import Grid
from distsearch.sweep.store._records import StudyRecord

__all__ = ["notes_on_data_sets", "notes_on_pairs", "notes_on_settings", "notes_on_units"]

_MOST = 5
_FEW_DATA = 5


def notes_on_units(grid: Grid) -> Iterator[str]:
    """Say how many units have no scores, and where they failed."""
    planned, done, failed = (int(grid.cells[name].sum()) for name in ("planned", "done", "failed"))
    pending = planned - done - failed
    if pending:
        verb = "has" if pending == 1 else "have"
        yield (
            f"{pending:,} of {count(planned, 'unit')} {verb} not run; everything here is of "
            f"those done."
        )
    if failed:
        some = grid.cells[grid.cells["failed"] > 0]
        yield (
            f"{count(failed, 'unit')} of {planned:,} failed and "
            f"{'counts' if failed == 1 else 'count'} for nothing: "
            f"{_some(f'{_cell(row)} ({row.failed})' for row in some.itertuples())}."
        )


def notes_on_pairs(
    grid: Grid, tables: Sequence[pd.DataFrame], ratios: NDArray[np.float64]
) -> Iterator[str]:
    """Say where a metric has no value, or a competitor and the baseline not the same splits."""
    if len(grid.cells):
        told = [
            (str(table["metric"].iloc[0]), text)
            for table in tables
            for text in (
                *_undefined(grid, table),
                *_unequal(grid, table),
                *_untested(table, ratios),
            )
        ]
        yield from _gathered(told, len(tables))


def _undefined(grid: Grid, cells: pd.DataFrame) -> Iterator[str]:
    missing = grid.cells["done"].to_numpy() - cells["n"].to_numpy()
    if missing.any():
        some = cells.assign(missing=missing)[missing > 0]
        where = (f"{_cell(row)} ({row.missing})" for row in some.itertuples())
        verb = "has" if missing.sum() == 1 else "have"
        yield (
            f"{count(int(missing.sum()), 'unit')} done {verb} no defined score and "
            f"{'counts' if missing.sum() == 1 else 'count'} for nothing: {_some(where)}."
        )


def _unequal(grid: Grid, cells: pd.DataFrame) -> Iterator[str]:
    n = cells["n"].to_numpy()
    base = np.where(grid.against >= 0, n[grid.against], 0)
    compared = ~cells["baseline"].to_numpy(dtype=bool) & (n > 0)
    if (compared & (base == 0)).any():
        yield (
            f"{grid.baseline} has no score, so that there are no gains, on "
            f"{_places(cells[compared & (base == 0)])}."
        )
    unequal = compared & (base > 0) & (cells["pairs"].to_numpy() < np.maximum(base, n))
    if unequal.any():
        told = (
            f"{_cell(row)} ({row.pairs} of its {row.n} and of {row.base} of {grid.baseline})"
            for row in cells.assign(base=base)[unequal].itertuples()
        )
        yield f"Gains are over the splits that both have a score on: {_some(told)}."


def _untested(cells: pd.DataFrame, ratios: NDArray[np.float64]) -> Iterator[str]:
    pairs = cells["pairs"].to_numpy()
    if (pairs == 1).any():
        yield f"A single split allows no test on {_places(cells[pairs == 1])}."
    unknown = np.isnan(ratios) & (pairs > 1)
    if unknown.any():
        yield (
            f"No corrected t-test on {_some(dict.fromkeys(cells['data'][unknown]))}: its splits "
            f"have no folds that would tell the share of test to training rows. Pass ratios."
        )


def notes_on_data_sets(parts: Sequence[Across]) -> Iterator[str]:
    """Say which data sets the comparison over data sets leaves out, and whether they are few."""
    told = [
        (", ".join(filter(None, (each.metric, each.group))), _left_out(each))
        for each in parts
        if each.left_out
    ]
    yield from _gathered(told, len(parts))
    sizes = [int(str(row["n_data"])) for each in parts for row in each.friedman]
    if sizes and min(sizes) < _FEW_DATA:
        yield (
            f"Over {count(min(sizes), 'data set')} the Wilcoxon and Friedman tests have little "
            f"power: no difference found is no sign of equality."
        )


def _left_out(part: Across) -> str:
    left = _some(part.left_out)
    if part.friedman:
        return f"Ranks leave out {left}, where not every competitor has a score."
    return f"There are no ranks over data sets: on {left} not every competitor has a score."


def notes_on_settings(study: StudyRecord) -> Iterator[str]:
    """Warn of choosing among the settings of an entry by the scores shown."""
    entries: dict[tuple[str, str], set[str]] = {}
    for each in study.settings:
        entries.setdefault((each.kind, each.entry), set()).add(each.label)
    several = {entry: len(labels) for (_, entry), labels in entries.items() if len(labels) > 1}
    if several:
        yield (
            f"{_some(f'{entry} has {n:,} settings' for entry, n in several.items())}. "
            f"The best of many settings on the same test folds is optimistic: choose settings by "
            f"nested validation, not from this table."
        )


def _gathered(told: Sequence[tuple[str, str]], total: int) -> Iterator[str]:
    """Yield each text once, with what it is about unless that is everything."""
    about: dict[str, list[str]] = {}
    for what, text in told:
        about.setdefault(text, []).append(what)
    for text, those in about.items():
        yield text if len(those) == total else f"{_some(those)}: {text}"


def _cell(row: object) -> str:
    return " / ".join(str(getattr(row, name)) for name in ("data", "estimator", "method"))


def _places(cells: pd.DataFrame) -> str:
    pairs = zip(cells["data"], cells["group"], strict=True)
    return _some(dict.fromkeys(" / ".join(filter(None, pair)) for pair in pairs))


def _some(parts: Iterable[str]) -> str:
    every = list(parts)
    shown = every[:_MOST]
    if len(every) > _MOST:
        shown.append(f"{len(every) - _MOST:,} more")
    return joined(shown)
