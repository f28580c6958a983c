"""What a candidate is worth."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

__all__ = ["Objective", "Scored"]


@dataclass(frozen=True, slots=True)
class Scored:
    """The scores of some candidates on some parts.

    Parameters
    ----------
    values : ndarray of shape (n_candidates, n_parts)
        Higher is better; NaN where there is none.
    warnings : dict of str to int
        Texts of the warnings raised on the way, and how often each was.
    """

    values: NDArray[np.float64]
    warnings: dict[str, int] = field(default_factory=dict)


class Objective(Protocol):
    """Scores candidates: pure, and usable in a worker.

    A candidate's score is the mean over the objective's *parts*, the folds of a cross-validation.
    Every (candidate, part) pair is scored alike whatever stands beside it in a call.

    Attributes
    ----------
    n_parts : int
        Number of parts.
    maximum : float
        The highest score there can be; infinity where that is not known. A search stops there.
    candidates_per_unit, parts_per_unit : int
        How much one unit of work should hold, so that work shared within a unit is done once.
    """

    n_parts: int
    maximum: float
    candidates_per_unit: int
    parts_per_unit: int

    def score(self, candidates: NDArray[np.float64], parts: NDArray[np.int64]) -> Scored:
        """Score each candidate, a row, on each part, a fold number."""
