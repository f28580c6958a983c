"""The threshold that divides one class from the rest best."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

__all__ = ["best_threshold"]


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
        or the next number below the lowest (all are); the lowest of equally good ones. Finite.
    """
    weight = np.ones(len(scores)) if weight is None else weight
    order = np.argsort(scores, kind="stable")
    ranked = np.nan_to_num(scores[order])
    hits = np.where(positive[order], weight[order], 0.0)
    misses = weight[order] - hits
    below = np.concatenate([[0.0], np.cumsum(misses)]) / max(misses.sum(), np.finfo(float).tiny)
    above = 1.0 - np.concatenate([[0.0], np.cumsum(hits)]) / max(hits.sum(), np.finfo(float).tiny)
    middles = ranked[1:] / 2.0 + ranked[:-1] / 2.0
    cuts = np.concatenate([[np.nextafter(ranked[0], -np.inf)], middles, ranked[-1:]])
    possible = np.concatenate([[True], ranked[1:] > ranked[:-1], [True]])
    # Sums of weights differ in their last digits where they should be equal.
    quality = np.where(possible, np.round(below + above, 12), -1.0)
    return float(cuts[int(np.argmax(quality))])
