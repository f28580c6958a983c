"""Criteria of which the answer is known, for tests of the paper's schedule."""

import numpy as np
from threadpoolctl import threadpool_info


class Bowl:
    """Ω = 1 + Σ a (W - target)²: its minimum is 1, at the target."""

    batched = False
    work = 0.0

    def __init__(self, target, weight=1.0, whole=None):
        self.target = np.asarray(target, dtype=float)
        self.weight = np.broadcast_to(weight, self.target.shape)
        self.shape = self.target.shape
        self.whole = whole

    def values(self, population):
        if self.whole is not None and len(population) != self.whole:
            raise AssertionError(f"a batch of {len(population)}, not of {self.whole}")
        return np.array([self.value_and_gradient(W)[0] for W in population])

    def value_and_gradient(self, W):
        off = W - self.target
        omega = 1.0 + (self.weight * off * off).sum()
        return float(np.log(omega)), 2.0 * self.weight * off / omega


class Looking(Bowl):
    """Notes how many threads the libraries may use while it is asked."""

    def __init__(self, target):
        super().__init__(target)
        self.threads = set()

    def value_and_gradient(self, W):
        self.threads.update(library["num_threads"] for library in threadpool_info())
        return super().value_and_gradient(W)


class Nowhere:
    """Centres that meet whatever W is."""

    shape = (2, 2)
    batched = False
    work = 0.0

    def values(self, population):
        return np.full(len(population), np.inf)

    def value_and_gradient(self, W):
        return np.inf, np.zeros_like(W)


class Broken(Nowhere):
    """Fails for its own reasons."""

    def values(self, population):
        raise ZeroDivisionError("no centre of mass")
