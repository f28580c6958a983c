"""The backend that runs units on Ray."""

from __future__ import annotations

import weakref
from collections.abc import Iterator, Sequence
from typing import Any, Self

from distsearch.backends._base import ShippedBackend, check_owner, check_workers, is_count
from distsearch.backends._chunking import Paces
from distsearch.backends._engine import drive
from distsearch.backends._execute import pack
from distsearch.backends._protocol import Outcome, Shared, Unit, UnitFn
from distsearch.backends._sending import dump_function, freeze
from distsearch.backends._surroundings import surroundings
from distsearch.backends._worker import Job
from distsearch.backends.ray._pool import RayPool, SharedObject, cpus_per_node, how_many_fit
from distsearch.backends.ray._session import ray, session
from distsearch.errors import InvalidInputError, ResourceError

__all__ = ["RayBackend"]


class RayBackend(ShippedBackend):
    """Run units as tasks on Ray.

    Without an address it uses the Ray that this process is connected to, else it joins the one
    that RAY_ADDRESS names, else it starts a private one on this machine, which listens on the
    loopback interface only and ends with `close`. It connects when it is first needed.

    Parameters
    ----------
    address : str, optional
        "HOST:PORT" of a running Ray.
    workers : int, optional
        How many CPUs a private Ray has, -1 for as many as there are cores to use; on a Ray that
        is already there, the most tasks that run at a time.
    num_cpus_per_task : int
        CPUs that each task asks Ray for. Units use one thread whatever it says; more than one
        makes room for what a unit needs besides, such as memory.

    Attributes
    ----------
    name : str
        "ray".
    workers : int
        How many tasks run at a time.

    Raises
    ------
    InvalidInputError
        For workers other than a positive integer or -1, and for CPUs a task that are none.
    ResourceError
        For more than four workers a core of this machine.

    Examples
    --------
    >>> from distsearch.backends import RayBackend, Unit
    >>> units = [Unit(payload=n) for n in range(3)]
    >>> with RayBackend(workers=2) as backend:  # doctest: +SKIP
    ...     outcomes = list(backend.run(lambda unit, _: unit.payload**2, units))
    """

    name = "ray"

    def __init__(
        self,
        address: str | None = None,
        workers: int | None = None,
        num_cpus_per_task: int = 1,
    ) -> None:
        if not is_count(num_cpus_per_task):
            raise InvalidInputError(
                f"num_cpus_per_task must be a positive whole number. "
                f"Got {num_cpus_per_task!r} instead."
            )
        self.address = address
        self.num_cpus_per_task = num_cpus_per_task
        self.limit = None if workers is None else check_workers(workers)
        self._paces = Paces()
        self._pools: weakref.WeakSet[RayPool] = weakref.WeakSet()

    @property
    def spec(self) -> str:
        """What `get_backend` makes an equal backend from."""
        ending = self.address or self.limit
        return f"{self.name}:{ending}" if ending else self.name

    @property
    def arguments(self) -> dict[str, Any]:
        """What it was made with."""
        return {
            "address": self.address,
            "workers": self.limit,
            "num_cpus_per_task": self.num_cpus_per_task,
        }

    def start(self) -> Self:
        """Connect to Ray, or start a private one.

        Raises
        ------
        BackendError
            When there is no Ray at the address.
        ResourceError
            When a task asks for more CPUs than any node has.
        """
        if id(self) not in session.users or not ray.is_initialized():
            session.open(id(self), self.address, self.limit)
            self._check_task_fits()
        return self

    def _check_task_fits(self) -> None:
        largest = max(cpus_per_node(), default=0)
        if 0 < largest < self.num_cpus_per_task:
            self.close()
            raise ResourceError(
                f"Each task asks for {self.num_cpus_per_task} CPUs, and the largest node of this "
                f"Ray has {largest:g}. Ask for fewer CPUs a task."
            )

    @property
    def workers(self) -> int:
        """How many tasks run at a time; connects to Ray to find out."""
        self.start()
        fitting = how_many_fit(self.num_cpus_per_task)
        return max(1, fitting if self.limit is None else min(fitting, self.limit))

    def share(self, value: Any) -> Shared:
        """Put ``value`` into Ray's object store, once; its arrays are read-only.

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
        frozen = freeze(value)
        self.start()
        return SharedObject(frozen, self)

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
        blobs = pack(units)
        job = Job(dump_function(fn), surroundings())
        data = shared if isinstance(shared, SharedObject) else None
        pace = self._paces.of((job.fn, data and data.key))
        self.start()
        memory = [unit.memory for unit in units]
        pool = RayPool(
            job, data, self.num_cpus_per_task, self.limit,
            sum(memory) // max(1, len(memory)), grows=session.was_joined,
        )  # fmt: skip
        self._pools.add(pool)
        return self._drive(pool, drive(pool, blobs, pace, memory=memory, fail_fast=fail_fast))

    @staticmethod
    def _drive(pool: RayPool, outcomes: Iterator[Outcome]) -> Iterator[Outcome]:
        try:
            yield from outcomes
        finally:
            pool.end()

    def close(self) -> None:
        """End a private Ray, or leave the one that was joined. Calling it twice is harmless."""
        for pool in list(self._pools):
            pool.close()
        session.close(id(self))
