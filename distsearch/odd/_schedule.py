"""The paper's schedule: CMA-ES and BFGS for small problems, an evolution strategy for large."""

from __future__ import annotations

from dataclasses import dataclass
from numbers import Integral, Real
from typing import Any, ClassVar, Protocol

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize
from sklearn.base import BaseEstimator

from distsearch._sklearn import Interval, check_parameters
from distsearch.backends import Backend, SerialBackend, derive_seed, single_threaded
from distsearch.errors import SearchFailedError
from distsearch.odd._strategies import CMAES, EvolutionStrategy, default_population
from distsearch.search import Scored, SearchResult, search

__all__ = ["Criterion", "Found", "PaperSchedule"]

Floats = NDArray[np.float64]

_WORTH_SENDING = 1e8
"""Multiplications in a population from which workers are asked: fewer take longer to send."""


class Criterion(Protocol):
    """What is minimised, as a function of a matrix."""

    shape: tuple[int, int]
    work: float
    batched: bool

    def values(self, population: Floats) -> Floats:
        """Return log Ω of each matrix."""

    def value_and_gradient(self, W: Floats) -> tuple[float, Floats]:
        """Return log Ω and its gradient."""


@dataclass(frozen=True, eq=False)
class Found:
    """What a schedule found.

    Parameters
    ----------
    W : ndarray
        The matrix with the smallest Ω.
    log_omega : float
        log Ω there.
    stage : list of str
        "cma-es", "es" or "bfgs", for each iteration.
    criterion : list of float
        The smallest Ω after each iteration.
    """

    W: Floats
    log_omega: float
    stage: list[str]
    criterion: list[float]


class PaperSchedule(BaseEstimator):  # type: ignore[misc]
    """How the paper minimises Ω (section 3.4 and the settings of section 4).

    Parameters
    ----------
    iterations : int, default=100
        Of CMA-ES.
    population : int or None, default=None
        Candidates an iteration; None for 4 + ⌊3 ln n⌋.
    step : float, default=1.0
        First standard deviation.
    patience : int, default=20
        A population search ends when Ω fell by less than `tolerance` over so many iterations.
    tolerance : float, default=1e-4
        See `patience`; the paper has 0.001 in its description and 0.0001 in its comparison.
    newton_iterations : int, default=100
        Of BFGS after CMA-ES; 0 for none.
    gradient_tolerance : float, default=1e-8
        BFGS ends when no derivative of Ω is larger.
    large : int, default=200
        A problem of more variables, (n_features + 1) · n_components for tanh, is left to the
        evolution strategy alone; 0 for all. The paper's number is lost, it lies from 90 to 510.
    es_iterations : int, default=500
        Of the evolution strategy.

    Notes
    -----
    The start and the first step are not in the paper: uniform in (-1, 1), and 1. BFGS works with
    exact derivatives where the paper's has finite differences.
    """

    _parameter_constraints: ClassVar[dict[str, Any]] = {
        "iterations": [Interval(Integral, 1, None, closed="left")],
        "population": [Interval(Integral, 2, None, closed="left"), None],
        "step": [Interval(Real, 0, None, closed="neither")],
        "patience": [Interval(Integral, 1, None, closed="left")],
        "tolerance": [Interval(Real, 0, None, closed="left")],
        "newton_iterations": [Interval(Integral, 0, None, closed="left")],
        "gradient_tolerance": [Interval(Real, 0, None, closed="left")],
        "large": [Interval(Integral, 0, None, closed="left")],
        "es_iterations": [Interval(Integral, 1, None, closed="left")],
    }

    def __init__(
        self,
        *,
        iterations: int = 100,
        population: int | None = None,
        step: float = 1.0,
        patience: int = 20,
        tolerance: float = 1e-4,
        newton_iterations: int = 100,
        gradient_tolerance: float = 1e-8,
        large: int = 200,
        es_iterations: int = 500,
    ) -> None:
        self.iterations = iterations
        self.population = population
        self.step = step
        self.patience = patience
        self.tolerance = tolerance
        self.newton_iterations = newton_iterations
        self.gradient_tolerance = gradient_tolerance
        self.large = large
        self.es_iterations = es_iterations

    def run(self, criterion: Criterion, backend: Backend, seed: np.random.SeedSequence) -> Found:
        """Minimise a criterion.

        Parameters
        ----------
        criterion : Criterion
            What is minimised.
        backend : Backend
            Where populations are scored if they are a lot of work.
        seed : SeedSequence
            Of the start and of every draw.

        Returns
        -------
        Found

        Raises
        ------
        InvalidInputError
            When a parameter cannot work.
        SearchFailedError
            When Ω is finite at no candidate.
        """
        check_parameters(self)
        with single_threaded():
            return self._run(criterion, backend, seed)

    def _run(self, criterion: Criterion, backend: Backend, seed: np.random.SeedSequence) -> Found:
        is_large = criterion.shape[0] * criterion.shape[1] > self.large
        how = (self.population, self.step, self.patience, self.tolerance)
        strategy = (
            EvolutionStrategy(self.es_iterations, *how)
            if is_large
            else CMAES(self.iterations, *how)
        )
        searched = self._search(strategy, criterion, backend, seed)
        W, log_omega = searched.best.reshape(criterion.shape), -searched.best_score
        omega = _by_iteration(searched)
        stage = ["es" if is_large else "cma-es"] * len(omega)
        if not is_large and self.newton_iterations:
            W, log_omega, further = self._descend(criterion, W, log_omega)
            omega += further
            stage += ["bfgs"] * len(further)
        return Found(W, log_omega, stage, omega)

    def _search(
        self, strategy: Any, criterion: Criterion, backend: Backend, seed: np.random.SeedSequence
    ) -> SearchResult:
        n = criterion.shape[0] * criterion.shape[1]
        population = self.population or default_population(n)
        # A linear problem costs microseconds a candidate, and its population is one batch.
        if criterion.batched or criterion.work * population < _WORTH_SENDING:
            backend = SerialBackend()
            per_unit = population
        else:
            per_unit = 1
        start = np.random.default_rng(derive_seed(seed, 0)).uniform(-1.0, 1.0, n)
        try:
            return search(
                strategy, _Scoring(criterion, per_unit), backend, start=start,
                seed=derive_seed(seed, 1), error_score="raise", label="population search",
            )  # fmt: skip
        except SearchFailedError:
            raise SearchFailedError(
                f"Ω is infinite at every candidate of {type(strategy).__name__}: the centres of "
                f"two classes coincide. Give another random_state or another activation."
            ) from None

    def _descend(
        self, criterion: Criterion, W: Floats, log_omega: float
    ) -> tuple[Floats, float, list[float]]:
        omega = [np.inf]

        def function(x: Floats) -> tuple[float, Floats]:
            value, gradient = criterion.value_and_gradient(x.reshape(criterion.shape))
            exponential = np.exp(value)
            return exponential, exponential * gradient.ravel()

        def note(intermediate_result: Any) -> None:
            omega.append(float(intermediate_result.fun))

        with np.errstate(over="ignore", invalid="ignore"):
            omega[0] = float(np.exp(log_omega))
            found = minimize(
                function, W.ravel(), method="BFGS", jac=True, callback=note,
                options={"maxiter": self.newton_iterations, "gtol": self.gradient_tolerance},
            )  # fmt: skip
        there = found.x.reshape(criterion.shape)
        value = criterion.value_and_gradient(there)[0]
        if value < log_omega:
            W, log_omega = there, value
        return W, log_omega, np.fmin.accumulate(omega)[1:].tolist()


class _Scoring:
    """The criterion as what a search maximises: -log Ω."""

    n_parts = 1
    parts_per_unit = 1
    maximum = np.inf

    def __init__(self, criterion: Criterion, candidates_per_unit: int) -> None:
        self._criterion = criterion
        self.candidates_per_unit = candidates_per_unit

    def score(self, candidates: Floats, parts: NDArray[np.int64]) -> Scored:
        """Score each candidate, a flat matrix."""
        del parts
        population = candidates.reshape(-1, *self._criterion.shape)
        return Scored(-self._criterion.values(population)[:, None])


def _by_iteration(searched: SearchResult) -> list[float]:
    """Return the smallest Ω so far at the end of each iteration."""
    table = searched.history.table()
    last = np.flatnonzero(np.diff(table["epoch"], append=-1))
    with np.errstate(over="ignore"):
        # NaN where no score was finite so far, and infinity is what is meant.
        omega: list[float] = np.fmin(np.exp(-table["best_score"][last]), np.inf).tolist()
    return omega
