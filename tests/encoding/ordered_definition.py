"""Ordered target statistics by their definition, in exact fractions.

For every row all rows before it are looked at: slow, and with nothing to get wrong.
"""

from fractions import Fraction

import numpy as np
import pandas as pd


def is_missing(value):
    return value is None or value is pd.NA or value is pd.NaT or value != value


def same_category(one, other):
    if is_missing(one) or is_missing(other):
        return is_missing(one) and is_missing(other)
    return bool(one == other)


def outputs_of(y, kind):
    """Return one list of numbers an output: the target, or which rows are of a class."""
    if kind == "continuous":
        return [[Fraction(float(value)) for value in y]]
    classes = sorted(set(y))
    wanted = classes[1:] if kind == "binary" else classes
    return [[Fraction(int(value == label)) for value in y] for label in wanted]


def mean(numbers, weights):
    return sum(w * n for w, n in zip(weights, numbers, strict=True)) / sum(weights)


def smoothed(rows, numbers, weights, smoothing, prior):
    weight = sum(weights[j] for j in rows) + smoothing
    if weight == 0:
        return float("nan")
    return float((sum(weights[j] * numbers[j] for j in rows) + smoothing * prior) / weight)


def _exact(n, weights, smoothing, prior):
    weights = [1] * n if weights is None else weights
    return (
        [Fraction(float(w)) for w in weights],
        Fraction(float(smoothing)),
        None if prior is None else Fraction(float(prior)),
    )


def training_values(
    columns, y, kind, *, weights=None, smoothing=1.0, prior=None, orders=None
):  # fmt: skip
    """Return a list of values for each row: the outputs of the first column, of the next, ...

    Values are averaged over `orders`, each a list of row numbers; `prior` None is the mean.
    """
    weights, smoothing, prior = _exact(len(y), weights, smoothing, prior)
    orders = [list(range(len(y)))] if orders is None else orders
    result = [[] for _ in y]
    for column in columns:
        for numbers in outputs_of(y, kind):
            p = mean(numbers, weights) if prior is None else prior
            for i, value in enumerate(column):
                found = []
                for order in orders:
                    before = order[: order.index(i)]
                    rows = [j for j in before if same_category(column[j], value)]
                    found.append(smoothed(rows, numbers, weights, smoothing, p))
                result[i].append(sum(found) / len(found))
    return result


def later_values(columns, y, kind, new, *, weights=None, smoothing=1.0, prior=None):
    """Return the values of new rows, whose columns are `new`, in the same way."""
    weights, smoothing, prior = _exact(len(y), weights, smoothing, prior)
    result = [[] for _ in new[0]]
    for column, later in zip(columns, new, strict=True):
        for numbers in outputs_of(y, kind):
            p = mean(numbers, weights) if prior is None else prior
            for i, value in enumerate(later):
                rows = [j for j in range(len(y)) if same_category(column[j], value)]
                # Rows of no weight are as good as none.
                unseen = not any(weights[j] for j in rows)
                result[i].append(
                    float(p) if unseen else smoothed(rows, numbers, weights, smoothing, p)
                )
    return result


def is_close(found, expected, scale=1.0):
    """Compare to 1e-12, relative to the value and to what sums that cancel are made of."""
    np.testing.assert_allclose(
        np.asarray(found, dtype=float), np.asarray(expected, dtype=float),
        rtol=1e-12, atol=1e-12 * scale,
    )  # fmt: skip
