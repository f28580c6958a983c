"""The estimators and the methods of a study."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from distsearch._wording import quoted
from distsearch.errors import InvalidInputError
from distsearch.registry import make_estimator
from distsearch.sweep.spec._context import Context, Kind
from distsearch.sweep.spec._labels import make_label, meet, same_settings, varied_keys
from distsearch.sweep.spec._lines import KeyPath
from distsearch.sweep.spec._problems import Place
from distsearch.sweep.spec._rows import Row, read_rows
from distsearch.sweep.spec._schema import label_pattern
from distsearch.sweep.spec._subjects import EstimatorSubject, MethodSubject, Subject
from distsearch.sweep.spec._tuning import read_tuning
from distsearch.sweep.spec._types import Setting, Tuning

__all__ = ["read_estimators", "read_methods"]


def read_estimators(
    context: Context, data: Sequence[str]
) -> tuple[list[Setting], EstimatorSubject | None]:
    """Return the settings of the estimators, and the first estimator that can be made.

    Parameters
    ----------
    context : Context
        Gets the mistakes.
    data : sequence of str
        The labels of the data sets.
    """
    subjects: list[tuple[KeyPath, EstimatorSubject]] = []

    def make(name: str, path: KeyPath) -> Subject:
        subject = EstimatorSubject(name, context.trust)
        if subject.kind == "neither of them":
            raise InvalidInputError(f"{name} is neither a classifier nor a regressor.")
        subjects.append((path, subject))
        (other, first), *_ = subjects
        if subject.kind != first.kind:
            raise InvalidInputError(
                f"{name} is {subject.kind}, and {context.problems.place(other).cited} is "
                f"{first.kind}. Make a study for each."
            )
        return subject

    settings = _read(context, "estimators", data, make)
    return settings, subjects[0][1] if subjects else None


def read_methods(
    context: Context, data: Sequence[str], first: EstimatorSubject | None
) -> list[Setting]:
    """Return the settings of the methods.

    Parameters
    ----------
    context : Context
        Gets the mistakes.
    data : sequence of str
        The labels of the data sets.
    first : EstimatorSubject or None
        What they are to work around; None if no estimator of the study can be made.
    """
    if "methods" not in context.document and context.is_whole("methods"):
        place = context.problems.place(("methods",))
        return [Setting(label="plain", entry="plain", name="plain", place=place.head)]
    estimator = first.estimator if first else make_estimator("nb")
    return _read(context, "methods", data, lambda name, _: MethodSubject(name, estimator))


def _read(
    context: Context, kind: Kind, data: Sequence[str], make: Callable[[str, KeyPath], Subject]
) -> list[Setting]:
    if not context.is_whole(kind):
        context.broken.add(kind)
    entries, labels = _Labels(context, kind, data), _Labels(context, kind, data)
    settings: list[Setting] = []
    for number, entry in context.tables(kind):
        path: KeyPath = (kind, number)
        if "name" not in entry:
            continue
        label = entry.get("label", entry["name"])
        patterns = _patterns(entry)
        unique = entries.take(label, _label_place(context, path, entry), patterns)
        rows, tuning, sound = _rows(context, path, entry, make)
        if not sound:
            context.broken.add(kind)
        made = _settings(label, entry, rows, tuning)
        settings += made
        for row, setting in zip(rows, made, strict=True):
            if unique and (sound or row.label):
                labels.take(setting.label, row.place, patterns, given=row.label)
    return settings


def _patterns(entry: Mapping[str, Any]) -> tuple[str, ...]:
    return tuple(entry.get("data", ("*",)))


def _label_place(context: Context, path: KeyPath, entry: Mapping[str, Any]) -> Place:
    key = "label" if "label" in entry else "name"
    return context.problems.place((*path, key), path)


def _rows(
    context: Context,
    path: KeyPath,
    entry: Mapping[str, Any],
    make: Callable[[str, KeyPath], Subject],
) -> tuple[list[Row], Tuning | None, bool]:
    """Return the settings of an entry, what each tunes, and whether nothing was wrong."""
    before = len(context.problems)
    try:
        subject = make(entry["name"], path)
    except InvalidInputError as error:
        context.add(str(error), *path, "name")
        return [], None, False
    rows = read_rows(context, path, entry, subject)
    tuning = None
    if isinstance(subject, EstimatorSubject):
        tuning = read_tuning(context, path, entry, rows, subject.estimator)
    sound = len(context.problems) == before and context.is_whole(*path)
    refused = set()
    for row in rows:
        if row.sound and context.is_whole(*path):
            message = subject.check_together(row.values)
            if message is not None:
                context.problems.add_again(path, row.place, message)
                refused.add(id(row))
    if sound:
        for row, first in same_settings(rows, subject.defaults):
            message = f"has the same parameters as {first.place.cited}; leave one of them out."
            context.problems.add(row.place, message)
    rows = [row for row in rows if id(row) not in refused]
    return rows, tuning, sound and len(context.problems) == before


def _settings(
    label: str, entry: Mapping[str, Any], rows: Sequence[Row], tuning: Tuning | None
) -> list[Setting]:
    several = len(rows) > 1
    keys = varied_keys(rows) if several else []
    settings = []
    for row in rows:
        varied = {key: row.values[key] for key in keys if key in row.values}
        settings.append(
            Setting(
                label=(row.label or make_label(label, varied)) if several else label,
                entry=label,
                name=entry["name"],
                params=row.values,
                varied=varied,
                data=_patterns(entry),
                tuning=tuning,
                place=row.place.head,
            )
        )
    return settings


class _Labels:
    """The labels so far, each with its place."""

    def __init__(self, context: Context, kind: Kind, data: Sequence[str]) -> None:
        self._problems = context.problems
        self._kind = kind
        self._data = data
        self._pattern = re.compile(label_pattern())
        self._taken: dict[str, list[tuple[Place, Sequence[str]]]] = {}

    def take(
        self, label: str, place: Place, patterns: Sequence[str], given: str | None = None
    ) -> bool:
        """Note a label, and say whether it is new on the data sets of these patterns."""
        if given is not None and not self._pattern.search(given):
            self._problems.add(
                place,
                f"the label {quoted(given)} must be a text on one line without blanks at its ends.",
            )
        if given is not None:  # it says nothing of the values, which must be known from it
            patterns = ("*",)
        others = self._taken.setdefault(label, [])
        first = next((one for one, its in others if meet(patterns, its, self._data)), None)
        others.append((place, patterns))
        if first is not None:
            self._problems.add(
                place,
                f"the label {quoted(label)} is also that of {first.cited}; {self._kind} need "
                "labels of their own.",
            )
        return first is None
