"""A study's results as a grid: one row a cell (data set, estimator, method), one column a split."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from distsearch._wording import did_you_mean, listed
from distsearch.errors import InvalidInputError, UnknownNameError
from distsearch.sweep.store._records import StudyRecord

__all__ = ["Grid", "Over", "make_grid"]

Over = Literal["methods", "estimators", "both"]
_OVER: tuple[Over, ...] = ("methods", "estimators", "both")


@dataclass(frozen=True, eq=False)
class Grid:
    """Where each result belongs, and what it is compared with.

    Parameters
    ----------
    over : {"methods", "estimators", "both"}
        What competes.
    baseline : str
        The competitor that the others are compared with.
    competitors : tuple of str
        All that compete, in the study's order.
    cells : DataFrame
        One row a cell in the study's order: data, estimator, method, competitor, group (what is
        the same for all that compete with each other, beside the data set), planned, done and
        failed units.
    against : ndarray of int of shape (n_cells,)
        The cell of the baseline on the same data set in the same group; -1 where there is none.
    places : tuple of two ndarrays of shape (n_results,)
        Cell and split of each result.
    done : ndarray of bool of shape (n_results,)
        Whether it has scores.
    n_splits : int
        Different splits.
    folds : ndarray of int of shape (n_cells,)
        Different folds of the cell's data set.
    """

    over: Over
    baseline: str
    competitors: tuple[str, ...]
    cells: pd.DataFrame
    against: NDArray[np.int64]
    places: tuple[NDArray[np.int64], NDArray[np.int64]]
    done: NDArray[np.bool_]
    n_splits: int
    folds: NDArray[np.int64]

    def scores(self, values: pd.Series[float]) -> NDArray[np.float64]:
        """Return a metric's values as an array of shape (n_cells, n_splits), NaN where missing."""
        filled = np.full((len(self.cells), self.n_splits), np.nan)
        numbers = values.to_numpy(dtype=float, na_value=np.nan)
        filled[self.places] = np.where(self.done & np.isfinite(numbers), numbers, np.nan)
        return filled


def make_grid(study: StudyRecord, results: pd.DataFrame, over: str, baseline: str | None) -> Grid:
    """Return where each result belongs.

    Parameters
    ----------
    study : StudyRecord
        The study.
    results : DataFrame
        One row a planned unit.
    over : {"auto", "methods", "estimators", "both"}
        What competes; "auto" for methods where the study has more than one.
    baseline : str or None
        A competitor; None for the study's choice, or the first.

    Raises
    ------
    InvalidInputError
        When `over` is something else, or a result is of no part of the study.
    UnknownNameError
        When the baseline does not compete.
    """
    competing = _what_competes(study, over)
    codes = [
        _codes(results, "data", [each.label for each in study.data]),
        _codes(results, "estimator", study.labels("estimator")),
        _codes(results, "method", study.labels("method")),
    ]
    keys, cell = _numbered(codes)
    cells = _cells(study, keys, competing)
    state = results["state"].to_numpy(dtype=object)
    for name in ("planned", "done", "failed"):
        those = state == name if name != "planned" else np.ones(len(state), dtype=bool)
        cells[name] = np.bincount(cell[those], minlength=len(cells))
    fold = results["fold"].to_numpy(dtype=np.int64)
    splits, split = _numbered([results["repeat"].to_numpy(dtype=np.int64), fold])
    competitors = _in_order(study, cells, competing)
    chosen = _choose_baseline(study, cells, competitors, competing, baseline)
    return Grid(
        competing,
        chosen,
        competitors,
        cells,
        _against(cells, chosen),
        (cell, split),
        np.asarray(state == "done", dtype=bool),
        len(splits),
        _folds(codes[0], fold)[keys[:, 0]],
    )


def _what_competes(study: StudyRecord, over: str) -> Over:
    if over == "auto":
        return "methods" if len(study.labels("method")) > 1 else "estimators"
    for known in _OVER:
        if over == known:
            return known
    raise InvalidInputError(
        f"over must be 'auto', 'methods', 'estimators' or 'both'. Got {over!r} instead."
        f"{did_you_mean(str(over), ('auto', *_OVER))}"
    )


def _codes(results: pd.DataFrame, column: str, labels: Sequence[str]) -> NDArray[np.int64]:
    values = results[column].to_numpy(dtype=object)
    places = {label: place for place, label in enumerate(labels)}
    codes = np.array([places.get(value, -1) for value in values], dtype=np.int64)
    if (codes < 0).any():
        strange = str(values[codes < 0][0])
        raise InvalidInputError(
            f"The results have the {column} {strange!r}, which the study does not have."
            f"{did_you_mean(strange, labels)} It has {listed(labels)}. "
            f"Pass the results of this study."
        )
    return codes


def _numbered(
    columns: Sequence[NDArray[np.int64]],
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the different rows in order, and the number of each row's own among them."""
    sizes = [int(column.max(initial=0)) + 1 for column in columns]
    together = np.ravel_multi_index(tuple(columns), tuple(sizes))
    different, numbers = np.unique(together, return_inverse=True)
    rows = np.column_stack(np.unravel_index(different, tuple(sizes)))
    return rows.astype(np.int64), numbers.reshape(-1).astype(np.int64)


def _cells(study: StudyRecord, keys: NDArray[np.int64], over: Over) -> pd.DataFrame:
    estimators = np.array(study.labels("estimator"), dtype=object)[keys[:, 1]]
    methods = np.array(study.labels("method"), dtype=object)[keys[:, 2]]
    both = [f"{a} / {b}" for a, b in zip(estimators, methods, strict=True)]
    competitors = {"methods": methods, "estimators": estimators, "both": both}[over]
    groups = {"methods": estimators, "estimators": methods, "both": [""] * len(keys)}[over]
    columns = {
        "data": np.array([each.label for each in study.data], dtype=object)[keys[:, 0]],
        "estimator": estimators,
        "method": methods,
        "competitor": competitors,
        "group": groups,
    }
    return pd.DataFrame(columns, dtype=object)


def _folds(data: NDArray[np.int64], fold: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return how many different folds each data set has."""
    return np.bincount(_numbered([data, fold])[0][:, 0], minlength=1)


def _in_order(study: StudyRecord, cells: pd.DataFrame, over: Over) -> tuple[str, ...]:
    methods, estimators = study.labels("method"), study.labels("estimator")
    known = {
        "methods": methods,
        "estimators": estimators,
        "both": [f"{a} / {b}" for a in estimators for b in methods],
    }[over]
    present = set(cells["competitor"])
    return tuple(name for name in known if name in present)


def _choose_baseline(
    study: StudyRecord, cells: pd.DataFrame, known: Sequence[str], over: Over, given: str | None
) -> str:
    """Return the competitor that is named, or the first that has the part named."""
    for name in (given, study.baseline):
        if name in known:
            return str(name)
        parts = cells[(cells["estimator"] == name) | (cells["method"] == name)]
        if over == "both" and len(parts):
            return str(parts["competitor"].iloc[0])
        if name is not None and name == given:
            raise UnknownNameError(
                f"The baseline {name!r} is none of the {over if over != 'both' else 'pairs'} "
                f"compared.{did_you_mean(name, known)} It may be {listed(known)}."
            )
    return known[0] if known else ""


def _against(cells: pd.DataFrame, baseline: str) -> NDArray[np.int64]:
    keys = list(zip(cells["data"], cells["group"], strict=True))
    of_baseline = {
        key: place
        for place, (key, name) in enumerate(zip(keys, cells["competitor"], strict=True))
        if name == baseline
    }
    return np.array([of_baseline.get(key, -1) for key in keys], dtype=np.int64)
