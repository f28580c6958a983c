"""A perceptron with one hidden layer, for comparisons with Weka's."""

from __future__ import annotations

import warnings
from numbers import Integral, Real
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.exceptions import ConvergenceWarning
from sklearn.neural_network import MLPClassifier
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import MinMaxScaler
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted, validate_data

from distsearch._sklearn import Interval
from distsearch.backends import single_threaded

__all__ = ["PerceptronClassifier"]

Floats = NDArray[np.float64]


class PerceptronClassifier(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """A perceptron with one hidden layer, trained as Weka's MultilayerPerceptron is by default.

    Columns are scaled to [-1, 1], units are logistic, steps are of gradient descent with momentum,
    without decay, and there is always the same number of epochs. What differs from Weka: log loss
    instead of squared errors, and a step for every `batch_size` rows instead of every row.

    Parameters
    ----------
    n_hidden : int or None, default=None
        Hidden units; None is half the number of columns and classes together.
    n_epochs : int, default=500
        Passes over the rows.
    learning_rate : float, default=0.3
        Size of a step.
    momentum : float, default=0.2
        Share of the step before that a step goes on with.
    batch_size : int, default=16
        Rows of a step. Weka's 1 takes about 15 times as long.
    random_state : int, RandomState or None, default=0
        First weights and order of rows; the same in every fit, as in Weka, unless None.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        The labels.
    network_ : Pipeline
        The scaler and the network.
    n_features_in_, feature_names_in_
        As in scikit-learn.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from distsearch.boosting import PerceptronClassifier
    >>> X, y = load_iris(return_X_y=True)
    >>> PerceptronClassifier(n_epochs=50).fit(X, y).score(X, y) > 0.9
    True
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "n_hidden": [Interval(Integral, 1, None, closed="left"), None],
        "n_epochs": [Interval(Integral, 1, None, closed="left")],
        "learning_rate": [Interval(Real, 0, None, closed="neither")],
        "momentum": [Interval(Real, 0, 1, closed="left")],
        "batch_size": [Interval(Integral, 1, None, closed="left")],
        "random_state": ["random_state"],
    }

    def __init__(
        self,
        *,
        n_hidden: int | None = None,
        n_epochs: int = 500,
        learning_rate: float = 0.3,
        momentum: float = 0.2,
        batch_size: int = 16,
        random_state: Any = 0,
    ) -> None:
        self.n_hidden = n_hidden
        self.n_epochs = n_epochs
        self.learning_rate = learning_rate
        self.momentum = momentum
        self.batch_size = batch_size
        self.random_state = random_state

    def fit(self, X: Any, y: Any) -> Self:
        """Train the network.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Training rows.
        y : array-like of shape (n_samples,)
            Their labels.

        Returns
        -------
        self
        """
        self._validate_params()
        X, y = validate_data(self, X, y, dtype=np.float64)
        check_classification_targets(y)
        self.classes_, codes = np.unique(y, return_inverse=True)
        network = self._network(min(self.batch_size, len(X)))
        scaler = MinMaxScaler((-1, 1))
        self.network_ = Pipeline([("scaler", scaler), ("network", network)])
        with warnings.catch_warnings(), single_threaded():
            # The number of epochs is given, so that reaching it is no failure.
            warnings.simplefilter("ignore", ConvergenceWarning)
            self.network_.fit(X, codes)
        return self

    def predict(self, X: Any) -> NDArray[Any]:
        """Return the most probable class.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Rows.

        Returns
        -------
        ndarray of shape (n_samples,)
        """
        probabilities = self.predict_proba(X)
        labels: NDArray[Any] = self.classes_[probabilities.argmax(axis=1)]
        return labels

    def predict_proba(self, X: Any) -> Floats:
        """Return the probability of each class.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Rows.

        Returns
        -------
        ndarray of shape (n_samples, n_classes)
        """
        check_is_fitted(self)
        X = validate_data(self, X, reset=False, dtype=np.float64)
        if len(self.classes_) == 1:
            return np.ones((len(X), 1))
        probabilities: Floats = self.network_.predict_proba(X)
        return probabilities

    def _network(self, batch_size: int) -> MLPClassifier:
        half = (self.n_features_in_ + len(self.classes_)) // 2
        return MLPClassifier(
            (self.n_hidden or max(half, 1),),
            activation="logistic",
            solver="sgd",
            alpha=0.0,
            batch_size=batch_size,
            learning_rate_init=self.learning_rate,
            momentum=self.momentum,
            nesterovs_momentum=False,
            max_iter=self.n_epochs,
            tol=0.0,
            n_iter_no_change=self.n_epochs,
            random_state=self.random_state,
        )
