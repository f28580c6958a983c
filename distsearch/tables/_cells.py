"""What a column's values are: text, numbers written as text, or missing."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import numpy as np
    import pandas as pd
    from numpy.typing import NDArray

__all__ = ["clean_text", "is_text", "mask_numbers", "parse_numbers"]


def is_text(column: pd.Series[Any]) -> bool:
    """Return whether the column holds texts, or objects in place of them."""
    import pandas as pd

    dtype = column.dtype
    return pd.api.types.is_object_dtype(dtype) or isinstance(
        dtype, pd.CategoricalDtype | pd.StringDtype
    )


def clean_text(column: pd.Series[Any], missing: Sequence[str]) -> tuple[pd.Series[Any], int]:
    """Remove blanks around texts and missing markers; return also how many kept texts had blanks.

    The column itself is returned where there is nothing to do.
    """
    import numpy as np
    import pandas as pd

    codes, uniques = pd.factorize(column)
    distinct = np.asarray(uniques, dtype=object)
    texts = [value.strip() if isinstance(value, str) else value for value in distinct]
    had_blanks = np.array([a is not b and a != b for a, b in zip(texts, distinct, strict=True)])
    gone = np.array([isinstance(text, str) and text in {"", *missing} for text in texts])
    if not had_blanks.any() and not gone.any():
        return column, 0
    times = np.bincount(codes[codes >= 0], minlength=len(texts))
    keep = [np.nan if lost else text for text, lost in zip(texts, gone, strict=True)]
    dtype = object if isinstance(column.dtype, pd.CategoricalDtype) else column.dtype
    # Code -1 stands for missing and picks the last place.
    values = pd.Series([*keep, np.nan], dtype=dtype).array.take(codes % (len(keep) + 1))
    cleaned = pd.Series(values, index=column.index, name=column.name)
    return cleaned, int(times[had_blanks & ~gone].sum())


def mask_numbers(column: pd.Series[Any], missing: Sequence[str]) -> pd.Series[Any]:
    """Turn numbers that equal a missing marker, such as -999, into missing values."""
    import pandas as pd

    numeric = pd.api.types.is_numeric_dtype(column.dtype)
    if not missing or not numeric or pd.api.types.is_bool_dtype(column.dtype):
        return column
    markers = pd.to_numeric(pd.Series(list(missing), dtype=object), errors="coerce").dropna()
    found = column.isin(markers.tolist())
    return column.mask(found) if found.any() else column


def parse_numbers(
    column: pd.Series[Any], decimal: str = "."
) -> tuple[pd.Series[Any], NDArray[np.bool_]]:
    """Return the numbers that the texts stand for, and a mask of the texts that are no numbers."""
    import pandas as pd

    texts = column.astype(object)
    if decimal == ",":
        texts = texts.str.replace(".", "_", regex=False).str.replace(",", ".", regex=False)
    numbers = pd.to_numeric(texts, errors="coerce")
    if numbers.dtype == object or pd.api.types.is_bool_dtype(numbers.dtype):
        numbers = numbers.astype("float64")
    return numbers, (numbers.isna() & column.notna()).to_numpy(dtype=bool)
