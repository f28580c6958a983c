"""Ordered target statistics of one column: each row by the rows before it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from distsearch.encoding._categories import Codes
from distsearch.encoding._exact import to_limbs
from distsearch.encoding._running import CHUNK, Grouped
from distsearch.encoding._target import Target
from distsearch.encoding._totals import Formula, Totals

__all__ = ["encode_in_order"]

Ints = NDArray[np.int64]


def encode_in_order(
    codes: Codes,
    target: Target,
    running: Totals,
    formula: Formula,
    out: NDArray[np.float64],
    rows: NDArray[np.intp] | None = None,
) -> None:
    """Write the value of each row, by the totals of the rows before it, and add the row to these.

    Parameters
    ----------
    codes : ndarray of int of shape (n,)
        Places among the categories of `running`; -1 for missing.
    target : Target
        Of the same rows.
    running : Totals
        What is known before the first row; changed in place.
    formula : Formula
        What becomes of totals.
    out : ndarray of float of shape (n, n_outputs)
        Receives the values.
    rows : ndarray of int of shape (n,), optional
        The order, as places of the rows; as they stand when not given.
    """
    for start in range(0, len(codes), CHUNK):
        chunk = slice(start, start + CHUNK)
        chosen: Any = chunk if rows is None else rows[chunk]
        grouped = Grouped.of(codes[chosen], len(running.categories))
        part = target.take(chosen).take(grouped.rows)
        weight, sums = _run(grouped, part, running)
        places = grouped.rows if rows is None else chosen[grouped.rows]
        view = out[chunk] if rows is None else out
        values = formula.values(weight, sums, running.weight_grid, running.sum_grid)
        for column, value in enumerate(values):
            view[places, column] = value


def _run(grouped: Grouped, part: Target, running: Totals) -> tuple[Ints, list[Ints]]:
    """Return the weight and the sums before each row, in the order of the groups."""
    if part.weights is None:
        weight = grouped.count(running.weight[0])[np.newaxis]
        limbs = None
    else:
        limbs = to_limbs(part.weights, part.weight_grid)
        weight = _run_limbs(grouped, limbs, running.weight)
    sums = [
        _run_limbs(grouped, addends, table)
        for addends, table in zip(_addends(part, limbs), running.sums, strict=True)
    ]
    return weight, sums


def _addends(part: Target, weight_limbs: Ints | None) -> Iterator[Ints]:
    """Yield what each row adds to each sum."""
    if part.classes is None:
        weighted = part.y if part.weights is None else part.y * part.weights
        yield to_limbs(weighted, part.sum_grid)
        return
    for label in range(1, part.n_sums + 1):
        own = part.y == label
        yield own.astype(np.int64)[np.newaxis] if weight_limbs is None else own * weight_limbs


def _run_limbs(grouped: Grouped, addends: Ints, tables: Ints) -> Ints:
    if len(addends) == 1:
        return grouped.sum(addends[0], tables[0])[np.newaxis]
    return np.stack([grouped.sum(limb, table) for limb, table in zip(addends, tables, strict=True)])
