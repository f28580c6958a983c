"""Categories of a column: as numbers, and found again in another column.

Values that are equal in Python are one category, so 1, 1.0 and True are, and 1 and "1" are not.
None, NaN, pandas.NA and NaT are all the missing value, which has no place among the categories.
"""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from distsearch.errors import InvalidInputError

__all__ = [
    "as_index",
    "as_objects",
    "codes_type",
    "count_codes",
    "factorize",
    "is_missing",
    "joined",
    "locate",
]

_SMALL_RANGE = 2**16
_BLOCK = 2**16
_FEW = 16
_NUMBERS = frozenset("iuf")

Codes = NDArray[np.signedinteger[Any]]
Column: TypeAlias = "NDArray[Any] | pd.Series[Any]"


def factorize(column: Column, name: str = "") -> tuple[Codes, NDArray[Any]]:
    """Replace the values of a column by numbers.

    Parameters
    ----------
    column : ndarray or Series of shape (n,)
        The values.
    name : str
        What messages call it.

    Returns
    -------
    codes : ndarray of int of shape (n,)
        Places among the categories; -1 for a missing value.
    categories : ndarray of shape (n_categories,)
        Distinct values; some may not occur in the column.

    Raises
    ------
    InvalidInputError
        For values that cannot be compared, such as lists.
    """
    name = name or str(getattr(column, "name", ""))
    if isinstance(column.dtype, pd.CategoricalDtype):
        values: Any = column.array
        return values.codes.astype(np.intp), np.asarray(values.categories)
    column = _with_plain_floats(column)
    if isinstance(column.dtype, np.dtype):
        column = np.asarray(column)
        if column.dtype.kind in "iub":
            return _number_integers(column)
        if column.dtype == np.float16:
            column = column.astype(np.float32)
        elif column.dtype.kind in "US" or column.dtype == np.longdouble:
            column = column.astype(object)
    try:
        codes, categories = pd.factorize(column)
    except TypeError as error:
        raise InvalidInputError(
            f"Column {name!r} has values that cannot be compared ({error}). Categories must be "
            f"text, numbers, dates or other hashable values; convert them first."
        ) from error
    return codes, np.asarray(categories)


def is_missing(column: Column) -> NDArray[np.bool_]:
    """Return which values of a column are missing, of shape (n,)."""
    return np.asarray(pd.isna(_with_plain_floats(column)))


def _with_plain_floats(column: Column) -> Column:
    """Return floats of pandas' and Arrow's own types as NumPy's, where NaN is missing too."""
    if isinstance(column.dtype, np.dtype) or not pd.api.types.is_float_dtype(column.dtype):
        return column
    return column.to_numpy(dtype=np.float64, na_value=np.nan)


def _number_integers(values: NDArray[Any]) -> tuple[Codes, NDArray[Any]]:
    if values.dtype.kind == "b":
        return values.astype(np.intp), np.array([False, True])
    low, high = 0, int(np.bitwise_or.reduce(values))  # in one pass: none is larger or negative
    if high < 0 or high >= max(2 * len(values), _SMALL_RANGE):
        low, high = int(values.min()), int(values.max())
    if high - low >= max(2 * len(values), _SMALL_RANGE):
        codes, categories = pd.factorize(values)
        return codes, categories
    # In a small range a value is its own place, and nothing has to be looked up.
    wide: Any = np.uint64 if values.dtype.kind == "u" else np.int64
    codes = np.empty(len(values), dtype=codes_type(high - low + 2))
    for start in range(0, len(values), _BLOCK):
        block = values[start : start + _BLOCK]
        codes[start : start + _BLOCK] = block.astype(wide, copy=False) - wide(low)
    categories = (wide(low) + np.arange(high - low + 1, dtype=wide)).astype(values.dtype)
    return codes, categories


def codes_type(n_categories: int) -> Any:
    """Return the smallest type for places among so many categories, which pandas uses too."""
    for kind in (np.int8, np.int16, np.int32):
        if n_categories <= np.iinfo(kind).max:
            return kind
    return np.int64


def count_codes(codes: NDArray[Any], n_codes: int) -> NDArray[np.int64]:
    """Return how often each code occurs, of shape (n_codes,); none may be negative."""
    if n_codes <= _FEW:
        return np.array([np.count_nonzero(codes == code) for code in range(n_codes)], np.int64)
    counts = np.zeros(n_codes, dtype=np.int64)
    for start in range(0, len(codes), _BLOCK):  # bincount widens what it counts
        counts += np.bincount(codes[start : start + _BLOCK], minlength=n_codes)
    return counts


def as_index(categories: NDArray[Any]) -> pd.Index[Any]:
    """Return the categories such that `locate` finds them; it remembers what it has hashed."""
    if categories.dtype.kind == "b":
        return pd.Index(categories.astype(np.int8))
    index: pd.Index[Any] = pd.Index(
        categories, dtype=object if categories.dtype.kind == "O" else None
    )
    return index


def locate(known: pd.Index[Any], categories: NDArray[Any]) -> Codes:
    """Find categories among those known.

    Parameters
    ----------
    known : pandas.Index
        From `as_index`.
    categories : ndarray of shape (n,)
        What to look for.

    Returns
    -------
    ndarray of int of shape (n,)
        Places among the known; -1 for what is not there.
    """
    wanted = as_index(categories)
    if known.dtype == wanted.dtype:
        return np.asarray(known.get_indexer(wanted), dtype=np.intp)
    if known.dtype.kind in _NUMBERS and wanted.dtype.kind in _NUMBERS:
        values, exact = _convert(wanted.to_numpy(), known.to_numpy().dtype)
        places = np.asarray(known.get_indexer(pd.Index(values)), dtype=np.intp)
        places[~exact] = -1
        return places
    return np.asarray(known.astype(object).get_indexer(wanted.astype(object)), dtype=np.intp)


def _convert(values: NDArray[Any], dtype: np.dtype[Any]) -> tuple[NDArray[Any], NDArray[np.bool_]]:
    """Return numbers in another type, and which of them are still the same number."""
    with np.errstate(invalid="ignore"):
        converted = values.astype(dtype)
        exact = converted.astype(values.dtype) == values
    # A change of sign survives the way back between signed and unsigned integers.
    return converted, exact & ((converted < 0) == (values < 0))


def joined(first: NDArray[Any], second: NDArray[Any]) -> NDArray[Any]:
    """Return the categories of both arrays, which have none in common."""
    if first.dtype == second.dtype:
        return np.concatenate([first, second])
    if not len(first) or not len(second):
        return second if not len(first) else first
    if first.dtype.kind == second.dtype.kind and first.dtype.kind in _NUMBERS:
        return np.concatenate([first, second])
    return np.concatenate([as_objects(first), as_objects(second)])


def as_objects(categories: NDArray[Any]) -> NDArray[Any]:
    """Return categories as Python has them: times are times, not numbers of nanoseconds."""
    return np.asarray(pd.Index(categories).astype(object), dtype=object)
