"""How cluster-based boosting learns: an initial function, types of clusters, runs inside them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from distsearch.backends import Backend, Unit, derive_seed, run_all
from distsearch.boosting._cluster_runs import Actions, Job, run_jobs
from distsearch.boosting._learners import Sample, bind, codes_of, quickly
from distsearch.boosting._resampling import Run, fit_all
from distsearch.boosting._rows import Rows
from distsearch.boosting._steps import NOTHING, clipped_vote
from distsearch.boosting._types import Census, census_of, type_of

__all__ = [
    "Initial",
    "Settings",
    "action_for",
    "deal",
    "fit_initials",
    "initial_votes",
    "learn_runs",
]

Codes = NDArray[np.intp]
Floats = NDArray[np.float64]

_INITIAL, _OUT_OF_FOLD, _FOLDS, _RUNS = range(4)
"""What a seed is for."""


@dataclass(frozen=True)
class Settings:
    """What a fit needs to know beside its rows.

    Parameters
    ----------
    actions : Actions
        How runs inside clusters are made.
    by_type : dict of str to str
        The action for each type of cluster.
    out_of_fold : int
        Folds by which the errors of the initial function are estimated; 0 for those on training
        rows.
    local : bool
        Whether the initial function's vote comes from the cluster at hand.
    largest : float
        The initial function's largest vote.
    restricted : bool
        Whether only the functions of a row's own cluster vote on it.
    min_cluster_size : int
        Smaller clusters are left to the initial function.
    """

    actions: Actions
    by_type: dict[str, str]
    out_of_fold: int
    local: bool
    largest: float
    restricted: bool
    min_cluster_size: int


@dataclass(frozen=True, eq=False)
class Initial:
    """An initial function, and what it gets wrong.

    Parameters
    ----------
    function : estimator
        Fitted to the training rows of a fold.
    census : Census
        Of its training rows, by cluster.
    asked : ndarray of int
        The class that it gives to the rows of its fold that it was not fitted to.
    """

    function: Any
    census: Census
    asked: Codes


def fit_initials(
    rows: Rows,
    clusters: Codes,
    folds: Sequence[tuple[int, Codes, Codes]],
    settings: Settings,
    seed: np.random.SeedSequence,
    backend: Backend,
) -> list[Initial]:
    """Fit initial functions, one for each fold.

    Parameters
    ----------
    rows : Rows
        All training rows.
    clusters : ndarray of int of shape (n_rows,)
        Their clusters.
    folds : sequence of (int, ndarray of int, ndarray of int)
        The number of a fold, the rows that are learned from, and those that are asked about.
    settings : Settings
        Of the fit.
    seed : numpy.random.SeedSequence
        Of the fit.
    backend : Backend
        Where they are fitted.
    """
    parts = settings.out_of_fold
    pieces = [(n, train, ask, None) for n, train, ask in folds]
    held: list[tuple[int, Codes, Codes, Any]] = []
    for number, train, _ in folds:
        if parts:
            rng = np.random.default_rng(derive_seed(seed, _OUT_OF_FOLD, number))
            part = deal(rows.codes[train], parts, rng)
            held += [(number, train[part != j], train[part == j], j) for j in range(parts)]
    units = [_initial_unit(piece, seed) for piece in [*pieces, *held]]
    found = run_all(backend, _fit_initial, units, (rows, settings.actions.base))
    k = int(clusters.max()) + 1
    initials = []
    for i, (number, train, _) in enumerate(folds):
        function, guessed, asked = found[i]
        for piece, (_, _, guess) in zip(held, found[len(folds) :], strict=True):
            if piece[0] == number:
                guessed[np.searchsorted(train, piece[2])] = guess
        census = census_of(
            clusters[train], k, rows.codes[train], len(rows.classes), rows.weight[train],
            guessed != rows.codes[train],
        )  # fmt: skip
        initials.append(Initial(function, census, asked))
    return initials


def deal(codes: Codes, n_folds: int, rng: np.random.Generator) -> Codes:
    """Return the fold of each row: the rows of each class are shuffled and dealt in turn.

    Parameters
    ----------
    codes : ndarray of int of shape (n_rows,)
        Classes.
    n_folds : int
        Folds.
    rng : numpy.random.Generator
        Shuffles.
    """
    shuffled = rng.permutation(len(codes))
    by_class = shuffled[np.argsort(codes[shuffled], kind="stable")]
    fold = np.empty(len(codes), dtype=np.intp)
    fold[by_class] = np.arange(len(codes)) % n_folds
    return fold


def initial_votes(census: Census, settings: Settings, n_classes: int) -> Floats:
    """Return the vote of the initial function in each cluster."""
    rule = settings.actions.rule
    if settings.local:
        pairs = list(zip(census.wrong, census.size, strict=True))
    else:
        pairs = [(census.wrong.sum(), census.size.sum())] * len(census.size)
    votes = [
        clipped_vote(wrong / size, max(int(size), 1), 1.0, rule, n_classes) if size else 0.0
        for wrong, size in pairs
    ]
    return np.minimum(votes, max(settings.largest, NOTHING))


def action_for(
    census: Census, cluster: int, delta: tuple[float, float], settings: Settings
) -> tuple[str, str]:
    """Return the type of a cluster and what is done in it."""
    size = float(census.size[cluster])
    kind = type_of(size, float(census.minority[cluster]), float(census.wrong[cluster]), *delta)
    if size < settings.min_cluster_size:
        return kind, "nothing"
    return kind, settings.by_type[kind]


def learn_runs(
    rows: Rows,
    clusters: Codes,
    todo: Sequence[str],
    settings: Settings,
    seed: np.random.SeedSequence,
    backend: Backend,
) -> list[Run]:
    """Make the run of each cluster on all training rows.

    Parameters
    ----------
    rows, clusters, settings, seed, backend
        See `fit_initials`.
    todo : sequence of str
        The action in each cluster.
    """
    jobs = [
        Job(0, c, action, np.flatnonzero(clusters == c), np.flatnonzero(clusters != c))
        for c, action in enumerate(todo)
        if action != "nothing"
    ]
    runs = [Run([], [], [], "nothing to do") for _ in todo]
    made = run_jobs(jobs, rows, settings.actions, derive_seed(seed, _RUNS), backend)
    for job, run in zip(jobs, made, strict=True):
        runs[job.cluster] = run
    return runs


def _initial_unit(
    piece: tuple[int, Codes, Codes, int | None], seed: np.random.SeedSequence
) -> Unit:
    number, train, asked, part = piece
    key = (_INITIAL, number) if part is None else (_OUT_OF_FOLD, number, part)
    return Unit((train, asked, part is None), derive_seed(seed, *key), f"initial function {number}")


def _fit_initial(unit: Unit, shared: tuple[Rows, Any]) -> tuple[Any, Codes, Codes]:
    rows, base = shared
    train, asked, kept = unit.payload
    assert unit.seed is not None
    some = rows.only(train)
    learner = bind(base, some)
    function = fit_all(learner, some, int(unit.seed.generate_state(1)[0] >> 1))
    with quickly():
        guess = (
            codes_of(function, Sample(rows.only(asked).X), rows.classes)
            if len(asked)
            else np.empty(0, dtype=np.intp)
        )
        return (function, learner.codes(function), guess) if kept else (None, guess, guess)
