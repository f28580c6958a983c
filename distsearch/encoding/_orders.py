"""The order of the training rows, and the noise on their values."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from distsearch._wording import count
from distsearch.backends import derive_seed, seed_sequence
from distsearch.encoding._categories import Column, is_missing
from distsearch.errors import InvalidInputError

__all__ = ["add_noise", "make_orders"]

_ORDER_KEY, _NOISE_KEY = 0, 1

_NOISE_BLOCK = 65_536
"""Rows whose noise is drawn from one seed, so that a shard can draw its own."""


def make_orders(
    n_rows: int, n_permutations: int, column: Column | None, seed: np.random.SeedSequence | None
) -> list[NDArray[np.intp] | None]:
    """Return the orders to encode rows in; None for the rows as they stand.

    Parameters
    ----------
    n_rows : int
        How many rows there are.
    n_permutations : int
        How many orders to draw.
    column : ndarray or Series of shape (n_rows,), or None
        What the rows are ordered by.
    seed : SeedSequence or None
        Where random orders come from; None for none.

    Raises
    ------
    InvalidInputError
        When the column has missing values, or values that cannot be ordered.
    """
    if column is not None:
        return [_sort(column)]
    if seed is None:
        return [None]
    return [
        np.random.default_rng(derive_seed(seed, _ORDER_KEY, k)).permutation(n_rows)
        for k in range(n_permutations)
    ]


def _sort(column: Column) -> NDArray[np.intp]:
    missing = is_missing(column)
    if missing.any():
        raise InvalidInputError(
            f"The column to order by has {count(int(missing.sum()), 'missing value')}, the first "
            f"in row {int(missing.argmax())}. Fill them in, or sort the rows yourself and use "
            f"order='given'."
        )
    if isinstance(column.dtype, pd.CategoricalDtype) and not column.dtype.ordered:
        column = pd.Series(column).astype(object)
    try:
        return np.asarray(pd.Series(column).reset_index(drop=True).sort_values(kind="stable").index)
    except TypeError as error:
        raise InvalidInputError(
            f"The column to order by has values that cannot be compared: {error}. Make them all "
            f"numbers, all dates or all text."
        ) from None


def add_noise(values: NDArray[np.float64], noise: float, random_state: Any, n_before: int) -> None:
    """Multiply values by 1 + noise · z, z being standard normal, in place.

    Parameters
    ----------
    values : ndarray of shape (n_rows, n_values)
        Values of training rows.
    noise : float
        Standard deviation.
    random_state : object
        See `seed_sequence`.
    n_before : int
        How many training rows there were before these.
    """
    if not noise:
        return
    root = seed_sequence(random_state)
    first, last = n_before, n_before + len(values)
    for block in range(first // _NOISE_BLOCK, (last - 1) // _NOISE_BLOCK + 1):
        begin = block * _NOISE_BLOCK
        low, high = max(first, begin), min(last, begin + _NOISE_BLOCK)
        for column in range(values.shape[1]):
            generator = np.random.default_rng(derive_seed(root, _NOISE_KEY, column, block))
            factors = 1.0 + noise * generator.standard_normal(_NOISE_BLOCK)
            values[low - first : high - first, column] *= factors[low - begin : high - begin]
