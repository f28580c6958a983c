"""The loop that keeps workers busy, whoever they are.

It groups units into tasks, keeps about twice as many tasks in flight as there are workers (with
exactly as many, Ray gives a worker back after every task), takes lost ones up again, and gives an
overdue one a second copy. Engines beneath do none of that: theirs cannot tell a unit that kills
its worker from the units beside it.
"""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Protocol

from distsearch.backends._chunking import Pace
from distsearch.backends._execute import Result, outcome_of
from distsearch.backends._protocol import Failure, Outcome

__all__ = ["TRIES", "Pool", "Report", "Task", "drive"]

TRIES = 3
OVERDUE_SECONDS = 5.0
OVERDUE_TIMES = 4.0
POLL_SECONDS = 0.5


@dataclass(frozen=True, slots=True)
class Task:
    """Units that go to a worker together.

    Parameters
    ----------
    number : int
        Names the task within its run.
    places : tuple of int
        The units' places in the sequence that is run.
    blobs : tuple of bytes
        The packed units.
    suspect : bool
        Whether its only unit has lost a worker before.
    handed : float
        When it was handed to the pool.
    """

    number: int
    places: tuple[int, ...]
    blobs: tuple[bytes, ...]
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
    """

    number: int
    results: list[Result] | None = None
    end: str = ""
    message: str = ""
    started: bool = True


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

    def cancel(self, numbers: Sequence[int]) -> None:
        """Stop tasks whose reports nobody waits for any more, with their workers if need be."""


class _Run:
    """The state of one run."""

    def __init__(self, pool: Pool, blobs: Sequence[bytes], pace: Pace) -> None:
        self.pool = pool
        self.blobs = blobs
        self.pace = pace
        self.pending = deque(range(len(blobs)))
        self.suspects: deque[int] = deque()
        self.attempts = [0] * len(blobs)
        self.losses = [0] * len(blobs)
        self.unfinished = len(blobs)
        self.flight: dict[int, Task] = {}
        self.twins: dict[int, int] = {}
        self.numbers = 0
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
        number = self.numbers
        self.numbers += 1
        suspect = any(self.losses[place] for place in places)
        blobs = tuple(self.blobs[place] for place in places)
        task = Task(number, places, blobs, suspect, handed=time.monotonic())
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
            if report.started:
                self.losses[place] += 1
            else:
                self.attempts[place] -= 1
            if has_twin:
                continue
            if self.losses[place] >= TRIES:
                self.unfinished -= 1
                message = f"{report.message} on each of {self.losses[place]} tries."
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


def drive(
    pool: Pool, blobs: Sequence[bytes], pace: Pace, *, fail_fast: bool = False
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
    fail_fast : bool
        Stop after the first failure.

    Yields
    ------
    Outcome
        In order of completion.
    """
    run = _Run(pool, blobs, pace)
    try:
        while run.unfinished:
            run.fill()
            run.copy_overdue()
            for report in pool.wait(POLL_SECONDS):
                for outcome in run.settle(report):
                    yield outcome
                    if fail_fast and outcome.failure is not None:
                        return
    finally:
        pool.cancel(list(run.flight))
