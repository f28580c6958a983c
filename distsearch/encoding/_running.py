"""Running totals by category: what each row adds up to before it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import islice
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from distsearch.encoding._categories import Codes, codes_type
from distsearch.encoding._target import Target
from distsearch.encoding._totals import Limbs, Totals

__all__ = ["Ledger", "run"]

_FIELD_BITS = 32

Ints = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Ledger:
    """How weights and sums are laid out in columns of integers.

    Parameters
    ----------
    n_sums : int
        Number of sums.
    weight_size, sum_size : int
        Limbs of the weight and of each sum.
    counts : bool
        Whether weights and sums are counts, of which a column then holds two. Without it there is
        a column for each limb.
    """

    n_sums: int
    weight_size: int
    sum_size: int
    counts: bool

    @classmethod
    def of(cls, target: Target, before: Totals) -> Ledger:
        """Return the layout for a target whose running totals begin with those given."""
        counts = target.is_counted and target.classes is not None
        if counts:
            counts = int(before.weight.sum()) + len(target) < 2 ** (_FIELD_BITS - 1)
        return cls(target.n_sums, target.weight_grid.size, target.sum_grid.size, counts)

    def enter(self, part: Target, columns: Ints) -> None:
        """Write what each row adds into columns of shape (n_columns, n)."""
        if self.counts:
            if self.n_sums == 1:
                np.left_shift(part.y, _FIELD_BITS, out=columns[0], dtype=np.int64)
                columns[0] += 1
                return
            for column, one_each in zip(columns, self._one_each(), strict=True):
                np.take(one_each, part.y, out=column, mode="clip")
            return
        weight = 1 if part.is_counted else part.weight_limbs()
        columns[: self.weight_size] = weight
        sums = columns[self.weight_size :]
        if part.classes is None:
            sums[:] = part.sum_limbs()
            return
        for k in range(self.n_sums):
            sums[k * self.sum_size : (k + 1) * self.sum_size] = (part.y == k + 1) * weight

    def open(self, totals: Totals) -> Ints:
        """Return totals as columns, of shape (n_columns, n_categories + 1), missing first."""
        limbs = [*totals.weight.T, *totals.sums.reshape(len(totals.weight), -1).T]
        width = (len(limbs) + 1) // 2 if self.counts else len(limbs)
        columns = np.zeros((width, len(totals.weight)), dtype=np.int64)
        if not totals.weight.any():
            return columns
        for place, limb in enumerate(limbs):
            if self.counts:
                columns[place // 2] += np.roll(limb, 1) << (_FIELD_BITS * (place % 2))
            else:
                columns[place] = np.roll(limb, 1)
        return columns

    def read(self, columns: Ints) -> tuple[Limbs, Iterable[Limbs]]:
        """Return the limbs of the weight and of each sum, each of shape (n,)."""
        if self.counts:
            fields = (half for column in columns for half in _halves(column))
            return [next(fields)], ([field] for field in islice(fields, self.n_sums))
        rest = list(columns[self.weight_size :])
        sums = [rest[k * self.sum_size : (k + 1) * self.sum_size] for k in range(self.n_sums)]
        return list(columns[: self.weight_size]), sums

    def close(self, columns: Ints, totals: Totals) -> None:
        """Write columns back into totals."""
        weight, sums = self.read(columns)
        for place, limb in enumerate(weight):
            _put(totals.weight[:, place], limb)
        for number, limbs in enumerate(sums):
            for place, limb in enumerate(limbs):
                _put(totals.sums[:, number, place], limb)

    def _one_each(self) -> Ints:
        """Return what a row of each class adds, of shape (n_columns, n_classes)."""
        fields = np.zeros((self.n_sums + 2, self.n_sums + 1), dtype=np.int64)
        fields[0] = 1
        np.fill_diagonal(fields[1 : self.n_sums + 1, 1:], 1)
        pairs = len(fields) // 2
        return fields[0 : 2 * pairs : 2] + (fields[1 : 2 * pairs : 2] << _FIELD_BITS)


def _put(target: Ints, limb: Ints) -> None:
    """Move the missing value, which is first, to the end."""
    target[:-1] = limb[1:]
    target[-1] = limb[0]


def _halves(column: Ints) -> Iterator[Ints]:
    yield column & ((1 << _FIELD_BITS) - 1)
    yield column >> _FIELD_BITS


def run(codes: Codes, part: Target, ledger: Ledger, table: Ints) -> Ints:
    """Return the totals of its category before each row, and add the rows to the table.

    Parameters
    ----------
    codes : ndarray of int of shape (n,)
        The categories; -1 for missing.
    part : Target
        Of the same rows.
    ledger : Ledger
        The layout of the columns.
    table : ndarray of int of shape (n_columns, n_categories + 1)
        The totals so far, those of the missing value first; changed in place.

    Returns
    -------
    ndarray of int of shape (n_columns, n)
    """
    # The totals so far, where there are any, become rows before the first one, and a row of zeros
    # for each category after the last one finds the totals then.
    n_slots, n = table.shape[1], len(codes)
    begin = n_slots if table.any() else 0
    slots = np.empty(begin + n + n_slots, dtype=codes_type(n_slots))
    slots[:begin] = np.arange(begin)
    np.add(codes, 1, out=slots[begin : begin + n], casting="unsafe")
    slots[begin + n :] = np.arange(n_slots)
    rows = np.empty((len(table), len(slots)), dtype=np.int64)
    own = rows[:, begin : begin + n]
    rows[:, :begin] = table[:, :begin]
    ledger.enter(part, own)
    rows[:, begin + n :] = 0
    groups: Any = pd.Categorical.from_codes(
        slots, categories=pd.RangeIndex(n_slots), validate=False
    )
    by_group = pd.DataFrame(rows.T, copy=False).groupby(groups, observed=False, sort=True)
    running: Ints = by_group.cumsum().to_numpy().T
    table[:] = running[:, begin + n :]
    return np.subtract(running[:, begin : begin + n], own, out=own)
