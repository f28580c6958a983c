"""Records of a CSV file and the file lines they start on.

The C parser says nothing of a row that is too short and does not know file lines, so both are found
here: by counting bytes where the file has no quotes, else with the `csv` module.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import NoReturn

from distsearch._wording import count, joined
from distsearch.errors import DataError

__all__ = ["Dialect", "check_widths", "records"]

_SHOWN = 5


@dataclass(frozen=True)
class Dialect:
    """How a line is split into fields.

    Parameters
    ----------
    delimiter : str
        The character between fields.
    skip_blanks : bool, default=False
        Whether blanks before a field are dropped, for files with blanks before quotes.
    """

    delimiter: str
    skip_blanks: bool = False


def records(data: bytes, path: Path, dialect: Dialect) -> Iterator[tuple[int, list[str]]]:
    """Yield every record, the header too: its first file line, counted from 1, and its fields."""
    text = io.TextIOWrapper(io.BytesIO(data), "utf-8", newline="")
    reader = csv.reader(text, delimiter=dialect.delimiter, skipinitialspace=dialect.skip_blanks)
    line = 1
    try:
        for fields in reader:
            blank = not fields or (len(fields) == 1 and fields[0] and not fields[0].strip())
            if not blank:
                yield line, fields
            line = reader.line_num + 1
    except csv.Error as error:
        raise DataError(
            f"{path}: the record that starts on line {line} cannot be read ({error}). "
            "Is a quote opened there and never closed?"
        ) from None


def check_widths(data: bytes, path: Path, dialect: Dialect, width: int) -> None:
    """Raise a `DataError` naming the file lines of rows that do not have `width` fields."""
    line_feeds = b"\r" not in data or data.count(b"\r") == data.count(b"\r\n")
    plain = line_feeds and b'"' not in data
    if plain and _plain_widths_agree(data, dialect.delimiter, width):
        return
    wrong, last = [], [""]
    for line, last in islice(records(data, path, dialect), 1, None):
        if len(last) != width:
            wrong.append((line, len(last)))
    if wrong:
        _raise_widths(
            path, dialect, wrong, width, open_quote=len(last) != width and "\n" in last[-1]
        )


def _plain_widths_agree(data: bytes, delimiter: str, width: int) -> bool:
    import numpy as np

    array = np.frombuffer(data, dtype=np.uint8)
    ends = np.flatnonzero(array == ord("\n"))
    if not data.endswith(b"\n"):
        ends = np.append(ends, len(data))
    before = np.searchsorted(np.flatnonzero(array == ord(delimiter)), ends)
    off = np.flatnonzero(np.diff(before, prepend=0) != width - 1)
    starts = np.concatenate([[0], ends[:-1] + 1])
    return not any(data[starts[line] : ends[line]].strip(b" \r") for line in off)


def _raise_widths(
    path: Path, dialect: Dialect, wrong: list[tuple[int, int]], width: int, *, open_quote: bool
) -> NoReturn:
    shown = [f"line {line} has {found}" for line, found in wrong[:_SHOWN]]
    if len(wrong) > _SHOWN:
        shown.append(f"{len(wrong) - _SHOWN} more lines differ")
    what_to_do = (
        f"A quote opened on line {wrong[-1][0]} seems never to be closed."
        if open_quote
        else "A field that contains the delimiter must be quoted."
    )
    raise DataError(
        f"{path}: every row must have {count(width, 'field')} split at {dialect.delimiter!r}, as "
        f"the first lines show, but {joined(shown)}. {what_to_do}"
    )
