"""Mistakes in a study file, each with its place."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass, replace

from distsearch._wording import count
from distsearch.sweep.spec._lines import KeyPath, Lines

__all__ = ["Place", "Problems", "dotted"]


@dataclass(frozen=True)
class Place:
    """Where something is said.

    Parameters
    ----------
    order : (int, int)
        The line of the study file, and that of a table which this line names, or 0.
    head : str
        File and line, such as ``study.toml:12``.
    where : str
        The key, or the column of the table; empty for a whole file or row.
    """

    order: tuple[int, int]
    head: str
    where: str = ""

    def at(self, where: str) -> Place:
        """Return the same line with another key or column."""
        return replace(self, where=where)

    def in_table(self, name: str, line: int, column: str = "") -> Place:
        """Return a place in the table that is named here."""
        return Place((self.order[0], line), f"{name}:{line}" if line else name, column)

    @property
    def cited(self) -> str:
        """How a message about another place speaks of it."""
        return f"{self.where} in {self.head}" if self.where else self.head

    def __str__(self) -> str:
        return f"{self.head}: {self.where}" if self.where else self.head


class Problems:
    """Every mistake found so far.

    Parameters
    ----------
    file : str
        What the study file is called in messages.
    lines : Lines
        Where its keys are.
    """

    def __init__(self, file: str, lines: Lines) -> None:
        self._file = file
        self._lines = lines
        self._found: dict[Hashable, tuple[Place, str, str, int]] = {}

    def __len__(self) -> int:
        return len(self._found)

    def place(self, path: KeyPath, where: KeyPath | None = None) -> Place:
        """Return the place of a key, called `where` if that is to be something else."""
        line = self._lines.of(path)
        head = f"{self._file}:{line}" if line else self._file
        return Place((line, 0), head, dotted(path if where is None else where))

    def add(self, place: Place, message: str) -> None:
        """Note a mistake."""
        self._found[len(self._found)] = (place, message, "", 1)

    def add_at(self, head: str, message: str) -> None:
        """Note a mistake at a line, such as ``study.toml:12``."""
        line = head.rpartition(":")[2]
        self.add(Place((int(line) if line.isdecimal() else 0, 0), head), message)

    def add_again(self, group: Hashable, place: Place, message: str, noun: str = "setting") -> None:
        """Note a mistake that others of the group may have as well; it is told once."""
        key = (group, message)
        first, _, _, number = self._found.get(key, (place, "", "", 0))
        self._found[key] = (first, message, noun, number + 1)

    def told(self) -> list[str]:
        """Return the mistakes in the order of the file, a line each."""
        ordered = sorted(self._found.values(), key=lambda found: found[0].order)
        return [_sentence(*found) for found in ordered]


def dotted(path: KeyPath) -> str:
    """Return a path as in a program: ``data[0].columns``."""
    parts = [f"[{part}]" if isinstance(part, int) else f".{part}" for part in path]
    return "".join(parts).removeprefix(".")


def _sentence(place: Place, message: str, noun: str, number: int) -> str:
    others = f" (and {count(number - 1, f'more {noun}')})" if number > 1 else ""
    return " ".join(f"{place}: {message}{others}".splitlines())
