"""Features of two kinds: numbers, and categories, which stay text."""

from __future__ import annotations

from os import PathLike
from typing import TYPE_CHECKING, Any

from distsearch._wording import listed
from distsearch.tables._cells import is_text, parse_numbers
from distsearch.tables._layout import check_names
from distsearch.tables._numbers import numeric_features
from distsearch.tables._options import DEFAULT_OPTIONS, ReadOptions

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["describe_categories", "is_category", "mixed_features"]


def is_category(column: pd.Series[Any]) -> bool:
    """Say whether a column is text in which no value is a number.

    Nor may a value be a number with the other decimal mark: then the mark is wrong. Texts of true
    and false are numbers, too.

    Parameters
    ----------
    column : pandas.Series
        A column as it was read.
    """
    texts = column.dropna().drop_duplicates()
    if not is_text(column) or texts.empty:
        return False
    if texts.astype(str).str.lower().isin(["true", "false"]).all():
        return False
    return all(bool(parse_numbers(texts, mark)[1].all()) for mark in (".", ","))


def mixed_features(
    frame: pd.DataFrame,
    source: str | PathLike[str] | None = None,
    options: ReadOptions = DEFAULT_OPTIONS,
    *,
    infer: bool = True,
    remedy: str = "",
) -> tuple[pd.DataFrame, tuple[str, ...]]:
    """Return the features as numbers or, where they are categories, as text.

    Parameters
    ----------
    frame : pandas.DataFrame
        The features.
    source : str or path-like, optional
        As in `numeric_features`.
    options : ReadOptions, optional
        The rule the file was read with. The columns that it declares categorical are categories.
    infer : bool, default=True
        Whether undeclared columns are categories, too, where `is_category` says so.
    remedy : str, optional
        As in `numeric_features`.

    Returns
    -------
    features : pandas.DataFrame
        The same columns in the same order: numbers, or objects that are texts, with NaN for a
        missing value.
    categorical : tuple of str
        Names of the columns that are categories.

    Raises
    ------
    DataError
        The other columns have values that are no finite numbers.
    """
    import numpy as np
    import pandas as pd

    declared = set(options.categorical)
    found = [
        str(name)
        for name, column in frame.items()
        if name in declared or (infer and is_category(column))
    ]
    check_names([str(name) for name in frame.columns], source or "the table")
    numbers = frame.drop(columns=found)
    if numbers.shape[1]:
        numbers = numeric_features(numbers, source, options, remedy=remedy)
    columns: dict[str, pd.Series[Any]] = {}
    for name, column in frame.items():
        if name in found:
            texts = column.astype(object).map(str, na_action="ignore").astype(object)
            columns[str(name)] = texts.where(column.notna(), np.nan)
        else:
            columns[str(name)] = numbers[str(name)]
    return pd.DataFrame(columns, index=frame.index), tuple(found)


def describe_categories(
    frame: pd.DataFrame, categorical: tuple[str, ...], declared: tuple[str, ...]
) -> list[str]:
    """Return notes: which columns were taken for categories, and which say nothing of new rows."""
    found = [name for name in categorical if name not in declared]
    notes = []
    if found:
        verb = "is" if len(found) == 1 else "are"
        notes.append(f"{listed(found)} {verb} text and taken for categories")
    unique = [name for name in categorical if frame[name].nunique() == len(frame)]
    if unique:
        notes.append(
            f"every row has a value of its own in {listed(unique)}, which says nothing about other "
            f"rows; to leave that out, set ignore={unique!r}"
        )
    return notes
