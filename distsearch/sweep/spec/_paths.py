"""From a path as a study file writes it to the file that is meant."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from pathlib import Path

from distsearch._wording import did_you_mean
from distsearch.errors import DataError, InvalidInputError
from distsearch.tables import Entry, catalogue
from distsearch.tables._catalogue import find_entry
from distsearch.tables._files import check_readable

__all__ = ["Files"]

_VARIABLE = re.compile(r"\$(?:\{(?P<braced>[^}]*)\}|(?P<bare>[A-Za-z_][A-Za-z0-9_]*))")


class Files:
    """The files that a study refers to.

    Parameters
    ----------
    folder : Path
        Where the study file is; relative paths begin there.
    moved : mapping of str to path
        Where a file is now, absolute or relative to the folder, by the path as the study file
        writes it.
    """

    def __init__(self, folder: Path, moved: Mapping[str, str | os.PathLike[str]]) -> None:
        self._folder = folder
        self._moved = moved
        self.written: dict[str, Path] = {}

    def is_moved(self, written: str) -> bool:
        """Say whether a file is not where the study file says."""
        return written in self._moved

    def find(self, written: str) -> Path:
        """Return the absolute path of a file, which can be read.

        Raises
        ------
        InvalidInputError
            An environment variable in the path is not set.
        DataError
            The file cannot be read.
        """
        place = self._moved[written] if self.is_moved(written) else _expanded(written)
        path = Path(os.path.abspath(self._folder / place))
        _check_not_empty(path)
        self.written[written] = path
        return path

    def find_data(self, written: str) -> Path | Entry:
        """Return the absolute path of a data file, or a data set of the catalogue.

        Raises
        ------
        InvalidInputError
            An environment variable in the path is not set, or the text is neither of both.
        DataError
            The file cannot be read.
        """
        if self.is_moved(written):
            return self.find(written)
        text = _expanded(written)
        entry = find_entry(text)
        if entry is not None:
            return entry
        bare = Path(text).name == text and not Path(text).suffix
        if bare and not (self._folder / text).exists():
            raise InvalidInputError(self._unknown(text))
        return self.find(written)

    def _unknown(self, name: str) -> str:
        entries = [entry.name for entry in catalogue()]
        aliases = [alias for entry in catalogue() for alias in entry.aliases]
        there = [path.name for path in self._folder.iterdir() if path.is_file()]
        return (
            f"{name!r} is neither a file in {self._folder} nor a data set of the catalogue "
            f"({', '.join(entries)}).{did_you_mean(name, [*entries, *aliases, *there])}"
        )


def _expanded(written: str) -> str:
    """Return the path with the values of its environment variables."""

    def value(match: re.Match[str]) -> str:
        name = match["braced"] if match["bare"] is None else match["bare"]
        found = os.environ.get(name, "")
        if not found:
            raise InvalidInputError(
                f"the environment variable {name!r} in {written!r} is not set. Set it, or write "
                "the path without it."
            )
        return found

    return _VARIABLE.sub(value, written)


def _check_not_empty(path: Path) -> None:
    check_readable(path)
    try:
        with path.open("rb") as file:
            start = file.read(1)
    except OSError as error:
        raise DataError(f"{path} cannot be read: {error.strerror or error}.") from None
    if not start:
        raise DataError(f"{path} is empty (0 bytes); a header line and rows are needed.")
