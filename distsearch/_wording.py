"""Phrases that messages share: listings, plurals and nearest names."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Sequence

__all__ = ["bytes_text", "count", "did_you_mean", "joined", "listed", "quoted"]

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


def count(number: int, noun: str) -> str:
    """Return a number with its noun: 1 row, 1,000 rows, 2 classes."""
    plural = f"{noun}es" if noun.endswith("s") else f"{noun}s"
    return f"{number:,} {noun if number == 1 else plural}"


def bytes_text(number: int) -> str:
    """Return a number of bytes in the unit that suits it: 512 bytes, 3 MiB."""
    for unit, size in (("GiB", 2**30), ("MiB", 2**20), ("KiB", 2**10)):
        if number >= size:
            return f"{number / size:.1f} {unit}".replace(".0 ", " ")
    return f"{number} bytes"


def did_you_mean(name: str, known: Iterable[str]) -> str:
    """Return " Did you mean ...?" with the nearest known names, or an empty text."""
    by_lower: dict[str, str] = {}
    for each in known:
        by_lower.setdefault(each.lower(), each)
    near = difflib.get_close_matches(name.lower(), by_lower, n=3, cutoff=0.6)
    if not near:
        return ""
    return f" Did you mean {' or '.join(repr(by_lower[each]) for each in near)}?"
