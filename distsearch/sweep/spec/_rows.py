"""The settings of an entry: its settings, grid or table, with what is the same in all of them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from math import prod
from typing import Any

from distsearch._wording import count, quoted
from distsearch.errors import DataError, InvalidInputError
from distsearch.sweep.spec._context import Context
from distsearch.sweep.spec._lines import KeyPath
from distsearch.sweep.spec._problems import Place
from distsearch.sweep.spec._subjects import Subject
from distsearch.sweep.spec._tables import Table, read_settings
from distsearch.sweep.spec._values import ABSENT, MisfitError, fit, identity, parse_column

__all__ = ["MAX_SETTINGS", "Row", "read_rows"]

MAX_SETTINGS = 100_000
"""Most settings of an entry."""


@dataclass(frozen=True)
class Row:
    """A setting before it has a name.

    Parameters
    ----------
    values : mapping of str to object
        Its parameters, in their types.
    place : Place
        Where it is.
    label : str or None
        The label given.
    sound : bool
        Whether nothing was wrong with its parameters.
    """

    values: Mapping[str, Any]
    place: Place
    label: str | None = None
    sound: bool = True


def read_rows(
    context: Context, path: KeyPath, entry: Mapping[str, Any], subject: Subject
) -> list[Row]:
    """Return the settings of an entry.

    Parameters
    ----------
    context : Context
        Gets the mistakes.
    path : tuple
        Where the entry is.
    entry : mapping
        The entry.
    subject : Subject
        What it is an entry of.
    """
    return list(_Rows(context, path, entry, subject).read())


class _Rows:
    def __init__(
        self, context: Context, path: KeyPath, entry: Mapping[str, Any], subject: Subject
    ) -> None:
        self._context, self._path, self._entry, self._subject = context, path, entry, subject
        self._problems = context.problems
        self._known: dict[str, str | None] = {}
        self._values: dict[tuple[str, str], tuple[Any, str | None]] = {}
        self._fixed: dict[str, Any] = {}

    def read(self) -> Iterator[Row]:
        given = self._entry.get("params", {})
        self._fixed = dict(self._pairs(given, "params"))
        sound = len(self._fixed) == len(given)
        if "settings" in self._entry:
            rows = self._settings(self._entry["settings"])
        elif "grid" in self._entry:
            rows = self._grid(self._entry["grid"])
        elif "table" in self._entry:
            rows = self._table(self._entry["table"])
        else:
            path = (*self._path, *(["params"] if given else []))
            rows = iter([Row({}, self._problems.place(path))])
        for row in rows:
            values = {**self._fixed, **row.values}
            yield Row(values, row.place, row.label, row.sound and sound)

    def _settings(self, settings: Sequence[Mapping[str, Any]]) -> Iterator[Row]:
        if self._too_many(len(settings), "settings"):
            return
        for number, setting in enumerate(settings):
            given = {key: value for key, value in setting.items() if key != "label"}
            values = dict(self._pairs(given, "settings", number))
            place = self._problems.place((*self._path, "settings", number))
            yield Row(values, place, setting.get("label"), len(values) == len(given))

    def _pairs(self, given: Mapping[str, Any], *where: str | int) -> Iterator[tuple[str, Any]]:
        """Give what is right among the parameters of a table."""
        path = (*self._path, *where)
        for key, value in given.items():
            place = self._problems.place((*path, key), path)
            if not self._check_key(key, place, fixed=where == ("params",)):
                continue
            found, message = self._typed(key, value)
            if message is None:
                yield key, found
            else:
                self._again(key, self._problems.place((*path, key)), message)

    def _grid(self, grid: Mapping[str, Sequence[Any]]) -> Iterator[Row]:
        path = (*self._path, "grid")
        place = self._problems.place(path)
        number = prod(map(len, grid.values()))
        if self._too_many(number, "grid"):
            return
        axes = {}
        for key, given in grid.items():
            if self._check_key(key, self._problems.place((*path, key), path), fixed=False):
                axes[key] = self._axis(key, given)
        sound = len(axes) == len(grid)
        for values in product(*axes.values()):
            yield Row(dict(zip(axes, values, strict=True)), place, sound=sound)

    def _axis(self, key: str, given: Sequence[Any]) -> list[Any]:
        place = self._problems.place((*self._path, "grid", key))
        seen: dict[Any, Any] = {}
        for value in given:
            found, message = self._typed(key, value)
            if message is not None:
                self._problems.add(place, message)
            elif identity(found) in seen:
                self._problems.add(place, f"{quoted(value)} is there twice; leave one out.")
            else:
                seen[identity(found)] = found
        return list(seen.values())

    def _table(self, name: str) -> Iterator[Row]:
        place = self._problems.place((*self._path, "table"))
        try:
            path = self._context.files.find(name)
        except (InvalidInputError, DataError) as error:
            self._problems.add(place, str(error))
            return
        table = read_settings(path, name, place, self._problems)
        if table is None or self._too_many(len(table.rows), "table"):
            return
        columns = self._columns(table, name, place)
        sound = len(columns) == len(table.columns)
        labels = columns.pop("label", ["" for _ in table.rows])
        for number, (line, _) in enumerate(table.rows):
            values, fine = {}, sound
            for key, column in columns.items():
                if column[number] is ABSENT:
                    continue
                found, message = self._typed(key, column[number])
                if message is None:
                    values[key] = found
                else:
                    fine = False
                    self._again(key, place.in_table(name, line, key), message)
            yield Row(values, place.in_table(name, line), labels[number] or None, fine)

    def _columns(self, table: Table, name: str, place: Place) -> dict[str, list[Any]]:
        """Return the columns that are parameters, and the labels, by name."""
        columns: dict[str, list[Any]] = {}
        for number, key in enumerate(table.columns):
            if key is None:
                continue
            cells = [row[number] for _, row in table.rows]
            if key == "label":
                columns[key] = cells
            elif self._check_key(key, place.in_table(name, table.header_line, key), fixed=False):
                columns[key] = parse_column(cells, self._subject.default(key))
        return columns

    def _check_key(self, key: str, place: Place, *, fixed: bool) -> bool:
        if key not in self._known:
            self._known[key] = self._subject.check_key(key)
        message = self._known[key]
        if message is None and not fixed and key in self._entry.get("params", {}):
            message = (
                f"{key} is in params too, where it has one value; leave it out of one of them."
            )
        if message is not None:
            self._again(key, place, message)
        return message is None

    def _typed(self, key: str, value: Any) -> tuple[Any, str | None]:
        """Return a value in its type, or what is wrong with it."""
        known = (key, repr(value))
        if known not in self._values:
            self._values[known] = self._newly_typed(key, value)
        return self._values[known]

    def _newly_typed(self, key: str, value: Any) -> tuple[Any, str | None]:
        try:
            if isinstance(value, MisfitError):
                raise value
            default = self._subject.default(key)
            found = fit(value, default, lambda each: self._subject.takes(key, each))
        except MisfitError as error:
            return None, str(error)
        return found, self._subject.check_value(key, found)

    def _again(self, key: str, place: Place, message: str) -> None:
        self._problems.add_again((self._path, key), place, message)

    def _too_many(self, number: int, form: str) -> bool:
        if number > MAX_SETTINGS:
            self._problems.add(
                self._problems.place((*self._path, form)),
                f"stands for {count(number, 'setting')}, and an entry can have at most "
                f"{MAX_SETTINGS:,}. Leave values out.",
            )
        return number > MAX_SETTINGS
