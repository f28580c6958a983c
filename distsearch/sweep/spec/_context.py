"""What the parts of the reading share."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from distsearch.sweep.spec._lines import KeyPath
from distsearch.sweep.spec._paths import Files
from distsearch.sweep.spec._problems import Problems
from distsearch.sweep.spec._types import Data

__all__ = ["Context", "Kind"]

Kind = Literal["estimators", "methods"]


@dataclass(frozen=True)
class Context:
    """A study file while it is read.

    Parameters
    ----------
    document : mapping
        What is sound of it.
    dropped : set of tuple
        The paths of what was not.
    problems : Problems
        The mistakes so far.
    files : Files
        What it refers to.
    trust : tuple of str
        Modules that may be imported for estimators.
    broken : set of str
        Which of "data", "estimators" and "methods" have entries that could not be read whole: what
        depends on all of them is not to be checked then.
    sound : list of Data
        The data sets that nothing is wrong with so far.
    """

    document: Mapping[str, Any]
    dropped: set[KeyPath]
    problems: Problems
    files: Files
    trust: tuple[str, ...]
    broken: set[str] = field(default_factory=set)
    sound: list[Data] = field(default_factory=list)

    def tables(self, kind: str) -> Iterator[tuple[int, Mapping[str, Any]]]:
        """Give the tables of an array of tables with their positions."""
        yield from enumerate(self.document.get(kind, ()))

    def is_whole(self, *path: str | int) -> bool:
        """Say whether nothing at the path, or in it, broke the schema."""
        return not any(
            dropped[: len(path)] == path[: len(dropped)] for dropped in self.dropped if dropped
        )

    def add(self, message: str, *path: str | int) -> None:
        """Note a mistake at a key."""
        self.problems.add(self.problems.place(path), message)
