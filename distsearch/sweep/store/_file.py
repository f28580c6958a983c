"""Opening the file of a store, and never touching a file that is none.

What a file is, is read from its first bytes before SQLite opens it to write: opening alone could
finish another program's interrupted transaction. A new store gets its mark in the same transaction
as its tables, in SQLite's older journal, so the mark is in the file itself from the start.
"""

from __future__ import annotations

import os
import sqlite3
import stat
from contextlib import suppress
from pathlib import Path

from distsearch._file_systems import file_system, is_network
from distsearch.errors import StoreError
from distsearch.sweep.store._explain import NO_SQLITE, WAIT
from distsearch.sweep.store._schema import APPLICATION_ID, FORMAT, create
from distsearch.sweep.store._values import now

__all__ = ["check_mark", "connect", "locate", "open_to_write", "settle"]

_MAGIC = b"SQLite format 3\0"
# A file system whose memory cannot be shared, said in the ways SQLite has.
_NO_SHARED_MEMORY = frozenset(
    {
        sqlite3.SQLITE_IOERR_SHMMAP,
        sqlite3.SQLITE_IOERR_SHMOPEN,
        sqlite3.SQLITE_IOERR_SHMSIZE,
        sqlite3.SQLITE_IOERR_SHMLOCK,
        sqlite3.SQLITE_PROTOCOL,
    }
)


def locate(path: str) -> str:
    """Return the resolved path of a store that can be there.

    Parameters
    ----------
    path : str
        As the user calls it.

    Returns
    -------
    str
        Absolute, without symbolic links.

    Raises
    ------
    StoreError
        When it is a folder or no regular file, or its folder is missing.
    """
    real = os.path.realpath(path)
    try:
        mode = os.stat(real).st_mode
    except FileNotFoundError:
        folder = os.path.dirname(real)
        if not os.path.isdir(folder):
            raise StoreError(
                f"{path}: there is no folder {folder}. Make it, or give another path."
            ) from None
        return real
    except NotADirectoryError:
        raise StoreError(
            f"{path}: {os.path.dirname(real)} is no folder. Give another path."
        ) from None
    if stat.S_ISDIR(mode):
        raise StoreError(f"{path} is a folder. Give the path of a file in it.")
    if not stat.S_ISREG(mode):
        raise StoreError(f"{path} is no regular file. Give another path.")
    return real


def check_mark(path: str, application: int, version: int) -> None:
    """Refuse a SQLite file that is no store, or a store of a later format.

    Parameters
    ----------
    path : str
        As the user calls it.
    application, version : int
        What its first page says.

    Raises
    ------
    StoreError
        With what to do.
    """
    if application != APPLICATION_ID or version < 1:
        raise StoreError(
            f"{path} is a SQLite file of another program, no store of results. "
            "It was left as it is; give another path."
        )
    if version > FORMAT:
        raise StoreError(
            f"{path} has format {version}, and this version of distsearch knows formats up to "
            f"{FORMAT}. It was left as it is; use a later distsearch."
        )


def _sniff(real: str, path: str) -> None:
    # Only ever before this process has the file open to write: closing any descriptor of a file
    # gives up all of the process's POSIX locks on it, SQLite's among them.
    try:
        with open(real, "rb") as file:
            head = file.read(100)
    except FileNotFoundError:
        return
    if not head:
        return
    if len(head) < 100 or not head.startswith(_MAGIC):
        raise StoreError(NO_SQLITE.format(path=path))
    check_mark(path, int.from_bytes(head[68:72], "big"), int.from_bytes(head[60:64], "big"))


def connect(real: str, options: str) -> sqlite3.Connection:
    """Return a connection that leaves transactions to its user.

    Parameters
    ----------
    real : str
        The resolved path.
    options : str
        Of SQLite's addresses, such as ``mode=ro``.

    Returns
    -------
    sqlite3.Connection
    """
    return sqlite3.connect(
        f"{Path(real).as_uri()}?{options}",
        uri=True,
        timeout=WAIT,
        isolation_level=None,
        check_same_thread=False,
    )


def open_to_write(real: str, path: str) -> sqlite3.Connection:
    """Return a connection to a store, made first if it is not there.

    Readers do not disturb the writer where the file system can share memory between processes of
    one host and has no other host; elsewhere SQLite's older journal gives the same durability.

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
        When the file is none of ours.
    sqlite3.Error, OSError
        When it cannot be opened.
    """
    _sniff(real, path)
    if not is_network(file_system(real)):
        try:
            return _open(real, "WAL")
        except sqlite3.OperationalError as error:
            if error.sqlite_errorcode not in _NO_SHARED_MEMORY:
                raise
    # The header may ask for shared memory; alone in the file SQLite does without, and changes it.
    _open(real, "DELETE", alone=True).close()
    with suppress(FileNotFoundError):
        os.unlink(f"{real}-shm")
    return _open(real, "DELETE")


def _open(real: str, journal: str, alone: bool = False) -> sqlite3.Connection:
    connection = connect(real, "mode=rwc")
    try:
        if alone:
            connection.execute("PRAGMA locking_mode = EXCLUSIVE")
        if _pragma(connection, "user_version") == 0:
            connection.execute("BEGIN IMMEDIATE")
            create(connection, now())
            connection.execute("COMMIT")
        got = _pragma(connection, f"journal_mode = {journal}")
        # In the older journal only EXTRA makes sure that a commit survives a power cut.
        connection.execute(f"PRAGMA synchronous = {'FULL' if got == 'wal' else 'EXTRA'}")
        connection.execute("SELECT format FROM meta").fetchall()
    except BaseException:
        connection.close()
        raise
    return connection


def settle(connection: sqlite3.Connection) -> None:
    """Move everything into the one file, so that it can be copied and read anywhere.

    Parameters
    ----------
    connection : sqlite3.Connection
        The only one that writes.
    """
    try:
        # Not only a checkpoint: readers of a file at rest in the other mode make files beside it.
        connection.execute("PRAGMA journal_mode = DELETE").fetchall()
    except sqlite3.OperationalError as error:
        if error.sqlite_errorcode & 0xFF != sqlite3.SQLITE_BUSY:
            raise
        connection.execute("PRAGMA busy_timeout = 500")
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()


def _pragma(connection: sqlite3.Connection, words: str) -> int | str:
    value: int | str = connection.execute(f"PRAGMA {words}").fetchone()[0]
    return value
