"""Shared phrases of this folder's messages: listings, plurals and nearest names."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Sequence

__all__ = ["count", "did_you_mean", "joined", "listed"]


def joined(parts: Sequence[str]) -> str:
    """Return the parts as an English list: ``a``, ``a and b``, ``a, b and c``."""
    if len(parts) < 2:
        return "".join(parts)
    return f"{', '.join(parts[:-1])} and {parts[-1]}"


def listed(values: Iterable[object], limit: int = 10) -> str:
    """Return the values quoted and joined; beyond `limit` they are only counted."""
    parts = [repr(value) for value in values]
    if len(parts) > limit:
        parts = [*parts[:limit], f"{len(parts) - limit} more"]
    return joined(parts)


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
