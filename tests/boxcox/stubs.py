"""Tiny estimators whose behaviour is known by heart."""

import threading

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin


class SignClassifier(ClassifierMixin, BaseEstimator):
    """Says the second class when the first feature is above 0; learns nothing else."""

    def fit(self, X, y):
        self.classes_ = np.unique(y)
        self.n_features_in_ = X.shape[1]
        return self

    def predict(self, X):
        return self.classes_[(np.asarray(X)[:, 0] > 0).astype(int)]


class NoiseClassifier(SignClassifier):
    """Answers at random, from NumPy's global generator."""

    def predict(self, X):
        return self.classes_[np.random.randint(0, 2, len(X))]


class SeededNoise(SignClassifier):
    """Answers at random, from its own ``random_state``."""

    def __init__(self, random_state=None):
        self.random_state = random_state

    def fit(self, X, y):
        from sklearn.utils import check_random_state

        self.guesses_ = check_random_state(self.random_state).randint(0, 2, 1000)
        return super().fit(X, y)

    def predict(self, X):
        return self.classes_[self.guesses_[: len(X)]]


class HoldsALock(SignClassifier):
    """Cannot be sent to another process."""

    def __init__(self):
        self.guard = threading.Lock()


class Recorder(SignClassifier):
    """Keeps what it was fitted with."""

    def fit(self, X, y, sample_weight=None, note=None):
        self.X_, self.y_ = X, y
        self.sample_weight_, self.note_ = sample_weight, note
        return super().fit(X, y)


class WarnsAndFails(SignClassifier):
    """Warns on every fit, and fails where the first standardised value is above ``limit``."""

    def __init__(self, limit=np.inf):
        self.limit = limit

    def fit(self, X, y):
        import warnings

        warnings.warn("did not converge", RuntimeWarning, stacklevel=2)
        if X.flat[0] > self.limit:
            raise ArithmeticError("the first value is too large")
        return super().fit(X, y)
