"""What is read from a store, as tables of pandas."""

from __future__ import annotations

from collections.abc import Sequence
from operator import attrgetter, itemgetter
from typing import TYPE_CHECKING, Any

from distsearch.sweep.store._records import StudyRecord

if TYPE_CHECKING:
    import numpy as np
    import pandas as pd

__all__ = ["results_frame", "runs_frame"]

_PENDING = (-1, "pending", None, None, 0, "", "", "{}")


def runs_frame(names: Sequence[str], rows: Sequence[Sequence[Any]]) -> pd.DataFrame:
    """Return the table of runs.

    Parameters
    ----------
    names : sequence of str
        Its columns.
    rows : sequence of sequences
        Its rows.

    Returns
    -------
    pandas.DataFrame of shape (n_rows, n_names)
    """
    import pandas as pd

    table: dict[str, Any] = {}
    for place, name in enumerate(names):
        values = [row[place] for row in rows]
        column = pd.Series(values, dtype="int64" if name in ("id", "pid") else "str")
        is_time = name in ("started", "ended")
        table[name] = pd.to_datetime(column, utc=True, format="ISO8601") if is_time else column
    return pd.DataFrame(table)


def results_frame(
    study: StudyRecord, units: Sequence[Sequence[Any]], scores: Sequence[tuple[Any, ...]]
) -> pd.DataFrame:
    """Return the table of results.

    Parameters
    ----------
    study : StudyRecord
        The study, whose units give the rows.
    units : sequence of sequences
        Of each known unit its row, state, two times, attempts, two texts of the error and facts.
    scores : sequence of tuples
        Of each score its row, metric and value.

    Returns
    -------
    pandas.DataFrame of shape (n_units, n_columns)
    """
    import pandas as pd

    known: list[Any] = [_PENDING] * len(study.units)
    for row in units:
        known[row[0]] = row

    def planned(name: str, dtype: str) -> pd.Series[Any]:
        return pd.Series(list(map(attrgetter(name), study.units)), dtype=dtype)

    def found(place: int, dtype: str) -> pd.Series[Any]:
        return pd.Series(list(map(itemgetter(place), known)), dtype=dtype)

    columns: dict[str, Any] = {"position": planned("position", "int64")}
    for name in ("hash", "data", "estimator", "method"):
        columns[name] = planned(name, "str")
    columns |= {name: planned(name, "int64") for name in ("repeat", "fold")}
    columns["state"] = found(1, "str")
    columns |= _score_columns(study, scores)
    for place, name in enumerate(("fit_seconds", "predict_seconds"), start=2):
        columns.setdefault(name, found(place, "float64"))  # either may be a scorer too
    columns["attempts"] = found(4, "int64")
    columns |= {"error_type": found(5, "str"), "error": found(6, "str"), "facts": found(7, "str")}
    return pd.DataFrame(columns)


def _score_columns(study: StudyRecord, scores: Sequence[tuple[Any, ...]]) -> dict[str, np.ndarray]:
    import numpy as np

    columns = {metric: np.full(len(study.units), np.nan) for metric in study.scorers}
    for place, metric, value in scores:
        if value is not None and metric in columns:
            columns[metric][place] = value
    return columns
