"""Clusters of rows: how many, which, and where new rows belong."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone, is_classifier, is_regressor
from sklearn.cluster import KMeans
from sklearn.exceptions import ConvergenceWarning
from sklearn.neighbors import KNeighborsClassifier
from sklearn.utils.validation import has_fit_parameter

from distsearch.backends import Backend, Unit, derive_seed, run_all, single_threaded
from distsearch.boosting._bic import bic
from distsearch.errors import InvalidInputError

__all__ = ["Clustering", "cluster_by", "cluster_by_groups", "cluster_by_k_means", "scatters_of"]

Codes = NDArray[np.intp]
Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Clustering:
    """Clusters of training rows.

    Parameters
    ----------
    labels : ndarray of int of shape (n_rows,)
        The cluster of each row, from 0.
    names : ndarray of shape (n_clusters,)
        What `locator` calls them.
    locator : estimator
        Its ``predict`` gives the cluster of new rows.
    bic : dict of int to float
        The criterion for each number of clusters that was tried.
    """

    labels: Codes
    names: NDArray[Any]
    locator: Any
    bic: dict[int, float]


def cluster_by_k_means(
    Z: Floats,
    weight: Floats,
    numbers: tuple[int, int],
    *,
    criterion: str,
    n_init: int,
    seed: np.random.SeedSequence,
    backend: Backend,
) -> Clustering:
    """Run k-means afresh for each number of clusters and keep the best by a criterion.

    Parameters
    ----------
    Z : ndarray of shape (n_rows, n_dimensions)
        Distinct rows.
    weight : ndarray of shape (n_rows,)
        As how many rows each counts.
    numbers : tuple of int
        The smallest and the largest number of clusters, both cut to the number of places that
        rows are at.
    criterion : str
        See `CRITERIA`; of equal values the smaller number wins.
    n_init : int
        Random starts.
    seed : numpy.random.SeedSequence
        Of the runs; each number has its own.
    backend : Backend
        Where they run, the largest numbers first.
    """
    n_places = len(np.unique(Z, axis=0))
    low, high = (min(number, n_places) for number in numbers)
    tried = list(range(low, high + 1))
    units = [
        Unit((k, n_init), derive_seed(seed, k), f"k-means with {k} clusters")
        for k in reversed(tried)
    ]
    found = run_all(backend, _k_means, units, (Z, weight))[::-1]
    values = {
        k: bic(criterion, Z.shape[1], *scatters_of(Z, weight, means.labels_))
        for k, means in zip(tried, found, strict=True)
    }
    best = min(tried, key=lambda k: (values[k], k))
    return _located(Z, found[tried.index(best)], values)


def cluster_by(
    Z: Floats, weight: Floats, clusterer: Any, seed: np.random.SeedSequence
) -> Clustering:
    """Cluster with any clusterer of scikit-learn.

    New rows belong where its ``predict`` says, and to the cluster of the nearest training row
    where it has none. Rows that it calls noise are a cluster.

    Parameters
    ----------
    Z : ndarray of shape (n_rows, n_dimensions)
        Distinct rows.
    weight : ndarray of shape (n_rows,)
        As how many rows each counts; used where the clusterer takes weights.
    clusterer : clusterer
        With ``fit_predict`` or with ``fit`` and ``predict``.
    seed : numpy.random.SeedSequence
        Becomes its ``random_state``, where it has one that is not set.
    """
    if isinstance(clusterer, type) or is_classifier(clusterer) or is_regressor(clusterer):
        raise _no_clusterer(clusterer)
    fitted = clone(clusterer)
    if fitted.get_params().get("random_state", 0) is None:
        fitted.set_params(random_state=int(seed.generate_state(1)[0] >> 1))
    with single_threaded():
        labels = _fit(fitted, Z, weight)
        if hasattr(fitted, "predict"):
            return _located(Z, fitted, {})
    return cluster_by_groups(Z, labels)


def cluster_by_groups(Z: Floats, groups: NDArray[Any]) -> Clustering:
    """Take given groups as clusters; a new row belongs to the group of the nearest row.

    Parameters
    ----------
    Z : ndarray of shape (n_rows, n_dimensions)
        Distinct rows.
    groups : ndarray of shape (n_rows,)
        Their groups.
    """
    nearest = KNeighborsClassifier(n_neighbors=1).fit(Z, groups)
    names, labels = np.unique(groups, return_inverse=True)
    return Clustering(labels, names, nearest, {})


def scatters_of(Z: Floats, weight: Floats, labels: Codes) -> tuple[Floats, Floats]:
    """Return the size of each cluster and its sum of squared distances from its mean."""
    _, labels = np.unique(labels, return_inverse=True)
    sizes = np.bincount(labels, weights=weight).astype(np.float64)
    sums = np.zeros((len(sizes), Z.shape[1]))
    np.add.at(sums, labels, weight[:, None] * Z)
    squares = ((Z - (sums / sizes[:, None])[labels]) ** 2).sum(axis=1)
    return sizes, np.bincount(labels, weights=weight * squares).astype(np.float64)


def _k_means(unit: Unit, shared: tuple[Floats, Floats]) -> KMeans:
    Z, weight = shared
    k, n_init = unit.payload
    assert unit.seed is not None
    state = int(unit.seed.generate_state(1)[0] >> 1)
    means = KMeans(k, init="random", n_init=n_init, random_state=state, max_iter=500)
    with warnings.catch_warnings():
        # Places that rounding keeps apart need not be so for the distances of k-means.
        warnings.simplefilter("ignore", ConvergenceWarning)
        return means.fit(Z, sample_weight=weight)


def _located(Z: Floats, locator: Any, values: dict[int, float]) -> Clustering:
    names, labels = np.unique(locator.predict(Z), return_inverse=True)
    return Clustering(labels, names, locator, values)


def _fit(clusterer: Any, Z: Floats, weight: Floats) -> NDArray[Any]:
    if has_fit_parameter(clusterer, "sample_weight"):
        clusterer.fit(Z, sample_weight=weight)
    else:
        clusterer.fit(Z)
    labels = np.asarray(getattr(clusterer, "labels_", None))
    if labels.shape != (len(Z),) and not hasattr(clusterer, "predict"):
        raise _no_clusterer(clusterer)
    return labels


def _no_clusterer(given: Any) -> InvalidInputError:
    return InvalidInputError(
        f"The 'clusterer' parameter must be 'k-means', 'x-means' or a clusterer of rows with "
        f"labels_ or predict. Got {given!r} instead."
    )
