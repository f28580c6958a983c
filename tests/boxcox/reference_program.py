"""Slow, literal versions of the method, to hold the package's against.

Plain loops, one evaluation at a time, nothing skipped or remembered.
"""

import numpy as np
from scipy import special
from sklearn.base import clone
from sklearn.metrics import accuracy_score
from sklearn.preprocessing import MinMaxScaler, StandardScaler

SETTINGS = {
    # name: (gridsize, epochs, shift, shuffle, finer); an event every `epochs` epochs never happens
    "Iterative": (11, 4, 4, 4, 4),
    "Shift": (11, 8, 4, 8, 8),
    "Shuffle": (11, 8, 8, 2, 8),
    "Finer": (11, 8, 8, 8, 4),
    "Combined 1": (11, 16, 8, 2, 4),
    "Combined 2": (21, 16, 8, 2, 4),
}


def training_accuracy(scaled, y, estimator):
    """Return the resubstitution accuracy as a function of λ, each point computed once."""
    known = {}

    def score(lambdas):
        key = tuple(float(lam) + 0.0 for lam in lambdas)
        if key not in known:
            Z = StandardScaler().fit_transform(special.boxcox(scaled, np.asarray(lambdas)))
            known[key] = accuracy_score(y, clone(estimator).fit(Z, y).predict(Z))
        return known[key]

    return score


def reference_search(score, start, gridsize, epochs, shift, shuffle, finer, seed=42):
    """Return λ, the score claimed for them and the number of evaluations: the authors' program."""
    p = len(start)
    finer = min(finer, shift)
    rng = np.random.default_rng(seed)
    full_grid = np.linspace(-5, 5, gridsize)
    drawn = np.array(start, dtype=float)
    working = drawn.copy()
    incumbent = drawn.copy()
    best = -np.inf
    grid = full_grid
    local = False
    since = 0
    order = np.arange(p)
    pending = False
    evaluations = 0
    for epoch in range(epochs):
        if epoch > 0:
            since += 1
            if epoch % shift == 0:
                since = 0
                grid = full_grid
                local = False
                drawn = 10 * rng.random(p) - 5
                working = drawn.copy()
                pending = True
            elif since % finer == 0:
                local = True
                grid = grid / 2
            if epoch % shuffle == 0:
                rng.shuffle(order)
        for j in order:
            for value in grid + (incumbent[j] if local else 0):
                trial = working.copy()
                trial[j] = value
                evaluations += 1
                s = score(trial)
                if s > best:
                    if pending:
                        incumbent = drawn.copy()
                        pending = False
                    incumbent[j] = value
                    best = s
            working[j] = incumbent[j]
    return incumbent, best, evaluations


def climbing_search(score, start, gridsize, epochs, shift, shuffle, finer, seed=42):
    """Return λ and their score: separate climbs, each from its own start, the best of all."""
    p = len(start)
    rng = np.random.default_rng(seed)
    full_grid = np.linspace(-5, 5, gridsize)
    grid = full_grid
    local = False
    since = 0
    order = np.arange(p)
    point = np.clip(np.array(start, dtype=float), -5, 5)
    current = score(point)
    answer, best = point.copy(), current
    for epoch in range(epochs):
        if epoch > 0:
            since += 1
            if epoch % shift == 0:
                since = 0
                grid = full_grid
                local = False
                point = 10 * rng.random(p) - 5
            elif since % finer == 0:
                local = True
                grid = grid / 2
            if epoch % shuffle == 0:
                rng.shuffle(order)
            if epoch % shift == 0:
                current = score(point)
                if current > best:
                    answer, best = point.copy(), current
        for j in order:
            taken = point[j]
            for value in grid + (point[j] if local else 0):
                trial = point.copy()
                trial[j] = value
                s = score(trial)
                if s > current:
                    current, taken = s, value
                if s > best:
                    answer, best = trial, s
            point[j] = taken
    return answer, best


def scaled_to_one_two(X):
    """Scale every column to [1, 2] with scikit-learn's scaler."""
    return MinMaxScaler((1, 2)).fit_transform(X)
