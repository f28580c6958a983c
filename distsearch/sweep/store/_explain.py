"""What went wrong with a file of results, in one line that says what to do."""

from __future__ import annotations

import errno
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager

from distsearch.errors import StoreError

__all__ = ["NO_SQLITE", "WAIT", "explain", "explained"]

WAIT = 5.0
"""Seconds to wait for another program to let go of the file."""

NO_SQLITE = (
    "{path} is no SQLite file, so it is no store of results, or its beginning is damaged. "
    "It was left as it is; give another path."
)
"""What is said of such a file."""

_FULL = "{path}: the disk is full. Free some space; the same command continues."
_READ_ONLY = (
    "{path} cannot be written: the file, its folder or the disk is read-only for this user. "
    "Change that, or give another path."
)
_IO = (
    "{path}: the disk or its file system failed ({error}). Check the disk and the quota; "
    "the same command continues."
)
_BY_CODE = {
    sqlite3.SQLITE_FULL: _FULL,
    sqlite3.SQLITE_READONLY: _READ_ONLY,
    sqlite3.SQLITE_PERM: _READ_ONLY,
    sqlite3.SQLITE_IOERR: _IO,
    sqlite3.SQLITE_CORRUPT: (
        "{path} is damaged ({error}). Put a copy of it in its place, or save what is left with "
        "sqlite3's .recover into another file."
    ),
    sqlite3.SQLITE_NOTADB: NO_SQLITE,
    sqlite3.SQLITE_CANTOPEN: (
        "{path}, or a file beside it, cannot be opened ({error}). Check the folder, its "
        "permissions and the disk; then give the same command again."
    ),
}
for _code in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED, sqlite3.SQLITE_PROTOCOL):
    _BY_CODE[_code] = (
        f"{{path}} stayed locked by another program for {WAIT:g} s ({{error}}), such as an open "
        "sqlite3 shell. End that program; the same command continues."
    )
_BY_ERRNO = {
    errno.ENOSPC: _FULL,
    errno.EDQUOT: _FULL.replace("the disk", "the disk, or your share of it,"),
    errno.EACCES: _READ_ONLY,
    errno.EPERM: _READ_ONLY,
    errno.EROFS: _READ_ONLY,
    errno.EIO: _IO,
}
_NO_LOCKS = (
    "{path}: its file system has no file locks ({error}), which keep two drivers apart. "
    "Give a path on another disk."
)
for _number in (errno.ENOLCK, errno.ENOSYS, errno.EOPNOTSUPP):
    _BY_ERRNO[_number] = _NO_LOCKS
_OTHER = "{path}: {error}. Check the file and its folder; then give the same command again."


def explain(path: str, error: sqlite3.Error | OSError) -> str:
    """Return one line about an error of SQLite or of the system.

    Parameters
    ----------
    path : str
        The store, as the user calls it.
    error : sqlite3.Error or OSError
        What was raised.

    Returns
    -------
    str
    """
    if isinstance(error, OSError):
        form = _BY_ERRNO.get(error.errno or 0, _OTHER)
        said = error.strerror or str(error)
        if isinstance(error.filename, str):
            said = f"{said}: {error.filename}"
    else:
        code = getattr(error, "sqlite_errorcode", None) or 0
        form = _BY_CODE.get(code & 0xFF, _OTHER)  # the rest of it is detail
        said = str(error)
    return form.format(path=path, error=" ".join(said.split()))


@contextmanager
def explained(path: str) -> Iterator[None]:
    """Turn errors of SQLite and of the system into a StoreError with one line.

    Parameters
    ----------
    path : str
        The store, as the user calls it.

    Raises
    ------
    StoreError
        From the error that it explains.
    """
    try:
        yield
    except (sqlite3.Error, OSError) as error:
        raise StoreError(explain(path, error)) from error
