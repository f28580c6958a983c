"""Shared phrases of this folder's messages: listings, plurals and nearest names."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable, Sequence

__all__ = ["count", "did_you_mean", "joined", "listed", "no_header", "quoted"]

_LONGEST = 60


def joined(parts: Sequence[str]) -> str:
    """Return the parts as an English list: ``a``, ``a and b``, ``a, b and c``."""
    if len(parts) < 2:
        return "".join(parts)
    return f"{', '.join(parts[:-1])} and {parts[-1]}"


def listed(values: Iterable[object], limit: int = 10) -> str:
    """Return the values quoted and joined; beyond `limit` they are only counted."""
    everything = list(values)
    parts = [quoted(value) for value in everything[:limit]]
    if len(everything) > limit:
        parts.append(f"{len(everything) - limit} more")
    return joined(parts)


def quoted(value: object) -> str:
    """Return the value as in a program, a long one shortened."""
    plain = value.item() if hasattr(value, "item") else value
    text = repr(plain)
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 4]}...{text[-1]}"


def no_header(names: Iterable[str]) -> str:
    """Return " Does the file ...?" where a column name is a decimal number, or an empty text."""
    if not any(re.fullmatch(r"-?\d*\.\d+", name) for name in names):
        return ""
    return " Does the file lack a header line? Its first line is taken for one, and has numbers."


def count(number: int, singular: str, plural: str | None = None) -> str:
    """Return the number with its noun."""
    noun = singular if number == 1 else plural or f"{singular}s"
    return f"{number} {noun}"


def did_you_mean(name: str, known: Iterable[str]) -> str:
    """Return " Did you mean ...?" with the nearest known names, or an empty text."""
    by_lower: dict[str, str] = {}
    for each in known:
        by_lower.setdefault(each.lower(), each)
    near = difflib.get_close_matches(name.lower(), by_lower, n=3, cutoff=0.6)
    if not near:
        return ""
    return f" Did you mean {' or '.join(repr(by_lower[each]) for each in near)}?"
