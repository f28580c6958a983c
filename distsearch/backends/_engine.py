"""The loop that keeps workers busy, whoever they are.

It groups units into tasks, keeps about twice as many tasks in flight as there are workers (with
exactly as many, Ray gives a worker back after every task), takes lost ones up again, and gives an
overdue one a second copy. Engines beneath do none of that: theirs cannot tell a unit that kills
its worker from the units beside it, nor from one whose machine went away.
"""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import count
from typing import Protocol

from distsearch.backends._chunking import Pace
from distsearch.backends._execute import Result, outcome_of
from distsearch.backends._protocol import Failure, Outcome

__all__ = ["OUT_OF_MEMORY", "SHORT_SECONDS", "TRIES", "Pool", "Report", "Task", "drive"]

TRIES = 3
MOST_DEPARTURES = 10
"""So many machines may go away under a unit; then it is taken for the reason."""

OUT_OF_MEMORY = "OutOfMemory"
"""How the worker of a unit that took too much memory is said to have ended."""

SHORT_SECONDS = 2.0
"""Tasks shorter than this are left to end when a run is given up: a new worker takes longer."""

OVERDUE_SECONDS = 5.0
OVERDUE_TIMES = 4.0
POLL_SECONDS = 0.5


@dataclass(frozen=True, slots=True)
class Task:
    """Units that go to a worker together.

    Parameters
    ----------
    number : int
        Names the task, among those of all runs.
    places : tuple of int
        The units' places in the sequence that is run.
    blobs : tuple of bytes
        The packed units.
    memory : int
        Bytes that a unit in it may take.
    suspect : bool
        Whether its only unit has lost a worker before.
    handed : float
        When it was handed to the pool.
    """

    number: int
    places: tuple[int, ...]
    blobs: tuple[bytes, ...]
    memory: int = 0
    suspect: bool = False
    handed: float = 0.0


@dataclass(frozen=True, slots=True)
class Report:
    """What a pool says about a task.

    Parameters
    ----------
    number : int
        The task's.
    results : list of Result or None
        One a unit; None when the task was lost.
    end : str
        How the worker ended, as a name: a signal's, where it was one.
    message : str
        The same as a sentence.
    started : bool
        False when the lost task had only been waiting behind another.
    departed : bool
        True when the worker was lost with its machine.
    """

    number: int
    results: list[Result] | None = None
    end: str = ""
    message: str = ""
    started: bool = True
    departed: bool = False


class Pool(Protocol):
    """Workers, as the loop sees them."""

    @property
    def slots(self) -> int:
        """How many tasks run at a time."""

    @property
    def idle(self) -> int:
        """How many more tasks would start at once."""

    def submit(self, task: Task) -> None:
        """Hand a task to the least busy worker."""

    def wait(self, timeout: float) -> Sequence[Report]:
        """Return what has happened, waiting at most ``timeout`` seconds for something."""

    def cancel(self, numbers: Sequence[int], *, force: bool = True) -> None:
        """Give up tasks whose reports nobody waits for any more.

        With ``force`` those that run are ended with their workers, without it they are given
        `SHORT_SECONDS` to end by themselves.
        """

    def enlarge(self, memory: int) -> int:
        """Return the memory to keep for a unit that had this much and ran out of it."""

    def expect(self, seconds: float, tasks: int) -> None:
        """Hear how much work there is: in seconds of one worker, and how many can share it."""


_numbers = count()


class _Run:
    """The state of one run."""

    def __init__(
        self,
        pool: Pool,
        blobs: Sequence[bytes],
        pace: Pace,
        memory: Sequence[int] | None = None,
    ) -> None:
        self.pool = pool
        self.blobs = blobs
        self.pace = pace
        self.memory = [0] * len(blobs) if memory is None else list(memory)
        self.pending = deque(range(len(blobs)))
        self.suspects: deque[int] = deque()
        self.attempts = [0] * len(blobs)
        self.losses = [0] * len(blobs)
        self.departures = [0] * len(blobs)
        self.unfinished = len(blobs)
        self.flight: dict[int, Task] = {}
        self.twins: dict[int, int] = {}
        self.idle_since: float | None = None

    def fill(self) -> None:
        """Hand out tasks until twice as many are in flight as can run."""
        while (self.suspects or self.pending) and len(self.flight) < 2 * self.pool.slots:
            if self.suspects:
                self._submit((self.suspects.popleft(),))
            else:
                size = self.pace.units_per_task(len(self.pending), self.pool.slots)
                self._submit(tuple(self.pending.popleft() for _ in range(size)))

    def _submit(self, places: tuple[int, ...]) -> int:
        for place in places:
            self.attempts[place] += 1
        number = next(_numbers)
        suspect = any(self.losses[place] for place in places)
        blobs = tuple(self.blobs[place] for place in places)
        memory = max(self.memory[place] for place in places)
        task = Task(number, places, blobs, memory, suspect, handed=time.monotonic())
        self.flight[number] = task
        self.pool.submit(task)
        return number

    def settle(self, report: Report) -> Iterator[Outcome]:
        """Yield the outcomes that a report brings."""
        task = self.flight.pop(report.number, None)
        if task is None:
            return
        twin = self.twins.pop(task.number, None)
        if twin is not None:
            del self.twins[twin]
        if report.results is None:
            yield from self._lose(task, report, has_twin=twin is not None)
            return
        if twin is not None:
            del self.flight[twin]
            self.pool.cancel([twin])
        self.pace.note(sum(result[2] for result in report.results), len(report.results))
        self.unfinished -= len(task.places)
        for place, result in zip(task.places, report.results, strict=True):
            yield outcome_of(place, result, self.attempts[place])

    def _lose(self, task: Task, report: Report, *, has_twin: bool) -> Iterator[Outcome]:
        for place in reversed(task.places):
            if not report.started:
                self.attempts[place] -= 1
            elif report.departed:
                self.departures[place] += 1
            else:
                self.losses[place] += 1
            if report.end == OUT_OF_MEMORY:
                self.memory[place] = self.pool.enlarge(task.memory)
            if has_twin:
                continue
            if self.losses[place] >= TRIES or self.departures[place] >= MOST_DEPARTURES:
                self.unfinished -= 1
                tries = max(self.losses[place], self.departures[place])
                message = f"{report.message} on each of {tries} tries.{_advice(report, task)}"
                failure = Failure("lost", report.end, message)
                yield Outcome(place, None, failure, 0.0, self.attempts[place])
            elif self.losses[place]:
                self.suspects.appendleft(place)
            else:
                self.pending.appendleft(place)

    def copy_overdue(self) -> None:
        """Give tasks that should have been done long ago to workers that have nothing to do."""
        spare = self.pool.idle
        now = time.monotonic()
        if self.pending or self.suspects or spare <= 0 or self.pace.seconds is None:
            self.idle_since = None
            return
        self.idle_since = self.idle_since or now
        for task in list(self.flight.values()):
            limit = max(OVERDUE_SECONDS, OVERDUE_TIMES * self.pace.seconds * len(task.places))
            late = now - max(task.handed, self.idle_since) > limit
            if late and spare > 0 and task.number not in self.twins:
                twin = self._submit(task.places)
                self.twins[task.number] = twin
                self.twins[twin] = task.number
                spare -= 1

    def tell_expected(self) -> None:
        """Say how much work waits, once its size is known."""
        waiting = len(self.pending) + len(self.suspects)
        if waiting and self.pace.seconds is not None:
            self.pool.expect(waiting * self.pace.seconds, waiting)

    @property
    def is_short(self) -> bool:
        """Whether what is in flight will end in a moment."""
        units = max((len(task.places) for task in self.flight.values()), default=0)
        return self.pace.seconds is not None and units * self.pace.seconds < SHORT_SECONDS


def _advice(report: Report, task: Task) -> str:
    if report.end != OUT_OF_MEMORY:
        return ""
    kept = f" The last had {task.memory / 2**20:,.0f} MiB kept for it." if task.memory else ""
    return f"{kept} Run fewer units at a time, or use machines with more memory."


def drive(
    pool: Pool,
    blobs: Sequence[bytes],
    pace: Pace,
    *,
    memory: Sequence[int] | None = None,
    fail_fast: bool = False,
) -> Iterator[Outcome]:
    """Run packed units on a pool.

    Parameters
    ----------
    pool : Pool
        Workers that nobody else uses meanwhile.
    blobs : sequence of bytes
        The packed units.
    pace : Pace
        How long such units take, as far as known.
    memory : sequence of int, optional
        Bytes that each may take.
    fail_fast : bool
        Stop after the first failure.

    Yields
    ------
    Outcome
        In order of completion.
    """
    run = _Run(pool, blobs, pace, memory)
    try:
        while run.unfinished:
            run.fill()
            run.copy_overdue()
            run.tell_expected()
            for report in pool.wait(POLL_SECONDS):
                for outcome in run.settle(report):
                    yield outcome
                    if fail_fast and outcome.failure is not None:
                        return
    finally:
        pool.cancel(list(run.flight), force=not run.is_short)
