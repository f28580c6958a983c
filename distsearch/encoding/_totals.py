"""What is known of a column: its categories, and the exact totals of the target in each."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeAlias

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from distsearch.encoding._categories import Codes, as_index, count_codes, joined, locate
from distsearch.encoding._exact import Grid, regrid, to_floats
from distsearch.encoding._target import Target

__all__ = ["Formula", "Limbs", "Totals", "add_up", "occurring", "sum_by_category"]

Limbs: TypeAlias = "Sequence[NDArray[np.int64]]"

_REST = -1
"""The output of the first class, which has what is left of the weight."""

_BLOCK = 2**22
"""Rows whose limbs of 30 bits add up exactly in the 53 bits of a float."""

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False, slots=True)
class Totals:
    """Exact totals of some rows by category.

    Parameters
    ----------
    categories : ndarray of shape (n_categories,)
        Distinct values of the column.
    weight : ndarray of int of shape (n_categories + 1, weight_grid.size)
        Weight of each category; that of the missing value last.
    sums : ndarray of int of shape (n_categories + 1, n_sums, sum_grid.size)
        Weight times target, or the weight of each class but the first.
    weight_grid, sum_grid : Grid
        What the integers stand for.
    """

    categories: NDArray[Any]
    weight: Ints
    sums: Ints
    weight_grid: Grid
    sum_grid: Grid

    @classmethod
    def empty(cls, categories: NDArray[Any], target: Target) -> Totals:
        """Return totals of no rows."""
        n = len(categories) + 1
        return cls(
            categories,
            np.zeros((n, target.weight_grid.size), dtype=np.int64),
            np.zeros((n, target.n_sums, target.sum_grid.size), dtype=np.int64),
            target.weight_grid,
            target.sum_grid,
        )

    def total_weight(self) -> Floats:
        """Return the weight of each category, of shape (n_categories + 1,)."""
        return np.asarray(to_floats(list(self.weight.T), self.weight_grid), dtype=np.float64)

    def nothing(self) -> Totals:
        """Return totals of no rows of the same categories."""
        return replace(self, weight=np.zeros_like(self.weight), sums=np.zeros_like(self.sums))

    def index(self) -> pd.Index[Any]:
        """Return the categories such that they can be looked up."""
        return as_index(self.categories)

    def take(self, places: Codes, categories: NDArray[Any]) -> Totals:
        """Return the totals of other categories, found at `places`; zeros where that is -1.

        The missing value keeps its totals.
        """
        rows = np.append(places, len(self.categories))
        weight, sums = self.weight[rows], self.sums[rows]
        unknown = np.flatnonzero(places < 0)
        weight[unknown] = 0
        sums[unknown] = 0
        return replace(self, categories=categories, weight=weight, sums=sums)

    def on_grids(self, weight_grid: Grid, sum_grid: Grid) -> Totals:
        """Return the same totals on larger grids."""
        return replace(
            self,
            weight=regrid(self.weight, self.weight_grid, weight_grid),
            sums=regrid(self.sums, self.sum_grid, sum_grid),
            weight_grid=weight_grid,
            sum_grid=sum_grid,
        )

    def with_classes(self, old: NDArray[Any] | None, new: NDArray[Any] | None) -> Totals:
        """Return the same totals with room for more classes."""
        if old is None or new is None or len(old) == len(new):
            return self
        first = (self.weight - self.sums.sum(axis=1))[:, np.newaxis]
        known = np.concatenate([first, self.sums], axis=1)
        everything = np.zeros((len(known), len(new), known.shape[2]), dtype=np.int64)
        # A single label has an empty sum beside it.
        everything[:, np.searchsorted(new, old)] = known[:, : len(old)]
        return replace(self, sums=everything[:, 1:])

    def only(self, seen: NDArray[np.bool_]) -> Totals:
        """Return the totals of some categories, and of the missing value; whole numbers sorted.

        Parameters
        ----------
        seen : ndarray of bool of shape (n_categories,)
            Which to keep.
        """
        if seen.all():
            return self._in_order()
        rows = np.append(seen, True)
        return replace(
            self,
            categories=self.categories[seen],
            weight=self.weight[rows],
            sums=self.sums[rows],
        )._in_order()

    def _in_order(self) -> Totals:
        """Return the totals with whole numbers sorted, however the rows were divided."""
        kept = self.categories
        if kept.dtype.kind not in "iu" or (kept[1:] > kept[:-1]).all():
            return self
        order = np.argsort(kept)
        return self.take(order, kept[order])

    def __add__(self, other: Totals) -> Totals:
        """Return the totals of the rows of both, whose classes are the same."""
        weight_grid = self.weight_grid | other.weight_grid
        sum_grid = self.sum_grid | other.sum_grid
        one, two = self.on_grids(weight_grid, sum_grid), other.on_grids(weight_grid, sum_grid)
        places = locate(one.index(), two.categories)
        new = np.flatnonzero(places < 0)
        categories = joined(one.categories, two.categories[new])
        sources = np.arange(len(categories))
        sources[len(one.categories) :] = -1
        result = one.take(sources, categories)
        places[new] = len(one.categories) + np.arange(len(new))
        places = np.append(places, len(categories))
        result.weight[places] += two.weight
        result.sums[places] += two.sums
        return result._in_order()


@dataclass(frozen=True, eq=False, slots=True)
class Formula:
    """The formula that turns totals into values.

    Parameters
    ----------
    prior : ndarray of float of shape (n_outputs,)
        The value of a category of which nothing is known.
    smoothing : float
        How many rows of that value every category is given besides its own.
    outputs : tuple of int
        Which sum each output is about; -1 for the rest of the weight, which is the first class.
    """

    prior: Floats
    smoothing: float
    outputs: tuple[int, ...]

    def write(
        self, weight: Limbs, sums: Iterable[Limbs], totals: Totals, out: NDArray[np.float64]
    ) -> None:
        """Write the values of each output.

        Parameters
        ----------
        weight : sequence of (ndarray of int of shape (n,))
            Limbs of the weight.
        sums : iterable of sequence of (ndarray of int of shape (n,))
            Limbs of each sum.
        totals : Totals
            Has their grids, which are one for weights and sums of classes.
        out : ndarray of float of shape (n, n_outputs)
            Receives the values.
        """
        total = to_floats(weight, totals.weight_grid) + self.smoothing
        rest = [limb.copy() for limb in weight] if _REST in self.outputs else []
        for number, own in enumerate(sums):
            for left, limb in zip(rest, own, strict=False):
                np.subtract(left, limb, out=left)
            if number in self.outputs:
                self._write_one(number, to_floats(own, totals.sum_grid), total, out)
        if rest:
            self._write_one(_REST, to_floats(rest, totals.sum_grid), total, out)

    def _write_one(
        self, number: int, own: NDArray[Any], total: NDArray[Any], out: NDArray[np.float64]
    ) -> None:
        place = self.outputs.index(number)
        value = out[:, place]
        np.add(own, self.smoothing * float(self.prior[place]), out=value)
        with np.errstate(invalid="ignore"):  # nothing known and no smoothing: 0/0
            value /= total

    def table(self, totals: Totals) -> Floats:
        """Return the value of every category, of shape (n_categories + 1, n_outputs).

        One whose rows have no weight is as one without rows, so it gets the prior.
        """
        sums = [list(each.T) for each in np.moveaxis(totals.sums, 1, 0)]
        out = np.empty((len(totals.weight), len(self.outputs)), order="F")
        self.write(list(totals.weight.T), sums, totals, out)
        if self.smoothing == 0:
            out[~totals.weight.any(axis=1)] = self.prior
        return out


def add_up(target: Target) -> Totals:
    """Return the totals of all rows, without categories."""
    totals = Totals.empty(np.empty(0), target)
    if target.is_counted and target.classes is not None:
        totals.weight[0] = len(target)
        totals.sums[0, :, 0] = count_codes(target.y, target.n_sums + 1)[1:]
        return totals
    for start in range(0, len(target), _BLOCK):
        part = target.take(slice(start, start + _BLOCK))
        _add_block(totals, np.zeros(len(part), dtype=np.intp), part)
    return totals


def sum_by_category(codes: Codes, categories: NDArray[Any], target: Target) -> Totals:
    """Add up the rows of each category that occurs.

    Parameters
    ----------
    codes : ndarray of int of shape (n,)
        Places among the categories; -1 for missing.
    categories : ndarray of shape (n_categories,)
        The categories.
    target : Target
        Of the same rows.
    """
    seen = occurring(codes, len(categories))
    totals = Totals.empty(categories, target)
    for start in range(0, len(codes), _BLOCK):
        block = slice(start, start + _BLOCK)
        _add_block(totals, codes[block].astype(np.intp) + 1, target.take(block))
    # The missing value was counted first; its place is the last.
    return replace(
        totals, weight=np.roll(totals.weight, -1, axis=0), sums=np.roll(totals.sums, -1, axis=0)
    ).only(seen)


def occurring(codes: Codes, n_categories: int) -> NDArray[np.bool_]:
    """Return which categories occur, of shape (n_categories,)."""
    seen = np.zeros(n_categories + 1, dtype=bool)
    seen[codes] = True  # a missing value is the last
    return seen[:-1]


def _add_block(totals: Totals, slots: Codes, target: Target) -> None:
    n_slots = len(totals.weight)

    def add(table: Ints, slots: Codes, limb: Ints | None = None) -> None:
        table += np.bincount(slots, limb, minlength=n_slots).astype(np.int64, copy=False)

    weights = [None] if target.is_counted else [*target.weight_limbs()]
    for place, limb in enumerate(weights):
        add(totals.weight[:, place], slots, limb)
    if target.classes is None:
        for place, limb in enumerate(target.sum_limbs()):
            add(totals.sums[:, 0, place], slots, limb)
    elif target.is_counted:
        _count_classes(totals, slots, target)
    else:
        for label in range(1, len(target.classes)):
            rows = target.y == label
            for place, limb in enumerate(target.weight_limbs()):
                add(totals.sums[:, label - 1, place], slots[rows], limb[rows])


def _count_classes(totals: Totals, slots: Codes, target: Target) -> None:
    n_slots, n_classes = len(totals.weight), target.n_sums + 1
    pairs = np.bincount(slots * n_classes + target.y, minlength=n_slots * n_classes)
    totals.sums[..., 0] += pairs.reshape(n_slots, n_classes)[:, 1:]
