"""Running totals by category: what each row adds up to before it, for a chunk of rows at a time."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["CHUNK", "Grouped"]

CHUNK = 2**15
"""Rows grouped at a time: few enough to stay in the processor's cache."""

_FIELD_BITS = 16
_FIELDS = 4
"""Counts of a chunk need 16 bits, so an integer holds those of four classes."""

Ints = NDArray[np.int64]


@dataclass(frozen=True, eq=False, slots=True)
class Grouped:
    """The rows of a chunk in the order of their categories, and as they stand within each.

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
        keys = codes.astype(kind)
        keys += kind(1)
        keys <<= kind(bits)
        keys |= np.arange(len(codes), dtype=kind)
        keys.sort()
        rows = (keys & kind((1 << bits) - 1)).astype(np.intp)
        keys >>= kind(bits)
        starts = np.concatenate(([0], np.flatnonzero(keys[1:] != keys[:-1]) + 1))
        own = keys[starts].astype(np.intp)
        own -= 1
        return cls(rows, starts, np.diff(starts, append=len(codes)), own)

    def spread(self, values: NDArray[Any]) -> NDArray[Any]:
        """Give each row the value of its group."""
        return np.repeat(values, self.lengths)

    def count(self, table: Ints) -> Ints:
        """Return how many rows of its category came before each row, and add these to the table.

        Parameters
        ----------
        table : ndarray of int of shape (n_codes + 1,)
            Rows so far, those with a missing value last; changed in place.
        """
        before = table[self.codes]
        table[self.codes] = before + self.lengths
        counts = self.spread(before - self.starts)
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
        running, begin, own = self._accumulate(addends)
        before = table[self.codes]
        table[self.codes] = before + own
        running += self.spread(before - begin)
        return running

    def count_classes(self, labels: NDArray[Any], table: Ints) -> Iterator[Ints]:
        """Yield the rows before each row of each class but the first, and add to the table.

        Parameters
        ----------
        labels : ndarray of int of shape (n,)
            The class of each row, in the order of `rows`.
        table : ndarray of int of shape (n_codes + 1, n_classes - 1)
            Rows so far, those of missing values last; changed in place.
        """
        before = table[self.codes]
        for first in range(0, table.shape[1], _FIELDS):
            fields = range(min(_FIELDS, table.shape[1] - first))
            one_each = np.zeros(table.shape[1] + 1, dtype=np.int64)
            for field in fields:
                one_each[first + field + 1] = 1 << (_FIELD_BITS * field)
            running, begin, own = self._accumulate(one_each[labels])
            running -= self.spread(begin)
            for field in fields:
                label = first + field
                table[self.codes, label] += _field(own, field)
                counts = _field(running, field)
                counts += self.spread(before[:, label])
                yield counts

    def _accumulate(self, addends: Ints) -> tuple[Ints, Ints, Ints]:
        """Return the sum over all rows before each row, that before each group, each group's own.

        Packed counts may overflow into the sign, which their differences undo.
        """
        running = np.cumsum(addends)
        ends = running[self.starts + self.lengths - 1]
        begin = np.concatenate((np.zeros(1, dtype=np.int64), ends[:-1]))
        running -= addends
        return running, begin, ends - begin


def _field(packed: Ints, field: int) -> Ints:
    shifted = packed >> (_FIELD_BITS * field)
    shifted &= (1 << _FIELD_BITS) - 1
    return shifted
