"""The data sets of a study; none of them is loaded."""

from __future__ import annotations

import math
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from distsearch._wording import quoted
from distsearch.errors import DataError, InvalidInputError
from distsearch.sweep.spec._context import Context
from distsearch.sweep.spec._lines import KeyPath
from distsearch.sweep.spec._problems import Place
from distsearch.sweep.spec._protocol import make_protocol, override
from distsearch.sweep.spec._types import Data, Protocol
from distsearch.tables import Entry, ReadOptions

__all__ = ["read_data"]

_OF_FILES = ("delimiter", "encoding", "decimal", "missing")
_OPTIONS = (("delimiter", "decimal"), ("encoding",), ("missing",), ("categorical",))


def read_data(context: Context) -> list[Data]:
    """Return the data sets."""
    if not context.is_whole("data"):
        context.broken.add("data")
    found: list[Data] = []
    labels: dict[str, Place] = {}
    for number, table in context.tables("data"):
        if "source" not in table:
            continue
        path: KeyPath = ("data", number)
        before = len(context.problems)
        data = _Reader(context, path, table).read()
        if len(context.problems) > before:
            context.broken.add("data")
        if data is None:
            continue
        found.append(data)
        place = context.problems.place((*path, "label" if "label" in table else "source"), path)
        first = labels.setdefault(data.label, place)
        if first is not place:
            context.problems.add(
                place,
                f"the label {quoted(data.label)} is also that of {first.cited}; data sets need "
                "labels of their own.",
            )
        elif len(context.problems) == before:
            context.sound.append(data)
    return found


class _Reader:
    def __init__(self, context: Context, path: KeyPath, table: Mapping[str, Any]) -> None:
        self._context, self._path, self._table = context, path, table

    def read(self) -> Data | None:
        source, label = self._source()
        options = self._options()
        splits = self._splits()
        self._check_scale()
        if source is None:
            return None
        plain: dict[str, Any] = {
            key: self._table.get(key) for key in ("target", "positive", "groups")
        }
        kept = ("categories", "impute", "missing_target", "dtype")
        columns = self._table.get("columns")
        scale = self._table.get("scale")
        state = self._table.get("random_state")
        return Data(
            label=label,
            source=source,
            columns=None if columns is None else tuple(columns),
            ignore=tuple(self._table.get("ignore", ())),
            splits=splits,
            options=options,
            scale=None if scale is None else (float(scale[0]), float(scale[1])),
            random_state=None if state is None else int(state),
            protocol=self._protocol(),
            place=self._context.problems.place(self._path).head,
            **plain,
            **{key: self._table[key] for key in kept if key in self._table},
        )

    def _add(self, message: str, *keys: str) -> None:
        self._context.add(message, *self._path, *keys)

    def _source(self) -> tuple[str | None, str]:
        written = self._table["source"]
        label = self._table.get("label")
        try:
            found = self._context.files.find_data(written)
        except (InvalidInputError, DataError) as error:
            self._add(str(error), "source")
            return None, ""
        if isinstance(found, Entry):
            self._check_entry(found)
            return found.name, label or found.name
        self._check_file()
        # A file that was moved keeps its name in the study.
        name = Path(written).name if self._context.files.is_moved(written) else found.name
        return str(found), label or Path(name.removesuffix(".gz")).stem

    def _check_entry(self, entry: Entry) -> None:
        for key in _OF_FILES:
            if key in self._table:
                self._add(f"has no effect on {entry.name!r} of the catalogue; leave it out.", key)
        if "random_state" in self._table and not entry.source.startswith("generated"):
            self._add(
                f"is for data sets that are generated, and {entry.name!r} is {entry.source}; leave "
                "it out.",
                "random_state",
            )

    def _check_file(self) -> None:
        if "target" not in self._table and self._context.is_whole(*self._path, "target"):
            self._add("target is missing; name the column of the file that is to be learned.")
        if "random_state" in self._table:
            self._add(
                "is for generated data sets of the catalogue, not for files; leave it out.",
                "random_state",
            )

    def _options(self) -> ReadOptions:
        sound: dict[str, Any] = {}
        for keys in _OPTIONS:
            given = {key: self._table[key] for key in keys if key in self._table}
            try:
                ReadOptions(**given)
            except InvalidInputError as error:
                self._add(str(error), next(iter(given)))
            else:
                sound |= given
        return ReadOptions(**sound)

    def _protocol(self) -> Protocol | None:
        """Return the protocol of this data set, where it has one of its own."""
        own = self._table.get("protocol")
        if own is None:
            return None
        return make_protocol(override(self._context.document.get("protocol", {}), own))

    def _splits(self) -> Path | None:
        own = self._context.is_whole(*self._path, "protocol", "kind")
        if self._context.is_whole("protocol", "kind") and own:
            usual = self._context.document.get("protocol", {})
            kind = {**usual, **self._table.get("protocol", {})}.get("kind", "k-fold")
            self._check_use("groups", "group-k-fold", kind)
            self._check_use("splits", "given", kind)
            if kind != "given":
                return None
        if "splits" not in self._table:
            return None
        try:
            return self._context.files.find(self._table["splits"])
        except (InvalidInputError, DataError) as error:
            self._add(str(error), "splits")
            return None

    def _check_use(self, key: str, user: str, kind: str) -> None:
        if not self._context.is_whole(*self._path, key):
            return
        if key in self._table and kind != user:
            self._add(
                f"has no effect on the protocol {kind!r}; leave it out, or choose kind = '{user}'.",
                key,
            )
        if key not in self._table and kind == user:
            what = {
                "groups": "name the column that says which rows belong together",
                "splits": "name the file with the splits",
            }
            self._add(f"{key} is missing, and the protocol {kind!r} needs it; {what[key]}.")

    def _check_scale(self) -> None:
        scale = self._table.get("scale")
        if scale is None:
            return
        low, high = scale
        if not (math.isfinite(low) and math.isfinite(high) and low < high):
            self._add(
                f"must be two finite numbers, the lower one first. Got {quoted(scale)} instead.",
                "scale",
            )
