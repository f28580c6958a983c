"""Published numbers beside ours."""

from __future__ import annotations

import csv
import io
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import cast

import pandas as pd

from distsearch._wording import count, did_you_mean, joined, listed, quoted
from distsearch.errors import DataError
from distsearch.sweep.compare._metrics import scale

__all__ = ["PublishedValue", "agreement", "beside", "read_published"]

_LABELS = ("data", "estimator", "method", "metric")
_NUMBERS = ("mean", "gain")
_OPTIONAL = (*_NUMBERS, "source")
_MOST_PROBLEMS = 20
_SURPLUS = ""
_ROUNDING = 1e-9  # 76.55 - 76.50 is a little more than 0.05
AGREE = (0.05, 0.15)
"""Differences, in the units shown, up to which two numbers count as agreeing."""


@dataclass(frozen=True)
class PublishedValue:
    """A line of a file of published numbers; NaN where it does not say."""

    data: str
    estimator: str
    method: str
    metric: str
    mean: float
    gain: float
    source: str

    @property
    def cell(self) -> tuple[str, str, str, str]:
        """What it is about."""
        return self.data, self.estimator, self.method, self.metric


def read_published(
    path: str | Path, known: Mapping[str, Sequence[str]]
) -> tuple[PublishedValue, ...]:
    """Read a CSV file of published numbers.

    Parameters
    ----------
    path : str or Path
        A file with the columns data, estimator, method, metric, then mean, gain or both, and
        source if wanted.
    known : mapping of str to sequence of str
        The labels that each of the first four columns may have.

    Raises
    ------
    DataError
        When the file cannot be read, or with every mistake in it.
    """
    path = Path(path)
    values, problems = [], []
    for line, row in _lines(path):
        mistakes = list(_mistakes(row, known))
        problems += [f"{path.name}, line {line}: {each}" for each in mistakes]
        if not mistakes:
            values.append(_value(row))
    if problems:
        more = len(problems) - _MOST_PROBLEMS
        raise DataError(
            "\n".join(
                [
                    *problems[:_MOST_PROBLEMS],
                    *([f"and {count(more, 'more mistake')}."] if more > 0 else []),
                    f"{path} has {count(len(problems), 'mistake')}; nothing was compared.",
                ]
            )
        )
    return tuple(values)


def _lines(path: Path) -> Iterator[tuple[int, dict[str, str]]]:
    """Yield each line's number and cells."""
    try:
        text = path.read_text(encoding="utf-8-sig")
    except OSError as error:
        raise DataError(
            f"The published numbers cannot be read from {path}: {error.strerror or error}. "
            f"Name a CSV file that exists."
        ) from None
    except UnicodeDecodeError:
        raise DataError(
            f"{path} is not in UTF-8. Save the published numbers as CSV in UTF-8."
        ) from None
    reader = csv.reader(io.StringIO(text, newline=""), skipinitialspace=True)
    try:
        names = [name.strip() for name in next(reader, [])]
        _check_columns(path, names)
        for cells in reader:
            if any(cells):
                row = dict(zip(names, map(str.strip, cells), strict=False))
                yield reader.line_num, {**row, _SURPLUS: "".join(cells[len(names) :])}
    except csv.Error as error:
        raise DataError(
            f"{path} is no CSV file: {error} in line {reader.line_num}. "
            f"Save the published numbers as CSV in UTF-8."
        ) from None


def _check_columns(path: Path, names: Sequence[str]) -> None:
    missing = [name for name in _LABELS if name not in names]
    strange = [name for name in names if name not in (*_LABELS, *_OPTIONAL)]
    wrong = []
    if missing:
        wrong.append(f"lacks {count(len(missing), 'column')}: {joined(missing)}")
    if not set(_NUMBERS) & set(names):
        wrong.append("has neither a column mean nor a column gain")
    if strange:
        near = "".join(did_you_mean(name, (*_LABELS, *_OPTIONAL)) for name in strange[:1])
        wrong.append(f"has {listed(strange)}, which it may not have{near.rstrip('?')}")
    if len(set(names)) < len(names):
        wrong.append("has a column twice")
    if wrong:
        raise DataError(
            f"{path} {joined(wrong)}. Published numbers need the columns {joined(_LABELS)}, then "
            f"mean, gain or both, and may have source."
        )


def _mistakes(row: Mapping[str, str], known: Mapping[str, Sequence[str]]) -> Iterator[str]:
    if row[_SURPLUS]:
        yield "it has more cells than the first line. Write numbers with a decimal point."
    for column in _LABELS:
        if row.get(column, "") not in known[column]:
            yield (
                f"the study has no {column} {quoted(row.get(column, ''))}."
                f"{did_you_mean(row.get(column, ''), known[column])}"
            )
    given = {name: row.get(name, "") for name in _NUMBERS}
    for name, text in given.items():
        if text and not math.isfinite(_number(text)):
            yield f"{name} must be a number, percent and points for shares. Got {quoted(text)}."
    if not any(given.values()):
        yield "it has neither a mean nor a gain."


def _number(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        return math.nan


def _value(row: Mapping[str, str]) -> PublishedValue:
    return PublishedValue(
        row["data"],
        row["estimator"],
        row["method"],
        row["metric"],
        mean=_number(row.get("mean", "")),
        gain=_number(row.get("gain", "")),
        source=row.get("source", ""),
    )


def beside(values: Sequence[PublishedValue], cells: pd.DataFrame) -> tuple[pd.DataFrame, list[str]]:
    """Return published numbers beside ours in the units shown, and notes on what is left out."""
    ours = {
        cast("tuple[str, str, str, str]", tuple(key)): (n, mean, gain)
        for *key, n, mean, gain in cells[[*_LABELS, "n", "mean", "gain"]].itertuples(index=False)
    }
    rows = []
    not_run = unplanned = 0
    for each in values:
        if each.cell not in ours:
            unplanned += 1
            continue
        n, mean, gain = ours[each.cell]
        if n == 0:
            not_run += 1
            continue
        factor = scale(each.metric)
        rows.append(
            {
                **dict(zip(_LABELS, each.cell, strict=True)),
                "mean": factor * mean,
                "published_mean": each.mean,
                "mean_difference": factor * mean - each.mean,
                "gain": factor * gain,
                "published_gain": each.gain,
                "gain_difference": factor * gain - each.gain,
                "source": each.source,
            }
        )
    notes = []
    if not_run:
        notes.append(f"{count(not_run, 'published cell')} left out: ours have no scores yet.")
    if unplanned:
        notes.append(
            f"{count(unplanned, 'published cell')} left out: the study does not plan that data "
            f"set, estimator and method together, or the metric was not asked for."
        )
    columns = [*_LABELS, "mean", "published_mean", "mean_difference"]
    columns += ["gain", "published_gain", "gain_difference", "source"]
    return pd.DataFrame(rows, columns=columns), notes


def agreement(published: pd.DataFrame) -> pd.DataFrame:
    """Return how well ours agree with each source, a row a source and kind of number."""
    rows = []
    for source, some in published.groupby("source", sort=False):
        for kind in _NUMBERS:
            apart = some[f"{kind}_difference"].abs().dropna()
            if apart.empty:
                continue
            worst = some[some.index == apart.idxmax()].iloc[0]
            rows.append(
                {
                    "source": source,
                    "of": kind,
                    "cells": len(apart),
                    "within_0.05": int((apart <= AGREE[0] + _ROUNDING).sum()),
                    "within_0.15": int((apart <= AGREE[1] + _ROUNDING).sum()),
                    "largest": float(worst[f"{kind}_difference"]),
                    "where": " / ".join(str(worst[name]) for name in _LABELS),
                }
            )
    columns = ["source", "of", "cells", "within_0.05", "within_0.15", "largest", "where"]
    return pd.DataFrame(rows, columns=columns)
