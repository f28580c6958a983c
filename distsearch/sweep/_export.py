"""A study's results as one table: a row a unit, a column a parameter and a metric."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pandas as pd

from distsearch.sweep.store import SettingRecord, StudyRecord

__all__ = ["export_table"]


def export_table(
    study: StudyRecord, results: pd.DataFrame, *, times: bool = False, pending: bool = False
) -> pd.DataFrame:
    """Return results as a table that needs no other to be read.

    Parameters
    ----------
    study : StudyRecord
        The study.
    results : pandas.DataFrame
        Its results from the store.
    times : bool, default=False
        Add seconds and attempts, which differ from run to run; without them the table depends on
        the study alone.
    pending : bool, default=False
        Keep units that have no result yet.

    Returns
    -------
    pandas.DataFrame
        In the study's order: data, estimator, method, the parameters that vary (as
        ``estimator.name`` and ``method.name``; missing for a default, and where settings of one
        label, for different data sets, are not the same), repeat, fold, state, the metrics, error,
        and the unit's hash.
    """
    rows = results if pending else results[results["state"] != "pending"]
    parts: list[Any] = [rows["data"]]
    for kind in ("estimator", "method"):
        settings = [each for each in study.settings if each.kind == kind]
        parts.append(rows[kind])
        parts += [
            _parameter(rows[kind], settings, name).rename(f"{kind}.{name}")
            for name in _varied(settings)
        ]
    parts.append(rows[["repeat", "fold", "state", *study.scorers]])
    if times:
        more = [each for each in ("fit_seconds", "predict_seconds") if each not in study.scorers]
        parts.append(rows[[*more, "attempts"]])
    parts.append(rows[["error_type", "error", "facts", "hash"]])
    table: pd.DataFrame = pd.concat(parts, axis="columns").reset_index(drop=True)
    return table


def _varied(settings: Sequence[SettingRecord]) -> list[str]:
    return list(dict.fromkeys(name for each in settings for name in each.varied))


def _parameter(
    labels: pd.Series[Any], settings: Sequence[SettingRecord], name: str
) -> pd.Series[Any]:
    """Return the value of a parameter for every row; missing where the label does not tell it."""
    values: dict[str, Any] = {}
    for each in settings:
        value = each.params.get(name)
        values[each.label] = value if values.get(each.label, value) == value else None
    if any(isinstance(value, (list, tuple, dict)) for value in values.values()):
        values = {label: None if v is None else str(v) for label, v in values.items()}
    # Whole numbers stay whole beside a missing one.
    return pd.Series(
        [values[label] for label in labels], labels.index, dtype=object
    ).convert_dtypes()
