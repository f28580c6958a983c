"""The loop that all resampling boosters share: draw, fit, weigh, vote."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray
from scipy.special import logsumexp

from distsearch.boosting._learners import Learner, quickly
from distsearch.boosting._rows import Rows

__all__ = ["Rule", "Run", "boost", "clipped_vote", "fit_all", "seed_of", "vote", "weights_of"]

Floats = NDArray[np.float64]

Rule = Literal["M1", "SAMME"]

_DRAWS = 10
"""Draws of a round that meets an error of 0."""

_NOTHING = 1e-6
"""An error of 0, and the vote of a function that is no better than chance."""


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
    seed: np.random.SeedSequence,
    *,
    n_estimators: int,
    eta: float,
    rule: Rule,
    first_on_all: bool = False,
) -> Run:
    """Boost by resampling (AdaBoost.M1 as in Weka with -Q, or with the votes of SAMME).

    Parameters
    ----------
    learner : Learner
        Bound to `rows`.
    rows : Rows
        Training rows.
    seed : numpy.random.SeedSequence
        Of this run.
    n_estimators : int
        Rounds at most.
    eta : float
        Learning rate, the factor of all votes.
    rule : {"M1", "SAMME"}
        A function must have an error below 1/2, or below 1 - 1/n_classes.
    first_on_all : bool
        Whether the first function is fitted to all rows instead of a draw.

    Returns
    -------
    Run
        A function without error or no better than chance ends the run, and is kept only as the
        first.
    """
    rng = np.random.default_rng(seed)
    n_classes = len(rows.classes)
    limit = 0.5 if rule == "M1" else 1 - 1 / n_classes
    log_weight = np.log(rows.weight)
    run = Run([], [], [], "n_estimators")
    with quickly():
        for number in range(n_estimators):
            weight = weights_of(log_weight)
            if first_on_all and number == 0:
                function = fit_all(learner, rows, seed_of(rng))
                wrong = learner.codes(function) != rows.codes
            else:
                function, wrong = _draw_until_wrong(learner, rows, weight, rng)
            error = float(weight[wrong].sum())
            ended = _end(error, limit)
            if ended is None or number == 0:
                run.functions.append(function)
                run.errors.append(error)
                run.votes.append(clipped_vote(error, rows.draws, eta, rule, n_classes))
            if ended is not None:
                return Run(run.functions, run.votes, run.errors, ended)
            log_weight[wrong] += run.votes[-1]
    return run


def vote(error: float, eta: float, rule: Rule, n_classes: int) -> float:
    """Return η ln((1-ε)/ε) (equation 5), for SAMME with ln(K-1) added before η."""
    odds = np.log((1 - error) / error)
    return float(eta * (odds + (np.log(n_classes - 1) if rule == "SAMME" else 0.0)))


def clipped_vote(error: float, n_rows: int, eta: float, rule: Rule, n_classes: int) -> float:
    """Return a vote that is finite and positive.

    Parameters
    ----------
    error : float
        Share of the weight that is wrong; of no error, half a row is taken to be wrong.
    n_rows : int
        Rows that the error was taken over.
    eta, rule, n_classes
        See `vote`.
    """
    if error <= _NOTHING:
        error = 0.5 / n_rows
    elif error >= 1 - _NOTHING:
        error = 1 - 0.5 / n_rows
    return max(vote(error, eta, rule, n_classes), _NOTHING)


def weights_of(log_weight: Floats) -> Floats:
    """Return weights that add up to 1."""
    weight: Floats = np.exp(log_weight - logsumexp(log_weight))
    return weight / weight.sum()


def seed_of(rng: np.random.Generator) -> int:
    """Draw a seed for an estimator."""
    return int(rng.integers(2**31 - 1))


def fit_all(learner: Learner, rows: Rows, seed: int) -> Any:
    """Return a function fitted to all rows."""
    return learner.fit(rows.copies, seed) if rows.whole else learner.fit_weighted(seed)


def _draw_until_wrong(
    learner: Learner, rows: Rows, weight: Floats, rng: np.random.Generator
) -> tuple[Any, NDArray[np.bool_]]:
    for _ in range(_DRAWS):
        counts = rng.multinomial(rows.draws, weight)
        function = learner.fit(counts, seed_of(rng))
        wrong = learner.codes(function) != rows.codes
        if weight[wrong].sum() > _NOTHING:
            break
    return function, wrong


def _end(error: float, limit: float) -> str | None:
    if error <= _NOTHING:
        return "perfect"
    return "chance" if error >= limit else None
