"""The shape of a CSV file: its delimiter and its header."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

from distsearch._wording import count, joined, listed
from distsearch.errors import DataError
from distsearch.tables._options import ReadOptions
from distsearch.tables._records import Dialect, records

__all__ = ["Layout", "check_names", "find_dialect", "find_layout", "no_header"]

_DELIMITERS = ",;\t|"
_SAMPLE_BYTES = 1 << 16
_SAMPLE_LINES = 100
# A quoted field as a whole, wherever a field may start; what it contains is not layout.
_QUOTED = re.compile(r'(?:(?<=[,;\t|\r\n])|\A)( *)"(?:[^"]|"")*"(?= *(?:[,;\t|\r\n]|\Z))')
# No column of a file can be called so, for a text file has no zero bytes.
_UNNAMED = "\0"


@dataclass(frozen=True)
class Layout:
    """The shape of a CSV file.

    Parameters
    ----------
    dialect : Dialect
        How a line is split into fields.
    names : tuple of str
        The column names without surrounding blanks, one for every field of a row.
    stripped_names : int
        How many names had surrounding blanks.
    unnamed : int
        How many nameless columns there are at the right end, as spreadsheets write them. They
        have placeholder names, and must turn out to be empty.
    """

    dialect: Dialect
    names: tuple[str, ...]
    stripped_names: int = 0
    unnamed: int = 0

    @property
    def named(self) -> tuple[str, ...]:
        """Names of the columns that have one."""
        return self.names[: len(self.names) - self.unnamed]


def find_layout(data: bytes, path: Path, options: ReadOptions) -> Layout:
    """Return the layout of the UTF-8 text in `data`; raise a `DataError` about a bad header."""
    if not data or data.isspace():
        raise DataError(f"{path} has only blank lines; a header line and rows are needed.")
    dialect = find_dialect(data, path, options)
    first = [fields for _, fields in islice(records(data, path, dialect), _SAMPLE_LINES)]
    header = [name.strip() for name in first[0]]
    if len(first) < 2:
        raise DataError(
            f"{path} has a header ({listed(header)}) and no rows; at least one row is needed."
        )
    named, unnamed = _split_unnamed(header, first[1:])
    check_names(named, path)
    return Layout(
        dialect,
        (*named, *(f"{_UNNAMED}{place}" for place in range(unnamed))),
        sum(name != stripped for name, stripped in zip(first[0], header, strict=True)),
        unnamed,
    )


def _split_unnamed(header: list[str], rows: list[list[str]]) -> tuple[list[str], int]:
    width = len(header)
    while width and not header[width - 1]:
        width -= 1
    # Some writers end every row, but not the header, with a delimiter.
    ends_open = all(len(row) == len(header) + 1 and not row[-1].strip() for row in rows)
    return header[:width], len(header) - width + ends_open


def check_names(names: list[str], path: object) -> None:
    """Raise a `DataError` unless there are column names, each of them different."""
    if not names:
        raise DataError(f"{path} has no column names in its header line; add them.")
    nameless = [str(place) for place, name in enumerate(names, 1) if not name]
    if nameless:
        column = f"column{'s' if len(nameless) > 1 else ''} {joined(nameless[:10])}"
        raise DataError(
            f"{path}: {column} of {len(names)} has no name in the header. Name it or remove it "
            "(a nameless first column is usually a row index that another program wrote)."
        )
    twice = [name for name, times in Counter(names).items() if times > 1]
    if twice:
        places = "; ".join(
            f"{name!r} in columns "
            + joined([str(place) for place, each in enumerate(names, 1) if each == name][:10])
            for name in twice[:10]
        )
        raise DataError(
            f"{path}: the header has {count(len(twice), 'column name')} more than once: {places}. "
            f"Every column needs a name of its own.{no_header(names)}"
        )


def find_dialect(data: bytes, path: Path, options: ReadOptions) -> Dialect:
    """Return how lines are split into fields: as the options say, or as the first lines show."""
    sample = data[:_SAMPLE_BYTES]
    if len(sample) < len(data):
        sample = sample[: max(sample.rfind(b"\n"), sample.rfind(b"\r")) + 1] or sample
    text = sample.decode("utf-8", errors="ignore")
    delimiter = options.delimiter
    if delimiter is None:
        delimiter = _find_delimiter(_QUOTED.sub("q", text), path, options.decimal)
    quoted = (match for match in _QUOTED.finditer(text) if match.group(1))
    blank_before_quote = any(
        text[match.start() - 1 : match.start()] == delimiter for match in quoted
    )
    return Dialect(delimiter, skip_blanks=blank_before_quote)


def _find_delimiter(text: str, path: Path, decimal: str) -> str:
    if path.name.lower().removesuffix(".gz").endswith(".tsv"):
        return "\t"
    lines = [line for line in re.split(r"[\r\n]+", text) if line.strip()][:_SAMPLE_LINES]
    ranks: dict[str, tuple[float, bool, int]] = {}
    for delimiter in _DELIMITERS.replace(decimal, ""):
        in_header, *in_rows = (line.count(delimiter) for line in lines)
        if in_header:
            usual, times = Counter(in_rows or [in_header]).most_common(1)[0]
            agreement = times / max(len(in_rows), 1) if usual else 0.0
            ranks[delimiter] = (agreement, usual == in_header, in_header)
    best = [each for each, rank in ranks.items() if rank == max(ranks.values())]
    if len(best) > 1:
        raise DataError(
            f"{path}: the delimiter may be {' or '.join(map(repr, best))}, for each of them splits "
            f"the lines into {ranks[best[0]][2] + 1} fields. Say which with the option delimiter."
        )
    return best[0] if best else ";" if decimal == "," else ","


def no_header(names: Iterable[str]) -> str:
    """Return " Does the file ...?" where a column name is a decimal number, or an empty text."""
    if not any(re.fullmatch(r"-?\d*\.\d+", name) for name in names):
        return ""
    return " Does the file lack a header line? Its first line is taken for one, and has numbers."
