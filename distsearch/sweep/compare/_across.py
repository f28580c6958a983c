"""Competitors over data sets: ranks, wins and the tests that take data sets as the sample."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from distsearch.sweep.compare._metrics import lower_is_better
from distsearch.sweep.compare._ranks import (
    average_ranks,
    critical_difference,
    friedman,
    iman_davenport,
    nemenyi,
)
from distsearch.sweep.compare._statistics import holm, wilcoxon_signed_rank

__all__ = ["Across", "across"]

_DIGITS = 12  # of scores; what differs beyond is rounding, and a tie


@dataclass(frozen=True, eq=False)
class Across:
    """One metric over data sets, for all that compete with each other.

    Parameters
    ----------
    metric, group : str
        What is compared.
    left_out : list of str
        Data sets on which some competitor has no score.
    competitors, friedman, nemenyi : list of dict
        Rows of the tables of `Comparison`; empty where there is nothing to compare.
    """

    metric: str
    group: str
    left_out: list[str]
    competitors: list[dict[str, object]]
    friedman: list[dict[str, object]]
    nemenyi: pd.DataFrame


def across(cells: pd.DataFrame, order: Sequence[str], alpha: float) -> Iterator[Across]:
    """Yield one metric's comparison over data sets for each group of competitors.

    Parameters
    ----------
    cells : DataFrame
        The table of `within`, of one metric.
    order : sequence of str
        All competitors.
    alpha : float
        Level of the Nemenyi test.
    """
    for group, some in cells.groupby("group", sort=False):
        metric = str(some["metric"].iloc[0])
        present = set(some["competitor"])
        names = [name for name in order if name in present]
        means, gains = (_table(some, column)[names] for column in ("mean", "gain"))
        complete = means.notna().all(axis=1)
        left_out = [str(each) for each in means.index[~complete]]
        if len(names) < 2:
            continue
        if complete.sum() < 2:
            yield Across(metric, str(group), left_out, [], [], pd.DataFrame())
            continue
        means, gains = means[complete], gains[complete]
        baseline = {str(name) for name in some.loc[some["baseline"], "competitor"]}
        sign = -1.0 if lower_is_better(metric) else 1.0
        merit = sign * np.round(means.to_numpy(dtype=float), _DIGITS)
        place = {"metric": metric, "group": str(group)}
        test, pairs = _of_ranks(merit, names, alpha)
        yield Across(
            metric,
            str(group),
            left_out,
            [{**place, **row} for row in _competitors(means, gains, merit, sign, baseline)],
            [{**place, **test, "left_out": ", ".join(left_out)}],
            pairs.assign(**place)[[*place, *pairs.columns]],
        )


def _table(cells: pd.DataFrame, column: str) -> pd.DataFrame:
    """Return a column as a table: a row a data set, a column a competitor."""
    table = cells.set_index(["data", "competitor"])[column].unstack("competitor")  # noqa: PD010
    return table.reindex(pd.unique(cells["data"]))


def _competitors(
    means: pd.DataFrame,
    gains: pd.DataFrame,
    merit: NDArray[np.float64],
    sign: float,
    baseline: set[str],
) -> Iterator[dict[str, object]]:
    ranks = average_ranks(merit)
    better = sign * np.round(gains.to_numpy(dtype=float), _DIGITS)
    known = ~np.isnan(better)
    p_values = np.array(
        [wilcoxon_signed_rank(row[has]) for row, has in zip(better.T, known.T, strict=True)]
    )
    adjusted = holm(p_values)
    for j, name in enumerate(means.columns):
        yield {
            "competitor": str(name),
            "baseline": str(name) in baseline,
            "n_data": len(means),
            "mean": float(means.iloc[:, j].mean()),
            "average_rank": float(ranks[j]),
            "gain": float(gains.iloc[:, j].mean()),
            "wins": int((better[:, j] > 0).sum()),
            "losses": int((better[:, j] < 0).sum()),
            "ties": int((better[:, j] == 0).sum()),
            "p_wilcoxon": float(p_values[j]),
            "p_wilcoxon_holm": float(adjusted[j]),
        }


def _of_ranks(
    merit: NDArray[np.float64], names: list[str], alpha: float
) -> tuple[dict[str, object], pd.DataFrame]:
    """Return the Friedman test and Nemenyi's of every pair."""
    n, k = merit.shape
    chi2, p = friedman(merit)
    f, p_f = iman_davenport(chi2, n, k)
    distance = critical_difference(k, n, alpha)
    first, second = np.triu_indices(k, 1)
    ranks = average_ranks(merit)
    apart = np.abs(ranks[first] - ranks[second])
    labels = np.array(names, dtype=object)
    pairs = pd.DataFrame(
        {
            "first": labels[first],
            "second": labels[second],
            "rank_difference": apart,
            "p": nemenyi(merit)[first, second],
            "differ": apart > distance,
        }
    )
    test: dict[str, object] = {
        "n_data": n,
        "k": k,
        "chi2": chi2,
        "p": p,
        "f": f,
        "p_f": p_f,
        "critical_difference": distance,
    }
    return test, pairs
