"""What a boosting round does with the errors of its function: a vote, and new weights."""

from __future__ import annotations

from dataclasses import dataclass
from math import log
from typing import Any, Literal, Protocol

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import brentq

__all__ = ["NOTHING", "AdaBoostStep", "KLStep", "Rule", "Step", "clipped_vote", "vote"]

Floats = NDArray[np.float64]

Rule = Literal["M1", "SAMME"]

NOTHING = 1e-6
"""An error of 0, and the vote of a function that is no better than chance."""


class Step(Protocol):
    """How a boosting round ends."""

    @property
    def limit(self) -> float:
        """The error from which on a function is no better than chance."""

    def take(
        self,
        start: Floats,
        log_weight: Floats,
        wrong: NDArray[np.bool_],
        error: float,
        n_rows: int,
    ) -> tuple[float, Floats]:
        """Return the vote of a function and the logarithms of the weights after it.

        Parameters
        ----------
        start : ndarray of shape (n_rows,)
            Logarithms of the weights before the first round.
        log_weight : ndarray of shape (n_rows,)
            Logarithms of the weights, which add up to 1.
        wrong : ndarray of bool of shape (n_rows,)
            Which rows the function gets wrong.
        error : float
            Their weight.
        n_rows : int
            As how many rows these count.
        """


@dataclass(frozen=True)
class AdaBoostStep:
    """AdaBoost's: votes are log odds, and they are what the weights of wrong rows are raised by.

    Parameters
    ----------
    rule : {"M1", "SAMME"}
        See `vote`.
    n_classes : int
        Labels.
    eta : float
        Learning rate, the factor of all votes.
    """

    rule: Rule
    n_classes: int
    eta: float = 1.0

    @property
    def limit(self) -> float:
        """The error from which on a function is no better than chance."""
        return chance(self.rule, self.n_classes)

    def take(
        self,
        start: Floats,  # noqa: ARG002
        log_weight: Floats,
        wrong: NDArray[np.bool_],
        error: float,
        n_rows: int,
    ) -> tuple[float, Floats]:
        """Return the vote of a function and the logarithms of the weights after it."""
        value = clipped_vote(error, n_rows, self.eta, self.rule, self.n_classes)
        return value, log_weight + value * wrong


@dataclass(frozen=True)
class KLStep:
    """AdaBoost_KL's: a penalty keeps the weights near those of the start.

    Parameters
    ----------
    rule : {"M1", "SAMME"}
        The margin of a wrong answer is -1, or -1/(n_classes - 1).
    n_classes : int
        Labels.
    beta : float
        Weight of the penalty, β; with 0 this is AdaBoost's step.
    eta : float
        Learning rate, the factor of all votes.
    max_vote : float
        Largest vote before `eta`, for a function whose vote would be infinite.
    """

    rule: Rule
    n_classes: int
    beta: float
    eta: float = 1.0
    max_vote: float = 10.0

    @property
    def limit(self) -> float:
        """The error from which on a function is no better than chance."""
        return chance(self.rule, self.n_classes)

    def take(
        self,
        start: Floats,
        log_weight: Floats,
        wrong: NDArray[np.bool_],
        error: float,  # noqa: ARG002
        n_rows: int,  # noqa: ARG002
    ) -> tuple[float, Floats]:
        """Return the vote of a function and the logarithms of the weights after it."""
        lost = 1.0 if self.rule == "M1" else 1 / (self.n_classes - 1)
        soft_margin = np.where(wrong, -lost, 1.0) + self.beta * (log_weight - start)
        # A vote is the difference between right and wrong, as log odds are.
        scale = 1 + lost
        alpha = self.eta * descent(log_weight, soft_margin, self.max_vote / scale)
        return max(scale * alpha, NOTHING), log_weight - alpha * soft_margin


def chance(rule: Rule, n_classes: int) -> float:
    """Return the error of a function that guesses: 1/2 for M1, 1 - 1/n_classes for SAMME."""
    return 0.5 if rule == "M1" else 1 - 1 / n_classes


def descent(log_weight: Floats, soft_margin: Floats, longest: float) -> float:
    """Return the α > 0 that makes Σ d exp(-α u) smallest, `longest` where none does before.

    Parameters
    ----------
    log_weight : ndarray of shape (n_rows,)
        ln d.
    soft_margin : ndarray of shape (n_rows,)
        u; 0 is returned unless its mean by d is positive.
    longest : float
        Upper bound.
    """

    def slope(alpha: float) -> float:
        exponent = log_weight - alpha * soft_margin
        return float((soft_margin * np.exp(exponent - exponent.max())).sum())

    if slope(0.0) <= 0:
        return 0.0
    if slope(longest) >= 0:
        return longest
    root: Any = brentq(slope, 0.0, longest, xtol=1e-14, rtol=1e-13)
    return float(root)


def vote(error: float, eta: float, rule: Rule, n_classes: int) -> float:
    """Return η ln((1-ε)/ε) (equation 5), for SAMME with ln(K-1) added before η."""
    odds = log((1 - error) / error)
    return eta * (odds + (log(n_classes - 1) if rule == "SAMME" else 0.0))


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
    if error <= NOTHING:
        error = 0.5 / n_rows
    elif error >= 1 - NOTHING:
        error = 1 - 0.5 / n_rows
    return max(vote(error, eta, rule, n_classes), NOTHING)
