"""Sums without rounding: numbers as integers on a fixed grid of powers of 2**30.

Adding floating-point numbers in another order gives other bits, so running sums could not be cut
into shards, merged or continued and stay the same. Here every number is written once as a row of
integer *limbs*, limb k standing for k-th power of 2**30; integers add exactly in any order, and
only the finished sum is rounded. Counts are the case of a single limb.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["COUNTS", "Grid", "find_grid", "regrid", "to_floats", "to_limbs"]

_BITS = 30
_CHUNK = 2**18

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Grid:
    """Which powers of 2**30 a set of numbers needs.

    Parameters
    ----------
    low : int
        The lowest power.
    size : int
        How many consecutive powers from there on.
    """

    low: int
    size: int

    def __or__(self, other: Grid) -> Grid:
        low = min(self.low, other.low)
        return Grid(low, max(self.low + self.size, other.low + other.size) - low)


COUNTS = Grid(0, 1)
"""The grid of whole numbers."""


def find_grid(values: Floats) -> Grid:
    """Return the smallest grid on which all of the finite values are exact.

    Parameters
    ----------
    values : ndarray of shape (n,)
        Finite numbers.
    """
    grid = None
    for start in range(0, len(values), _CHUNK):
        found = _grid_of_chunk(values[start : start + _CHUNK])
        if found is not None:
            grid = found if grid is None else grid | found
    return grid or COUNTS


def _grid_of_chunk(values: Floats) -> Grid | None:
    largest = float(np.abs(values).max())
    if largest == 0.0:
        return None
    top = low = (int(np.frexp(largest)[1]) - 1) // _BITS
    rest = values
    while True:
        rest = rest - np.ldexp(np.trunc(np.ldexp(rest, -_BITS * low)), _BITS * low)
        if not rest.any():
            return Grid(low, top - low + 1)
        low -= 1


def to_limbs(values: Floats, grid: Grid) -> Ints:
    """Write numbers as limbs.

    Parameters
    ----------
    values : ndarray of shape (n,)
        Numbers that are exact on the grid.
    grid : Grid
        From `find_grid`, or larger.

    Returns
    -------
    ndarray of int of shape (grid.size, n)
        Lowest power first; each below 2**30 in size, so that 2**33 of them add up in 64 bits.
    """
    limbs = np.empty((grid.size, len(values)), dtype=np.int64)
    rest = values
    for place in range(grid.size - 1, -1, -1):
        power = _BITS * (grid.low + place)
        whole = np.trunc(np.ldexp(rest, -power))
        limbs[place] = whole
        if place:
            rest = rest - np.ldexp(whole, power)
    return limbs


def to_floats(limbs: Sequence[Ints], grid: Grid) -> Floats | Ints:
    """Round sums of limbs to floating-point numbers.

    Parameters
    ----------
    limbs : sequence of (ndarray of int of shape (n,))
        Sums of what `to_limbs` gave, lowest power first.
    grid : Grid
        Their grid.

    Returns
    -------
    ndarray of shape (n,)
        Within two units in the last place; counts as they are. Equal sums give equal bits, on
        whatever grid.
    """
    if grid == COUNTS:
        return limbs[0]
    digits = []
    carry: Any = 0
    for limb in limbs:
        total = limb + carry
        digits.append(total & (2**_BITS - 1))
        carry = total >> _BITS
    result = np.ldexp(carry.astype(np.float64), _BITS * (grid.low + grid.size))
    for place in range(grid.size - 1, -1, -1):
        result += np.ldexp(digits[place].astype(np.float64), _BITS * (grid.low + place))
    return np.asarray(result)


def regrid(limbs: Ints, grid: Grid, wanted: Grid) -> Ints:
    """Return limbs, which are along the last axis, on a grid that contains theirs.

    Parameters
    ----------
    limbs : ndarray of int of shape (..., grid.size)
        Sums on `grid`.
    grid, wanted : Grid
        The present and the wanted grid.
    """
    if grid == wanted:
        return limbs
    padded = np.zeros((*limbs.shape[:-1], wanted.size), dtype=np.int64)
    first = grid.low - wanted.low
    padded[..., first : first + grid.size] = limbs
    return padded
