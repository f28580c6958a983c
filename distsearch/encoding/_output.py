"""Putting encoded columns and those passed through together."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from distsearch.encoding._categories import Column
from distsearch.encoding._columns import Columns, is_category

__all__ = ["assemble"]


def assemble(
    table: Columns,
    encoded: Sequence[int],
    values: NDArray[np.float64],
    names: Sequence[Sequence[str]],
    container: str,
) -> Any:
    """Replace the encoded columns by their values.

    Parameters
    ----------
    table : Columns
        The table.
    encoded : sequence of int
        Positions of the encoded columns.
    values : ndarray of shape (n_rows, n_values)
        Their values beside each other.
    names : sequence of sequence of str
        The names of what each column becomes.
    container : str
        "default" for an array; "pandas" or "polars" for a frame in which the other columns keep
        their types.

    Returns
    -------
    ndarray, or a frame if it is needed
        An array of float, or of objects when others than numbers are passed through.
    """
    if len(encoded) == len(table.columns):
        return values
    width = values.shape[1] // len(encoded) if encoded else 0
    slots = {j: slot * width for slot, j in enumerate(encoded)}
    columns: list[Any] = []
    for j, own in enumerate(names):
        if j in slots:
            columns.extend(values[:, slots[j] + k] for k in range(len(own)))
        else:
            columns.append(table[j])
    flat = [name for own in names for name in own]
    if container == "pandas":
        frame = pd.concat([pd.Series(column).reset_index(drop=True) for column in columns], axis=1)
        frame.columns = pd.Index(flat)
        frame.index = table.index if table.index is not None else frame.index
        return frame
    if container == "polars":
        return _polars(flat, columns)
    return _array(columns)


def _polars(names: Sequence[str], columns: Sequence[Any]) -> Any:
    import polars

    return polars.DataFrame(
        [
            polars.from_pandas(column.rename(name)) if isinstance(column, pd.Series)
            else polars.Series(name, column)
            for name, column in zip(names, columns, strict=True)
        ]
    )  # fmt: skip


def _array(columns: Sequence[Column]) -> NDArray[Any]:
    numbers = not any(is_category(column) for column in columns)
    kind: Any = np.float64 if numbers else object
    result = np.empty((len(columns[0]), len(columns)), dtype=kind, order="F")
    for k, column in enumerate(columns):
        if numbers and isinstance(column, pd.Series):
            result[:, k] = column.to_numpy(dtype=np.float64, na_value=np.nan)
        else:
            result[:, k] = column
    return result
