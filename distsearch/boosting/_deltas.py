"""The choice of δ1 and δ2 by inner cross-validation, at the price of at most three runs a cluster.

δ only selects among runs that are made once for each fold, cluster and action.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from distsearch.backends import Backend, derive_seed
from distsearch.boosting._cluster_fit import (
    Initial,
    Settings,
    action_for,
    deal,
    fit_initials,
    initial_votes,
)
from distsearch.boosting._cluster_runs import Job, run_jobs
from distsearch.boosting._rows import Rows

__all__ = ["DEFAULT", "choose_delta", "default_grid"]

Codes = NDArray[np.intp]
Floats = NDArray[np.float64]
Pair = tuple[float, float]

DEFAULT = (0.2, 0.3)
_DELTA1 = (0.1, 0.15, 0.2, 0.25, 0.3)
_DELTA2 = (0.2, 0.25, 0.3, 0.35, 0.4)
_FOLDS, _RUNS = 2, 3


def default_grid(n_classes: int) -> list[Pair]:
    """Return the ranges of the paper, δ2 widened as the largest minority share is."""
    widened = 2 * (1 - 1 / n_classes)
    return [(d1, round(d2 * widened, 12)) for d1 in _DELTA1 for d2 in _DELTA2]


@dataclass(frozen=True, eq=False)
class _Fold:
    number: int
    asked: Codes
    initial: Initial
    votes: Floats


def choose_delta(
    rows: Rows,
    clusters: Codes,
    grid: Sequence[Pair],
    n_folds: int,
    settings: Settings,
    seed: np.random.SeedSequence,
    backend: Backend,
) -> tuple[Pair, Floats]:
    """Return the pair with the most rows right, and the accuracy of each pair.

    The clusters stay those of all training rows: they are found without labels.

    Parameters
    ----------
    rows, clusters, settings, seed, backend
        See `fit_initials`.
    grid : sequence of (float, float)
        Pairs of δ1 and δ2; of equal ones the nearest to the paper's defaults wins.
    n_folds : int
        Inner folds, stratified.
    """
    rng = np.random.default_rng(derive_seed(seed, _FOLDS))
    dealt = deal(rows.codes, n_folds, rng)
    parts = [
        (f + 1, np.flatnonzero(dealt != f), np.flatnonzero(dealt == f)) for f in range(n_folds)
    ]
    initials = fit_initials(rows, clusters, parts, settings, seed, backend)
    n_classes = len(rows.classes)
    folds = [
        _Fold(number, asked, initial, initial_votes(initial.census, settings, n_classes))
        for (number, _, asked), initial in zip(parts, initials, strict=True)
    ]
    plans = [_plan(fold, grid, settings) for fold in folds]
    jobs = [
        job
        for (_, train, _), fold, plan in zip(parts, folds, plans, strict=True)
        for job in _jobs(fold, train, plan, clusters, settings.restricted)
    ]
    made = run_jobs(jobs, rows, settings.actions, derive_seed(seed, _RUNS), backend)
    totals = {(j.fold, j.cluster, j.action): t for j, t in zip(jobs, made, strict=True)}
    right = np.zeros(len(grid))
    for fold, plan in zip(folds, plans, strict=True):
        known: dict[tuple[str, ...], float] = {}
        for i, todo in enumerate(plan):
            if todo not in known:
                known[todo] = _right(fold, todo, rows, clusters, totals, settings.restricted)
            right[i] += known[todo]
    distance = [abs(d1 - DEFAULT[0]) + abs(d2 - DEFAULT[1]) for d1, d2 in grid]
    best = min(range(len(grid)), key=lambda i: (-right[i], distance[i], i))
    return grid[best], right / rows.weight.sum()


def _plan(fold: _Fold, grid: Sequence[Pair], settings: Settings) -> list[tuple[str, ...]]:
    census = fold.initial.census
    return [
        tuple(
            action_for(census, c, pair, settings)[1] if census.size[c] else "nothing"
            for c in range(len(census.size))
        )
        for pair in grid
    ]


def _jobs(
    fold: _Fold,
    train: Codes,
    plan: Sequence[tuple[str, ...]],
    clusters: Codes,
    restricted: bool,
) -> list[Job]:
    jobs = []
    for c in range(len(plan[0])):
        asked = fold.asked[clusters[fold.asked] == c] if restricted else fold.asked
        for action in sorted({todo[c] for todo in plan} - {"nothing"}):
            if len(asked):
                inside = clusters[train] == c
                jobs.append(Job(fold.number, c, action, train[inside], train[~inside], asked))
    return jobs


def _right(
    fold: _Fold,
    todo: tuple[str, ...],
    rows: Rows,
    clusters: Codes,
    made: dict[tuple[int, int, str], Floats],
    restricted: bool,
) -> float:
    asked = fold.asked
    where = clusters[asked]
    totals = np.zeros((len(asked), len(rows.classes)))
    totals[np.arange(len(asked)), fold.initial.asked] = fold.votes[where]
    for c, action in enumerate(todo):
        votes = made.get((fold.number, c, action))
        if votes is not None:
            totals[where == c if restricted else slice(None)] += votes
    return float(rows.weight[asked][totals.argmax(axis=1) == rows.codes[asked]].sum())
