"""The threshold that divides one class from the rest best."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

__all__ = ["best_threshold"]

_LARGEST = np.finfo(np.float64).max
_TINY = np.finfo(np.float64).tiny


def best_threshold(
    scores: NDArray[np.float64],
    positive: NDArray[np.bool_],
    weight: NDArray[np.float64] | None = None,
) -> float:
    """Return the threshold with the highest balanced accuracy.

    Parameters
    ----------
    scores : ndarray of shape (n_samples,)
        A row is claimed when its score is above the threshold.
    positive : ndarray of bool of shape (n_samples,)
        Which rows are to be claimed.
    weight : ndarray of shape (n_samples,), optional
        How often each row counts.

    Returns
    -------
    float
        Half way between two scores that follow each other, the highest score (no row is claimed),
        or the next number below the lowest (all are); the lowest of equally good ones. Always
        finite, so that a score of infinity is claimed whatever else is, and one of minus infinity,
        or NaN, never.
    """
    if weight is None:
        weight = np.ones(len(scores))
    counted = weight > 0.0
    scores, positive, weight = scores[counted], positive[counted], weight[counted]
    scores = np.where(np.isnan(scores), -np.inf, scores)
    order = np.argsort(scores, kind="stable")
    hits = np.where(positive[order], weight[order], 0.0)
    misses = weight[order] - hits
    below = np.concatenate([[0.0], np.cumsum(misses)]) / max(misses.sum(), _TINY)
    above = 1.0 - np.concatenate([[0.0], np.cumsum(hits)]) / max(hits.sum(), _TINY)
    cuts, possible = _cuts(scores[order])
    # Sums of weights differ in their last digits where they should be equal.
    quality = np.where(possible, np.round(below + above, 12), -1.0)
    return float(cuts[int(np.argmax(quality))])


def _cuts(ranked: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
    """Return a threshold below each score and the highest, and which of them divide the rows so."""
    finite = np.clip(ranked, -_LARGEST, _LARGEST)
    lower, upper = finite[:-1], finite[1:]
    with np.errstate(all="ignore"):  # what is too small for a half, or the next number, is 0
        middles = lower / 2.0 + upper / 2.0
        lowest = max(np.nextafter(finite[0], -np.inf), -_LARGEST)
    # Half way between two numbers that follow each other is one of them.
    middles = np.where(middles < upper, middles, lower)
    cuts = np.concatenate([[lowest], middles, finite[-1:]])
    divided = (ranked[:-1] < ranked[1:]) & (middles < ranked[1:])
    possible = np.concatenate([[lowest < ranked[0]], divided, [ranked[-1] <= _LARGEST]])
    return cuts, possible
