"""An estimator that takes as long as it is told and learns nothing, for measuring what is around.

It is a module of its own because workers import estimators by name.
"""

from __future__ import annotations

from time import perf_counter
from typing import Any, Self

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin

__all__ = ["Spin"]


class Spin(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """Keep a core busy, and predict the first class.

    Parameters
    ----------
    seconds : float
        How long `fit` takes.
    number : int
        Tells one setting from another.

    Attributes
    ----------
    classes_ : ndarray
        The classes.
    """

    def __init__(self, seconds: float = 0.001, number: int = 0) -> None:
        self.seconds = seconds
        self.number = number

    def fit(self, X: Any, y: Any) -> Self:
        """Spin, and note the classes."""
        del X
        end = perf_counter() + self.seconds
        while perf_counter() < end:
            pass
        self.classes_ = np.unique(y)
        return self

    def predict(self, X: Any) -> Any:
        """Return the first class for every row."""
        return np.repeat(self.classes_[0], len(X))
