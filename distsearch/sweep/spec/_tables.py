"""Tables of settings: CSV files whose cells are still text, each row with its line."""

from __future__ import annotations

import codecs
import csv
from collections.abc import Iterator
from dataclasses import dataclass
from io import StringIO
from pathlib import Path

from distsearch._wording import count, quoted
from distsearch.sweep.spec._problems import Place, Problems

__all__ = ["Table", "read_settings"]

_ADVICE = "Save the table as CSV in UTF-8, its columns separated by commas."


@dataclass(frozen=True)
class Table:
    """A table of settings.

    Parameters
    ----------
    columns : tuple of (str or None)
        Their names; None for a column that cannot be used.
    header_line : int
        The line of the file that the header begins on.
    rows : tuple of (int, tuple of str)
        For each row the line that it begins on and its cells, without blanks around them; rows of
        the wrong length are left out.
    """

    columns: tuple[str | None, ...]
    header_line: int
    rows: tuple[tuple[int, tuple[str, ...]], ...]


def read_settings(path: Path, name: str, place: Place, problems: Problems) -> Table | None:
    """Read a table of settings.

    Parameters
    ----------
    path : Path
        A file that is there.
    name : str
        What it is called in messages.
    place : Place
        Where the study file names it.
    problems : Problems
        Gets the mistakes.

    Returns
    -------
    Table or None
        What is sound of it; None where it has no header.
    """
    before = len(problems)
    text = _text(path, name, place, problems)
    records = list(_records(text, name, place, problems)) if text is not None else []
    if not records:
        if len(problems) == before:
            problems.add(place.in_table(name, 0), "has no header, only blank lines.")
        return None
    (header_line, header), *rows = records
    columns = _columns(header, place.in_table(name, header_line), problems)
    if len(problems) == before and not rows:
        problems.add(
            place.in_table(name, header_line),
            "has a header but no settings; add a row for each setting.",
        )
    for line, cells in rows:
        if len(cells) != len(columns):
            problems.add(
                place.in_table(name, line),
                f"has {count(len(cells), 'cell')}, and the header has "
                f"{count(len(columns), 'column')}. Leave a cell empty for a default, and put "
                "quotes around a cell with a comma.",
            )
    sound = [(line, cells) for line, cells in rows if len(cells) == len(columns)]
    return Table(columns, header_line, tuple(sound))


def _text(path: Path, name: str, place: Place, problems: Problems) -> str | None:
    raw = path.read_bytes().removeprefix(codecs.BOM_UTF8)
    try:
        text = raw.decode("utf-8")
    except UnicodeDecodeError as error:
        line = raw.count(b"\n", 0, error.start) + 1
        problems.add(
            place.in_table(name, line),
            f"is not UTF-8 text: byte 0x{raw[error.start]:02x}. {_ADVICE}",
        )
        return None
    if "\0" in text:
        problems.add(
            place.in_table(name, text.count("\n", 0, text.index("\0")) + 1),
            f"is not a text file: it has a zero byte. {_ADVICE}",
        )
        return None
    return text


def _records(
    text: str, name: str, place: Place, problems: Problems
) -> Iterator[tuple[int, tuple[str, ...]]]:
    """Give the rows that are not blank with the lines that they begin on."""
    lines = StringIO(text, newline="").readlines()
    reader = csv.reader(lines, strict=True, skipinitialspace=True)
    line = 1
    try:
        for cells in reader:
            if lines[line - 1].strip():
                yield line, tuple(cell.strip() for cell in cells)
            line = reader.line_num + 1
    except csv.Error as error:
        problems.add(place.in_table(name, line), f"is not CSV: {error}. {_ADVICE}")


def _columns(header: tuple[str, ...], place: Place, problems: Problems) -> tuple[str | None, ...]:
    if len(header) == 1 and any(mark in header[0] for mark in ";\t"):
        problems.add(place, f"has only the column {quoted(header[0])}. {_ADVICE}")
        return (None,)
    columns: list[str | None] = []
    for number, column in enumerate(header, start=1):
        first = header.index(column) + 1
        if not column:
            problems.add(place, f"column {number} has no name; name a parameter, or remove it.")
        elif first != number:
            problems.add(
                place,
                f"column {quoted(column)} is there twice, as columns {first} and {number}; remove "
                "one of them.",
            )
        columns.append(column if column and first == number else None)
    return tuple(columns)
