"""Files that appear whole or not at all."""

from __future__ import annotations

import contextlib
import os
import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from os import PathLike
from pathlib import Path
from typing import IO

from distsearch.errors import DataError

__all__ = ["check_writable", "whole_file"]


@contextmanager
def whole_file(path: str | PathLike[str]) -> Iterator[IO[bytes]]:
    """Open a file that takes its name only when the block has ended well and it is on the disk.

    A reader, or a run that is stopped, never sees half of it.

    Parameters
    ----------
    path : str or path-like
        The file; an existing one is replaced. A link keeps pointing to the file that it names.

    Raises
    ------
    DataError
        The path is a folder or a device, is in no folder, or cannot be written to.
    """
    path = Path(path)
    check_writable(path)
    final = path.resolve()
    partial = final.with_name(f".{secrets.token_hex(8)}.partial")
    try:
        with partial.open("xb") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        os.replace(partial, final)
        _sync_folder(final.parent)
    except OSError as error:
        raise DataError(f"{path} cannot be written: {error.strerror or error}.") from error
    finally:
        with contextlib.suppress(OSError):
            partial.unlink(missing_ok=True)


def check_writable(path: Path) -> None:
    """Raise a `DataError` unless a file can be made, or replaced, under that path.

    Devices and pipes are refused: what replaces them is a plain file.
    """
    final = path.resolve()
    if final.is_dir():
        raise DataError(f"{path} is a folder; name a file in it.")
    if final.exists() and not final.is_file():
        raise DataError(f"{path} is not a regular file and cannot be replaced; name another file.")
    if not final.parent.is_dir():
        raise DataError(f"{path} cannot be written: there is no folder {final.parent}; make it.")
    if not os.access(final.parent, os.W_OK):
        raise DataError(f"{path} cannot be written: the folder {final.parent} is read-only.")


def _sync_folder(folder: Path) -> None:
    # Some file systems cannot do this for folders; the file itself is safe by then.
    with contextlib.suppress(OSError):
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)
