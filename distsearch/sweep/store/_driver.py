"""Who writes to a store, as its lock says."""

from __future__ import annotations

import errno
import fcntl
import json
import os
import time
from dataclasses import dataclass
from datetime import UTC, datetime

__all__ = [
    "STALE",
    "Driver",
    "age",
    "current_driver",
    "is_elsewhere",
    "lock_path",
    "read_driver",
    "try_lock",
]

STALE = 60.0
"""Age in seconds at which another host's lock counts for nothing."""


@dataclass(frozen=True, slots=True)
class Driver:
    """A process that writes to a store.

    Parameters
    ----------
    pid : int
        Its number.
    host : str
        Where it runs.
    since : datetime
        When it began, in UTC.
    """

    pid: int
    host: str
    since: datetime

    def __str__(self) -> str:
        return f"process {self.pid} on {self.host} since {self.since:%Y-%m-%d %H:%M:%S} UTC"


def lock_path(store: str) -> str:
    """Return the path of the lock of a store, given as its resolved path."""
    return f"{store}.lock"


def read_driver(fd: int) -> Driver | None:
    """Return whom the file names, or None for an empty one and for nonsense."""
    try:
        said = json.loads(os.pread(fd, 4096, 0))
        since = datetime.fromisoformat(said["started"]).astimezone(UTC)
        return Driver(int(said["pid"]), str(said["host"]), since)
    except (ValueError, KeyError, TypeError, OverflowError, RecursionError):
        return None


def age(fd: int) -> float:
    """Return the seconds since the file was touched."""
    # The clocks of two hosts differ, so the file may come from the future.
    return abs(time.time() - os.fstat(fd).st_mtime)


def try_lock(fd: int, kind: int) -> bool:
    """Try to lock the file, shared or exclusively, and say whether that worked."""
    try:
        fcntl.flock(fd, kind | fcntl.LOCK_NB)
    except OSError as error:
        if error.errno in (errno.EWOULDBLOCK, errno.EACCES):
            return False
        raise
    return True


def is_elsewhere(fd: int, driver: Driver | None) -> bool:
    """Say whether a lock that looks free belongs to a live process of another host."""
    return driver is not None and driver.host != os.uname().nodename and age(fd) < STALE


def current_driver(store: str) -> Driver | None:
    """Return who writes to a store now.

    Parameters
    ----------
    store : str
        Its resolved path.

    Returns
    -------
    Driver or None
        None also for a lock held by something that left no name.

    Raises
    ------
    OSError
        When the lock cannot be read.
    """
    try:
        fd = os.open(lock_path(store), os.O_RDONLY | os.O_CLOEXEC)
    except FileNotFoundError:
        return None
    try:
        driver = read_driver(fd)
        if try_lock(fd, fcntl.LOCK_SH) and not is_elsewhere(fd, driver):
            return None
        return driver
    finally:
        os.close(fd)
