"""Ordered target statistics of one column: each row by the rows before it."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from distsearch.encoding._categories import Codes
from distsearch.encoding._running import Ledger, run
from distsearch.encoding._target import Target
from distsearch.encoding._totals import Formula, Totals

__all__ = ["encode_in_order"]

_CHUNK = 2**17
"""Rows taken at a time: few enough to stay in the processor's cache, if categories are few too."""


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
    ledger = Ledger.of(target, running)
    table = ledger.open(running)
    size = max(_CHUNK, 2 * len(running.categories))
    for start in range(0, len(codes), size):
        chunk: Any = slice(start, start + size)
        chosen = chunk if rows is None else rows[chunk]
        before = run(codes[chosen], target.take(chosen), ledger, table)
        view = out[chunk] if rows is None else np.empty((len(chosen), out.shape[1]), order="F")
        formula.write(*ledger.read(before), running, view)
        if rows is not None:
            out[chosen] = view
    ledger.close(table, running)
