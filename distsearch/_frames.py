"""Frames of every library as those of pandas."""

from __future__ import annotations

from typing import Any

import pandas as pd

from distsearch.errors import InvalidInputError

__all__ = ["as_frame"]

_INTEGERS = [f"{sign}{bits}" for sign in ("Int", "UInt") for bits in (8, 16, 32, 64)]


def as_frame(X: Any) -> pd.DataFrame | None:
    """Return a table of any library as a pandas frame, and None for what is no frame.

    Parameters
    ----------
    X : object
        A frame of pandas or Polars, an Arrow table, or anything else.

    Raises
    ------
    InvalidInputError
        When two columns have the same name, and for a single column.
    """
    if isinstance(X, pd.DataFrame):
        if not X.columns.is_unique:
            twice = X.columns[X.columns.duplicated()]
            raise InvalidInputError(
                f"X has more than one column of the name {twice[0]!r}. Rename one of them."
            )
        return X
    columnar = hasattr(X, "__arrow_c_stream__")
    if isinstance(X, pd.Series) or (columnar and not hasattr(X, "columns")):
        raise InvalidInputError(
            f"Expected a 2-dimensional container but got a {type(X).__name__} instead. Reshape "
            f"your data: pass a frame with one column."
        )
    if not columnar:
        return None
    try:
        import pyarrow as pa
    except ImportError:  # then a value at a time
        lists = {j: pd.Series(X[name].to_list()) for j, name in enumerate(X.columns)}
        return pd.DataFrame(lists)
    # Integers stay integers where some are missing.
    integers = {getattr(pa, kind.lower())(): pd.api.types.pandas_dtype(kind) for kind in _INTEGERS}
    table = pa.table(X)
    try:
        frame: pd.DataFrame = table.to_pandas(types_mapper=integers.get)
    except ValueError:  # a dictionary that holds a missing value
        columns = [
            column.cast(column.type.value_type) if pa.types.is_dictionary(column.type) else column
            for column in table.columns
        ]
        frame = pa.table(columns, table.column_names).to_pandas(types_mapper=integers.get)
    return frame
