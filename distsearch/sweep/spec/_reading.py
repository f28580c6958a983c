"""From a study file to a `Spec`, or to every mistake in it."""

from __future__ import annotations

import codecs
import os
import re
import tomllib
from collections.abc import Callable, Collection, Iterable, Mapping
from pathlib import Path
from typing import Any

from distsearch._wording import did_you_mean
from distsearch.errors import SpecError
from distsearch.sweep.spec._agreement import (
    check_baseline,
    check_numbers,
    check_protocol,
    check_use_of_data,
)
from distsearch.sweep.spec._context import Context
from distsearch.sweep.spec._data import read_data
from distsearch.sweep.spec._entries import read_estimators, read_methods
from distsearch.sweep.spec._lines import Lines
from distsearch.sweep.spec._paths import Files
from distsearch.sweep.spec._problems import Problems
from distsearch.sweep.spec._protocol import make_protocol
from distsearch.sweep.spec._schema import check_shape, schema
from distsearch.sweep.spec._scorers import DEFAULT_SCORERS, check_scorers
from distsearch.sweep.spec._types import Data, Limits, Setting, Spec

__all__ = ["read_spec"]

_POSITION = re.compile(r" \(at (?:line (\d+), column (\d+)|end of document)\)$")


def read_spec(
    path: str | os.PathLike[str],
    *,
    trust: Collection[str] = (),
    files: Mapping[str, str | os.PathLike[str]] | None = None,
    inspect: Callable[[Spec], Iterable[tuple[str, str]]] | None = None,
) -> Spec:
    """Read and check a study file; no data set is loaded.

    Parameters
    ----------
    path : str or path-like
        A TOML file.
    trust : collection of str
        Modules that may be imported for estimators, with all below them.
    files : mapping of str to path, optional
        Where a file is now, by its path as the study file writes it (see `Spec.written`), for a
        study that was moved without its files.
    inspect : callable, optional
        Finds further mistakes, such as those in the data: given the study, or what is sound of it,
        it returns each with its place, as in `Data.place`.

    Returns
    -------
    Spec
        What the file says, complete.

    Raises
    ------
    SpecError
        With every mistake that was found, in the order of the file.
    """
    path = Path(path)
    text = _read_text(path)
    parsed = _parse(path, text)
    problems = Problems(path.name, Lines(text))
    document, dropped = check_shape(parsed, problems)
    here = Path(os.path.abspath(path))
    context = Context(
        document=document,
        dropped=dropped,
        problems=problems,
        files=Files(here.parent, files or {}),
        trust=(trust,) if isinstance(trust, str) else tuple(trust),
    )
    _check_name(context, path)
    data = read_data(context)
    labels = [each.label for each in data]
    estimators, first = read_estimators(context, labels)
    methods = read_methods(context, labels, first)
    check_scorers(context, regressors=first is not None and first.kind == "a regressor")
    check_protocol(context)
    check_numbers(context)
    check_use_of_data(context, data, estimators, methods)
    check_baseline(context, estimators, methods)
    can_inspect = all(context.is_whole(key) for key in ("protocol", "seed", "scorers", "limits"))
    if inspect is not None and estimators and can_inspect:
        sound = _spec(context, here, text, context.sound, estimators, methods)
        for place, message in inspect(sound):
            problems.add_at(place, message)
    if problems:
        raise SpecError(str(path), problems.told())
    return _spec(context, here, text, data, estimators, methods)


def _spec(
    context: Context,
    path: Path,
    text: str,
    data: list[Data],
    estimators: list[Setting],
    methods: list[Setting],
) -> Spec:
    document = context.document
    written = context.files.written
    return Spec(
        study=document.get("study", path.stem),
        title=document.get("title", ""),
        seed=int(document.get("seed", 0)),
        data=tuple(data),
        estimators=tuple(estimators),
        methods=tuple(methods),
        protocol=make_protocol(document.get("protocol", {})),
        scorers=tuple(document.get("scorers", DEFAULT_SCORERS)),
        limits=Limits(**_numbers(document.get("limits", {}), ("failures",))),
        baseline=document.get("baseline"),
        trust=context.trust,
        path=path,
        text=text,
        files=tuple(dict.fromkeys(written.values())),
        written=written,
    )


def _numbers(table: Mapping[str, Any], whole: Collection[str]) -> dict[str, Any]:
    """Return the table with its numbers in their types: the schema takes 5.0 for an integer."""
    return {key: int(value) if key in whole else float(value) for key, value in table.items()}


def _check_name(context: Context, path: Path) -> None:
    rule = schema()["properties"]["study"]
    given = "study" in context.document or not context.is_whole("study")
    if not given and not re.search(rule["pattern"], path.stem):
        context.add(
            f"the name of the file, {path.stem!r}, cannot name the study. Add the key study with "
            f"{rule['x-allowed']}."
        )


def _read_text(path: Path) -> str:
    try:
        raw = path.read_bytes()
    except (OSError, ValueError) as error:
        raise _error(path, None, _unreadable(path, error)) from None
    try:
        text = raw.removeprefix(codecs.BOM_UTF8).decode("utf-8")
    except UnicodeDecodeError as error:
        line = raw.count(b"\n", 0, error.start) + 1
        what = f"is not UTF-8 text: byte 0x{raw[error.start]:02x}. Save the file in UTF-8."
        raise _error(path, line, what) from None
    return text.replace("\r\n", "\n")


def _unreadable(path: Path, error: Exception) -> str:
    if isinstance(error, IsADirectoryError):
        return "is a folder, not a study file; name a file in it."
    if isinstance(error, FileNotFoundError):
        folder = path.parent
        if not folder.is_dir():
            return f"does not exist, and neither does the folder {folder}."
        near = did_you_mean(path.name, sorted(each.name for each in folder.iterdir()))
        return f"does not exist in {os.path.abspath(folder)}.{near}"
    return f"cannot be read: {getattr(error, 'strerror', None) or error}."


def _parse(path: Path, text: str) -> dict[str, Any]:
    try:
        document = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise _not_toml(path, text, str(error)) from None
    except RecursionError:
        raise _error(path, None, "not TOML: lists in lists, too deep.") from None
    except ValueError as error:  # a number of thousands of digits
        raise _error(path, None, f"not TOML: {error}.") from None
    if not document:
        raise _error(path, None, "is empty; a study needs [[data]] and [[estimators]].")
    return document


def _not_toml(path: Path, text: str, message: str) -> SpecError:
    found = _POSITION.search(message)
    what = _POSITION.sub("", message)
    if what == "Cannot overwrite a value":
        what = "a key is there twice, or is a value and a table"
    line, column = found.groups() if found else (None, None)
    if line is None:
        return _error(path, text.rstrip("\n").count("\n") + 1, f"not TOML: {what}, at the end.")
    return _error(path, int(line), f"not TOML: {what}, at column {column}.")


def _error(path: Path, line: int | None, message: str) -> SpecError:
    head = f"{path.name}:{line}" if line else path.name
    return SpecError(str(path), [f"{head}: {message}"])
