"""A network of Gaussian units under a logistic regression, for comparisons with Weka's."""

from __future__ import annotations

import warnings
from numbers import Integral, Real
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import LinAlgWarning
from scipy.special import softmax
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.cluster import KMeans
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import LogisticRegression
from sklearn.preprocessing import StandardScaler
from sklearn.utils import check_random_state
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted, validate_data

from distsearch._sklearn import Interval
from distsearch.backends import single_threaded

__all__ = ["RBFNetworkClassifier"]

Floats = NDArray[np.float64]


class RBFNetworkClassifier(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """Gaussian units at the k-means centres of each class, and a logistic regression on them.

    The closest to the RBFNetwork of Weka 3.6 with its defaults. Columns are standardised, and the
    rows of each class are clustered. A unit is a Gaussian density without correlations, times the
    share of the rows that its cluster has, of which there is one more in each cluster of a class;
    the units of a row are divided by their sum.

    Parameters
    ----------
    n_centers : int, default=2
        Units of each class; fewer where it has fewer distinct rows.
    min_std : float, default=0.1
        Smallest standard deviation of a unit in any standardised column; where that of its rows is
        not above, it has that of its class.
    ridge : float, default=1e-8
        Penalty on the squares of the regression's coefficients.
    random_state : int, RandomState or None, default=1
        Start of k-means; the same in every fit, as in Weka, unless None.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        The labels.
    centers_ : ndarray of shape (n_units, n_features)
        Centres, in standardised columns.
    spreads_ : ndarray of shape (n_units, n_features)
        Standard deviations.
    shares_ : ndarray of shape (n_units,)
        Shares of the rows.
    regression_ : LogisticRegression or None
        Gives classes by units; None for one class only.
    n_features_in_, feature_names_in_
        As in scikit-learn.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from distsearch.boosting import RBFNetworkClassifier
    >>> X, y = load_iris(return_X_y=True)
    >>> RBFNetworkClassifier().fit(X, y).centers_.shape
    (6, 4)
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "n_centers": [Interval(Integral, 1, None, closed="left")],
        "min_std": [Interval(Real, 0, None, closed="neither")],
        "ridge": [Interval(Real, 0, None, closed="neither")],
        "random_state": ["random_state"],
    }

    def __init__(
        self,
        *,
        n_centers: int = 2,
        min_std: float = 0.1,
        ridge: float = 1e-8,
        random_state: Any = 1,
    ) -> None:
        self.n_centers = n_centers
        self.min_std = min_std
        self.ridge = ridge
        self.random_state = random_state

    def fit(self, X: Any, y: Any) -> Self:
        """Place the units and fit the regression.

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
        self.scaler_ = StandardScaler()
        Z = self.scaler_.fit_transform(X)
        with single_threaded():
            self._place_units(Z, codes)
            one = len(self.classes_) == 1
            self.regression_ = None if one else self._regress(self._units(Z), codes)
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
        if self.regression_ is None:
            return np.ones((len(X), 1))
        units = self._units(self.scaler_.transform(X))
        probabilities: Floats = self.regression_.predict_proba(units)
        return probabilities

    def _place_units(self, Z: Floats, codes: NDArray[np.intp]) -> None:
        rng = check_random_state(self.random_state)
        centers, spreads, shares = [], [], []
        for k in range(len(self.classes_)):
            members = Z[codes == k]
            labels = _cluster(members, self.n_centers, rng.randint(2**31 - 1))
            found = np.unique(labels)
            for own in (members[labels == label] for label in found):
                centers.append(own.mean(axis=0))
                spreads.append(_spread(own, members, self.min_std))
                part = (len(own) + 1) / (len(members) + len(found))
                shares.append(part * len(members) / len(Z))
        self.centers_, self.spreads_ = np.stack(centers), np.stack(spreads)
        self.shares_ = np.array(shares)

    def _regress(self, units: Floats, codes: NDArray[np.intp]) -> LogisticRegression:
        regression = LogisticRegression(
            C=0.5 / self.ridge, solver="newton-cholesky", tol=1e-6, max_iter=1000
        )
        with warnings.catch_warnings():
            # Separable classes send coefficients towards infinity; any of them will do.
            warnings.simplefilter("ignore", ConvergenceWarning)
            warnings.simplefilter("ignore", LinAlgWarning)
            return regression.fit(units, codes)

    def _units(self, Z: Floats) -> Floats:
        logs = np.empty((len(Z), len(self.centers_)))
        for unit, (center, spread) in enumerate(zip(self.centers_, self.spreads_, strict=True)):
            distances = (((Z - center) / spread) ** 2).sum(axis=1)
            logs[:, unit] = np.log(self.shares_[unit]) - np.log(spread).sum() - distances / 2
        units: Floats = softmax(logs, axis=1)
        return units


def _cluster(Z: Floats, number: int, seed: int) -> NDArray[np.intp]:
    number = min(number, len(np.unique(Z, axis=0)))
    means = KMeans(number, init="random", n_init=1, max_iter=500, random_state=seed)
    with warnings.catch_warnings():
        # Rows too close to be told apart share a centre.
        warnings.simplefilter("ignore", ConvergenceWarning)
        labels: NDArray[np.intp] = means.fit(Z).labels_
    return labels


def _spread(own: Floats, members: Floats, min_std: float) -> Floats:
    """Return the standard deviations of a cluster, where they are too small of its class."""
    spread, wider = own.std(axis=0), members.std(axis=0)
    usable: Floats = np.where(spread > min_std, spread, np.maximum(wider, min_std))
    return usable
