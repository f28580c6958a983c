"""From the table of a protocol to its values."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from distsearch.sweep.spec._types import Protocol

__all__ = ["make_protocol"]

_TYPES: Mapping[str, Any] = {"folds": int, "repeats": int, "test_size": float}


def make_protocol(table: Mapping[str, Any]) -> Protocol:
    """Return the protocol; numbers get their types, for the schema takes 5.0 for an integer."""
    typed = {key: _TYPES.get(key, _as_it_is)(value) for key, value in table.items()}
    rows = typed.get("train_rows")
    if rows is not None:
        typed["train_rows"] = {label: int(number) for label, number in rows.items()}
    return Protocol(**typed)


def _as_it_is(value: Any) -> Any:
    return value
