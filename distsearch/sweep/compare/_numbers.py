"""Numbers as people read them."""

from __future__ import annotations

import math
from collections.abc import Iterable

__all__ = ["NONE", "digits_for", "number", "p_value", "signed", "whole"]

NONE = "–"
"""What stands for a number that there is not."""

_MOST_DIGITS = 6


def digits_for(values: Iterable[float]) -> int:
    """Return the decimals that leave three digits of the smallest value that is not 0."""
    sizes = [abs(value) for value in values if math.isfinite(value) and value != 0]
    if not sizes:
        return 2
    return min(max(2 - math.floor(math.log10(min(sizes))), 0), _MOST_DIGITS)


def number(value: float, digits: int = 2) -> str:
    """Return a number with that many decimals, never as -0.00, or a dash for NaN."""
    if math.isnan(value):
        return NONE
    text = f"{value:.{digits}f}"
    return text.removeprefix("-") if float(text) == 0 else text


def signed(value: float, digits: int = 2) -> str:
    """Return a number with its sign; none for 0."""
    text = number(value, digits)
    return text if text.startswith(("-", NONE)) or float(text) == 0 else f"+{text}"


def p_value(value: float) -> str:
    """Return a probability with three decimals, never as 0."""
    if math.isnan(value):
        return NONE
    return "< 0.001" if value < 0.001 else f"{value:.3f}"


def whole(value: object) -> str:
    """Return a count."""
    return f"{int(str(value)):,}"
