"""X-means as published: centres are split where a criterion says so."""

from __future__ import annotations

from numbers import Integral
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClusterMixin
from sklearn.cluster import KMeans
from sklearn.utils.validation import _check_sample_weight, check_is_fitted, validate_data

from distsearch._sklearn import Interval
from distsearch.backends import seed_sequence
from distsearch.boosting._bic import bic
from distsearch.boosting._clustering import scatters_of
from distsearch.errors import InvalidInputError

__all__ = ["XMeans"]

Floats = NDArray[np.float64]


class XMeans(ClusterMixin, BaseEstimator):  # type: ignore[misc]
    """K-means that finds its number of clusters by splitting.

    From the smallest number of clusters on, each cluster is split in two along a random direction
    and its children are kept where their criterion is better than their parent's; then k-means
    runs from all centres. The best set of centres by the criterion of the whole is the result.

    Parameters
    ----------
    min_clusters, max_clusters : int, default=2 and 10
        Numbers of clusters.
    n_init : int, default=5
        Random starts of the first k-means.
    random_state : int, RandomState, Generator, SeedSequence or None, default=None
        Starts and directions.

    Attributes
    ----------
    k_means_ : KMeans
        The clusters.
    labels_ : ndarray of int of shape (n_samples,)
        The cluster of each training row.
    bic_ : dict of int to float
        The criterion, the smallest being the best, for each number that was met.
    n_features_in_, feature_names_in_
        As in scikit-learn.

    References
    ----------
    Pelleg, D. and Moore, A. (2000). X-means: extending k-means with efficient estimation of the
    number of clusters. ICML, 727-734.
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "min_clusters": [Interval(Integral, 1, None, closed="left")],
        "max_clusters": [Interval(Integral, 1, None, closed="left")],
        "n_init": [Interval(Integral, 1, None, closed="left")],
        "random_state": ["random_state", np.random.Generator, np.random.SeedSequence],
    }

    def __init__(
        self,
        min_clusters: int = 2,
        max_clusters: int = 10,
        *,
        n_init: int = 5,
        random_state: Any = None,
    ) -> None:
        self.min_clusters = min_clusters
        self.max_clusters = max_clusters
        self.n_init = n_init
        self.random_state = random_state

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:  # noqa: ARG002
        """Find the clusters.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Rows.
        y : None
            Not used.
        sample_weight : array-like of shape (n_samples,), optional
            As how many rows each counts.

        Returns
        -------
        self
        """
        self._validate_params()
        if self.min_clusters > self.max_clusters:
            raise InvalidInputError(
                f"min_clusters must be at most max_clusters. Got min_clusters={self.min_clusters} "
                f"and max_clusters={self.max_clusters} instead."
            )
        X = validate_data(self, X, dtype=np.float64)
        weight = _check_sample_weight(sample_weight, X, dtype=np.float64, ensure_non_negative=True)
        rng = np.random.default_rng(seed_sequence(self.random_state))
        given, X, weight = X, X[weight > 0], weight[weight > 0]
        n_places = len(np.unique(X, axis=0))
        first = min(self.min_clusters, n_places)
        means = KMeans(first, n_init=self.n_init, init="random", random_state=_state(rng))
        means.fit(X, sample_weight=weight)
        self.bic_: dict[int, float] = {}
        best = None
        while True:
            value = _of_whole(X, weight, means.labels_)
            k = len(means.cluster_centers_)
            if best is None or value < min(self.bic_.values()):
                best = means
            self.bic_[k] = min(value, self.bic_.get(k, np.inf))
            centres = _split(X, weight, means, min(self.max_clusters, n_places), rng)
            if len(centres) == k:
                break
            means = KMeans(len(centres), init=centres, n_init=1).fit(X, sample_weight=weight)
        self.k_means_ = best
        self.labels_ = best.predict(given)
        return self

    def predict(self, X: Any) -> NDArray[np.int32]:
        """Return the cluster of each row.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Rows.

        Returns
        -------
        ndarray of int of shape (n_samples,)
        """
        check_is_fitted(self)
        X = validate_data(self, X, reset=False, dtype=np.float64)
        labels: NDArray[np.int32] = self.k_means_.predict(X)
        return labels


def _split(X: Floats, weight: Floats, means: Any, limit: int, rng: np.random.Generator) -> Floats:
    """Return the centres, those whose children are better replaced by their children."""
    centres: list[Floats] = []
    left = limit - len(means.cluster_centers_)
    for c, centre in enumerate(means.cluster_centers_):
        members = means.labels_ == c
        children = _children(X[members], weight[members], centre, rng) if left > 0 else None
        if children is None:
            centres.append(centre)
        else:
            centres.extend(children)
            left -= 1
    return np.asarray(centres)


def _children(X: Floats, weight: Floats, centre: Floats, rng: np.random.Generator) -> Any:
    direction = rng.normal(size=X.shape[1])
    if len(np.unique(X, axis=0)) < 3:
        return None
    radius = np.sqrt(np.average(((X - centre) ** 2).sum(axis=1), weights=weight))
    step = radius * direction / np.linalg.norm(direction)
    pair = KMeans(2, init=np.vstack([centre - step, centre + step]), n_init=1)
    pair.fit(X, sample_weight=weight)
    if len(np.unique(pair.labels_)) < 2:
        return None
    alone = _of_whole(X, weight, np.zeros(len(X), dtype=np.intp))
    return pair.cluster_centers_ if _of_whole(X, weight, pair.labels_) < alone else None


def _of_whole(X: Floats, weight: Floats, labels: NDArray[Any]) -> float:
    return bic("x-means", X.shape[1], *scatters_of(X, weight, labels))


def _state(rng: np.random.Generator) -> int:
    return int(rng.integers(2**31 - 1))
