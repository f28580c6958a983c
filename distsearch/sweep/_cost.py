"""What a study will cost, before it is paid: units, and time from one fit of each estimator."""

from __future__ import annotations

import time
import warnings
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from sklearn.base import clone

from distsearch.backends import interrupts_kept, single_threaded, time_limit
from distsearch.errors import UnitTimeoutError
from distsearch.sweep._data import StudyData
from distsearch.sweep._plan import Only, Plan
from distsearch.sweep._unit import preparation

__all__ = ["Group", "estimate"]

_TRIAL_SECONDS = 20.0
"""For one fit."""

_TRIALS_SECONDS = 120.0
"""For all; an estimate is to be had while one waits for it."""


@dataclass(frozen=True)
class Group:
    """The units of one estimator with one method on one data set.

    Parameters
    ----------
    data, estimator, method : str
        Labels.
    units : int
        Units of the group.
    pending : int
        Those that have no result yet.
    fits : int
        About how many fits on all training rows a unit costs.
    seconds : float
        Estimated core seconds of the pending units; NaN where one fit alone fails or takes too
        long to try, or all trials together do.
    """

    data: str
    estimator: str
    method: str
    units: int
    pending: int
    fits: int
    seconds: float


def estimate(
    plan: Plan, finished: Mapping[str, frozenset[str]], only: Only | None = None
) -> list[Group]:
    """Count a study's units by group and estimate their time.

    Parameters
    ----------
    plan : Plan
        The study.
    finished : mapping of str to set of str
        Metrics that are known, by the hash of the unit.
    only : Only, optional
        The part of the study to run.

    Returns
    -------
    list of Group
        In the order of the study. Each estimator is fitted once on the first training part of
        each data set, small ones first and as far as two minutes go, with categories encoded and
        all features standardised; a unit takes about that time its number of fits.
    """
    wanted = set(plan.spec.scorers)
    counts: dict[tuple[int, int, int], list[int]] = {}
    for place, unit in zip(plan.places, plan.study.units, strict=True):
        if only is None or only.takes(unit):
            data, _, estimator, method = place
            tally = counts.setdefault((data, estimator, method), [0, 0])
            tally[0] += 1
            tally[1] += not wanted <= finished.get(unit.hash, frozenset())
    fits = plan.fits()
    seconds = _try(plan, {(d, e) for (d, e, _), (_, pending) in counts.items() if pending})
    return [
        Group(
            data=plan.work.data[d].label,
            estimator=plan.spec.estimators[e].label,
            method=plan.spec.methods[m].label,
            units=units,
            pending=pending,
            fits=fits[d, e, m],
            seconds=pending * fits[d, e, m] * seconds[d, e] if pending else 0.0,
        )
        for (d, e, m), (units, pending) in counts.items()
    ]


def _try(plan: Plan, pairs: set[tuple[int, int]]) -> dict[tuple[int, int], float]:
    """Return the seconds of a fit of pairs of data and estimator, small data first."""
    seconds: dict[tuple[int, int], float] = {}
    end = time.monotonic() + _TRIALS_SECONDS
    for d, e in sorted(pairs, key=lambda pair: (len(plan.work.data[pair[0]].y), pair)):
        limit = min(_TRIAL_SECONDS, end - time.monotonic())
        data, estimator = plan.work.data[d], plan.work.estimators[e]
        seconds[d, e] = _seconds_of_a_fit(data, estimator, limit) if limit > 0 else np.nan
    return seconds


def _seconds_of_a_fit(data: StudyData, estimator: object, limit: float) -> float:
    train = data.splits[0].train
    X, y = data.X[train], data.y[train]
    try:
        with (
            warnings.catch_warnings(),
            interrupts_kept(),
            single_threaded(),
            time_limit(limit),
        ):
            warnings.simplefilter("ignore")
            start = time.perf_counter()
            Z = preparation(data, "standardize", {}).fit_transform(X, y)
            clone(estimator).fit(Z, y).predict(Z)
            return time.perf_counter() - start
    except UnitTimeoutError:
        return np.nan
    except Exception:  # whatever an estimator raises; the run will say it
        return np.nan
