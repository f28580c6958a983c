"""From the table of a protocol to its values."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from distsearch.sweep.spec._types import Protocol

__all__ = ["make_protocol", "override"]

_TYPES: Mapping[str, Any] = {"folds": int, "repeats": int, "test_size": float}


def make_protocol(table: Mapping[str, Any]) -> Protocol:
    """Return the protocol; numbers get their types, for the schema takes 5.0 for an integer."""
    typed = {key: _TYPES.get(key, _as_it_is)(value) for key, value in table.items()}
    rows = typed.get("train_rows")
    if rows is not None:
        typed["train_rows"] = {label: int(number) for label, number in rows.items()}
    return Protocol(**typed)


def override(usual: Mapping[str, Any], own: Mapping[str, Any]) -> dict[str, Any]:
    """Return the study's table with what is different for a data set.

    One of `train_rows` and `test_size` takes the place of the other, and counted rows end with the
    hold-out that they belong to.
    """
    kept = dict(usual)
    if "train_rows" in own:
        kept.pop("test_size", None)
    if "test_size" in own or own.get("kind", "hold-out") != "hold-out":
        kept.pop("train_rows", None)
    return {**kept, **own}


def _as_it_is(value: Any) -> Any:
    return value
