"""What runs inside a worker process: loading what a task needs, once, and running its units."""

from __future__ import annotations

import mmap
import os
import pickle
import signal
import sys
import threading
from collections import OrderedDict, deque
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from multiprocessing.connection import Connection
from typing import Any, Protocol

from distsearch.backends._execute import Result, failed_units, mark_worker, run_units
from distsearch.backends._sending import Frozen, thaw
from distsearch.backends._surroundings import Surroundings

__all__ = ["Bench", "Job", "Location", "Source", "main"]


class Source(Protocol):
    """Where a worker gets shared data from, under a key by which it remembers that it has it."""

    @property
    def key(self) -> str:
        """Names the data."""

    def read(self) -> Frozen:
        """Return the data."""


@dataclass(frozen=True, slots=True)
class Location:
    """Where the workers of one machine find shared data.

    Parameters
    ----------
    key : str
        Names the data; a worker that has loaded it need not look again.
    path : str
        A file.
    spans : tuple of (int, int)
        Where the pickle stream and each buffer start and end in it.
    """

    key: str
    path: str
    spans: tuple[tuple[int, int], ...]

    def read(self) -> Frozen:
        """Map the file; nothing is copied and nothing can be written."""
        with open(self.path, "rb") as file:
            memory = memoryview(mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ))
        stream, *buffers = (memory[start:end] for start, end in self.spans)
        return Frozen(stream, buffers)


@dataclass(frozen=True, slots=True)
class Job:
    """What all tasks of a run have in common.

    Parameters
    ----------
    fn : bytes
        The pickled function.
    surroundings : bytes
        The caller's process-wide settings.
    """

    fn: bytes
    surroundings: bytes


class Bench:
    """What a worker has loaded, the most recent few of each kind."""

    def __init__(self) -> None:
        self._functions: OrderedDict[Hashable, Any] = OrderedDict()
        self._values: OrderedDict[Hashable, Any] = OrderedDict()
        self._surroundings = Surroundings()

    def run(self, job: Job, source: Source | None, blobs: Sequence[bytes]) -> list[Result]:
        """Run units on the shared data from ``source``, if any."""
        mark_worker()
        try:
            fn = _recall(self._functions, job.fn, lambda: pickle.loads(job.fn), most=8)
            value = None
            if source is not None:
                value = _recall(self._values, source.key, lambda: thaw(source.read()), most=2)
            self._surroundings.adopt(job.surroundings)
            return run_units(fn, blobs, value, worker=True)
        except Exception as error:
            return failed_units(error, len(blobs))


def _recall(known: OrderedDict[Hashable, Any], key: Hashable, make: Any, most: int) -> Any:
    if key not in known:
        # Room is made first: two large values need not be in memory at a time.
        while len(known) >= most:
            known.popitem(last=False)
        known[key] = make()
    known.move_to_end(key)
    return known[key]


class _Inbox:
    """Tasks received and not yet begun.

    A thread of its own receives, so that the driver never waits for a busy worker to read, can
    have a task back that has not begun, and takes the worker with it when it dies.
    """

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self._tasks: deque[tuple[int, Any]] = deque()
        self._changed = threading.Condition()
        self._sending = threading.Lock()
        threading.Thread(target=self._receive, daemon=True).start()

    def _receive(self) -> None:
        try:
            while True:
                number, body = pickle.loads(self._connection.recv_bytes())
                with self._changed:
                    if body is not None:
                        self._tasks.append((number, body))
                        self._changed.notify()
                    elif self._take_back(number):
                        self.send(number, None)
        finally:
            os._exit(0)

    def _take_back(self, number: int) -> bool:
        for task in self._tasks:
            if task[0] == number:
                self._tasks.remove(task)
                return True
        return False

    def next(self) -> tuple[int, Any]:
        with self._changed:
            self._changed.wait_for(lambda: self._tasks)
            return self._tasks.popleft()

    def send(self, number: int, results: list[Result] | None) -> None:
        data = pickle.dumps((number, results), protocol=5)
        with self._sending:
            self._connection.send_bytes(data)


def main(connection: Connection) -> None:
    """Serve the driver at the other end of a socket until it is gone."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})
    inbox = _Inbox(connection)
    bench = Bench()
    inbox.send(-1, None)
    while True:
        number, (job, location, blobs) = inbox.next()
        results = bench.run(job, location, blobs)
        sys.stdout.flush()
        inbox.send(number, results)
