"""Units run on Ray: a cluster that is there, or a private one on this machine.

Ray's own retries are off: they cannot tell a unit that kills its worker from the units beside it,
and are without limit when memory runs out. What a unit returns comes back as bytes, because
arrays from Ray's object store are read-only and some fitted estimators break on that.
"""

from __future__ import annotations

import threading
import time
import uuid
from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from distsearch.backends._base import SharedData, ShippedBackend
from distsearch.backends._engine import OUT_OF_MEMORY, SHORT_SECONDS, Report, Task
from distsearch.backends._execute import Result
from distsearch.backends._process_pool import ProcessPool
from distsearch.backends._sending import Frozen
from distsearch.backends._shared_file import SharedFile
from distsearch.backends._worker import Bench, Job
from distsearch.backends.ray._session import ray, session
from distsearch.errors import BackendError, ResourceError

__all__ = ["RayPool", "SharedObject", "cpus_per_node", "how_many_fit"]

_REFRESH_SECONDS = 5.0
_NO_NODE_SECONDS = 60.0

_WORTH_SECONDS = 60.0
"""Work for a worker that makes it worth while to start a machine."""

_LEAST_MEMORY = 64 * 2**20
"""Memory is asked for in powers of two of this: Ray schedules tasks of few kinds faster."""

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


def _resources() -> list[dict[str, float]]:
    """Return what every node has that Ray has now."""
    return [node["Resources"] for node in ray.nodes() if node["Alive"]]


def cpus_per_node() -> list[float]:
    """Return the CPUs of every node that Ray has now."""
    return [node.get("CPU", 0.0) for node in _resources()]


def how_many_fit(num_cpus: int, memory: int = 0) -> int:
    """Return how many tasks run at a time on the nodes that Ray has now.

    Parameters
    ----------
    num_cpus, memory : int
        CPUs and bytes that a task asks for; a node that has less memory takes one all the same.
    """
    total = 0
    for node in _resources():
        fitting = int(node.get("CPU", 0.0) // num_cpus)
        if memory and fitting:
            fitting = min(fitting, max(1, int(node.get("memory", 0.0) // memory)))
        total += fitting
    return total


_DEPARTURES = (ray.exceptions.NodeDiedError, ray.exceptions.ObjectLostError)
"""A machine went away, with the worker or with what it had returned."""


def _end_given_up() -> None:
    """End what still runs some time after it was given up."""
    now = time.monotonic()
    for ref in [ref for ref, deadline in session.given_up.items() if now > deadline]:
        del session.given_up[ref]
        ray.cancel(ref, force=True)


class SharedObject(SharedData):
    """Shared data in Ray's object store."""

    def __init__(self, frozen: Frozen, owner: ShippedBackend) -> None:
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


class RayPool:
    """Ray's workers, for the length of one run.

    Parameters
    ----------
    job : Job
        What the run's tasks have in common.
    shared : SharedObject or None
        Their data.
    num_cpus : int
        CPUs that a task asks for.
    limit : int or None
        The most tasks at a time, where that is less than fit.
    memory : int
        Bytes that a task is likely to ask for.
    grows : bool
        Whether this Ray may have machines added to it.
    """

    def __init__(
        self,
        job: Job,
        shared: SharedObject | None,
        num_cpus: int,
        limit: int | None = None,
        memory: int = 0,
        *,
        grows: bool = False,
    ) -> None:
        self._job = job
        self._num_cpus = num_cpus
        self._limit = limit
        self._key = shared and shared.key
        self._ref = shared and shared.ref
        self._memory = memory
        self._grows = grows
        self._asked_for: int | None = None
        self._asked = float("-inf")
        self._remote = ray.remote(num_cpus=num_cpus, max_retries=0)(_run_task)
        self._tasks = {0: self._remote}
        self._refs: dict[Any, int] = {}
        self._waiting: deque[Task] = deque()
        self._looked = time.monotonic()
        self._last_node = self._looked
        self._limited = False
        # Ray ends the whole process when it is asked anything after its end.
        self._asking = threading.RLock()
        self._closed = False
        self.slots = 1
        self._count_slots()

    @property
    def idle(self) -> int:
        """How many more tasks would start at once."""
        return self.slots - len(self._refs) - len(self._waiting)

    def submit(self, task: Task) -> None:
        """Hand a task to Ray."""
        with self._asking:
            self._check_open()
            self._waiting.append(task)
            self._launch()

    def _check_open(self) -> None:
        if self._closed:
            raise BackendError("The backend was closed while units were running.")

    def end(self) -> None:
        """Take back what was asked of the autoscaler."""
        if self._asked_for:
            self._ask_for(0)

    def close(self) -> None:
        """Ask Ray nothing more; its tasks are given up."""
        with self._asking:
            self.end()
            self.cancel([*self._refs.values(), *(task.number for task in self._waiting)])
            self._closed = True

    def _launch(self) -> None:
        # Ray may have more CPUs than this backend was told to use at a time.
        while self._waiting and (not self._limited or len(self._refs) < self.slots):
            task = self._waiting.popleft()
            ref = self._kind(task.memory).remote(
                self._job, self._key, self._ref, task.blobs, task.suspect
            )
            self._refs[ref] = task.number

    def _kind(self, memory: int) -> Any:
        """Return the task that asks Ray for so much memory, or for the largest node's."""
        if memory not in self._tasks:
            size = _LEAST_MEMORY
            while size < memory:
                size *= 2
            options = {"memory": min(size, self._largest)}
            self._tasks[memory] = self._remote.options(**options)
        return self._tasks[memory]

    @property
    def _largest(self) -> int:
        return int(max((node.get("memory", 0.0) for node in _resources()), default=0.0))

    def enlarge(self, memory: int) -> int:
        """Return twice the memory, and no less than twice a worker's share of a node."""
        with self._asking:
            shares = [
                node.get("memory", 0.0) / max(1.0, node.get("CPU", 1.0)) for node in _resources()
            ]
            return min(max(2 * memory, int(2 * max(shares, default=0.0))), self._largest)

    def expect(self, seconds: float, tasks: int) -> None:
        """Ask the cluster's autoscaler for as many workers as the work is worth."""
        if not self._grows or time.monotonic() - self._asked < _REFRESH_SECONDS:
            return
        useful = min(tasks, int(seconds / _WORTH_SECONDS), self._limit or tasks)
        if useful > self.slots or self._asked_for is not None:
            self._ask_for(useful)

    def _ask_for(self, workers: int) -> None:
        self._asked = time.monotonic()
        if workers == self._asked_for:
            return
        from ray.autoscaler.sdk import request_resources

        one = {"CPU": self._num_cpus} | ({"memory": self._memory} if self._memory else {})
        with self._asking:
            if ray.is_initialized():
                request_resources(bundles=[one] * workers)
        self._asked_for = workers

    def wait(self, timeout: float) -> Sequence[Report]:
        """Return what has happened, waiting at most ``timeout`` seconds for something."""
        with self._asking:
            self._check_open()
            return self._listen(timeout)

    def _listen(self, timeout: float) -> list[Report]:
        self._look_for_nodes()
        _end_given_up()
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
            message = "The worker was ended because its node ran out of memory"
            return Report(number, None, OUT_OF_MEMORY, message)
        except ray.exceptions.RayTaskError as error:
            raise BackendError(
                f"A task could not be run on Ray: {error.cause}. Workers need the same distsearch "
                f"as the driver; on a cluster, ship it with the job's working directory."
            ) from None
        except ray.exceptions.RayError as error:
            end = type(error).__name__.removesuffix("Error")
            departed = isinstance(error, _DEPARTURES)
            return Report(number, None, end, f"The worker was lost ({end})", departed=departed)
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
                f"The Ray cluster has had no node with {self._num_cpus} CPUs for "
                f"{_NO_NODE_SECONDS:.0f} seconds, which is what each task asks for."
            )

    def _count_slots(self) -> int:
        fit = how_many_fit(self._num_cpus, self._memory)
        limit = fit if self._limit is None else self._limit
        self._limited = fit > limit
        self.slots = max(1, min(fit, limit))
        return fit

    def cancel(self, numbers: Sequence[int], *, force: bool = True) -> None:
        """Give up tasks; with ``force``, end those that run with their workers.

        Without, they are not interrupted either: Ray would do so in the middle of whatever they
        do.
        """
        deadline = time.monotonic() + SHORT_SECONDS
        wanted = set(numbers)
        with self._asking:
            self._waiting = deque(task for task in self._waiting if task.number not in wanted)
            for ref in [ref for ref, number in self._refs.items() if number in wanted]:
                del self._refs[ref]
                if not force:
                    session.given_up[ref] = deadline
                elif ray.is_initialized() and not self._closed:
                    ray.cancel(ref, force=True)
