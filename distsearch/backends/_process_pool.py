"""Worker processes as the loop sees them."""

from __future__ import annotations

import time
from collections.abc import Sequence
from multiprocessing.connection import wait as wait_for_any

from distsearch.backends._children import Child, how_it_ended, oom_kills
from distsearch.backends._engine import OUT_OF_MEMORY, SHORT_SECONDS, Report, Task
from distsearch.backends._worker import Job, Location
from distsearch.errors import BackendError

__all__ = ["ProcessPool"]

_FAILED_STARTS = 3


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
        self._given_up: dict[int, float] = {}
        self._failed_starts = 0
        self._looked = time.monotonic()
        self.closed = False

    @property
    def idle(self) -> int:
        """How many more tasks would start at once."""
        return self.slots - sum(bool(child.tasks) for child in self._children)

    def begin(self, job: Job, location: Location | None, slots: int | None = None) -> None:
        """Say what the tasks to come have in common, and bury who died since the last ones."""
        self.slots = slots or self.slots
        self._oom_kills = oom_kills()
        for child in [child for child in self._children if child.dead]:
            self._children.remove(child)
            child.end(kill=False)
        self._job = job
        self._location = location
        self._tasks.clear()
        self._reports.clear()
        self._recalled.clear()

    def submit(self, task: Task) -> None:
        """Hand a task to the least busy worker, a new one if all have something to do."""
        self._check_open()
        self._tasks[task.number] = task
        inside = self._children[: self.slots]
        child = min(inside, key=lambda child: len(child.tasks), default=None)
        if child is None or (child.tasks and len(self._children) < self.slots):
            child = Child()
            self._children.append(child)
        child.tasks.append(task.number)
        child.send(task.number, (self._job, self._location, task.blobs))

    def wait(self, timeout: float) -> Sequence[Report]:
        """Return what has happened, waiting at most ``timeout`` seconds for something."""
        self._check_open()
        try:
            return self._listen(timeout)
        except Exception:
            self._check_open()  # another thread may have closed it meanwhile
            raise

    def _check_open(self) -> None:
        if self.closed:
            raise BackendError("The backend was closed while units were running.") from None

    def _listen(self, timeout: float) -> list[Report]:
        self._even_out()
        reports, self._reports = self._reports, []
        by_connection = {child.connection: child for child in self._children}
        ready = wait_for_any(list(by_connection), 0 if reports else timeout)
        for connection in ready:
            self._hear(by_connection[connection], reports)  # type: ignore[index]
        self._look_for_dead(reports)
        self._end_given_up()
        return reports

    def _hear(self, child: Child, reports: list[Report]) -> None:
        try:
            while True:
                number, results = child.receive()
                self._given_up.pop(number, None)
                if number in child.tasks:
                    child.tasks.remove(number)
                if number in self._tasks:
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
            for child in [child for child in self._children if child.dead]:
                self._bury(child, reports)

    def _bury(self, child: Child, reports: list[Report]) -> None:
        self._children.remove(child)
        code = child.end(kill=False)
        end, message = how_it_ended(code)
        if end == "SIGKILL" and oom_kills() > self._oom_kills:
            end, message = OUT_OF_MEMORY, "The worker process was ended for want of memory"
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

    def cancel(self, numbers: Sequence[int], *, force: bool = True) -> None:
        """Give up tasks, with ``force`` together with the workers that have them.

        What else such a worker had is reported as not begun.
        """
        for number in numbers:
            self._tasks.pop(number, None)
        if force:
            self._end(set(numbers))
        else:
            self._recall(set(numbers))

    def _end(self, numbers: set[int]) -> None:
        """End the workers that have these tasks."""
        for child in [child for child in self._children if numbers & set(child.tasks)]:
            self._children.remove(child)
            child.end(kill=True)
            for number in child.tasks:
                if self._tasks.pop(number, None):
                    self._reports.append(Report(number, None, started=False))

    def _recall(self, numbers: set[int]) -> None:
        """Have back what has not begun; what has is ignored when it is reported."""
        deadline = time.monotonic() + SHORT_SECONDS
        for child in self._children:
            for place, number in enumerate(child.tasks):
                if number in numbers and place:
                    child.send(number, None)
                elif number in numbers:
                    self._given_up[number] = deadline

    def _end_given_up(self) -> None:
        """End workers that still run what was given up some time ago."""
        now = time.monotonic()
        late = {number for number, deadline in self._given_up.items() if now > deadline}
        if late:
            self._end(late)
            self._given_up = {k: v for k, v in self._given_up.items() if k not in late}

    def enlarge(self, memory: int) -> int:
        """Return the memory as it is: nothing is kept for a process."""
        return memory

    def expect(self, seconds: float, tasks: int) -> None:
        """Nothing can be done about it: the machine has the cores that it has."""

    def close(self) -> None:
        """End every worker."""
        self.closed = True
        while self._children:
            child = self._children.pop()
            child.end(kill=bool(child.tasks))
