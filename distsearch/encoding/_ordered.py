"""Ordered target statistics of one column: each row by the rows before it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from distsearch.encoding._categories import Codes
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
    outputs = [out[:, k] for k in range(out.shape[1])]
    for start in range(0, len(codes), CHUNK):
        chunk = slice(start, start + CHUNK)
        chosen: Any = chunk if rows is None else rows[chunk]
        grouped = Grouped.of(codes[chosen], len(running.categories))
        weight, sums = _run(grouped, target.take(chosen).take(grouped.rows), running)
        for output, value in zip(outputs, formula.values(weight, sums, running), strict=True):
            if rows is None:
                output[chunk][grouped.rows] = value
            else:
                output[chosen[grouped.rows]] = value


def _run(
    grouped: Grouped, part: Target, running: Totals
) -> tuple[Sequence[Ints], Sequence[Sequence[Ints]]]:
    """Return the limbs of the weight and of the sums before each row, in the order of groups."""
    if part.weights is None:
        weight: Sequence[Ints] = [grouped.count(running.weight[:, 0])]
    else:
        limbs = part.weight_limbs()
        weight = _run_limbs(grouped, limbs, running.weight)
    if part.classes is None:
        return weight, [_run_limbs(grouped, part.sum_limbs(), running.sums[:, 0])]
    if part.weights is None:
        table = running.sums[..., 0]
        if part.n_sums == 1:
            return weight, [[grouped.sum(part.y.astype(np.int64), table[:, 0])]]
        return weight, [[counts] for counts in grouped.count_classes(part.y, table)]
    return weight, [
        _run_limbs(grouped, (part.y == label) * limbs, running.sums[:, label - 1])
        for label in range(1, part.n_sums + 1)
    ]


def _run_limbs(grouped: Grouped, addends: Ints, tables: Ints) -> list[Ints]:
    return [grouped.sum(limb, tables[:, place]) for place, limb in enumerate(addends)]
