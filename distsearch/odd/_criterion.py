"""What is minimised: Ω = (γ + Σ v_k) / (Π ‖a_i - a_j‖)^e, as log Ω, with exact gradients.

a_k is the mean and v_k the norm of the eigenvalues of the covariance of class k after the
transform (Bonyadi, Tieng and Reutens 2017, equations 5 and 6). The eigenvalues' norm is the
Frobenius norm of the covariance, and for linear F mean and covariance follow from those of the
data, so that nothing depends on the number of rows. The product of distances overflows where its
logarithm does not.
"""

from __future__ import annotations

import math
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray

from distsearch.odd._activations import Activation
from distsearch.odd._shrinkage import shrink

__all__ = ["ActivationCriterion", "LinearCriterion", "usual_exponent"]

Floats = NDArray[np.float64]

_SAFE = 1e-200
_TINY = 1e-300


def usual_exponent(n_classes: int) -> float:
    """Return 2 / (c (c - 1)): the denominator is the geometric mean of the distances."""
    return 2.0 / (n_classes * (n_classes - 1))


class _Pairs:
    """The pairs of classes."""

    def __init__(self, n_classes: int) -> None:
        first, second = zip(*combinations(range(n_classes), 2), strict=True)
        self.first, self.second = np.array(first), np.array(second)

    def __len__(self) -> int:
        return len(self.first)

    def differences(self, centers: Floats) -> Floats:
        """Return a_i - a_j, given centres along the first axis."""
        differences: Floats = centers[self.first] - centers[self.second]
        return differences


class LinearCriterion:
    """The criterion for F(x) = xM, from the moments of the classes.

    Parameters
    ----------
    mean : ndarray of shape (n_classes, n_features)
        Class means.
    covariance : ndarray of shape (n_classes, n_features, n_features)
        Class covariances, shrunk if they are to be.
    n_components : int
        Columns of M.
    gamma : float, default=1.0
        γ.
    exponent : float, optional
        e; 2 / (c (c - 1)) by default.
    class_factor : ndarray of shape (n_classes,), optional
        Factor of each v_k; 1 by default.

    Attributes
    ----------
    shape : tuple of int
        Of M: (n_features, n_components).
    work : float
        Multiplications of one evaluation, about.
    batched : bool
        True: a population costs little more than one.
    """

    batched = True

    def __init__(
        self,
        mean: Floats,
        covariance: Floats,
        n_components: int,
        *,
        gamma: float = 1.0,
        exponent: float | None = None,
        class_factor: Floats | None = None,
    ) -> None:
        n_classes, n_features = mean.shape
        self.mean, self.covariance = mean, covariance
        self.shape = (n_features, n_components)
        self.work = float(n_classes * n_features**2 * n_components)
        self.gamma = gamma
        self.exponent = usual_exponent(n_classes) if exponent is None else exponent
        self.class_factor = np.ones(n_classes) if class_factor is None else class_factor
        self.pairs = _Pairs(n_classes)
        self.mean_difference = self.pairs.differences(mean)
        # One product with M gives S_k M of every class, and below them the distances.
        self._stacked = np.vstack([covariance.reshape(-1, n_features), self.mean_difference])
        self._by_class = np.ascontiguousarray(covariance.transpose(2, 0, 1)).reshape(n_features, -1)

    def seen_through(self, basis: Floats, n_components: int) -> LinearCriterion:
        """Return the criterion as a function of A where M = basis · A.

        Parameters
        ----------
        basis : ndarray of shape (n_features, rank)
            Columns that M is made of.
        n_components : int
            Columns of A.
        """
        return LinearCriterion(
            self.mean @ basis,
            basis.T @ self.covariance @ basis,
            n_components,
            gamma=self.gamma,
            exponent=self.exponent,
            class_factor=self.class_factor,
        )

    def value(self, M: Floats) -> float:
        """Return log Ω of one M, of any number of columns; infinite where centres meet.

        Parameters
        ----------
        M : ndarray of shape (n_features, n_columns)
            Where.
        """
        return float(self._evaluate(M, self.gamma, self.exponent)[0])

    def values(self, population: Floats) -> Floats:
        """Return log Ω of each M of a population in one batch, as `value`.

        Parameters
        ----------
        population : ndarray of shape (n_candidates, n_features, n_components)
            The M.
        """
        spread, logs = self._batch(population)
        with np.errstate(invalid="ignore"):  # both infinite
            return _finite(np.log(self.gamma + spread) - self.exponent * logs)

    def shape_value(self, M: Floats) -> float:
        """Return the scale-free J of one M, which may have any number of columns."""
        with np.errstate(over="ignore", invalid="ignore"):
            return float(self._evaluate(M, 0.0, 2.0 / len(self.pairs))[0])

    def shape_values(self, population: Floats) -> Floats:
        """Return the scale-free J of each M of a population, as `values`."""
        spread, logs = self._batch(population)
        with np.errstate(divide="ignore", invalid="ignore"):
            return _finite(np.log(spread) - 2.0 / len(self.pairs) * logs)

    def value_and_gradient(self, M: Floats) -> tuple[float, Floats]:
        """Return log Ω and its gradient by M.

        Parameters
        ----------
        M : ndarray of shape (n_features, n_components)
            Where.
        """
        return self._value_and_gradient(M, self.gamma, self.exponent)

    def shape_value_and_gradient(self, M: Floats) -> tuple[float, Floats]:
        """Return J(M) = log Σ v_k - 2 log G and its gradient; G is the geometric mean distance.

        J does not change with the scale of M, and log Ω at the best scale is a growing function
        of it, so that both have the same minima.
        """
        return self._value_and_gradient(M, 0.0, 2.0 / len(self.pairs))

    def scale(self, M: Floats) -> Floats:
        """Return M times the number that makes Ω smallest: Σ v_k becomes γq / (2 - q).

        q is the degree of the denominator, e times the number of pairs, and must be below 2.
        """
        degree = self.exponent * len(self.pairs)
        spread = float(self._evaluate(M, 0.0, 0.0)[4])
        scaled: Floats = M * np.sqrt(self.gamma * degree / (2.0 - degree) / spread)
        return scaled

    def best_value(self, shape_value: float) -> float:
        """Return log Ω at the best scale, given J."""
        degree = self.exponent * len(self.pairs)
        ratio = self.gamma / (2.0 - degree)
        return float(
            np.log(2.0 * ratio) - 0.5 * degree * np.log(ratio * degree) + 0.5 * degree * shape_value
        )

    def _batch(self, population: Floats) -> tuple[Floats, Floats]:
        """Return Σ v_k and Σ log ‖a_i - a_j‖ of each candidate."""
        n_candidates, n_features, _ = population.shape
        columns = np.ascontiguousarray(population.transpose(0, 2, 1)).reshape(-1, n_features)
        with np.errstate(over="ignore", invalid="ignore", divide="ignore"):
            projected = (columns @ self._by_class).reshape(n_candidates, -1, n_features)
            inner = projected @ population
            squared = np.vecdot(inner, inner).reshape(n_candidates, -1, len(self.mean))
            norms = np.sqrt(squared.sum(axis=1))
            apart = columns @ self.mean_difference.T
            apart *= apart
            logs = np.log(apart.reshape(n_candidates, -1, len(self.pairs)).sum(axis=1))
            return norms @ self.class_factor, 0.5 * logs.sum(axis=1)

    def _value_and_gradient(self, M: Floats, gamma: float, exponent: float) -> tuple[float, Floats]:
        with np.errstate(over="ignore", invalid="ignore"):
            value, projected, inner, norms, total, apart, squares = self._evaluate(
                M, gamma, exponent
            )
            if value == np.inf:
                return value, np.zeros_like(M)
            factor = self.class_factor / (norms + _TINY) * (2.0 / total)
            gradient: Floats = (projected @ (inner * factor[:, None, None])).sum(axis=0)
            gradient -= self.mean_difference.T @ (apart * (exponent / squares)[:, None])
        return value, gradient

    def _evaluate(self, M: Floats, gamma: float, exponent: float) -> tuple[Any, ...]:
        """Return log Ω and what its gradient is made of: S_k M, MᵀS_kM and so on.

        Tens of microseconds matter here, so NumPy is called as seldom as can be.
        """
        n_features, p = M.shape
        n_classes = len(self.class_factor)
        products = self._stacked @ M
        projected = products[: n_classes * n_features].reshape(n_classes, n_features, p)
        inner = M.T @ projected
        flat = inner.reshape(n_classes, -1)
        norms = np.sqrt(np.vecdot(flat, flat))
        total = gamma + float(self.class_factor @ norms)
        apart = products[n_classes * n_features :]
        squares = np.vecdot(apart, apart)
        product = math.prod(squares.tolist())
        if _SAFE < product < 1.0 / _SAFE and 0.0 < total < np.inf:
            value = math.log(total) - 0.5 * exponent * math.log(product)
        else:
            value = _careful_value(total, squares, exponent)
        return value, projected, inner, norms, total, apart, squares


class ActivationCriterion:
    """The criterion for F(x) = g(xM + r), from the rows.

    Parameters
    ----------
    X : ndarray of shape (n_samples, n_features)
        Rows.
    codes : ndarray of int of shape (n_samples,)
        Their classes; each has a row.
    n_classes, n_components : int
        Number of classes and of columns of M.
    activation : Activation
        g.
    weight : ndarray of shape (n_samples,), optional
        How often each row counts.
    gamma, exponent, class_factor
        As in `LinearCriterion`.
    ddof : {0, 1}
        What is taken off the weight in the divisor of covariances.
    shrinkage : ndarray of shape (n_classes,), optional
        How far each class's covariance is drawn to a multiple of the identity; 0 by default.

    Attributes
    ----------
    shape : tuple of int
        Of W, whose last row is r and the others M: (n_features + 1, n_components).
    work : float
        Multiplications of one evaluation, about.
    batched : bool
        False: a population costs as much as each of it.
    """

    batched = False

    def __init__(
        self,
        X: Floats,
        codes: NDArray[np.intp],
        n_classes: int,
        n_components: int,
        activation: Activation,
        *,
        weight: Floats | None = None,
        gamma: float = 1.0,
        exponent: float | None = None,
        class_factor: Floats | None = None,
        ddof: int = 1,
        shrinkage: Floats | None = None,
    ) -> None:
        order = np.argsort(codes, kind="stable")
        self._rows = np.hstack([X[order], np.ones((len(X), 1))])
        self._weight = np.ones(len(X)) if weight is None else weight[order]
        starts = np.searchsorted(codes[order], np.arange(n_classes + 1))
        self._slices = [slice(starts[k], starts[k + 1]) for k in range(n_classes)]
        self._total = np.array([self._weight[rows].sum() for rows in self._slices])
        self._divisor = np.where(self._total > ddof, self._total - ddof, np.inf)
        self._activation = activation
        self._shrinkage = np.zeros(n_classes) if shrinkage is None else shrinkage
        self.shape = (X.shape[1] + 1, n_components)
        self.work = float(len(X) * self.shape[0] * n_components)
        self.gamma = gamma
        self.exponent = usual_exponent(n_classes) if exponent is None else exponent
        self.class_factor = np.ones(n_classes) if class_factor is None else class_factor
        self.pairs = _Pairs(n_classes)

    def value(self, W: Floats) -> float:
        """Return log Ω of one W; infinite where centres meet.

        Parameters
        ----------
        W : ndarray of shape (n_features + 1, n_components)
            M and, below it, r.
        """
        return self._evaluate(W)[0]

    def values(self, population: Floats) -> Floats:
        """Return log Ω of each W of a population, one after the other; infinite where centres meet.

        Parameters
        ----------
        population : ndarray of shape (n_candidates, n_features + 1, n_components)
            The W.
        """
        return np.array([self.value(W) for W in population])

    def value_and_gradient(self, W: Floats) -> tuple[float, Floats]:
        """Return log Ω and its gradient by W.

        Parameters
        ----------
        W : ndarray of shape (n_features + 1, n_components)
            M and, below it, r.
        """
        value, Z, Y, T = self._evaluate(W, with_gradient=True)
        if not np.isfinite(value):
            return np.inf, np.zeros_like(W)
        return value, self._rows.T @ (T * self._activation.derivative(Z, Y))

    def _evaluate(
        self, W: Floats, *, with_gradient: bool = False
    ) -> tuple[float, Floats, Floats, Floats]:
        with np.errstate(over="ignore", invalid="ignore", divide="ignore"):
            Z = self._rows @ W
            Y = self._activation.value(Z)
            centers = np.array(
                [
                    self._weight[rows] @ Y[rows] / self._total[k]
                    for k, rows in enumerate(self._slices)
                ]
            )
            off = np.empty_like(Y)
            covariance = np.empty((len(centers), Y.shape[1], Y.shape[1]))
            for k, rows in enumerate(self._slices):
                off[rows] = Y[rows] - centers[k]
                covariance[k] = (off[rows].T * self._weight[rows]) @ off[rows] / self._divisor[k]
            shrunk = shrink(covariance, self._shrinkage, Y.shape[1])
            norms = np.sqrt(np.einsum("kij,kij->k", shrunk, shrunk))
            total = self.gamma + self.class_factor @ norms
            distances = self.pairs.differences(centers)
            squares = np.einsum("ij,ij->i", distances, distances)
            value = float(np.log(total) - 0.5 * self.exponent * np.log(squares).sum())
            if not with_gradient or not np.isfinite(value):
                return (value if np.isfinite(value) else np.inf), Z, Y, off
            # By the covariance of each class (shrinking is its own adjoint), then by its centre.
            by_covariance = shrink(shrunk, self._shrinkage, Y.shape[1])
            factor = _share(2.0 * self.class_factor, total * norms * self._divisor)
            by_center = np.zeros_like(centers)
            pull = distances * (self.exponent / squares)[:, None]
            np.add.at(by_center, self.pairs.first, -pull)
            np.add.at(by_center, self.pairs.second, pull)
            for k, rows in enumerate(self._slices):
                off[rows] = off[rows] @ (factor[k] * by_covariance[k])
                off[rows] += by_center[k] / self._total[k]
            off *= self._weight[:, None]
        return value, Z, Y, off


def _careful_value(total: float, squares: Floats, exponent: float) -> float:
    """Return log Ω where the product of distances is beyond the range of numbers, or 0."""
    if not (0.0 < total < np.inf and squares.min() > 0.0):
        return np.inf
    value = math.log(total) - 0.5 * exponent * float(np.log(squares).sum())
    return value if math.isfinite(value) else np.inf


def _share(numerator: Floats, denominator: Floats) -> Floats:
    """Return the quotient, 0 where the denominator is."""
    zero = np.zeros_like(denominator)
    share: Floats = np.divide(numerator, denominator, out=zero, where=denominator > 0)
    return share


def _finite(values: Floats) -> Floats:
    return np.where(np.isfinite(values), values, np.inf)
