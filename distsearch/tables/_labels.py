"""What a model is to learn: labels or numbers, checked before any work starts."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Literal

from distsearch._wording import count, did_you_mean, listed, quoted
from distsearch.errors import DataError, UnknownNameError
from distsearch.tables._cells import is_text, parse_numbers

if TYPE_CHECKING:
    import numpy as np
    import pandas as pd
    from numpy.typing import NDArray

__all__ = ["Task", "as_binary", "as_labels", "as_numbers", "likely_task"]

Task = Literal["classification", "regression"]

# More different whole numbers than this are taken for amounts, unless the caller knows better.
_MOST_CLASSES = 100
_LIKE_MISSING = {"?", "na", "n/a", "nan", "null", "none", "-"}
_EXACT_INTEGERS = 2.0**53


def likely_task(column: pd.Series[Any]) -> Task:
    """Return what a target without missing values is for."""
    import pandas as pd

    if is_text(column) or pd.api.types.is_bool_dtype(column.dtype):
        return "classification"
    if not pd.api.types.is_numeric_dtype(column.dtype):
        return "classification"
    if not _is_whole(column) or column.nunique() > _MOST_CLASSES:
        return "regression"
    return "classification"


def as_labels(column: pd.Series[Any], source: str) -> tuple[NDArray[Any], list[str]]:
    """Return labels without missing values as a plain array, and notes about rare classes.

    Text gives a text array, whole numbers written in any way (1, 1.0) give integers.
    """
    import numpy as np

    name, rows, distinct = column.name, len(column), int(column.nunique())
    if distinct == 1:
        raise DataError(
            f"{source}: the label {name!r} has only one class, {quoted(column.iloc[0])}, in "
            f"{count(rows, 'row')}; at least two classes are needed."
        )
    labels = _label_array(column)
    if labels is None:
        raise DataError(
            f"{source}: the label {name!r} looks continuous ({count(distinct, 'different value')} "
            f"in {count(rows, 'row')}), and a classifier needs classes. Choose another target, use "
            f"task='regression', or declare it categorical if these numbers name classes."
        )
    if distinct == rows:
        raise DataError(
            f"{source}: the label {name!r} has {distinct} different values in {rows} rows; a "
            "class needs several rows to be learned. Choose another target."
        )
    values, times = np.unique(labels, return_counts=True)
    rare = [_plain(value) for value in values[times == 1]]
    subject = "class has" if len(rare) == 1 else "classes have"
    notes = [f"{len(rare)} {subject} a single row: {listed(rare)}"] if rare else []
    notes += [
        f"{quoted(value)} is a class; if it stands for a missing label, set missing={[value]!r}"
        for value in map(_plain, values)
        if str(value).lower() in _LIKE_MISSING
    ]
    return labels, notes


def as_binary(
    labels: NDArray[Any], positive: object, source: str, target: str
) -> tuple[NDArray[np.int64], str]:
    """Return 1 for the positive classes and 0 for the others, and a note that says so."""
    import numpy as np

    many = isinstance(positive, Sequence | set | frozenset) and not isinstance(positive, str)
    wanted = [str(each) for each in positive] if many else [str(positive)]  # type: ignore[attr-defined]
    texts = np.array([str(value) for value in labels])
    known = {str(_plain(value)): _plain(value) for value in np.unique(labels)}
    for each in wanted:
        if each not in known:
            raise UnknownNameError(
                f"{source}: {target!r} has no class {each!r}; the classes are "
                f"{listed(known.values(), 20)}.{did_you_mean(each, known)}"
            )
    binary = np.isin(texts, wanted).astype(np.int64)
    if binary.all():
        raise DataError(f"{source}: every class of {target!r} is named as positive; leave one out.")
    rest = [label for text, label in known.items() if text not in wanted]
    ones = listed([known[each] for each in wanted])
    return binary, f"label 1 stands for {ones}, 0 for {listed(rest)}"


def as_numbers(
    column: pd.Series[Any], decimal: str
) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
    """Return a regression target, and a mask of the values that are no finite numbers."""
    import numpy as np
    import pandas as pd

    numeric = pd.api.types.is_numeric_dtype(column.dtype)
    numbers = column if numeric else parse_numbers(column, decimal)[0]
    values = numbers.to_numpy(dtype=np.float64, na_value=np.nan)
    return values, ~np.isfinite(values)


def _label_array(column: pd.Series[Any]) -> NDArray[Any] | None:
    import numpy as np
    import pandas as pd

    if pd.api.types.is_bool_dtype(column.dtype):
        return column.to_numpy(dtype=bool)
    if not pd.api.types.is_numeric_dtype(column.dtype):
        return np.array([str(value) for value in column], dtype=np.str_)
    if not _is_whole(column):
        return None
    return column.to_numpy(dtype=np.uint64 if column.max() > np.iinfo(np.int64).max else np.int64)


def _is_whole(column: pd.Series[Any]) -> bool:
    import numpy as np
    import pandas as pd

    if pd.api.types.is_integer_dtype(column.dtype):
        return True
    values = column.to_numpy(dtype=np.float64)
    return bool(((np.abs(values) < _EXACT_INTEGERS) & (values == np.floor(values))).all())


def _plain(value: Any) -> object:
    return value.item() if hasattr(value, "item") else value
