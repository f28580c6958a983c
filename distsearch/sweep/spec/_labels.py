"""The names of settings, and settings that are the same."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping, Sequence
from fnmatch import fnmatchcase
from typing import Any

from distsearch.sweep.spec._rows import Row
from distsearch.sweep.spec._values import identity

__all__ = ["make_label", "meet", "same_settings", "varied_keys"]


def varied_keys(rows: Sequence[Row]) -> list[str]:
    """Return the parameters that are not the same in all rows, in the order of the study."""
    first: dict[str, Hashable] = {}
    numbers: dict[str, int] = {}
    varied: set[str] = set()
    for row in rows:
        for key, value in row.values.items():
            found = identity(value)
            numbers[key] = numbers.get(key, 0) + 1
            if first.setdefault(key, found) != found:
                varied.add(key)
    return [key for key in first if key in varied or numbers[key] < len(rows)]


def make_label(entry: str, values: Mapping[str, Any]) -> str:
    """Return the label of one of several settings, given the values of what varies.

    Examples
    --------
    >>> make_label("KNN", {"n_neighbors": 3, "weights": "uniform"})
    'KNN(n_neighbors=3, weights=uniform)'
    """
    listed = ", ".join(f"{key}={_shown(value)}" for key, value in values.items())
    return f"{entry}({listed or 'defaults'})"


def _shown(value: Any) -> str:
    return value if isinstance(value, str) and value.isprintable() and value else repr(value)


def meet(ours: Sequence[str], theirs: Sequence[str], data: Sequence[str]) -> bool:
    """Say whether two lists of patterns are, or may be, for one of the data sets.

    Parameters
    ----------
    ours, theirs : sequence of str
        Patterns of labels, as in file names.
    data : sequence of str
        The labels of the data sets that are known.
    """
    if "*" in (*ours, *theirs) or not set(ours).isdisjoint(theirs):
        return True
    return any(
        all(any(fnmatchcase(label, each) for each in patterns) for patterns in (ours, theirs))
        for label in data
    )


def same_settings(rows: Sequence[Row], defaults: Mapping[str, Any]) -> Iterator[tuple[Row, Row]]:
    """Give each row whose parameters are those of a row before it, with that row."""
    usual = {key: identity(value) for key, value in defaults.items()}
    seen: dict[Hashable, Row] = {}
    for row in rows:
        found = ((key, identity(value)) for key, value in row.values.items())
        special = frozenset(pair for pair in found if usual.get(pair[0]) != pair[1])
        first = seen.setdefault(special, row)
        if first is not row:
            yield row, first
