"""The parameters of an estimator that a study leaves to its units, with the values to try."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import prod
from typing import Any

from sklearn.base import clone

from distsearch._sklearn import check_parameters, validate_parameter_constraints
from distsearch._wording import count, did_you_mean, joined, quoted
from distsearch.errors import DistsearchError
from distsearch.sweep.spec._context import Context
from distsearch.sweep.spec._lines import KeyPath
from distsearch.sweep.spec._rows import Row
from distsearch.sweep.spec._types import Tuning
from distsearch.sweep.spec._values import MisfitError, fit, identity

__all__ = ["MAX_COMBINATIONS", "read_tuning"]

MAX_COMBINATIONS = 10_000
"""Most combinations of values that a unit chooses from."""


def read_tuning(
    context: Context,
    path: KeyPath,
    entry: Mapping[str, Any],
    rows: Sequence[Row],
    estimator: Any,
) -> Tuning | None:
    """Return what the settings of an entry tune, as far as it is right; None for nothing.

    Parameters
    ----------
    context : Context
        Gets the mistakes.
    path : tuple
        Where the entry is.
    entry : mapping
        The entry.
    rows : sequence of Row
        Its settings.
    estimator : estimator
        What it is an entry of, with its defaults.
    """
    if "tune" not in entry:
        if "tune_cv" in entry and context.is_whole(*path, "tune"):
            context.add("has no effect without tune; leave it out.", *path, "tune_cv")
        return None
    number = prod(map(len, entry["tune"].values()))
    if number > MAX_COMBINATIONS:
        context.add(
            f"stands for {count(number, 'combination')}, and a unit can choose from at most "
            f"{MAX_COMBINATIONS:,}. Leave values out.",
            *(*path, "tune"),
        )
        return None
    taken = _taken(entry, rows)
    grid = {}
    for key, values in entry["tune"].items():
        axis = _axis(context, (*path, "tune", key), estimator, key, values, taken)
        if axis:
            grid[key] = axis
    return Tuning(grid=grid, folds=int(entry.get("tune_cv", 3))) if grid else None


def _taken(entry: Mapping[str, Any], rows: Sequence[Row]) -> dict[str, str]:
    """Return the parameters that have a value already, with the key that gives it."""
    form = next((each for each in ("settings", "grid", "table") if each in entry), "params")
    taken = dict.fromkeys((key for row in rows for key in row.values), form)
    return {**taken, **dict.fromkeys(entry.get("params", ()), "params")}


def _axis(
    context: Context,
    path: KeyPath,
    estimator: Any,
    key: str,
    values: Sequence[Any],
    taken: Mapping[str, str],
) -> tuple[Any, ...]:
    """Return the values of a parameter in their types, without those that it does not take."""
    if key in taken:
        context.add(f"{key} is in {taken[key]} too; leave it out of one of them.", *path)
        return ()
    known = estimator.get_params(deep=True)
    if key not in known:
        context.add(
            f"{type(estimator).__name__} has no parameter {key!r}.{did_you_mean(key, known)} "
            f"Its parameters are {joined(list(estimator.get_params(deep=False)))}.",
            *path,
        )
        return ()
    owner, _, name = key.rpartition("__")
    parameter = _Parameter(known[owner] if owner else estimator, name)
    found: dict[Any, Any] = {}
    for value in values:
        try:
            typed = parameter.typed(value)
        except (MisfitError, DistsearchError) as error:
            context.add(str(error), *path)
            continue
        if identity(typed) in found:
            context.add(f"{quoted(value)} is there twice; leave one out.", *path)
        found[identity(typed)] = typed
    return tuple(found.values())


class _Parameter:
    """A parameter of an estimator, or of one that is nested in it."""

    def __init__(self, owner: Any, name: str) -> None:
        self._owner, self._name = owner, name
        self._default = owner.get_params(deep=False)[name]
        self._constraints = getattr(owner, "_parameter_constraints", None) or {}

    def typed(self, value: Any) -> Any:
        """Return a value in the type of the parameter.

        Raises
        ------
        MisfitError
            It cannot be of that type.
        InvalidInputError
            The parameter does not take it.
        """
        found = fit(value, self._default, self._takes)
        if not self._takes(found):
            check_parameters(clone(self._owner, safe=False).set_params(**{self._name: found}))
        return found

    def _takes(self, value: Any) -> bool | None:
        if self._name not in self._constraints:
            return None
        try:
            validate_parameter_constraints(
                self._constraints, {self._name: value}, type(self._owner).__name__
            )
        except ValueError:
            return False
        return True
