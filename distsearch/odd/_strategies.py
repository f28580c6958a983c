"""The paper's population searches, as strategies that ask and tell.

A score is -log Ω: higher is better. A strategy ends after its iterations, or when the smallest Ω
has fallen by less than a tolerance over the last iterations.
"""

from __future__ import annotations

from abc import abstractmethod
from collections import deque
from collections.abc import Generator

import numpy as np
from numpy.typing import NDArray

from distsearch.search import Batch, Plan, ScriptedStrategy

__all__ = ["CMAES", "EvolutionStrategy", "default_population"]

Floats = NDArray[np.float64]

_WORST = 1e300
"""Stands for infinity, which pycma does not take; only its rank counts."""


def default_population(n_dimensions: int) -> int:
    """Return 4 + ⌊3 ln n⌋, Hansen's population for n dimensions."""
    return 4 + int(3 * np.log(n_dimensions))


class _Patience:
    """Says when the smallest Ω has ceased to fall."""

    def __init__(self, patience: int, tolerance: float) -> None:
        self._best: deque[float] = deque(maxlen=patience + 1)
        self._tolerance = tolerance

    def is_over(self, best_score: float) -> bool:
        """Take the best score after an iteration; say whether to end."""
        with np.errstate(over="ignore"):
            self._best.append(float(np.exp(-best_score)))
        if len(self._best) < (self._best.maxlen or 0):
            return False
        return self._best[0] - self._best[-1] < self._tolerance  # never where both are infinite


class _PopulationStrategy(ScriptedStrategy):
    """What both searches share: their parameters, the answer so far, and when to end."""

    def __init__(
        self, iterations: int, population: int | None, step: float, patience: int, tolerance: float
    ) -> None:
        self.iterations = iterations
        self.population = population
        self.step = step
        self.patience = patience
        self.tolerance = tolerance

    def planned(self, n_dimensions: int) -> int:
        """Return the largest number of candidates a search of that size asks for."""
        return self.iterations * self._size(n_dimensions)

    def _size(self, n_dimensions: int) -> int:
        return self.population or default_population(n_dimensions)

    def _plan(self, start: Floats, rng: np.random.Generator) -> Plan:
        populations = self._populations(start, self._size(len(start)), rng)
        patience = _Patience(self.patience, self.tolerance)
        candidates = next(populations)
        for iteration in range(self.iterations):
            scores = yield Batch.of(candidates, iteration)
            for candidate, score in zip(candidates, scores, strict=True):
                self._offer(candidate, score)
            if patience.is_over(self.best[1]):
                return
            candidates = populations.send(scores)

    @abstractmethod
    def _populations(
        self, start: Floats, size: int, rng: np.random.Generator
    ) -> Generator[Floats, Floats, None]:
        """Yield populations without end, and receive their scores."""


class CMAES(_PopulationStrategy):
    """Covariance matrix adaptation, by pycma, with a generator of its own.

    Parameters
    ----------
    iterations : int, default=100
        Populations at most; the paper's number.
    population : int or None, default=None
        Candidates in each; None for 4 + ⌊3 ln n⌋.
    step : float, default=1.0
        First standard deviation.
    patience : int, default=20
        Iterations over which Ω must fall; the paper's number.
    tolerance : float, default=1e-4
        By how much; the paper's number in its comparison.

    Notes
    -----
    The paper names neither the population, nor the step, nor the start: these are Hansen's
    population, a step of 1 and the start that is given.

    References
    ----------
    Hansen, N. and Ostermeier, A. (2001). Completely derandomized self-adaptation in evolution
    strategies. Evolutionary Computation 9(2).
    """

    def __init__(
        self,
        iterations: int = 100,
        population: int | None = None,
        step: float = 1.0,
        patience: int = 20,
        tolerance: float = 1e-4,
    ) -> None:
        super().__init__(iterations, population, step, patience, tolerance)

    def _populations(
        self, start: Floats, size: int, rng: np.random.Generator
    ) -> Generator[Floats, Floats, None]:
        import cma

        options = {
            "popsize": size,
            "randn": lambda *shape: rng.standard_normal(shape),
            "seed": np.nan,  # the global generator of NumPy is neither read nor set
            "verbose": -9,
            "verb_log": 0,
            "verb_disp": 0,
        }
        search = cma.CMAEvolutionStrategy(start, self.step, options)
        while True:
            candidates = np.array(search.ask())
            scores = yield candidates
            search.tell(list(candidates), np.clip(-scores, -_WORST, _WORST).tolist())


class EvolutionStrategy(_PopulationStrategy):
    """A comma strategy with intermediate recombination and a step size for each individual.

    Parameters
    ----------
    iterations : int, default=500
        Populations at most; the paper's number.
    population : int or None, default=None
        Offspring λ of each; None for 4 + ⌊3 ln n⌋. The better half are the parents of the next.
    step, patience, tolerance
        As of `CMAES`.

    Notes
    -----
    The paper does not say which evolution strategy it used. This one, (μ/μ, λ) with μ = λ/2, a
    log-normal step of rate 1/√(2n), a first step of 1 and a start in (-1, 1), is that of a later
    classifier by its first author. Chosen here: the population, the geometric mean of the
    parents' steps, and that the start is given by whoever begins the search.
    """

    def __init__(
        self,
        iterations: int = 500,
        population: int | None = None,
        step: float = 1.0,
        patience: int = 20,
        tolerance: float = 1e-4,
    ) -> None:
        super().__init__(iterations, population, step, patience, tolerance)

    def _populations(
        self, start: Floats, size: int, rng: np.random.Generator
    ) -> Generator[Floats, Floats, None]:
        n_parents = max(1, size // 2)
        rate = 1.0 / np.sqrt(2.0 * len(start))
        center, step = start, self.step
        while True:
            steps = step * np.exp(rate * rng.standard_normal(size))
            candidates = center + steps[:, None] * rng.standard_normal((size, len(start)))
            scores = yield candidates
            parents = np.argsort(-scores, kind="stable")[:n_parents]
            center = candidates[parents].mean(axis=0)
            step = float(np.exp(np.log(steps[parents]).mean()))
