"""Names of the columns that an encoding makes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

__all__ = ["name_outputs"]


def name_outputs(
    names: Sequence[str], encoded: Sequence[int], labels: Sequence[Any] | None
) -> list[list[str]]:
    """Name the outputs of each feature, no two alike.

    Parameters
    ----------
    names : sequence of str
        The features.
    encoded : sequence of int
        Positions of those that are encoded; the others keep their names.
    labels : sequence or None
        The classes that an encoded feature has a column for; None for one column of its own name.

    Returns
    -------
    list of list of str
        One list a feature. A name that is taken already gets a number: ``a_b``, ``a_b_2``.
    """
    chosen = set(encoded) if labels is not None else set()
    taken = {name for j, name in enumerate(names) if j not in chosen}
    result = []
    for j, name in enumerate(names):
        if j not in chosen:
            result.append([name])
            continue
        own = [_free(f"{name}_{_spell(label)}", taken) for label in labels or ()]
        result.append(own)
    return result


def _free(name: str, taken: set[str]) -> str:
    number, free = 1, name
    while free in taken:
        number += 1
        free = f"{name}_{number}"
    taken.add(free)
    return free


def _spell(label: Any) -> str:
    """Write whole numbers without a decimal point: a table's reader may have made them floats."""
    if isinstance(label, float) and label.is_integer():
        return str(int(label))
    return str(label)
