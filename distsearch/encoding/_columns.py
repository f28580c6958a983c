"""The columns of a table, whatever library it comes from."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from sklearn.utils.validation import check_array, validate_data

from distsearch._frames import as_frame
from distsearch._wording import count, did_you_mean, listed
from distsearch.encoding._categories import Column
from distsearch.errors import InvalidInputError, UnknownNameError

__all__ = ["Columns", "find_column", "is_category"]


_PLAIN = {"integer", "floating", "boolean", "datetime", "datetime64"}
"""What objects may all be to be kept as something simpler."""


@dataclass(frozen=True, eq=False, slots=True)
class Columns:
    """A table as a list of columns, matched by position.

    Parameters
    ----------
    columns : list of ndarray or Series
        One a feature, each of shape (n_rows,).
    index : pandas.Index or None
        The row labels of a pandas frame.
    """

    columns: list[Column]
    index: pd.Index[Any] | None = None

    def __len__(self) -> int:
        return len(self.columns[0])

    def __getitem__(self, position: int) -> Column:
        return self.columns[position]

    @classmethod
    def read(cls, X: Any, estimator: Any, *, reset: bool) -> Columns:
        """Take a table apart; check its shape, and its features against those of an estimator.

        Parameters
        ----------
        X : array-like of shape (n_rows, n_features)
            A frame of pandas or Polars, an Arrow table, an array or a list of rows.
        estimator : estimator
            Learns ``n_features_in_`` and ``feature_names_in_``, or has them.
        reset : bool
            Whether it learns them.

        Raises
        ------
        ValueError
            For what is no table with at least a row and a column, or has other features.
        """
        table = as_frame(X)
        if table is None:
            X = X if hasattr(X, "__array__") or hasattr(X, "tocsr") else _as_objects(X)
            array = check_array(
                X, dtype=None, ensure_all_finite=False, estimator=estimator, input_name="X"
            )
            validate_data(estimator, array, reset=reset, skip_check_array=True)
            return cls([_settle(column) for column in array.T])
        for number, what in zip(table.shape, ("sample", "feature"), strict=True):
            if number == 0:
                raise InvalidInputError(
                    f"Found array with 0 {what}(s) (shape={table.shape}) while a minimum of 1 is "
                    f"required by {type(estimator).__name__}."
                )
        validate_data(estimator, X, reset=reset, skip_check_array=True)
        return cls([table.iloc[:, j] for j in range(table.shape[1])], table.index)


def _as_objects(X: Any) -> Any:
    """Keep the types of values: NumPy would make text of numbers that stand beside text."""
    try:
        array = np.array(X, dtype=object)
    except ValueError as error:
        raise InvalidInputError(f"X is no table: {error}. All rows need the same length.") from None
    if array.ndim == 1 and any(isinstance(row, (list, tuple)) for row in array):
        raise InvalidInputError("X is no table: its rows differ. All rows need the same length.")
    return array


def _settle(column: Any) -> Column:
    """Give a column of an array of objects the type that all of its values have."""
    if column.dtype.kind != "O" or pd.api.types.infer_dtype(column, skipna=False) not in _PLAIN:
        return np.asarray(column)
    settled: pd.Series[Any] = pd.Series(column).infer_objects()
    return settled


def is_category(column: Column) -> bool:
    """Say whether a column is anything but numbers."""
    dtype = column.dtype
    if pd.api.types.is_numeric_dtype(dtype):
        return pd.api.types.is_bool_dtype(dtype)
    if isinstance(column, np.ndarray) and dtype.kind == "O":
        kind = pd.api.types.infer_dtype(column, skipna=True)
        return kind not in {"integer", "floating", "mixed-integer-float", "empty"}
    return True


def find_column(place: Any, names: Sequence[str] | None, n_features: int, what: str) -> int:
    """Return the position of a column given by name or position.

    Parameters
    ----------
    place : str or int
        The name, or a position from 0; negative ones count from the end.
    names : sequence of str or None
        Names of the features, if they have any.
    n_features : int
        How many there are.
    what : str
        The parameter, for messages.

    Raises
    ------
    UnknownNameError
        For a column that is not there.
    """
    if isinstance(place, str):
        if names is None:
            raise UnknownNameError(
                f"{what} names column {str(place)!r}, but X has no column names. Give positions "
                f"from 0 to {n_features - 1}, or pass a frame."
            )
        if place not in names:
            raise UnknownNameError(
                f"{what} names column {str(place)!r}, which X does not have; its columns are "
                f"{listed(names, 20)}.{did_you_mean(place, names)}"
            )
        return list(names).index(place)
    if isinstance(place, (int, np.integer)) and not isinstance(place, bool):
        if -n_features <= place < n_features:
            return int(place) % n_features
        raise UnknownNameError(
            f"{what} has position {place}, and X has {count(n_features, 'column')}: positions are "
            f"0 to {n_features - 1}."
        )
    raise InvalidInputError(f"{what} must be names or positions of columns. Got {place!r} instead.")
