"""What the parts of a study say of each other."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from fnmatch import fnmatchcase
from typing import Any

from distsearch._wording import count, did_you_mean, listed, quoted
from distsearch.sweep.spec._context import Context
from distsearch.sweep.spec._lines import KeyPath
from distsearch.sweep.spec._types import Data, Setting

__all__ = ["check_baseline", "check_numbers", "check_protocol", "check_use_of_data"]

_USED_BY = {
    "folds": ("k-fold", "group-k-fold"),
    "repeats": ("k-fold", "group-k-fold", "hold-out"),
    "test_size": ("hold-out",),
    "train_rows": ("hold-out",),
}


def check_protocol(context: Context) -> None:
    """Note what has no effect on splits of this kind, for the study and for a data set."""
    usual = context.document.get("protocol", {})
    if context.is_whole("protocol", "kind"):
        _check_protocol(context, usual, usual.get("kind", "k-fold"), ("protocol",))
    for number, table in context.tables("data"):
        own, path = table.get("protocol", {}), ("data", number, "protocol")
        if context.is_whole("protocol", "kind") and context.is_whole(*path, "kind"):
            _check_protocol(context, own, own.get("kind", usual.get("kind", "k-fold")), path)


def _check_protocol(
    context: Context, protocol: Mapping[str, Any], kind: str, path: KeyPath
) -> None:
    for key, users in _USED_BY.items():
        if key in protocol and kind not in users:
            context.add(
                f"has no effect on the protocol {kind!r}, only on {' and '.join(users)}; leave it "
                "out.",
                *path,
                key,
            )
    if "train_rows" in protocol and "test_size" in protocol:
        context.add(
            "train_rows says already which rows are tested on: all others. Leave one of the two "
            "out.",
            *path,
            "test_size",
        )


def check_numbers(context: Context) -> None:
    """Note numbers that TOML has and ranges do not: nan passes every comparison."""
    document = context.document
    places: list[tuple[Mapping[str, Any], KeyPath, str]] = [
        (document.get("protocol", {}), ("protocol",), "test_size"),
        (document.get("limits", {}), ("limits",), "unit_seconds"),
        (document.get("limits", {}), ("limits",), "unit_gib"),
        *(
            (table.get("protocol", {}), ("data", number, "protocol"), "test_size")
            for number, table in context.tables("data")
        ),
    ]
    for table, path, key in places:
        value = table.get(key, 0.0)
        if not math.isfinite(value):
            context.add(f"must be a finite number. Got {value} instead.", *path, key)


def check_use_of_data(
    context: Context,
    data: Sequence[Data],
    estimators: Sequence[Setting],
    methods: Sequence[Setting],
) -> None:
    """Note patterns for no data set, and data sets without an estimator or a method."""
    if "data" in context.broken:
        return
    labels = [each.label for each in data]
    before = len(context.problems)
    for kind in ("estimators", "methods"):
        for number, entry in context.tables(kind):
            for place, pattern in enumerate(entry.get("data", ())):
                if not any(fnmatchcase(label, pattern) for label in labels):
                    context.add(
                        f"no data set has a label like {quoted(pattern)}."
                        f"{did_you_mean(pattern, labels)} Labels are {listed(labels)}.",
                        *(kind, number, "data", place),
                    )
    if len(context.problems) > before:
        return
    for number, label in enumerate(labels):
        for kind, settings in (("estimators", estimators), ("methods", methods)):
            if kind not in context.broken and not any(each.is_for(label) for each in settings):
                context.add(
                    f"none of the {kind} is for {quoted(label)}; add it to the 'data' of one, or "
                    "leave the data set out.",
                    *("data", number),
                )


def check_baseline(
    context: Context, estimators: Sequence[Setting], methods: Sequence[Setting]
) -> None:
    """Note a baseline that is the label of nothing, or of more than one thing."""
    baseline = context.document.get("baseline")
    if baseline is None or context.broken & {"estimators", "methods"}:
        return
    of_methods, of_estimators = [
        list(dict.fromkeys(each.label for each in kind)) for kind in (methods, estimators)
    ]
    if baseline in of_methods and baseline in of_estimators:
        context.add(
            f"{quoted(baseline)} is the label of an estimator and of a method; give one of them "
            "another label.",
            "baseline",
        )
    if baseline in of_methods or baseline in of_estimators:
        return
    settings = list(dict.fromkeys(s.label for s in (*methods, *estimators) if s.entry == baseline))
    if settings:
        context.add(
            f"{quoted(baseline)} stands for {count(len(settings), 'setting')}; name one of "
            f"{listed(settings, 5)}.",
            "baseline",
        )
        return
    context.add(
        f"no method or estimator has the label {quoted(baseline)}."
        f"{did_you_mean(baseline, [*of_methods, *of_estimators])} Methods are "
        f"{listed(of_methods)}; estimators are {listed(of_estimators)}.",
        "baseline",
    )
