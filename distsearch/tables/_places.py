"""Where rows are, in words that lead to them: file lines where there are any, else row numbers."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cached_property
from pathlib import Path

from distsearch._wording import joined
from distsearch.tables._files import has_types, read_text
from distsearch.tables._layout import find_dialect
from distsearch.tables._options import ReadOptions
from distsearch.tables._records import records

__all__ = ["Places"]


class Places:
    """The places of the rows of one source.

    The file is read again, once, when the first message needs a place: reading without trouble
    then costs nothing.

    Parameters
    ----------
    path : Path or None
        The file; None where there is none.
    options : ReadOptions
        The rule the file is read with.
    """

    def __init__(self, path: Path | None, options: ReadOptions) -> None:
        self._path = path
        self._options = options

    def describe(self, rows: Iterable[int], limit: int = 5) -> str:
        """Return where rows are, such as "lines 4 and 6"; positions in the data count from 0."""
        wanted = [int(row) for row in rows]
        lines = self._lines if max(wanted, default=0) < len(self._lines) else []
        places = [lines[row] if lines else row + 1 for row in wanted[:limit]]
        shown = [str(place) for place in places]
        if len(wanted) > limit:
            shown.append(f"{len(wanted) - limit} more")
        noun = "line" if lines else "row"
        return f"{noun}{'s' if len(wanted) > 1 else ''} {joined(shown)}"

    @cached_property
    def _lines(self) -> list[int]:
        if self._path is None or not self._path.is_file() or has_types(self._path):
            return []
        data = read_text(self._path, self._options.encoding)
        dialect = find_dialect(data, self._path, self._options)
        return [line for line, _ in records(data, self._path, dialect)][1:]
