"""The loop that all resampling boosters share: draw, fit, weigh, vote."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from distsearch.boosting._learners import Learner, quickly
from distsearch.boosting._rows import Rows
from distsearch.boosting._steps import NOTHING, Step

__all__ = ["Run", "boost", "fit_all", "seed_of"]

Floats = NDArray[np.float64]

_DRAWS = 10
"""Draws of a round that meets an error of 0."""


@dataclass(frozen=True, eq=False)
class Run:
    """What a boosting run has learned.

    Parameters
    ----------
    functions : list of estimator
        The functions, in order.
    votes : list of float
        Their votes.
    errors : list of float
        Their weighted errors.
    stopped : str
        Why the run ended: "n_estimators", "perfect" or "chance".
    """

    functions: list[Any]
    votes: list[float]
    errors: list[float]
    stopped: str


def boost(
    learner: Learner,
    rows: Rows,
    seed: np.random.SeedSequence | np.random.Generator,
    *,
    n_estimators: int,
    step: Step,
    first_on_all: bool = False,
) -> Run:
    """Boost by resampling, with the rules of Weka's AdaBoostM1 -Q for when to draw again and stop.

    Parameters
    ----------
    learner : Learner
        Bound to `rows`.
    rows : Rows
        Training rows.
    seed : numpy.random.SeedSequence or Generator
        Of this run.
    n_estimators : int
        Rounds at most.
    step : Step
        Gives votes and new weights, and says which errors are no better than chance.
    first_on_all : bool
        Whether the first function is fitted to all rows instead of a draw.

    Returns
    -------
    Run
        A function without error or no better than chance ends the run, and is kept only as the
        first.
    """
    rng = np.random.default_rng(seed)
    weight, log_weight = _normalised(np.log(rows.weight))
    start = log_weight
    run = Run([], [], [], "n_estimators")
    with quickly():
        for number in range(n_estimators):
            if first_on_all and number == 0:
                function = fit_all(learner, rows, seed_of(rng))
                wrong, error = _wrong(learner, function, rows, weight)
            else:
                function, wrong, error = _draw_until_wrong(learner, rows, weight, rng)
            ended = _end(error, step.limit)
            if ended is None or number == 0:
                vote, moved = step.take(start, log_weight, wrong, error, rows.draws)
                run.functions.append(function)
                run.errors.append(error)
                run.votes.append(vote)
                weight, log_weight = _normalised(moved)
            if ended is not None:
                return Run(run.functions, run.votes, run.errors, ended)
    return run


def fit_all(learner: Learner, rows: Rows, seed: int) -> Any:
    """Return a function fitted to all rows."""
    return learner.fit(rows.copies, seed) if rows.whole else learner.fit_weighted(seed)


def seed_of(rng: np.random.Generator) -> int:
    """Draw a seed for an estimator."""
    return int(rng.integers(2**31 - 1))


def _draw_until_wrong(
    learner: Learner, rows: Rows, weight: Floats, rng: np.random.Generator
) -> tuple[Any, NDArray[np.bool_], float]:
    for _ in range(_DRAWS):
        counts = rng.multinomial(rows.draws, weight)
        function = learner.fit(counts, seed_of(rng))
        wrong, error = _wrong(learner, function, rows, weight)
        if error > NOTHING:
            break
    return function, wrong, error


def _wrong(
    learner: Learner, function: Any, rows: Rows, weight: Floats
) -> tuple[NDArray[np.bool_], float]:
    wrong = learner.codes(function) != rows.codes
    return wrong, float(weight @ wrong)


def _end(error: float, limit: float) -> str | None:
    if error <= NOTHING:
        return "perfect"
    return "chance" if error >= limit else None


def _normalised(log_weight: Floats) -> tuple[Floats, Floats]:
    """Return weights that add up to 1, and their logarithms."""
    shifted = log_weight - log_weight.max()
    weight = np.exp(shifted)
    total = weight.sum()
    weight /= total
    return weight, shifted - np.log(total)
