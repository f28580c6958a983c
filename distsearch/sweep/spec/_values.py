"""Values of parameters: what a default says about the type, and what the text of a cell means."""

from __future__ import annotations

import ast
import math
import re
import warnings
from collections.abc import Callable, Hashable, Sequence
from typing import Any, Final

from distsearch._wording import quoted

__all__ = ["ABSENT", "MisfitError", "fit", "identity", "parse_column"]

ABSENT: Final = object()
"""What an empty cell stands for."""

_WHOLE = re.compile(r"[+-]?[0-9]{1,4000}")
_NUMBER = re.compile(r"[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?")
_NOT_FINITE = re.compile(r"[+-]?(?:nan|inf|infinity)", re.IGNORECASE)
_TRUTH = {"true": True, "false": False}


class MisfitError(Exception):
    """A value that a parameter cannot have; the message follows the name of the parameter."""


def fit(value: Any, default: Any, takes: Callable[[Any], bool | None]) -> Any:
    """Return a value in the type that the default of its parameter says.

    Parameters
    ----------
    value : object
        As in the study file, or from a cell.
    default : object
        The parameter's.
    takes : callable
        Says whether the parameter is declared to take a value; None where nothing is declared. What
        is declared goes before the type of the default, and what is declared wrong is left to the
        check of the declarations, which can say what is right.

    Raises
    ------
    MisfitError
        The value cannot be of that type.
    """
    value = _plain(value)
    if value is None or value == "None":
        return None
    if isinstance(default, bool):
        return _checked(value, isinstance(value, bool), "true or false", takes)
    if isinstance(default, int | float):
        return _fit_number(value, default, takes)
    if isinstance(default, list | tuple) and isinstance(value, list):
        return _as_floats(value) if all(isinstance(each, float) for each in default) else value
    return value


def _fit_number(value: Any, default: float, takes: Callable[[Any], bool | None]) -> Any:
    whole = isinstance(default, int)
    allowed = "a whole number" if whole else "a number"
    if isinstance(value, bool):
        raise MisfitError(f"must be {allowed}. Got {value} instead.")
    if isinstance(value, list):
        return value if whole else _as_floats(value)
    if not isinstance(value, int | float):
        return _checked(value, False, allowed, takes)
    other = _other_type(value, whole)
    if takes(value) and not takes(other):  # such as a count where the default is a share
        return value
    return _checked(other, isinstance(other, int) or not whole, allowed, takes)


def _other_type(value: float, whole: bool) -> float:
    """Return the number as an integer if it is whole and is to be so, else as a float."""
    if whole:
        return int(value) if math.isfinite(value) and value == int(value) else value
    try:
        return float(value)
    except OverflowError:
        return value


def _checked(value: Any, fits: bool, allowed: str, takes: Callable[[Any], bool | None]) -> Any:
    if not fits and takes(value) is None:
        raise MisfitError(f"must be {allowed}. Got {quoted(value)} instead.")
    return value


def _as_floats(values: list[Any]) -> list[Any]:
    numbers = all(isinstance(v, int | float) and not isinstance(v, bool) for v in values)
    return [_other_type(each, whole=False) for each in values] if numbers else values


def _plain(value: Any) -> Any:
    if isinstance(value, list | tuple):
        return [_plain(each) for each in value]
    if isinstance(value, dict):
        return {_plain(key): _plain(each) for key, each in value.items()}
    if value is None or isinstance(value, str | bool | int | float):
        return value
    raise MisfitError(
        f"must be made of numbers, text, true, false, None and lists. Got {quoted(value)} instead."
    )


def parse_column(cells: Sequence[str], default: Any) -> list[Any]:
    """Return what the cells of a column stand for.

    Parameters
    ----------
    cells : sequence of str
        Without blanks around them.
    default : object
        That of the parameter.

    Returns
    -------
    list of object
        `ABSENT` for an empty cell, a `MisfitError` for one that means nothing.
    """
    values = [_parse(cell, default) for cell in cells]
    if not isinstance(default, int | float) and any(map(_is_fraction, values)):
        return [_other_type(v, whole=False) if _is_number(v) else v for v in values]
    return values


def _parse(cell: str, default: Any) -> Any:
    if not cell:
        return ABSENT
    if cell.lower() in _TRUTH:
        return _TRUTH[cell.lower()]
    if isinstance(default, bool):
        return cell
    if _WHOLE.fullmatch(cell):
        return int(cell)
    if _NUMBER.fullmatch(cell) or _NOT_FINITE.fullmatch(cell):
        number = float(cell)
        return number if math.isfinite(number) or isinstance(default, float) else cell
    return _parse_literal(cell) if cell[0] in "[({" else cell


def _parse_literal(cell: str) -> Any:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return ast.literal_eval(cell)
    except (ValueError, TypeError, SyntaxError, MemoryError, RecursionError):
        return MisfitError(f"must be a list such as [1, 2.5, 'a']. Got {quoted(cell)} instead.")


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _is_fraction(value: Any) -> bool:
    return isinstance(value, float) and not value.is_integer()


def identity(value: Any) -> Hashable:
    """Return what two equal values have in common: 1 and 1.0 do, 1 and true do not."""
    if isinstance(value, list | tuple):
        return ("list", *map(identity, value))
    if isinstance(value, dict):
        return ("dict", *sorted((repr(identity(k)), identity(v)) for k, v in value.items()))
    if isinstance(value, bool) or value is None or isinstance(value, str):
        return (type(value).__name__, value)
    if isinstance(value, int | float) and not math.isnan(value):
        return ("number", value)
    return ("other", repr(value))
