"""Where the keys of a TOML text are.

``tomllib`` forgets the lines that values came from, so the text is scanned once more for keys and
array elements only. The text is known to be TOML by then: nothing is checked here.
"""

from __future__ import annotations

import re
import tomllib
from bisect import bisect_right

__all__ = ["KeyPath", "Lines"]

KeyPath = tuple[str | int, ...]

_NOTHING = re.compile(r"(?:[ \t\r\n]+|#[^\n]*)*")
_BLANKS = re.compile(r"[ \t]*")
_STRING = re.compile(
    r'"""(?:\\.|[^\\])*?"{3,5}'
    r"|'''.*?'{3,5}"
    r'|"(?:\\.|[^"\\\n])*"'
    r"|'[^'\n]*'",
    re.DOTALL,
)
_BARE_KEY = re.compile(r"[A-Za-z0-9_-]+")
_SCALAR = re.compile(r"[^,\]}#\n]*")


class Lines:
    r"""The lines of the keys of a text.

    Parameters
    ----------
    text : str
        TOML.

    Examples
    --------
    >>> lines = Lines("seed = 1\n[[data]]\nsource = 'iris'")
    >>> lines.of(("data", 0, "source")), lines.of(("data", 0, "target"))
    (3, 2)
    """

    def __init__(self, text: str) -> None:
        self._text = text
        self._at = 0
        self._starts = [0, *(match.end() for match in re.finditer("\n", text))]
        self._lines: dict[KeyPath, int] = {}
        self._tables: dict[KeyPath, int] = {}  # how many tables an array of tables has so far
        self._statements()

    def of(self, path: KeyPath) -> int:
        """Return the line of a key, or of the nearest one around it; 0 where there is none."""
        while path and path not in self._lines:
            path = path[:-1]
        return self._lines.get(path, 0)

    def _statements(self) -> None:
        table: KeyPath = ()
        while self._skip():
            if self._text.startswith("[[", self._at):
                table = self._header(2)
            elif self._text[self._at] == "[":
                table = self._header(1)
            else:
                self._pair(table)

    def _skip(self, pattern: re.Pattern[str] = _NOTHING) -> bool:
        match = pattern.match(self._text, self._at)
        self._at = match.end() if match else self._at + 1
        return self._at < len(self._text)

    def _note(self, path: KeyPath, at: int) -> None:
        line = bisect_right(self._starts, at)
        for length in range(1, len(path) + 1):
            self._lines.setdefault(path[:length], line)

    def _header(self, brackets: int) -> KeyPath:
        start = self._at
        self._at += brackets
        parts = self._key()
        self._at += brackets
        path: KeyPath = ()
        for part in parts[:-1]:
            path = self._current((*path, part))
        path = (*path, parts[-1])
        if brackets == 2:
            self._tables[path] = self._tables.get(path, 0) + 1
            path = self._current(path)
        self._note(path, start)
        return path

    def _current(self, path: KeyPath) -> KeyPath:
        """Return the path of the last table so far, where it is an array of tables."""
        return (*path, self._tables[path] - 1) if path in self._tables else path

    def _key(self) -> list[str]:
        """Read a key up to what follows it."""
        parts: list[str] = []
        while True:
            self._skip(_BLANKS)
            quoted = _STRING.match(self._text, self._at)
            found = quoted or _BARE_KEY.match(self._text, self._at)
            if found is None:
                raise AssertionError(f"no key at {self._text[self._at : self._at + 20]!r}")
            name = found.group()
            parts.append(tomllib.loads(f"x = {name}")["x"] if quoted else name)
            self._at = found.end()
            self._skip(_BLANKS)
            if not self._text.startswith(".", self._at):
                return parts
            self._at += 1

    def _pair(self, table: KeyPath) -> None:
        start = self._at
        path = (*table, *self._key())
        self._note(path, start)
        self._at += 1  # the equals sign
        self._value(path)

    def _value(self, path: KeyPath) -> None:
        self._skip(_BLANKS)
        opening = self._text[self._at]
        if opening in "[{":
            self._at += 1
            self._inside(path, "]" if opening == "[" else "}")
        else:
            self._skip(_STRING if opening in "\"'" else _SCALAR)

    def _inside(self, path: KeyPath, closing: str) -> None:
        """Read the elements of an array, or the pairs of an inline table, and its end."""
        index = 0
        while self._skip() and self._text[self._at] != closing:
            if self._text[self._at] == ",":
                self._at += 1
                continue
            if closing == "}":
                self._pair(path)
                continue
            self._note((*path, index), self._at)
            self._value((*path, index))
            index += 1
        self._at += 1
