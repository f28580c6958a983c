"""The passes over the rows: one in this process, or two rounds of units over blocks of rows.

In the first round every block adds up its own categories. What the blocks before it add up to is
where a block's running totals begin, so the second round can encode all blocks side by side. Sums
are exact, so the result is the one of a single pass, to the last bit.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from distsearch.backends import Backend, Unit, run_all
from distsearch.encoding._categories import Column, factorize, locate
from distsearch.encoding._ordered import encode_in_order
from distsearch.encoding._target import Target
from distsearch.encoding._totals import Formula, Totals, occurring, sum_by_category

__all__ = ["encode_columns", "is_worth_sending", "learn_columns"]

Rows = NDArray[np.intp] | None

_SMALLEST_JOB = 2**25
"""Values to write before workers are asked: fewer take longer to send than to encode."""

_SMALLEST_BLOCK = 250_000


def is_worth_sending(n_values: int, backend: Backend) -> bool:
    """Say whether so many values are to be encoded by workers."""
    return backend.workers > 1 and n_values >= _SMALLEST_JOB


def learn_columns(
    columns: Sequence[Column], target: Target, backend: Backend | None
) -> list[Totals]:
    """Add up every column by category.

    Parameters
    ----------
    columns : sequence of ndarray or Series
        The columns to encode.
    target : Target
        Of their rows.
    backend : Backend or None
        Where blocks are added up; None for here, in one pass.
    """
    if backend is None:
        return [_add_up(column, target) for column in columns]
    columns = [_as_codes(column) for column in columns]
    return [_merged(blocks) for blocks in _first_round(columns, target, backend, None)]


def encode_columns(
    columns: Sequence[Column],
    target: Target,
    formula: Formula,
    starts: Sequence[Totals | None],
    orders: Sequence[Rows],
    backend: Backend | None,
) -> tuple[NDArray[np.float64], list[Totals]]:
    """Encode every row of every column by the rows before it.

    Parameters
    ----------
    columns : sequence of ndarray or Series
        The columns to encode.
    target : Target
        Of their rows.
    formula : Formula
        What becomes of totals.
    starts : sequence of Totals or None
        What is known of each column before the first row.
    orders : sequence of (ndarray of int of shape (n,) or None)
        Orders of the rows; the values under each are averaged.
    backend : Backend or None
        Where blocks are encoded; None for here, in one pass.

    Returns
    -------
    values : ndarray of float of shape (n, n_columns * n_outputs)
        Each column's outputs beside each other.
    totals : list of Totals
        What the rows add up to, for each column.
    """
    one_pass = _one_pass if backend is None else _two_rounds
    if backend is not None:
        columns = [_as_codes(column) for column in columns]
    shape = (len(target), len(formula.outputs) * len(columns))
    values = np.empty(shape, order="F")
    totals = one_pass(columns, target, formula, starts, orders[0], backend, values)
    for rows in orders[1:]:
        again = np.empty_like(values)
        one_pass(columns, target, formula, starts, rows, backend, again)
        values += again
    if len(orders) > 1:
        values /= len(orders)
    return values, totals


def _as_codes(column: Column) -> Column:
    """Return a column in a form that is sent fast: anything but NumPy's numbers as codes."""
    if isinstance(column.dtype, np.dtype) and column.dtype.kind in "biuf":
        return column
    codes, categories = factorize(column)
    index: Any = pd.Index(categories, dtype=object if categories.dtype.kind == "O" else None)
    return pd.Series(pd.Categorical.from_codes(codes, categories=index, validate=False))


def _add_up(column: Column, target: Target) -> Totals:
    return sum_by_category(*factorize(column), target)


def _one_pass(
    columns: Sequence[Column], target: Target, formula: Formula,
    starts: Sequence[Totals | None], rows: Rows, backend: Backend | None,
    values: NDArray[np.float64],
) -> list[Totals]:  # fmt: skip
    del backend
    width = len(formula.outputs)
    totals = []
    for slot, (column, start) in enumerate(zip(columns, starts, strict=True)):
        out = values[:, slot * width : (slot + 1) * width]
        totals.append(_encode_one(column, target, formula, start, rows, out))
    return totals


def _encode_one(
    column: Column, target: Target, formula: Formula, start: Totals | None, rows: Rows,
    values: NDArray[np.float64],
) -> Totals:  # fmt: skip
    """Write the values of one column; return the totals of its categories as they end."""
    codes, categories = factorize(column)
    running = Totals.empty(categories, target)
    if start is not None:
        running = start.take(locate(start.index(), categories), categories)
        running = running.on_grids(target.weight_grid, target.sum_grid)
    encode_in_order(codes, target, running, formula, values, rows)
    if target.weights is None and start is None:
        return running.only(np.asarray(running.weight[:-1].any(axis=1)))
    return running.only(occurring(codes, len(categories)))


def _two_rounds(
    columns: Sequence[Column], target: Target, formula: Formula,
    starts: Sequence[Totals | None], rows: Rows, backend: Backend | None,
    values: NDArray[np.float64],
) -> list[Totals]:  # fmt: skip
    assert backend is not None
    first = _first_round(columns, target, backend, rows)
    blocks = _blocks(len(target), backend)
    units = []
    for slot, found in enumerate(first):
        known = starts[slot]
        for block, own in zip(blocks, found, strict=True):
            begin = (
                own.nothing()
                if known is None
                else known.take(locate(known.index(), own.categories), own.categories)
            )
            units.append(Unit((slot, *block, begin), name=f"column {slot}, rows {block[0]} on"))
            known = own if known is None else known + own
    width = len(formula.outputs)
    with backend.share((list(columns), target, formula, rows)) as shared:
        for outcome in backend.run(_encode_block, units, shared, fail_fast=True):
            slot, low, high, _ = units[outcome.index].payload
            chosen: Any = slice(low, high) if rows is None else rows[low:high]
            values[chosen, slot * width : (slot + 1) * width] = outcome.unwrap()
    totals = [_merged(found) for found in first]
    if rows is None:
        return totals
    return [_as_they_stand(each, column) for each, column in zip(totals, columns, strict=True)]


def _as_they_stand(totals: Totals, column: Column) -> Totals:
    """Bring categories in the order in which the rows have them, not the blocks."""
    _, categories = factorize(column)
    places = locate(totals.index(), categories)
    return totals.take(places, categories).only(places >= 0)


def _first_round(
    columns: Sequence[Column], target: Target, backend: Backend, rows: Rows
) -> list[list[Totals]]:
    """Return the totals of each block of each column."""
    blocks = _blocks(len(target), backend)
    units = [
        Unit((slot, *block), name=f"column {slot}, rows {block[0]} on")
        for slot in range(len(columns))
        for block in blocks
    ]
    found = run_all(backend, _learn_block, units, (list(columns), target, None, rows))
    return [found[i : i + len(blocks)] for i in range(0, len(found), len(blocks))]


def _learn_block(unit: Unit, shared: Any) -> Totals:
    slot, low, high = unit.payload
    columns, target, _, rows = shared
    chosen = slice(low, high) if rows is None else rows[low:high]
    return _add_up(_take(columns[slot], chosen), target.take(chosen))


def _encode_block(unit: Unit, shared: Any) -> NDArray[np.float64]:
    slot, low, high, start = unit.payload
    columns, target, formula, rows = shared
    chosen = slice(low, high) if rows is None else rows[low:high]
    values = np.empty((high - low, len(formula.outputs)), order="F")
    column = _take(columns[slot], chosen)
    _encode_one(column, target.take(chosen), formula, start, None, values)
    return values


def _take(column: Column, chosen: Any) -> Column:
    if isinstance(column, pd.Series):
        part: pd.Series[Any] = column.iloc[chosen]
        return part
    return np.asarray(column[chosen])


def _blocks(n_rows: int, backend: Backend) -> list[tuple[int, int]]:
    number = max(1, min(4 * backend.workers, n_rows // _SMALLEST_BLOCK))
    bounds = np.linspace(0, n_rows, number + 1).astype(int).tolist()
    return [(low, high) for low, high in pairwise(bounds) if low < high]


def _merged(blocks: Sequence[Totals]) -> Totals:
    total = blocks[0]
    for block in blocks[1:]:
        total = total + block
    return total
