"""ODD by the paper's text: all rows are projected, nothing is remembered, nothing is clever."""

from itertools import combinations

import numpy as np
from scipy.stats import multivariate_normal


def covariance(Y, ddof=1, shrinkage=0.0):
    """The covariance of rows, 0 for one row, drawn to a multiple of the identity."""
    p = Y.shape[1]
    if len(Y) <= ddof:
        return np.zeros((p, p))
    C = np.cov(Y, rowvar=False, ddof=ddof).reshape(p, p)
    return (1 - shrinkage) * C + shrinkage * np.trace(C) / p * np.eye(p)


def spread(C):
    return np.linalg.norm(np.linalg.eigvalsh(C))


def omega(projected, gamma=1.0, exponent=None, factor=None, ddof=1, shrinkage=None, spreads=None):
    """Equation 6, given the rows of each class after the transform."""
    c = len(projected)
    exponent = 2.0 / (c * (c - 1)) if exponent is None else exponent
    factor = np.ones(c) if factor is None else factor
    shrinkage = np.zeros(c) if shrinkage is None else shrinkage
    if spreads is None:
        spreads = [
            spread(covariance(Y, ddof, s)) for Y, s in zip(projected, shrinkage, strict=True)
        ]
    centers = [Y.mean(axis=0) for Y in projected]
    product = 1.0
    for i, j in combinations(range(c), 2):
        product *= np.linalg.norm(centers[i] - centers[j]) ** exponent
    return (gamma + sum(f * v for f, v in zip(factor, spreads, strict=True))) / product


def linear_omega(groups, M, ddof=1, shrinkage=None, **how):
    """For F(x) = xM; the covariances are shrunk before the projection."""
    shrinkage = np.zeros(len(groups)) if shrinkage is None else shrinkage
    spreads = [
        spread(M.T @ covariance(X, ddof, s) @ M) for X, s in zip(groups, shrinkage, strict=True)
    ]
    return omega([X @ M for X in groups], spreads=spreads, **how)


def shares(D):
    """Equation 7: small for the class that a row is like."""
    D = np.asarray(D, dtype=float)
    return D / D.sum() if D.sum() > 0 else np.full(len(D), 1 / len(D))


def memberships(D):
    """Equation 8: 1 less the share of the distance, over c - 1."""
    return (1 - shares(D)) / (len(D) - 1)


def posteriors(Y, centers, covariances, weight, priors):
    """A Gaussian a class, its covariance as if it had 10 (p + 1) more rows of the mean one."""
    p = Y.shape[1]
    mean = sum(w * C for w, C in zip(weight, covariances, strict=True)) / sum(weight)
    more = 10 * (p + 1)
    joint = [
        prior * multivariate_normal(center, (w * C + more * mean) / (w + more)).pdf(Y)
        for center, C, w, prior in zip(centers, covariances, weight, priors, strict=True)
    ]
    return (np.array(joint) / np.sum(joint, axis=0)).T


def fisher(first, second):
    """Fisher's discriminant of two classes whose covariances count the same."""
    within = np.cov(first, rowvar=False) + np.cov(second, rowvar=False)
    return np.linalg.solve(within, first.mean(axis=0) - second.mean(axis=0))


def central_differences(function, W, step=1e-3):
    """The gradient by five points, of error step**4."""
    gradient = np.zeros_like(W)
    for place in np.ndindex(W.shape):
        E = np.zeros_like(W)
        E[place] = step
        near = function(W + E) - function(W - E)
        far = function(W + 2 * E) - function(W - 2 * E)
        gradient[place] = (8 * near - far) / (12 * step)
    return gradient


def balanced_accuracy(claimed, own):
    return (claimed[own].mean() + (~claimed)[~own].mean()) / 2


def best_cut(scores, own):
    """The balanced accuracy of the best threshold, every one between two scores tried."""
    values = np.unique(scores)
    cuts = [values[0] - 1, *(values[1:] + values[:-1]) / 2, values[-1] + 1]
    return max(balanced_accuracy(scores > cut, own) for cut in cuts)


def one_against_rest(claims, y):
    """The paper's measure: the balanced accuracy of each class's own decision, averaged."""
    return np.mean([balanced_accuracy(claims[:, k], y == k) for k in range(claims.shape[1])])
