"""A study's results compared: the numbers, without a word on how they are printed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from pathlib import Path

import pandas as pd

from distsearch._wording import did_you_mean, listed
from distsearch.errors import InvalidInputError, UnknownNameError
from distsearch.sweep.compare._across import Across, across
from distsearch.sweep.compare._grid import Grid, Over, make_grid
from distsearch.sweep.compare._metrics import SECONDS
from distsearch.sweep.compare._notes import (
    notes_on_data_sets,
    notes_on_pairs,
    notes_on_settings,
    notes_on_units,
)
from distsearch.sweep.compare._published import agreement, beside, read_published
from distsearch.sweep.compare._within import ratios_of, within
from distsearch.sweep.store._records import StudyRecord

__all__ = ["Comparison", "compare"]

_ACROSS = ["metric", "group", "competitor", "baseline", "n_data", "mean", "average_rank", "gain"]
_ACROSS += ["wins", "losses", "ties", "p_wilcoxon", "p_wilcoxon_holm"]
_FRIEDMAN = ["metric", "group", "n_data", "k", "chi2", "p", "f", "p_f", "critical_difference"]
_FRIEDMAN += ["left_out"]
_NEMENYI = ["metric", "group", "first", "second", "rank_difference", "p", "differ"]


@dataclass(frozen=True, eq=False, kw_only=True)
class Comparison:
    """Competitors against a baseline, in tidy tables.

    Values are as the scorers gave them; what a table in percent would say is 100 times as much.

    Parameters
    ----------
    study, title : str
        The study's name and title.
    over : {"methods", "estimators", "both"}
        What competes: methods within each estimator (the group), estimators within each method, or
        every pair of them.
    baseline : str
        The competitor that the others are compared with.
    competitors : tuple of str
        All of them, in the study's order.
    metrics : tuple of str
        The metrics compared.
    alpha : float
        Level of the tests.
    cells : DataFrame
        A row a metric, data set, estimator and method: ``competitor``, ``group``, ``baseline``
        (whether it is), ``n`` splits with a score, their ``mean`` and ``sd``; over the ``pairs`` of
        splits that the baseline has too, ``gain`` (mean difference to it), ``gain_sd``, ``wins``,
        ``losses`` and ``ties``, t and p of the paired and of the corrected t-test, and the p-values
        after Holm within data set and group (``p_corrected_holm``).
    across : DataFrame
        A row a metric, group and competitor: over ``n_data`` data sets the ``mean``,
        ``average_rank``, mean ``gain``, ``wins``, ``losses`` and ``ties`` of data sets,
        ``p_wilcoxon`` and ``p_wilcoxon_holm``. Empty for fewer than two data sets or competitors.
    friedman : DataFrame
        A row a metric and group: ``chi2``, ``p``, Iman and Davenport's ``f`` and ``p_f``, Nemenyi's
        ``critical_difference`` and the data sets ``left_out``.
    nemenyi : DataFrame
        A row a metric, group and pair: ``rank_difference``, ``p`` and whether they ``differ``.
    published : DataFrame or None
        Published numbers beside ours, in percent and points where the metric is a share.
    agreement : DataFrame or None
        A row a source and kind of number: how many ``cells`` agree within 0.05 and 0.15, the
        ``largest`` difference and ``where`` it is.
    notes : tuple of str
        What to know before believing the numbers.
    """

    study: str
    title: str
    over: Over
    baseline: str
    competitors: tuple[str, ...]
    metrics: tuple[str, ...]
    alpha: float
    cells: pd.DataFrame
    across: pd.DataFrame
    friedman: pd.DataFrame
    nemenyi: pd.DataFrame
    published: pd.DataFrame | None = None
    agreement: pd.DataFrame | None = None
    notes: tuple[str, ...] = ()


def compare(
    study: StudyRecord,
    results: pd.DataFrame,
    *,
    metrics: Sequence[str] | None = None,
    baseline: str | None = None,
    over: str = "auto",
    published: str | Path | None = None,
    alpha: float = 0.05,
    ratios: Mapping[str, float] | None = None,
) -> Comparison:
    """Compare a study's results with a baseline, within data sets and over them.

    Differences are paired: each is of two scores on the same split, and splits that only one of
    the two has done are left out, with a note.

    Parameters
    ----------
    study : StudyRecord
        The study.
    results : DataFrame
        One row a planned unit: data, estimator, method, repeat, fold, state ("done", "failed" or
        "pending"), a column a scorer, fit_seconds and predict_seconds.
    metrics : sequence of str or None
        Metrics to compare; None for the study's scorers.
    baseline : str or None
        What the others are compared with; None for the study's own, or else the first. Where pairs
        compete, the label of an estimator or a method stands for the first pair with it.
    over : {"auto", "methods", "estimators", "both"}
        What competes; "auto" for methods where the study has more than one, else estimators.
    published : str, Path or None
        A CSV file of published numbers, in percent and points where the metric is a share.
    alpha : float
        Level of the tests.
    ratios : mapping of str to float or None
        Rows of a test part by rows of its training part, a value a data set, for the corrected
        t-test. Others have what the study says, or else 1 / (folds - 1), as of k-fold.

    Returns
    -------
    comparison : Comparison
        The tables and what to know of them.

    Raises
    ------
    InvalidInputError
        When a value is out of its bounds, or a result is of no part of the study.
    UnknownNameError
        When a metric, the baseline or a data set of `ratios` is unknown.
    DataError
        When the published numbers cannot be read, with every mistake in them.
    """
    chosen = _check_metrics(study, metrics)
    known = {each.label: each.test_to_train for each in study.data if each.test_to_train}
    ratios = {**known, **_check_ratios(study, ratios or {})}
    if not 0 < alpha < 1:
        raise InvalidInputError(f"alpha must be between 0 and 1. Got {alpha!r} instead.")
    grid = make_grid(study, results, over, baseline)
    of_cells = ratios_of(grid, ratios)
    tables = [within(grid, each, grid.scores(results[each]), of_cells) for each in chosen]
    parts = [list(across(table, grid.competitors, alpha)) for table in tables]
    notes = [*notes_on_units(grid), *notes_on_pairs(grid, tables, of_cells)]
    notes += [*notes_on_data_sets(list(chain(*parts))), *notes_on_settings(study)]
    comparison = _assemble(study, grid, chosen, alpha, tables, list(chain(*parts)))
    beside_ours = None
    if published is not None:
        values = read_published(published, _labels(study))
        beside_ours, left_out = beside(values, comparison.cells)
        notes += left_out
    return Comparison(
        **{
            **vars(comparison),
            "published": beside_ours,
            "agreement": None if beside_ours is None else agreement(beside_ours),
            "notes": tuple(notes),
        }
    )


def _assemble(
    study: StudyRecord,
    grid: Grid,
    metrics: tuple[str, ...],
    alpha: float,
    tables: Sequence[pd.DataFrame],
    parts: Sequence[Across],
) -> Comparison:
    pairs = [each.nemenyi for each in parts if each.friedman]
    return Comparison(
        study=study.name,
        title=study.title,
        over=grid.over,
        baseline=grid.baseline,
        competitors=grid.competitors,
        metrics=metrics,
        alpha=alpha,
        cells=pd.concat(tables, ignore_index=True),
        across=pd.DataFrame([row for each in parts for row in each.competitors], columns=_ACROSS),
        friedman=pd.DataFrame([row for each in parts for row in each.friedman], columns=_FRIEDMAN),
        nemenyi=pd.concat(pairs, ignore_index=True) if pairs else pd.DataFrame(columns=_NEMENYI),
    )


def _labels(study: StudyRecord) -> dict[str, list[str]]:
    return {
        "data": [each.label for each in study.data],
        "estimator": study.labels("estimator"),
        "method": study.labels("method"),
        "metric": list(dict.fromkeys((*study.scorers, *SECONDS))),
    }


def _check_metrics(study: StudyRecord, metrics: Sequence[str] | None) -> tuple[str, ...]:
    known = _labels(study)["metric"]
    if metrics is None:
        return study.scorers
    chosen = (metrics,) if isinstance(metrics, str) else tuple(dict.fromkeys(metrics))
    for name in chosen:
        if name not in known:
            raise UnknownNameError(
                f"The study has no metric {name!r}.{did_you_mean(name, known)} "
                f"It has {listed(known)}."
            )
    if not chosen:
        raise InvalidInputError(f"metrics must name one or more of {listed(known)}.")
    return chosen


def _check_ratios(study: StudyRecord, ratios: Mapping[str, float]) -> Mapping[str, float]:
    known = _labels(study)["data"]
    for name, value in ratios.items():
        if name not in known:
            raise UnknownNameError(
                f"ratios has {name!r}, which is no data set of the study."
                f"{did_you_mean(name, known)} It has {listed(known)}."
            )
        if not 0 < value < float("inf"):
            raise InvalidInputError(
                f"ratios must be numbers above 0. Got {value!r} for {name!r} instead. "
                f"Divide the rows of a test part by the rows of its training part."
            )
    return ratios
