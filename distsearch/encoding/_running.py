"""Running totals by category: what each row adds up to before it, for a block of rows at a time."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["CHUNK", "Grouped"]

CHUNK = 32_768
"""Rows grouped at a time: few enough to stay in the processor's cache."""

Ints = NDArray[np.int64]


@dataclass(frozen=True, eq=False, slots=True)
class Grouped:
    """The rows of a chunk in the order of their categories, and of the table within each.

    Parameters
    ----------
    rows : ndarray of int of shape (n,)
        Places in the chunk.
    starts : ndarray of int of shape (n_groups,)
        Where each category begins in `rows`.
    lengths : ndarray of int of shape (n_groups,)
        How many rows it has.
    codes : ndarray of int of shape (n_groups,)
        The categories; -1 for missing values.
    """

    rows: NDArray[np.intp]
    starts: NDArray[np.intp]
    lengths: NDArray[np.intp]
    codes: NDArray[np.intp]

    @classmethod
    def of(cls, codes: NDArray[np.intp], n_codes: int) -> Grouped:
        """Group rows by their codes.

        Parameters
        ----------
        codes : ndarray of int of shape (n,)
            From -1 to ``n_codes - 1``.
        n_codes : int
            Number of categories.
        """
        bits = max(1, (len(codes) - 1).bit_length())
        # Sorting (code, row) packed in one integer is several times faster than a stable argsort.
        small = (n_codes + 1).bit_length() + bits <= 32
        kind: Any = np.uint32 if small else np.uint64
        keys = (codes + 1).astype(kind)
        keys <<= kind(bits)
        keys |= np.arange(len(codes), dtype=kind)
        keys.sort()
        rows = (keys & kind((1 << bits) - 1)).astype(np.intp)
        keys >>= kind(bits)
        starts = np.concatenate(([0], np.flatnonzero(keys[1:] != keys[:-1]) + 1))
        return cls(
            rows, starts, np.diff(starts, append=len(codes)), keys[starts].astype(np.intp) - 1
        )

    def count(self, table: Ints) -> Ints:
        """Return how many rows of its category came before each row, and add these to the table.

        Parameters
        ----------
        table : ndarray of int of shape (n_codes + 1,)
            Rows so far, those with a missing value last; changed in place.
        """
        before = table[self.codes]
        table[self.codes] = before + self.lengths
        counts = np.repeat(before - self.starts, self.lengths)
        counts += np.arange(len(self.rows))
        return counts

    def sum(self, addends: Ints, table: Ints) -> Ints:
        """Return the sum over the rows of its category before each row, and add to the table.

        Parameters
        ----------
        addends : ndarray of int of shape (n,)
            What each row adds, in the order of `rows`.
        table : ndarray of int of shape (n_codes + 1,)
            Sums so far, that of missing values last; changed in place.
        """
        before = table[self.codes]
        after = before + np.add.reduceat(addends, self.starts)
        table[self.codes] = after
        steps = np.empty_like(addends)
        steps[0] = before[0]
        steps[1:] = addends[:-1]
        steps[self.starts[1:]] += before[1:] - after[:-1]
        return np.cumsum(steps, out=steps)
