"""Which rows to leave out: members of clusters too close to one of another label."""

from __future__ import annotations

import warnings
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.spatial.distance import cdist
from sklearn.cluster import KMeans
from sklearn.exceptions import ConvergenceWarning

from distsearch.backends import derive_seed

__all__ = ["LabelClusters", "cluster_labels", "distances_between", "troublesome", "whitening"]

Codes = NDArray[np.intp]
Floats = NDArray[np.float64]

_STARTS = 5
_PLACES = 12
"""Decimals, of columns between 0 and 1, that tell places apart."""

_RANK = 1e-10
"""Spread, as a share of the largest, below which a direction has none."""


@dataclass(frozen=True, eq=False)
class LabelClusters:
    """Clusters of rows.

    Parameters
    ----------
    labels : ndarray of int of shape (n_rows,)
        The cluster of each row, from 0.
    codes : ndarray of int of shape (n_clusters,)
        The class of each cluster, of a mixed one that of most rows.
    centers : ndarray of shape (n_clusters, n_dimensions)
        Means of the members.
    """

    labels: Codes
    codes: Codes
    centers: Floats


def cluster_labels(
    Z: Floats,
    codes: Codes,
    weight: Floats,
    n_clusters: int,
    seed: np.random.SeedSequence,
    *,
    mixed: bool = False,
) -> LabelClusters:
    """Cluster the rows of each label with k-means.

    Parameters
    ----------
    Z : ndarray of shape (n_rows, n_dimensions)
        Rows.
    codes : ndarray of int of shape (n_rows,)
        The class of each.
    weight : ndarray of shape (n_rows,)
        As how many rows it counts.
    n_clusters : int
        Clusters of each label, cut to the number of places that its rows are at.
    seed : numpy.random.SeedSequence
        Each label has its own, by its position.
    mixed : bool
        Whether all rows are clustered at once instead.
    """
    labels = np.empty(len(codes), dtype=np.intp)
    parts = np.zeros_like(codes) if mixed else codes
    found = 0
    for part in np.unique(parts).tolist():
        members = np.flatnonzero(parts == part)
        own = _k_means(Z[members], weight[members], n_clusters, derive_seed(seed, part))
        labels[members] = found + own
        found += int(own.max()) + 1
    counts = np.zeros((found, int(codes.max()) + 1))
    np.add.at(counts, (labels, codes), weight)
    sums = np.zeros((found, Z.shape[1]))
    np.add.at(sums, labels, weight[:, None] * Z)
    return LabelClusters(labels, counts.argmax(axis=1), sums / counts.sum(axis=1)[:, None])


def whitening(Z: Floats, codes: Codes, weight: Floats) -> Floats:
    """Return what turns differences into ones whose length is the Mahalanobis distance.

    The covariance is that within labels, pooled. Directions without spread inside labels are left
    out, as a pseudo-inverse does.

    Parameters
    ----------
    Z : ndarray of shape (n_rows, n_dimensions)
        Rows.
    codes : ndarray of int of shape (n_rows,)
        The class of each.
    weight : ndarray of shape (n_rows,)
        As how many rows it counts.

    Returns
    -------
    ndarray of shape (n_dimensions, n_directions)
    """
    _, codes = np.unique(codes, return_inverse=True)
    sizes = np.bincount(codes, weights=weight)
    sums = np.zeros((len(sizes), Z.shape[1]))
    np.add.at(sums, codes, weight[:, None] * Z)
    apart = (Z - (sums / sizes[:, None])[codes]) * np.sqrt(weight)[:, None]
    scatter = apart.T @ apart / max(weight.sum() - len(sizes), 1.0)
    values, directions = np.linalg.eigh(scatter)
    kept = values > _RANK * max(values[-1], _RANK)
    whitened: Floats = directions[:, kept] / np.sqrt(values[kept])
    return whitened


def distances_between(clusters: LabelClusters, whitened: Floats, *, alike: bool) -> Floats:
    """Return the distances between clusters, infinite where a pair is not compared.

    Parameters
    ----------
    clusters : LabelClusters
        Clusters.
    whitened : ndarray of shape (n_dimensions, n_directions)
        See `whitening`.
    alike : bool
        Whether clusters of the same label are compared too.

    Returns
    -------
    ndarray of shape (n_clusters, n_clusters)
    """
    places = clusters.centers @ whitened
    distances: Floats = cdist(places, places) if places.shape[1] else np.zeros((len(places),) * 2)
    same = clusters.codes[:, None] == clusters.codes
    distances[np.eye(len(same), dtype=bool) if alike else same] = np.inf
    return distances


def troublesome(distances: Floats, threshold: float) -> NDArray[np.bool_]:
    """Return which clusters have another closer than a threshold, as an array (n_clusters,)."""
    return np.asarray((distances < threshold).any(axis=1))


def _k_means(Z: Floats, weight: Floats, number: int, seed: np.random.SeedSequence) -> Codes:
    number = min(number, len(np.unique(Z.round(_PLACES), axis=0)))
    state = int(seed.generate_state(1)[0] >> 1)
    means = KMeans(number, init="random", n_init=_STARTS, max_iter=500, random_state=state)
    with warnings.catch_warnings():
        # Places too close for k-means to tell apart share a cluster.
        warnings.simplefilter("ignore", ConvergenceWarning)
        found = means.fit(Z, sample_weight=weight).labels_
    labels: Codes = np.unique(found, return_inverse=True)[1]
    return labels
