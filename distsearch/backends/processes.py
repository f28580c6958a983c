"""Units run in worker processes of this machine."""

from __future__ import annotations

import os
import shutil
import tempfile
import threading
import time
import uuid
import weakref
from collections import deque
from collections.abc import Iterator, Sequence
from multiprocessing.connection import wait as wait_for_any
from typing import IO, Any

from distsearch.backends._base import SharedData, ShippedBackend, check_owner, check_workers
from distsearch.backends._children import Child, how_it_ended
from distsearch.backends._chunking import Paces
from distsearch.backends._engine import Report, Task, drive
from distsearch.backends._execute import pack
from distsearch.backends._protocol import Outcome, Shared, Unit, UnitFn
from distsearch.backends._sending import Frozen, dump_function, freeze
from distsearch.backends._surroundings import surroundings
from distsearch.backends._worker import Job, Location
from distsearch.errors import BackendError

__all__ = ["ProcessPool", "ProcessesBackend", "SharedFile"]

_ALIGNMENT = 64
_FAILED_STARTS = 3


class SharedFile(SharedData):
    """Shared data in a file without a name, so that not even a killed driver leaves it behind."""

    def __init__(self, frozen: Frozen, owner: Any) -> None:
        super().__init__(frozen, owner)
        spans = []
        end = 0
        for part in (frozen.stream, *frozen.buffers):
            start = -(-end // _ALIGNMENT) * _ALIGNMENT
            end = start + len(part)
            spans.append((start, end))
        self._file: IO[bytes] = tempfile.TemporaryFile(dir=_roomy(end))  # noqa: SIM115
        for (start, _), part in zip(spans, (frozen.stream, *frozen.buffers), strict=True):
            self._file.seek(start)
            self._file.write(part)
        self._file.flush()
        self._frozen = None
        path = f"/proc/{os.getpid()}/fd/{self._file.fileno()}"
        self._location = Location(uuid.uuid4().hex, path, tuple(spans))

    @property
    def location(self) -> Location:
        """Where workers find it."""
        if self._file.closed:
            raise BackendError("This shared data was closed. Share the value again.")
        return self._location

    def close(self) -> None:
        """Let go of the data. Calling it twice is harmless."""
        self._file.close()


def _roomy(size: int) -> str | None:
    """Return the shared-memory folder where ``size`` bytes fit twice, else None for a disk."""
    try:
        return "/dev/shm" if shutil.disk_usage("/dev/shm").free > 2 * size else None
    except OSError:
        return None


class ProcessPool:
    """Up to ``slots`` worker processes, started when there is work for them.

    Parameters
    ----------
    slots : int
        The most processes at a time.
    """

    def __init__(self, slots: int) -> None:
        self.slots = slots
        self._children: list[Child] = []
        self._tasks: dict[int, Task] = {}
        self._reports: list[Report] = []
        self._recalled: set[int] = set()
        self._failed_starts = 0
        self._looked = time.monotonic()
        self._closed = False

    def begin(self, job: Job, location: Location | None) -> None:
        """Say what the tasks to come have in common, and bury who died since the last ones."""
        for child in [child for child in self._children if child.process.poll() is not None]:
            self._children.remove(child)
            child.end(kill=False)
        self._job = job
        self._location = location
        self._tasks.clear()
        self._reports.clear()
        self._recalled.clear()

    def submit(self, task: Task) -> None:
        """Hand a task to the least busy worker, a new one if all have something to do."""
        if self._closed:
            raise BackendError("The backend was closed while units were running.")
        self._tasks[task.number] = task
        child = min(self._children, key=lambda child: len(child.tasks), default=None)
        if child is None or (child.tasks and len(self._children) < self.slots):
            child = Child()
            self._children.append(child)
        child.tasks.append(task.number)
        child.send(task.number, (self._job, self._location, task.blobs))

    def wait(self, timeout: float) -> Sequence[Report]:
        """Return what has happened, waiting at most ``timeout`` seconds for something."""
        if self._closed:
            raise BackendError("The backend was closed while units were running.")
        self._even_out()
        reports, self._reports = self._reports, []
        by_connection = {child.connection: child for child in self._children}
        ready = wait_for_any(list(by_connection), 0 if reports else timeout)
        for connection in ready:
            self._hear(by_connection[connection], reports)  # type: ignore[index]
        self._look_for_dead(reports)
        return reports

    def _hear(self, child: Child, reports: list[Report]) -> None:
        try:
            while True:
                number, results = child.receive()
                if number in self._tasks:
                    child.tasks.remove(number)
                    if results is None:
                        self._recalled.discard(number)
                        self.submit(self._tasks[number])
                    else:
                        del self._tasks[number]
                        reports.append(Report(number, results))
                child.ready = True
                self._failed_starts = 0
                if not child.connection.poll():
                    return
        except EOFError:
            self._bury(child, reports)

    def _look_for_dead(self, reports: list[Report]) -> None:
        """Notice the dead whose socket is held open by a process that they left behind."""
        now = time.monotonic()
        if now - self._looked > 1.0:
            self._looked = now
            for child in [child for child in self._children if child.process.poll() is not None]:
                self._bury(child, reports)

    def _bury(self, child: Child, reports: list[Report]) -> None:
        self._children.remove(child)
        code = child.end(kill=False)
        end, message = how_it_ended(code)
        if not child.ready:
            self._failed_starts += 1
            if self._failed_starts >= _FAILED_STARTS:
                raise BackendError(f"{message} before it could take up work, {_FAILED_STARTS}x.")
        for place, number in enumerate(child.tasks):
            if self._tasks.pop(number, None):
                started = child.ready and place == 0
                reports.append(Report(number, None, end, message, started))

    def _even_out(self) -> None:
        """Ask for tasks back that wait behind a long one while another worker has none."""
        idle = sum(not child.tasks for child in self._children)
        for child in self._children:
            if idle and len(child.tasks) > 1 and child.tasks[-1] not in self._recalled:
                self._recalled.add(child.tasks[-1])
                child.send(child.tasks[-1], None)
                idle -= 1

    def cancel(self, numbers: Sequence[int]) -> None:
        """End the workers that have these tasks; what else they had is reported as not begun."""
        for number in numbers:
            self._tasks.pop(number, None)
        wanted = set(numbers)
        for child in [child for child in self._children if wanted & set(child.tasks)]:
            self._children.remove(child)
            child.end(kill=True)
            for number in child.tasks:
                if self._tasks.pop(number, None):
                    self._reports.append(Report(number, None, started=False))

    def close(self) -> None:
        """End every worker."""
        self._closed = True
        while self._children:
            child = self._children.pop()
            child.end(kill=bool(child.tasks))


class ProcessesBackend(ShippedBackend):
    """Run units in worker processes of this machine.

    Workers start when the first units are run (about half a second) and serve until `close`.
    They use one BLAS thread each, and a death concerns only the unit that was running.

    Parameters
    ----------
    workers : int
        How many processes; -1 for as many as there are cores to use.

    Attributes
    ----------
    name : str
        "processes".
    workers : int
        How many processes.

    Raises
    ------
    InvalidInputError
        For 0 and for negative numbers but -1.
    ResourceError
        For more than four processes a core.

    Examples
    --------
    >>> from distsearch.backends import ProcessesBackend, Unit
    >>> units = [Unit(payload=n) for n in range(3)]
    >>> with ProcessesBackend(workers=2) as backend:
    ...     outcomes = list(backend.run(lambda unit, _: unit.payload**2, units))
    >>> sorted(outcome.value for outcome in outcomes)
    [0, 1, 4]
    """

    name = "processes"

    def __init__(self, workers: int = -1) -> None:
        self.workers = check_workers(workers)
        self._paces = Paces()
        self._pools: list[ProcessPool] = []
        self._free: deque[ProcessPool] = deque()
        self._lock = threading.Lock()
        self._finalizer = weakref.finalize(self, _close_all, self._pools)

    @property
    def spec(self) -> str:
        """What `get_backend` makes an equal backend from."""
        return f"{self.name}:{self.workers}"

    def share(self, value: Any) -> Shared:
        """Write ``value`` to memory that every worker maps, its arrays read-only.

        Parameters
        ----------
        value : object
            Anything that can be pickled.

        Returns
        -------
        Shared

        Raises
        ------
        CannotBeSentError
            When something inside ``value`` cannot be pickled.
        """
        return SharedFile(freeze(value), self)

    def run(
        self,
        fn: UnitFn,
        units: Sequence[Unit],
        shared: Shared | None = None,
        *,
        fail_fast: bool = False,
    ) -> Iterator[Outcome]:
        """Run every unit; see `Backend.run`."""
        check_owner(shared, self)
        location = shared.location if isinstance(shared, SharedFile) else None
        job = Job(dump_function(fn), surroundings())
        return self._run(job, location, pack(units), fail_fast)

    def _run(
        self, job: Job, location: Location | None, blobs: list[bytes], fail_fast: bool
    ) -> Iterator[Outcome]:
        pace = self._paces.of((job.fn, location and location.key))
        pool = self._borrow()
        try:
            pool.begin(job, location)
            yield from drive(pool, blobs, pace, fail_fast=fail_fast)
        finally:
            self._free.append(pool)

    def _borrow(self) -> ProcessPool:
        """Return a pool that no other run is using."""
        with self._lock:
            if self._free:
                return self._free.pop()
            pool = ProcessPool(self.workers)
            self._pools.append(pool)
            return pool

    def close(self) -> None:
        """End every worker. Calling it twice is harmless, and running more units starts anew."""
        with self._lock:
            self._free.clear()
            _close_all(self._pools)


def _close_all(pools: list[ProcessPool]) -> None:
    while pools:
        pools.pop().close()
