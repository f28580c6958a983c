"""From where a row lands to how much it is like each class."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.special import logsumexp

__all__ = ["by_distance", "by_gaussians", "evidence", "highest"]

Floats = NDArray[np.float64]

_STILL = 1e-10


def by_distance(Y: Floats, centers: Floats) -> Floats:
    """Return q_k = (1 - D_k / Σ D_j) / (c - 1), D_k being the distance to centre k.

    Rows add up to 1; no value is above 1 / (c - 1). A row that is on every centre has 1 / c for
    each class (equations 7 and 8 of the paper).

    Parameters
    ----------
    Y : ndarray of shape (n_samples, n_components)
        Where the rows land.
    centers : ndarray of shape (n_classes, n_components)
        The centres of the classes.
    """
    n_classes = len(centers)
    # One centre at a time: the square of a difference keeps the digits that XᵀX loses.
    # Rows very far away are brought nearer first, so that no square overflows.
    far = max(float(np.abs(centers).max(initial=0.0)), 1.0)
    size = np.maximum(np.abs(Y).max(axis=1, initial=0.0), far)[:, None]
    distances = np.stack(
        [np.linalg.norm(Y / size - center / size, axis=1) for center in centers], axis=1
    )
    largest = distances.max(axis=1, keepdims=True)
    distances = np.divide(distances, largest, out=np.ones_like(distances), where=largest > 0)
    share = distances / distances.sum(axis=1, keepdims=True)
    memberships: Floats = (1.0 - share) / (n_classes - 1)
    return memberships


def by_gaussians(
    Y: Floats, centers: Floats, covariances: Floats, weight: Floats, priors: Floats
) -> Floats:
    """Return the logarithm of the posterior probability of each class, a Gaussian each.

    Parameters
    ----------
    Y : ndarray of shape (n_samples, n_components)
        Where the rows land.
    centers : ndarray of shape (n_classes, n_components)
        The means of the classes.
    covariances : ndarray of shape (n_classes, n_components, n_components)
        Their covariances.
    weight : ndarray of shape (n_classes,)
        Their numbers of rows.
    priors : ndarray of shape (n_classes,)
        Their prior probabilities.

    Notes
    -----
    A class's covariance is drawn to the mean of all as if it had ten more rows for each component
    and ten besides: the mean of an inverse Wishart posterior. Components that do not vary
    within classes are left out where the centres agree, and count as varying very little where
    they differ.
    """
    whitener = _whitener(centers, covariances, weight)
    Y, centers = Y @ whitener, centers @ whitener
    n_components = whitener.shape[1]
    added = 10.0 * (n_components + 1.0)
    eye = np.eye(n_components)
    log_joint = np.empty((len(Y), len(centers)))
    for k, center in enumerate(centers):
        own = whitener.T @ covariances[k] @ whitener
        factor = np.linalg.cholesky((weight[k] * own + added * eye) / (weight[k] + added))
        # The factor of so small a matrix is inverted once, not solved with for every row.
        far = (Y - center) @ np.linalg.inv(factor).T
        with np.errstate(over="ignore", divide="ignore"):
            log_joint[:, k] = -0.5 * np.einsum("ij,ij->i", far, far)
            log_joint[:, k] += np.log(priors[k]) - np.log(np.diag(factor)).sum()
    # Of a row that is too far from every class for numbers, nothing but the priors is known.
    log_joint[np.isneginf(log_joint.max(axis=1))] = np.log(priors)
    posterior: Floats = log_joint - logsumexp(log_joint, axis=1, keepdims=True)
    return posterior


def evidence(log_probability: Floats) -> Floats:
    """Return log p - log (1 - p) of each class, without losing those near 0 or 1.

    Parameters
    ----------
    log_probability : ndarray of shape (n_samples, n_classes)
        Logarithms of probabilities that add up to 1.
    """
    n_classes = log_probability.shape[1]
    others = ~np.eye(n_classes, dtype=bool)
    rest = [logsumexp(log_probability[:, others[k]], axis=1) for k in range(n_classes)]
    odds: Floats = log_probability - np.stack(rest, axis=1)
    return odds


def highest(scores: Floats) -> NDArray[np.intp]:
    """Return the place of the class with the highest score, the first of equal ones.

    Parameters
    ----------
    scores : ndarray of shape (n_samples,) or (n_samples, n_classes)
        As of a `decision_function`: of two classes, positive for the second.
    """
    return (scores > 0).astype(np.intp) if scores.ndim == 1 else scores.argmax(axis=1)


def _whitener(centers: Floats, covariances: Floats, weight: Floats) -> Floats:
    """Return W with WᵀCW the identity for the mean covariance C."""
    pooled = np.tensordot(weight, covariances, axes=1) / weight.sum()
    values, vectors = np.linalg.eigh(pooled)
    apart = np.ptp(centers @ vectors, axis=0) ** 2
    floor = _STILL * max(float(values.max()), float(apart.max()))
    used = (values > floor) | (apart > floor)
    whitener: Floats = vectors[:, used] / np.sqrt(np.maximum(values[used], floor))
    return whitener
