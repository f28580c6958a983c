"""Opening the file of a store to read it, wherever it lies."""

from __future__ import annotations

import os
import sqlite3

from distsearch.errors import StoreError
from distsearch.sweep.store._explain import NO_SQLITE
from distsearch.sweep.store._file import check_mark, connect

__all__ = ["open_to_read"]


def open_to_read(real: str, path: str) -> sqlite3.Connection:
    """Return a connection to a store that changes nothing.

    Parameters
    ----------
    real : str
        The resolved path.
    path : str
        The same as the user calls it.

    Returns
    -------
    sqlite3.Connection

    Raises
    ------
    StoreError
        When the file is none of ours, or was left as only a driver can repair it.
    sqlite3.Error, OSError
        When it cannot be opened.
    """
    try:
        return _opened(real, "mode=ro", path)
    except sqlite3.OperationalError as error:
        if not _is_frozen(real, path, error):
            raise
    # Copied to a read-only place from under a driver: nobody can be writing it there.
    return _opened(real, "mode=ro&immutable=1", path)


def _is_frozen(real: str, path: str, error: sqlite3.OperationalError) -> bool:
    """Say whether only files that cannot be made beside it are missing."""
    if error.sqlite_errorcode == sqlite3.SQLITE_READONLY_ROLLBACK:
        raise StoreError(
            f"{path} was left in the middle of a write. Give the command that wrote it "
            "again, which repairs it; then read it."
        ) from error
    code = error.sqlite_errorcode & 0xFF
    if code not in (sqlite3.SQLITE_READONLY, sqlite3.SQLITE_CANTOPEN):
        return False
    if not os.path.exists(f"{real}-wal"):
        return not os.access(os.path.dirname(real), os.W_OK)
    raise StoreError(
        f"{path} cannot be read where it is ({error}), for some of it is still in "
        f"{path}-wal. Copy both to a folder of your own and read them there."
    ) from error


def _opened(real: str, options: str, path: str) -> sqlite3.Connection:
    connection = connect(real, options)
    try:
        marks = [
            int(connection.execute(f"PRAGMA {mark}").fetchone()[0])
            for mark in ("application_id", "user_version", "page_count")
        ]
        if not marks[2]:
            if os.stat(real).st_size:  # less than a header
                raise StoreError(NO_SQLITE.format(path=path))
            raise StoreError(f"{path} is empty. Run a study first.")
        check_mark(path, marks[0], marks[1])
    except BaseException:
        connection.close()
        raise
    return connection
