"""Units run in worker processes of this machine."""

from __future__ import annotations

import atexit
import threading
import weakref
from collections import deque
from collections.abc import Iterator, Sequence
from typing import Any

from distsearch.backends._base import ShippedBackend, check_owner, check_workers
from distsearch.backends._chunking import Paces
from distsearch.backends._engine import drive
from distsearch.backends._execute import pack
from distsearch.backends._machine import memory
from distsearch.backends._process_pool import ProcessPool
from distsearch.backends._protocol import Outcome, Shared, Unit, UnitFn
from distsearch.backends._sending import dump_function, freeze
from distsearch.backends._shared_file import SharedFile
from distsearch.backends._surroundings import surroundings
from distsearch.backends._worker import Job, Location

__all__ = ["ProcessesBackend"]


class ProcessesBackend(ShippedBackend):
    """Run units in worker processes of this machine.

    Workers start when the first units are run (about half a second) and serve until `close`.
    They use one BLAS thread each, and a death concerns only the unit that was running. Of units
    that say how much memory they may take, no more run at a time than the machine has room for.

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
        For anything but a positive integer or -1.
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
        finalizer = weakref.finalize(self, _close_all, self._pools)
        finalizer.atexit = False
        _open_backends.add(self)

    @property
    def spec(self) -> str:
        """What `get_backend` makes an equal backend from."""
        return f"{self.name}:{self.workers}"

    @property
    def arguments(self) -> dict[str, Any]:
        """What it was made with."""
        return {"workers": self.workers}

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
        largest = max((unit.memory for unit in units), default=0)
        return self._run(job, location, pack(units), largest, fail_fast)

    def _run(
        self, job: Job, location: Location | None, blobs: list[bytes], largest: int, fail_fast: bool
    ) -> Iterator[Outcome]:
        free = memory() if largest else None
        fitting = free[0] // largest if free else self.workers
        pace = self._paces.of((job.fn, location and location.key))
        pool = self._borrow()
        try:
            pool.begin(job, location, max(1, min(self.workers, fitting)))
            yield from drive(pool, blobs, pace, fail_fast=fail_fast)
        except GeneratorExit:
            raise
        except BaseException:
            # An interrupt may have come anywhere; these workers are not to be relied on.
            pool.close()
            raise
        finally:
            self._give_back(pool)

    def _borrow(self) -> ProcessPool:
        """Return a pool that no other run is using."""
        with self._lock:
            if self._free:
                return self._free.pop()
            pool = ProcessPool(self.workers)
            self._pools.append(pool)
            return pool

    def _give_back(self, pool: ProcessPool) -> None:
        with self._lock:
            if not pool.closed:
                self._free.append(pool)
            elif pool in self._pools:
                self._pools.remove(pool)

    def close(self) -> None:
        """End every worker. Calling it twice is harmless, and running more units starts anew."""
        with self._lock:
            self._free.clear()
            _close_all(self._pools)


# Registered after multiprocessing's own hook and so called before it, which waits for children.
_open_backends: weakref.WeakSet[ProcessesBackend] = weakref.WeakSet()


@atexit.register
def _close_backends() -> None:
    for backend in list(_open_backends):
        backend.close()


def _close_all(pools: list[ProcessPool]) -> None:
    while pools:
        pools.pop().close()
