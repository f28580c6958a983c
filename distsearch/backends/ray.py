"""Units run on Ray: a cluster that is there, or a private one on this machine.

Ray's own retries are off: they cannot tell a unit that kills its worker from the units beside it,
and are without limit when memory runs out. What a unit returns comes back as bytes, because
arrays from Ray's object store are read-only and some fitted estimators break on that.
"""

from __future__ import annotations

import atexit
import os
import shutil
import signal
import socket
import tempfile
import threading
import time
import uuid
from collections import deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from distsearch.backends._base import SharedData, ShippedBackend, check_owner, check_workers
from distsearch.backends._chunking import Paces
from distsearch.backends._engine import Report, Task, drive
from distsearch.backends._environment import (
    KEEPALIVE,
    environment,
    loopback_only,
    private_variables,
)
from distsearch.backends._execute import Result, pack
from distsearch.backends._protocol import Outcome, Shared, Unit, UnitFn
from distsearch.backends._sending import Frozen, dump_function, freeze
from distsearch.backends._surroundings import surroundings
from distsearch.backends._worker import Bench, Job
from distsearch.backends.processes import ProcessPool, SharedFile
from distsearch.errors import BackendError, ResourceError

# Ray reads these when it is loaded; a value that the user has set stays.
with environment({name: os.environ.get(name, value) for name, value in KEEPALIVE.items()}):
    import ray
    import ray.exceptions

__all__ = ["RayBackend"]

_CONNECT_SECONDS = 5.0
_ANSWER_SECONDS = 8.0
_REFRESH_SECONDS = 5.0
_NO_NODE_SECONDS = 60.0
_LONGEST_TEMPORARY = 40

# What a Ray worker keeps from task to task. The process for suspects ends with the worker.
_bench = Bench()
_suspects_pool = ProcessPool(1)
_suspects_data: dict[str, SharedFile] = {}


@dataclass(frozen=True, slots=True)
class _Given:
    """Shared data as a task receives it from the object store."""

    key: str
    parts: Sequence[Any]

    def read(self) -> Frozen:
        stream, *buffers = (memoryview(part) for part in self.parts)
        return Frozen(stream, buffers)


def _run_task(
    job: Job, key: str | None, parts: Any, blobs: Sequence[bytes], suspect: bool
) -> list[Result] | tuple[str, str]:
    """Run units in a Ray worker; return their results, or how the worker of a suspect ended."""
    source = None if key is None else _Given(key, parts)
    if suspect:
        return _run_suspect(job, source, blobs)
    return _bench.run(job, source, blobs)


def _run_suspect(
    job: Job, source: _Given | None, blobs: Sequence[bytes]
) -> list[Result] | tuple[str, str]:
    """Run a unit in a process of its own: Ray says that a worker died, but not of what."""
    location = None
    if source is not None:
        if source.key not in _suspects_data:
            _suspects_data.clear()
            _suspects_data[source.key] = SharedFile(source.read(), None)
        location = _suspects_data[source.key].location
    _suspects_pool.begin(job, location)
    _suspects_pool.submit(Task(0, (0,), tuple(blobs)))
    while not (reports := _suspects_pool.wait(1.0)):
        pass
    report = reports[0]
    return (report.end, report.message) if report.results is None else report.results


class _SharedObject(SharedData):
    """Shared data in Ray's object store."""

    def __init__(self, frozen: Frozen, owner: RayBackend) -> None:
        super().__init__(frozen, owner)
        self.key = uuid.uuid4().hex
        parts = (frozen.stream, *frozen.buffers)
        self._ref: Any = ray.put([np.asarray(memoryview(part)) for part in parts])
        self._frozen = None

    @property
    def ref(self) -> Any:
        """Where tasks find it."""
        if self._ref is None:
            raise BackendError("This shared data was closed. Share the value again.")
        return self._ref

    def close(self) -> None:
        """Let go of the data. Calling it twice is harmless."""
        self._ref = None


class _RayPool:
    """Ray's workers, for the length of one run."""

    def __init__(self, backend: RayBackend, job: Job, shared: _SharedObject | None) -> None:
        self._backend = backend
        self._job = job
        self._key = shared and shared.key
        self._ref = shared and shared.ref
        self._task = ray.remote(num_cpus=backend.num_cpus_per_task, max_retries=0)(_run_task)
        self._refs: dict[Any, int] = {}
        self._waiting: deque[Task] = deque()
        self._looked = time.monotonic()
        self._last_node = self._looked
        self._limited = False
        self.slots = 1
        self._count_slots()

    def submit(self, task: Task) -> None:
        """Hand a task to Ray."""
        self._waiting.append(task)
        self._launch()

    def _launch(self) -> None:
        # Ray may have more CPUs than this backend was told to use at a time.
        while self._waiting and (not self._limited or len(self._refs) < self.slots):
            task = self._waiting.popleft()
            ref = self._task.remote(self._job, self._key, self._ref, task.blobs, task.suspect)
            self._refs[ref] = task.number

    def wait(self, timeout: float) -> Sequence[Report]:
        """Return what has happened, waiting at most ``timeout`` seconds for something."""
        self._look_for_nodes()
        if not self._refs:
            return []
        refs = list(self._refs)
        ready, _ = ray.wait(refs, num_returns=1, timeout=timeout)
        if ready:
            ready, _ = ray.wait(refs, num_returns=len(refs), timeout=0)
        reports = [self._report(ref) for ref in ready]
        self._launch()
        return reports

    def _report(self, ref: Any) -> Report:
        number = self._refs.pop(ref)
        try:
            answer = ray.get(ref)
        except ray.exceptions.OutOfMemoryError:
            return Report(number, None, "OutOfMemory", "The worker ran out of memory")
        except ray.exceptions.RayTaskError as error:
            raise BackendError(
                f"A task could not be run on Ray: {error.cause}. Workers need the same distsearch "
                f"as the driver; on a cluster, ship it with the job's working directory."
            ) from None
        except ray.exceptions.RayError as error:
            end = type(error).__name__.removesuffix("Error")
            return Report(number, None, end, f"The worker was lost ({end})")
        if isinstance(answer, tuple):
            return Report(number, None, *answer)
        return Report(number, answer)

    def _look_for_nodes(self) -> None:
        """Follow nodes that come and go."""
        now = time.monotonic()
        if now - self._looked < _REFRESH_SECONDS:
            return
        self._looked = now
        if self._count_slots():
            self._last_node = now
        elif now - self._last_node > _NO_NODE_SECONDS:
            raise ResourceError(
                f"The Ray cluster has had no node with {self._backend.num_cpus_per_task} CPUs for "
                f"{_NO_NODE_SECONDS:.0f} seconds, which is what each task asks for."
            )

    def _count_slots(self) -> int:
        fit = self._backend.count_fitting()
        limit = self._backend.limit
        self._limited = limit is not None and fit > limit
        self.slots = max(1, fit if limit is None else min(fit, limit))
        return fit

    def cancel(self, numbers: Sequence[int]) -> None:
        """End these tasks and the workers that run them."""
        wanted = set(numbers)
        self._waiting = deque(task for task in self._waiting if task.number not in wanted)
        for ref in [ref for ref, number in self._refs.items() if number in wanted]:
            del self._refs[ref]
            if ray.is_initialized():
                ray.cancel(ref, force=True)


class _Session:
    """The connection to Ray that this process has, and the backends that use it."""

    def __init__(self) -> None:
        self.lock = threading.RLock()
        self.users: set[int] = set()
        self._ours = False
        self._folder: str | None = None
        self._on_term: Any = None

    def open(self, user: int, address: str | None, workers: int | None) -> None:
        """Connect, unless that has been done; start a private Ray where there is none to join."""
        with self.lock:
            if not ray.is_initialized():
                self._on_term = signal.getsignal(signal.SIGTERM)
                self._ours = True
                address = address or (os.environ.get("RAY_ADDRESS") if workers is None else None)
                if address and address != "local":
                    self._join(address)
                else:
                    self._start(check_workers(workers or -1))
            elif address:
                _check_same(address)
            self.users.add(user)

    @staticmethod
    def _join(address: str) -> None:
        try:
            _check_answers(address)
            with environment({}):
                ray.init(address=address, logging_level="ERROR", log_to_driver=False)
        except Exception as error:
            text = str(error).strip().splitlines()
            reason = text[0] if text else type(error).__name__
            raise BackendError(
                f"There is no Ray to join at {address!r}: {reason}. Check the address, the "
                f"network and, if it asks for one, the token (RAY_AUTH_MODE, RAY_AUTH_TOKEN)."
            ) from None

    def _start(self, workers: int) -> None:
        short = tempfile.gettempdir()
        # Paths of sockets may have 107 characters.
        self._folder = tempfile.mkdtemp(
            prefix="ray-", dir=short if len(short) < _LONGEST_TEMPORARY else "/tmp"
        )
        with environment(private_variables()), loopback_only(ray._private.ray_constants):
            ray.init(
                address="local",
                num_cpus=workers,
                include_dashboard=False,
                logging_level="ERROR",
                log_to_driver=False,
                _temp_dir=self._folder,
            )

    def close(self, user: int) -> None:
        """Disconnect when the last backend goes, if it was one that connected."""
        with self.lock:
            self.users.discard(user)
            if not self.users:
                self._shutdown()

    def _shutdown(self) -> None:
        if self._ours and ray.is_initialized():
            ray.shutdown()
            if threading.current_thread() is threading.main_thread():
                signal.signal(signal.SIGTERM, self._on_term or signal.SIG_DFL)
        self._ours = False
        if self._folder:
            shutil.rmtree(self._folder, ignore_errors=True)
            self._folder = None

    def close_all(self) -> None:
        """Disconnect at the end of the process."""
        self.users.clear()
        self._shutdown()


def _check_answers(address: str) -> None:
    """Find out within seconds whether there is a Ray; `ray.init` takes minutes to give up."""
    host, _, port = address.rpartition(":")
    if not port.isdigit():
        return
    if host in ("127.0.0.1", "localhost"):
        host = ray.util.get_node_ip_address()
    socket.create_connection((host.strip("[]"), int(port)), _CONNECT_SECONDS).close()
    answers: list[Exception | None] = []

    def ask() -> None:
        try:
            ray._raylet.GcsClient(address=f"{host}:{port}")
            answers.append(None)
        except Exception as error:
            answers.append(error)

    asking = threading.Thread(target=ask, daemon=True)
    asking.start()
    asking.join(_ANSWER_SECONDS)
    if not answers:
        raise TimeoutError("what listens there does not answer as a Ray does")
    if answers[0] is not None:
        raise answers[0]


_session = _Session()
atexit.register(_session.close_all)


def _check_same(address: str) -> None:
    connected = ray.get_runtime_context().gcs_address
    host, _, port = address.rpartition(":")
    try:
        same = connected in (address, f"{socket.gethostbyname(host)}:{port}")
    except OSError:
        same = False
    if not same:
        raise BackendError(
            f"This process is connected to the Ray at {connected!r} and cannot join the one at "
            f"{address!r} as well. Close the backend that uses it, or call ray.shutdown()."
        )


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
        For 0 and for negative numbers of workers but -1.
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
        self.address = address
        self.num_cpus_per_task = num_cpus_per_task
        self.limit = None if workers is None else check_workers(workers)
        self._paces = Paces()

    @property
    def spec(self) -> str:
        """What `get_backend` makes an equal backend from."""
        ending = self.address or self.limit
        return f"{self.name}:{ending}" if ending else self.name

    def start(self) -> Self:
        """Connect to Ray, or start a private one.

        Raises
        ------
        BackendError
            When there is no Ray at the address.
        ResourceError
            When a task asks for more CPUs than any node has.
        """
        if id(self) not in _session.users or not ray.is_initialized():
            _session.open(id(self), self.address, self.limit)
            self._check_task_fits()
        return self

    def _check_task_fits(self) -> None:
        largest = max(_cpus_per_node(), default=0)
        if 0 < largest < self.num_cpus_per_task:
            self.close()
            raise ResourceError(
                f"Each task asks for {self.num_cpus_per_task} CPUs, and the largest node of this "
                f"Ray has {largest:g}. Ask for fewer CPUs a task."
            )

    def count_fitting(self) -> int:
        """Return how many tasks fit on the nodes that Ray has now."""
        return sum(int(cpus // self.num_cpus_per_task) for cpus in _cpus_per_node())

    @property
    def workers(self) -> int:
        """How many tasks run at a time; connects to Ray to find out."""
        self.start()
        fitting = self.count_fitting()
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
        return _SharedObject(frozen, self)

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
        data = shared if isinstance(shared, _SharedObject) else None
        pace = self._paces.of((job.fn, data and data.key))
        self.start()
        return drive(_RayPool(self, job, data), blobs, pace, fail_fast=fail_fast)

    def close(self) -> None:
        """End a private Ray, or leave the one that was joined. Calling it twice is harmless."""
        _session.close(id(self))


def _cpus_per_node() -> list[float]:
    return [node["Resources"].get("CPU", 0.0) for node in ray.nodes() if node["Alive"]]
