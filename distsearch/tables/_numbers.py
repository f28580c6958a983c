"""Features as numbers, or one error that says which values are none."""

from __future__ import annotations

from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

from distsearch._wording import count, listed
from distsearch.errors import DataError
from distsearch.tables._cells import is_text, parse_numbers
from distsearch.tables._layout import check_names
from distsearch.tables._options import DEFAULT_OPTIONS, ReadOptions
from distsearch.tables._places import Places

if TYPE_CHECKING:
    import numpy as np
    import pandas as pd
    from numpy.typing import NDArray

__all__ = ["describe_missing", "numeric_features"]

_SHOWN_COLUMNS = 20
_TRUTH = {"true": 1.0, "false": 0.0}


def describe_missing(frame: pd.DataFrame) -> dict[str, int]:
    """Return how many values are missing in each column that has missing values.

    Parameters
    ----------
    frame : pandas.DataFrame
        Any table.
    """
    counts = frame.isna().sum()
    return {str(name): int(times) for name, times in counts.items() if times}


def numeric_features(
    frame: pd.DataFrame,
    source: str | PathLike[str] | None = None,
    options: ReadOptions = DEFAULT_OPTIONS,
    *,
    remedy: str = "",
) -> pd.DataFrame:
    """Return the features as numbers.

    Columns of true and false become 1 and 0. Missing values stay NaN.

    Parameters
    ----------
    frame : pandas.DataFrame
        The features.
    source : str or path-like, optional
        Where they come from. If it is a text file, messages have its line numbers, provided that
        `frame` still has the index it was read with.
    options : ReadOptions, optional
        The rule the file was read with.
    remedy : str, optional
        What can be done about text, if not to leave out such columns.

    Returns
    -------
    pandas.DataFrame
        The same columns, each of them numeric.

    Raises
    ------
    DataError
        Some values are text or infinite. The one message names all such columns, their values,
        where the first ones are and what can be done.
    """
    import numpy as np
    import pandas as pd

    check_names([str(name) for name in frame.columns], source or "the table")
    # Reading numbers the rows, and dropping some leaves the numbers of the others.
    numbered = pd.api.types.is_integer_dtype(frame.index.dtype)
    rows = frame.index.to_numpy() if numbered else np.arange(len(frame))
    places = Places(Path(source) if source is not None else None, options)
    numbers: dict[str, pd.Series[Any]] = {}
    troubles: list[str] = []
    unusable: list[str] = []
    for name, column in frame.items():
        numbers[str(name)], wrong = _as_numbers(column, options)
        if wrong.any():
            unusable.append(str(name))
            if len(troubles) < _SHOWN_COLUMNS:
                where = places.describe(rows[wrong])
                troubles.append(_trouble(str(name), column, wrong, where, options))
    if troubles:
        more = len(unusable) - len(troubles)
        tail = f"; and {count(more, 'more column')}" if more else ""
        raise DataError(
            f"{source or 'the table'}: {count(len(unusable), 'feature')} cannot be used as "
            f"numbers: {'; '.join(troubles)}{tail}. {remedy or _remedy(frame, unusable, options)}"
        )
    return pd.DataFrame(numbers, index=frame.index)


def _as_numbers(
    column: pd.Series[Any], options: ReadOptions
) -> tuple[pd.Series[Any], NDArray[np.bool_]]:
    import numpy as np
    import pandas as pd

    dtype = column.dtype
    if str(column.name) in options.categorical:
        return column, column.notna().to_numpy(dtype=bool)
    if pd.api.types.is_bool_dtype(dtype):
        numbers = column.astype("float64" if column.isna().any() else "int64")
        wrong = np.zeros(len(column), dtype=bool)
    elif is_text(column):
        truth = column.astype(object).map(
            lambda value: _TRUTH.get(str(value).lower(), np.nan), na_action="ignore"
        )
        if truth.notna().any() and truth.notna().equals(column.notna()):
            return truth.astype("float64"), np.zeros(len(column), dtype=bool)
        numbers, wrong = parse_numbers(column, options.decimal)
    elif pd.api.types.is_numeric_dtype(dtype) and not pd.api.types.is_complex_dtype(dtype):
        # Nullable and Arrow types become plain ones, which every estimator takes.
        numbers = column if isinstance(dtype, np.dtype) else column.astype("float64")
        wrong = np.zeros(len(column), dtype=bool)
    else:
        return column, column.notna().to_numpy(dtype=bool)
    infinite = np.isinf(numbers.to_numpy(dtype="float64", na_value=np.nan))
    return numbers, wrong | infinite


def _remedy(frame: pd.DataFrame, names: list[str], options: ReadOptions) -> str:
    few = len(names) <= _SHOWN_COLUMNS
    texts = [
        str(name)
        for name, column in frame.items()
        if str(name) in set(names).difference(options.categorical) and _could_be_names(column)
    ]
    declare = f": set categorical={texts!r}" if few else " (option categorical)"
    leave = f": set ignore={names!r}" if few else " (option ignore)"
    middle = f"declare them categorical if their values are names{declare}, " if texts else ""
    return f"Correct such columns, {middle}or leave them out{leave}."


def _could_be_names(column: pd.Series[Any]) -> bool:
    import pandas as pd

    if is_text(column):
        return bool(parse_numbers(column)[1].any())
    return not pd.api.types.is_numeric_dtype(column.dtype)


def _trouble(
    name: str,
    column: pd.Series[Any],
    wrong: NDArray[np.bool_],
    where: str,
    options: ReadOptions,
) -> str:
    import pandas as pd

    number, present = int(wrong.sum()), int(column.notna().sum())
    if name in options.categorical:
        return f"{name!r} is declared categorical"
    numeric = pd.api.types.is_numeric_dtype(column.dtype)
    if numeric or (is_text(column) and not parse_numbers(column[wrong], options.decimal)[1].any()):
        return f"{name!r} has {count(number, 'value')} infinite or beyond 1.8e308 ({where})"
    if not is_text(column):
        return f"{name!r} has values of type {column.dtype} ({where})"
    distinct = [str(value) for value in column[wrong].drop_duplicates()]
    if number == present:
        about = f"{name!r} is text ({listed(distinct, 3)})"
    else:
        about = f"{name!r} has {number} of {count(present, 'value')} that are text"
        about = f"{about} ({listed(distinct, 3)}; {where})"
    if options.decimal == "." and not parse_numbers(column[wrong], ",")[1].any():
        return f"{about}, with a decimal comma it seems: set decimal=','"
    if len(distinct) <= 3 and number < present and max(map(len, distinct)) < 20:
        return f"{about}; if that stands for a missing value, set missing={distinct!r}"
    return about
