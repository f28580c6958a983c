"""The flow of BrownBoost: how far a function is followed, and how much time that takes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import brentq
from scipy.special import erf, erfc, erfcx

__all__ = ["FlowStep", "log_weight_of", "potential", "solve"]

Floats = NDArray[np.float64]

_STEP = 0.05
"""Steps of the vote in units of √c: weights hardly change within one."""

_LONGEST_STEP = 0.25
"""Steps of the vote where c is large, and weights change as those of AdaBoost."""

_PRECISION = 4 * np.finfo(np.float64).eps


@dataclass(frozen=True)
class FlowStep:
    """The end of the flow.

    Parameters
    ----------
    alpha : float
        The function's vote.
    time : float
        The time that it took.
    ended : {"time", "edge"}
        Whether time ran out or the function has no edge left.
    """

    alpha: float
    time: float
    ended: Literal["time", "edge"]


def log_weight_of(margin_time: Floats, c: float) -> Floats:
    """Return the logarithm of the weight of each row, -(r + s)²/c (Freund 2001, figure 1).

    Parameters
    ----------
    margin_time : ndarray of shape (n_rows,)
        Margin plus remaining time of each row, r + s.
    c : float
        Total time.
    """
    log_weight: Floats = -(margin_time**2) / c
    return log_weight


def potential(margin_time: Floats, weight: Floats, c: float) -> float:
    """Return the mean potential 1 - erf((r + s)/√c), which the flow does not change.

    Parameters
    ----------
    margin_time : ndarray of shape (n_rows,)
        Margin plus remaining time of each row, r + s.
    weight : ndarray of shape (n_rows,)
        How much each row counts.
    c : float
        Total time.
    """
    return float(np.average(erfc(margin_time / np.sqrt(c)), weights=weight))


def solve(
    margin_time: Floats,
    correct: Floats,
    weight: Floats,
    c: float,
    remaining: float,
    edge_threshold: float = 1e-3,
) -> FlowStep:
    """Follow a function until time runs out or its edge is used up (Freund 2001, section 3).

    The flow dt/dα = edge keeps the sum of potentials, so that t(α) is the root of

    E(α, t) = Σ ω [erf((a + αb - t)/√c) - erf(a/√c)],

    which falls in t. The vote is marched on in small steps until one of the two ends lies behind,
    and the end is bracketed.

    Parameters
    ----------
    margin_time : ndarray of shape (n_rows,)
        Margin plus remaining time of each row, a = r + s.
    correct : ndarray of shape (n_rows,)
        Label times function, b, from -1 to 1.
    weight : ndarray of shape (n_rows,)
        How much each row counts, ω; positive.
    c : float
        Total time.
    remaining : float
        Time that is left, s.
    edge_threshold : float, default=1e-3
        Edge that counts as none, ν; positive.

    Returns
    -------
    FlowStep
        Without an edge at the start, both the vote and the time are 0.
    """
    if remaining <= 0:
        return FlowStep(0.0, 0.0, "time")
    root = float(np.sqrt(c))
    flow = _Flow(margin_time / root, correct, weight)
    left = remaining / root
    edge = flow.edge(0.0, 0.0)
    if edge <= edge_threshold:
        return FlowStep(0.0, 0.0, "edge")
    if flow.constant:
        return FlowStep(float(remaining / flow.b[0]), float(remaining), "time")
    alpha, time, step = 0.0, 0.0, min(_STEP, _LONGEST_STEP / root)
    while True:
        before = (alpha, time, edge)
        alpha += step
        time, edge = flow.advance(before, alpha)
        if time >= left or edge <= edge_threshold:
            alpha, time, ended = _end(flow, before, alpha, left, edge_threshold)
            taken = remaining if ended == "time" else float(time * root)
            return FlowStep(float(alpha * root), float(taken), ended)


def _end(
    flow: _Flow, before: tuple[float, float, float], behind: float, left: float, threshold: float
) -> tuple[float, float, Literal["time", "edge"]]:
    def room(alpha: float) -> float:
        time, edge = flow.advance(before, alpha)
        return min(left - time, edge - threshold)

    alpha = float(brentq(room, before[0], behind, xtol=1e-15, rtol=_PRECISION))
    time, edge = flow.advance(before, alpha)
    return alpha, time, "time" if left - time <= abs(edge - threshold) else "edge"


class _Flow:
    """The flow in units of √c; rows that are alike count as one."""

    def __init__(self, a: Floats, b: Floats, weight: Floats) -> None:
        alike, where = np.unique(a + 1j * b, return_inverse=True)
        self.a, self.b = alike.real.copy(), alike.imag.copy()
        self.weight = np.bincount(where, weights=weight)
        self.erf_a = erf(self.a)
        self.erfcx_a = erfcx(np.abs(self.a))

    @property
    def constant(self) -> bool:
        """Whether all rows move alike."""
        return bool((self.b == self.b[0]).all())

    def edge(self, alpha: float, time: float) -> float:
        """Return the weighted mean of b at a point."""
        exponent = (self.a + alpha * self.b - time) ** 2
        weight = self.weight * np.exp(exponent.min() - exponent)
        return float(weight @ self.b / weight.sum())

    def advance(self, before: tuple[float, float, float], alpha: float) -> tuple[float, float]:
        """Return time and edge at a vote that is a little larger than the one before."""
        vote, time, edge = before
        step = alpha - vote
        # time cannot move faster than the vote, as all b are at most 1
        time = self._time(alpha, time + edge * step, time - step, time + step)
        return time, self.edge(alpha, time)

    def _time(self, alpha: float, guess: float, low: float, high: float) -> float:
        """Return t(α) by Newton's steps that stay within a bracket."""
        for _ in range(200):
            excess, slope = self._excess(alpha, guess)
            low, high = (guess, high) if excess > 0 else (low, guess)
            move = excess / slope if slope > 0 else np.inf
            if abs(move) <= _PRECISION * max(1.0, abs(guess)) or high <= low:
                break
            ahead = guess + move
            guess = ahead if low < ahead < high else (low + high) / 2
        return guess

    def _excess(self, alpha: float, time: float) -> tuple[float, float]:
        """Return E and -dE/dt at a point, both times one factor that keeps them from underflow."""
        x = self.a + alpha * self.b - time
        same = x * self.a > 0
        near, far = np.abs(self.a), np.abs(x)
        exponent = np.where(same, np.minimum(near, far), 0.0) ** 2
        least = exponent.min()
        tails = self.erfcx_a * np.exp(np.minimum(least - near**2, 0.0))
        tails -= erfcx(far) * np.exp(np.minimum(least - far**2, 0.0))
        gain = np.where(same, np.sign(self.a) * tails, erf(x) - self.erf_a)
        density = np.exp(least - x**2)
        return float(self.weight @ gain), float(self.weight @ density) * 2 / np.sqrt(np.pi)
