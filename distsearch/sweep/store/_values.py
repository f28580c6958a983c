"""How values are written into a store: strict JSON, valid text, times in UTC."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from typing import Any

__all__ = ["metrics_by_hash", "now", "text", "to_json"]


def now() -> str:
    """Return the time in UTC as ISO 8601 has it, to the millisecond."""
    return datetime.now(UTC).isoformat(timespec="milliseconds")


def metrics_by_hash(rows: Iterable[tuple[str, str | None]]) -> dict[str, frozenset[str]]:
    """Return the metrics of each unit from rows of a hash and a metric, or None for no metric."""
    found: dict[str, set[str]] = {}
    for unit, metric in rows:
        found.setdefault(unit, set()).update(() if metric is None else (metric,))
    return {unit: frozenset(metrics) for unit, metrics in found.items()}


def text(value: str) -> str:
    """Return a text that UTF-8 can hold: what it cannot, such as half a pair, is spelt out."""
    if value.isascii():
        return value
    return value.encode("utf-8", "backslashreplace").decode("utf-8")


def to_json(value: Any, *, spell: bool = False) -> str:
    """Return the value as strict JSON.

    Parameters
    ----------
    value : object
        A plain value; NumPy's numbers and arrays become plain ones.
    spell : bool
        Whether numbers that are not finite are spelt as text rather than null.

    Returns
    -------
    str

    Raises
    ------
    TypeError
        When there is something in it that JSON has no word for.
    """
    try:
        written = json.dumps(value, allow_nan=False, ensure_ascii=False, default=_plain)
    except ValueError:
        written = json.dumps(_finite(value, spell), allow_nan=False, ensure_ascii=False)
    return text(written)


def _plain(value: Any) -> Any:
    if hasattr(value, "tolist"):
        return value.tolist()
    raise TypeError(f"{type(value).__name__} is no plain value: {value!r}")


def _finite(value: Any, spell: bool) -> Any:
    if isinstance(value, float):
        return value if math.isfinite(value) else str(float(value)) if spell else None
    if isinstance(value, Mapping):
        return {str(key): _finite(each, spell) for key, each in value.items()}
    if isinstance(value, list | tuple):
        return [_finite(each, spell) for each in value]
    if value is None or isinstance(value, str | int):
        return value
    return _finite(_plain(value), spell)
