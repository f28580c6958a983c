"""Slow, obvious boosting, to compare with."""

from math import log

import numpy as np
from sklearn.base import clone
from sklearn.dummy import DummyClassifier

TINY = 1e-6


def fitted(base, X, y, counts, seed):
    """A clone fitted to so many copies of each row, or a constant for one class."""
    X, y = np.repeat(X, counts, axis=0), np.repeat(y, counts)
    if len(np.unique(y)) == 1:
        return DummyClassifier(strategy="most_frequent").fit(X, y)
    function = clone(base)
    if "random_state" in function.get_params():
        function.set_params(random_state=seed)
    return function.fit(X, y)


def log_odds(error, n, eta=1.0, rule="M1", n_classes=2):
    """η ln((1-ε)/ε), finite and positive."""
    if error <= TINY:
        error = 1 / (2 * n)
    if error >= 1 - TINY:
        error = 1 - 1 / (2 * n)
    value = log((1 - error) / error)
    if rule == "SAMME":
        value += log(n_classes - 1)
    return max(eta * value, TINY)


def adaboost(base, X, y, seed, n_rounds, eta=1.0, rule="M1", n_classes=2, weight=None, draws=None):
    """Weka's AdaBoostM1 with -Q: functions, votes, errors, and the weights of each round."""
    rng = np.random.default_rng(seed)
    n = len(y) if draws is None else draws
    w = np.full(len(y), 1 / len(y)) if weight is None else weight / weight.sum()
    limit = 0.5 if rule == "M1" else 1 - 1 / n_classes
    functions, votes, errors, weights = [], [], [], [w]
    for _ in range(n_rounds):
        draw = 0
        while True:
            counts = rng.multinomial(n, w)
            f = fitted(base, X, y, counts, int(rng.integers(2**31 - 1)))
            wrong = f.predict(X) != y
            error = w[wrong].sum()
            draw += 1
            if error > TINY or draw == 10:
                break
        useless = error <= TINY or error >= limit
        if useless and functions:
            break
        v = log_odds(error, n, eta, rule, n_classes)
        functions.append(f)
        votes.append(v)
        errors.append(error)
        if useless:
            break
        w = np.where(wrong, w * np.exp(v), w)
        w = w / w.sum()
        weights.append(w)
    return functions, votes, errors, weights


def totals(functions, votes, X, classes):
    """Totals of votes by class."""
    classes = list(classes)
    found = np.zeros((len(X), len(classes)))
    for f, v in zip(functions, votes, strict=True):
        for i, label in enumerate(f.predict(X)):
            found[i, classes.index(label)] += v
    return found
