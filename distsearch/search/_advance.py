"""Units that are wanted now and, on workers that would have nothing to do, those wanted next."""

from __future__ import annotations

from collections.abc import Generator, Iterable, Iterator, Mapping
from itertools import islice

from distsearch.backends import Backend, Outcome, Shared, Unit, UnitFn

__all__ = ["Advance", "Name"]

Name = tuple[bytes, int]
"""What tells a unit from others, whenever it is made: its candidates, and its first part."""


class Advance:
    """Runs units by name, some of them before they are asked for.

    What was run in advance and is not asked for next is thrown away. Outcomes do not depend on
    when a unit ran, so that nobody can tell the difference, but by the time.

    Parameters
    ----------
    backend : Backend
        Where units run.
    fn : callable
        Their function.
    shared : Shared
        Their data.
    """

    def __init__(self, backend: Backend, fn: UnitFn, shared: Shared) -> None:
        self._backend = backend
        self._fn = fn
        self._shared = shared
        self._running: Iterator[Outcome] | None = None
        self._names: list[Name] = []
        self._left = 0
        self._done: dict[Name, Outcome] = {}

    def run(
        self,
        units: Mapping[Name, Unit],
        coming: Iterable[tuple[Name, Unit]] = (),
        *,
        fail_fast: bool = False,
    ) -> Iterator[tuple[Name, Outcome]]:
        """Yield the names and outcomes of ``units`` as they complete.

        Parameters
        ----------
        units : mapping of Name to Unit
            Those wanted now.
        coming : iterable of (Name, Unit)
            Those that are probably wanted next, the next ones first; as many are taken from it as
            workers would have nothing to do.
        fail_fast : bool
            Stop after the first failure.
        """
        missing = dict(units)
        for name in [name for name in missing if name in self._done]:
            del missing[name]
            yield name, self._done.pop(name)
        if missing and not missing.keys().isdisjoint(self._names):
            yield from self._take(missing)
        if missing:
            self._begin(missing, coming, fail_fast)
            yield from self._take(missing)

    def _begin(
        self,
        missing: Mapping[Name, Unit],
        coming: Iterable[tuple[Name, Unit]],
        fail_fast: bool,
    ) -> None:
        self.close()
        spare = max(0, self._backend.workers - len(missing))
        ahead = dict(islice(coming, spare)) if spare else {}
        self._names = [*missing, *ahead]
        self._left = len(self._names)
        self._running = self._backend.run(
            self._fn, [*missing.values(), *ahead.values()], self._shared,
            fail_fast=fail_fast and not ahead,
        )  # fmt: skip

    def _take(self, missing: dict[Name, Unit]) -> Iterator[tuple[Name, Outcome]]:
        """Yield from what is running until nothing is missing; the rest goes on running."""
        for outcome in self._running or ():
            self._left -= 1
            name = self._names[outcome.index]
            if missing.pop(name, None) is None:
                self._done[name] = outcome
            else:
                yield name, outcome
            if not missing:
                break
        if not self._left:
            self._end_run()

    def close(self) -> None:
        """Give up what runs and what is done in advance."""
        self._end_run()
        self._done.clear()

    def _end_run(self) -> None:
        if isinstance(self._running, Generator):
            self._running.close()
        self._running = None
        self._names.clear()
