"""One driver a store, by a lock that cannot be left behind.

An existing file proves nothing, for its writer may be dead, and a process id on paper may by now
belong to someone else. So the lock is the kernel's, on a file beside the store: it goes when its
process goes, however that ends. Only where another host's lock may not be visible, as on some
network file systems, does the age of the file count: a driver touches it every ten seconds.
"""

from __future__ import annotations

import fcntl
import json
import os
import threading
import time
import weakref
from contextlib import suppress
from datetime import UTC, datetime
from functools import cache

from distsearch.errors import StoreBusyError, StoreError
from distsearch.sweep.store._driver import (
    STALE,
    Driver,
    age,
    is_elsewhere,
    lock_path,
    read_driver,
    try_lock,
)

__all__ = ["BEAT", "Lock"]

BEAT = 10.0
"""Seconds between two touches of the file."""
_PATIENCE = 0.4  # a reader that looks who drives has the lock for a moment


class Lock:
    """The right to write to a store, from its making to `release`.

    Parameters
    ----------
    store : str
        The store's resolved path.
    shown : str
        The same as the user calls it, for messages.

    Raises
    ------
    StoreBusyError
        When another driver has it; the message says which.
    OSError
        When the lock cannot be made.
    """

    def __init__(self, store: str, shown: str) -> None:
        self.path = lock_path(store)
        self._shown = shown
        self._trouble: StoreError | None = None
        self._stop = threading.Event()
        since = datetime.now(UTC).replace(microsecond=0)
        self._me = Driver(os.getpid(), os.uname().nodename, since)
        self._fd = -1
        self._fd = self._take()
        try:
            self._sign()
        except OSError:
            self.release()
            raise
        _close_in_children()
        _HELD.add(self)
        threading.Thread(target=_beat, args=(weakref.ref(self), self._stop), daemon=True).start()

    def check(self) -> None:
        """Raise what is wrong with the lock, if its last touch found anything.

        Raises
        ------
        StoreError
            When someone removed it or took it over.
        """
        if self._trouble is not None:
            raise self._trouble

    def release(self) -> None:
        """Let another driver have it; safe to call twice."""
        if self._fd < 0:
            return
        fd, self._fd = self._fd, -1
        _HELD.discard(self)
        self._stop.set()
        # Removed while still locked: who opens it from now on finds that it is not the file there.
        with suppress(OSError):
            mine = read_driver(fd) in (self._me, None)
            if mine and os.path.samestat(os.fstat(fd), os.stat(self.path)):
                os.unlink(self.path)
        os.close(fd)

    def __del__(self) -> None:
        self.release()

    def touch(self) -> None:
        """Show that this driver is alive, and notice if the lock is no longer its own."""
        with suppress(OSError):  # a network file system that is away will be back
            try:
                mine = os.path.samestat(os.fstat(self._fd), os.stat(self.path))
            except FileNotFoundError:
                mine = False
            driver = read_driver(self._fd)
            if mine and driver == self._me:
                os.utime(self._fd)
            elif mine and driver is not None:
                self._trouble = StoreBusyError(f"{self._shown} was taken over by {driver}.")
            else:
                self._trouble = StoreError(
                    f"{self._shown}: its lock {self.path} was removed or overwritten during the "
                    "run. Leave it alone while a driver is at work; the same command continues."
                )

    def close_descriptor(self) -> None:
        """Close the file without unlocking it, as a forked child must."""
        fd, self._fd = self._fd, -1
        if fd >= 0:
            os.close(fd)

    def _take(self) -> int:
        deadline = time.monotonic() + _PATIENCE
        while True:
            fd = os.open(self.path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o666)
            try:
                if self._is_taken(fd):
                    return fd
                if time.monotonic() > deadline:
                    raise self._busy(read_driver(fd), age(fd))
            except BaseException:
                os.close(fd)
                raise
            os.close(fd)
            time.sleep(0.02)

    def _is_taken(self, fd: int) -> bool:
        """Try to lock the file, and see that it is still the one with that name."""
        if not try_lock(fd, fcntl.LOCK_EX):
            return False
        driver = read_driver(fd)
        if is_elsewhere(fd, driver):
            raise self._busy(driver, age(fd))
        try:
            return os.path.samestat(os.fstat(fd), os.stat(self.path))
        except FileNotFoundError:
            return False

    def _busy(self, driver: Driver | None, seconds: float) -> StoreBusyError:
        who = str(driver) if driver else "another process, which left no name"
        text = f"{self._shown} is being written by {who}."
        if driver and driver.host != os.uname().nodename:
            text += (
                f" It gave a sign of life {seconds:.0f} s ago; should it be dead, its lock lapses "
                f"after {STALE:.0f} s."
            )
        return StoreBusyError(
            f"{text} Only one can write at a time: wait for it, or stop it, then give the same "
            "command again."
        )

    def _sign(self) -> None:
        me = self._me
        words = {"pid": me.pid, "host": me.host, "started": me.since.isoformat()}
        os.ftruncate(self._fd, 0)
        os.pwrite(self._fd, json.dumps(words).encode(), 0)


_HELD: weakref.WeakSet[Lock] = weakref.WeakSet()


def _beat(lock: weakref.ref[Lock], stop: threading.Event) -> None:
    while not stop.wait(BEAT):
        held = lock()
        if held is None:
            return
        held.touch()
        del held


@cache
def _close_in_children() -> None:
    """See that a forked child, which may outlive its parent, does not keep the lock."""
    os.register_at_fork(after_in_child=_close_all)


def _close_all() -> None:
    for lock in list(_HELD):
        lock.close_descriptor()
    _HELD.clear()
