"""Which columns are features and which is the target."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from distsearch._wording import did_you_mean, listed
from distsearch.errors import InvalidInputError, UnknownNameError
from distsearch.tables._layout import no_header

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["check_columns", "choose_features", "choose_target"]


def choose_target(frame: pd.DataFrame, target: str | None, source: str) -> str:
    """Return the target, which must be a column."""
    if target is None:
        raise InvalidInputError(
            f"{source}: say which column to learn (target). The columns are "
            f"{listed(frame.columns, 20)}."
        )
    if target not in frame.columns:
        raise UnknownNameError(
            f"{source}: there is no target column {target!r}; the columns are "
            f"{listed(frame.columns, 20)}.{did_you_mean(target, map(str, frame.columns))}"
            f"{no_header(map(str, frame.columns))}"
        )
    return target


def choose_features(
    frame: pd.DataFrame,
    target: str,
    columns: Sequence[str] | None,
    ignore: Sequence[str],
    source: str,
) -> list[str]:
    """Return the features: the given columns or all but the target, without the ignored ones."""
    ignore = (ignore,) if isinstance(ignore, str) else ignore
    columns = (columns,) if isinstance(columns, str) else columns
    check_columns("ignore", ignore, frame, source)
    if columns is None:
        columns = [name for name in frame.columns if name != target]
    check_columns("columns", columns, frame, source)
    if target in columns:
        raise InvalidInputError(
            f"{source}: {target!r} is the target and cannot be a feature too; remove it from "
            "columns."
        )
    chosen = list(dict.fromkeys(name for name in columns if name not in set(ignore)))
    if not chosen:
        raise InvalidInputError(
            f"{source}: no features are left beside the target {target!r}; at least one column is "
            "needed."
        )
    return chosen


def check_columns(what: str, names: Iterable[str], frame: pd.DataFrame, source: str) -> None:
    """Raise an `UnknownNameError` unless the names are columns."""
    for name in names:
        if name not in frame.columns:
            raise UnknownNameError(
                f"{source}: {what} names {name!r}, which is not a column; the columns are "
                f"{listed(frame.columns, 20)}.{did_you_mean(str(name), map(str, frame.columns))}"
            )
