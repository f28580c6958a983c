"""Running a study: what the store does not have yet goes to the backend, each result to the store.

Where a run begins is a function of the study and the store alone, so that it does not matter how
the run before it ended.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from os import PathLike
from typing import Any

import numpy as np

from distsearch._wording import count
from distsearch.backends import Backend, Outcome, SerialBackend, Unit, open_backend
from distsearch.errors import DistsearchError, SearchFailedError
from distsearch.search import Progress, report, reporting
from distsearch.sweep._manifest import make_manifest
from distsearch.sweep._plan import Only, Plan
from distsearch.sweep._unit import fanning_out, run_unit
from distsearch.sweep.store import Result, Store, UnitRecord

__all__ = ["Summary", "TooManyFailuresError", "run_plan"]

OnFailure = Callable[[UnitRecord, Result], None]


class TooManyFailuresError(SearchFailedError):
    """More units failed than the study tolerates; what was done is kept."""


@dataclass(frozen=True)
class Summary:
    """How a run ended.

    Parameters
    ----------
    planned : int
        Units of the study, or of the part of it that was to be run.
    known : int
        Those that the store had already.
    done, failed : int
        Those that this run added.
    left : int
        Failed ones of earlier runs that were left alone.
    """

    planned: int
    known: int
    done: int
    failed: int
    left: int


def run_plan(
    plan: Plan,
    store: str | PathLike[str],
    *,
    backend: str | Backend = "processes",
    only: Only | None = None,
    retry_failed: bool = False,
    fail_fast: bool = False,
    on_failure: OnFailure | None = None,
    command: str = "",
) -> Summary:
    """Run the units of a study that its store does not have.

    Parameters
    ----------
    plan : Plan
        The study.
    store : path-like
        The file of results; made when it is not there.
    backend : str or Backend
        Where units run. With fewer units than workers, models that can fan out are fitted one
        after the other, and what they fan out runs there. The results do not depend on it.
    only : Only, optional
        The part of the study to run now.
    retry_failed : bool
        Run units again that have failed before.
    fail_fast : bool
        Stop at the first failure.
    on_failure : callable, optional
        Called with each unit that fails, when it does.
    command : str
        For the manifest.

    Returns
    -------
    Summary

    Raises
    ------
    StoreBusyError
        When another process is writing to the store.
    StoreError
        When it cannot be written; what it has stays.
    TooManyFailuresError
        When more units fail than the study, or ``fail_fast``, allows.
    """
    if only is not None:
        only.check(plan.study)
    with open_backend(backend) as place:
        manifest = make_manifest(plan.spec, place, command)
        kept = Store.drive(store, study=plan.study, run=manifest)
        with _ending(kept):
            return _Run(plan, kept, place, on_failure, fail_fast).go(only, retry_failed)


@contextmanager
def _ending(store: Store) -> Iterator[None]:
    """Write into the store how the run ended."""
    try:
        yield
    except (KeyboardInterrupt, GeneratorExit):
        with _quietly(DistsearchError):
            store.close("interrupted")
        raise
    except BaseException as error:
        with _quietly(DistsearchError):
            store.close(f"failed: {type(error).__name__}: {error}")
        raise
    store.close("finished")


@contextmanager
def _quietly(kind: type[BaseException]) -> Iterator[None]:
    """Let nothing that goes wrong hide what went wrong before."""
    try:
        yield
    except kind:
        return


class _Run:
    """One run of a study."""

    def __init__(
        self,
        plan: Plan,
        store: Store,
        backend: Backend,
        on_failure: OnFailure | None,
        fail_fast: bool,
    ) -> None:
        self._plan = plan
        self._store = store
        self._backend = backend
        self._on_failure = on_failure
        self._fail_fast = fail_fast
        self._tolerated = 0 if fail_fast else plan.spec.limits.failures
        self._done = self._failed = 0

    def go(self, only: Only | None, retry_failed: bool) -> Summary:
        units = self._plan.study.units
        chosen = [unit for unit in units if only is None or only.takes(unit)]
        wanted = set(self._plan.spec.scorers)
        finished, failed = self._store.finished(), self._store.failed()
        missing = [unit for unit in chosen if not wanted <= finished.get(unit.hash, frozenset())]
        waiting = [unit for unit in missing if retry_failed or unit.hash not in failed]
        self._work_through(self._plan.by_cost(_once(waiting)))
        return Summary(
            planned=len(chosen),
            known=len(chosen) - len(missing),
            done=self._done,
            failed=self._failed,
            left=len(missing) - len(waiting),
        )

    def _work_through(self, positions: Sequence[int]) -> None:
        total = len(positions)
        for number, outcome in enumerate(self._outcomes(positions), start=1):
            self._keep(self._plan.study.units[positions[outcome.index]], outcome)
            report(Progress("Sweep", number, total, np.nan, number == total, exact=True))

    def _outcomes(self, positions: Sequence[int]) -> Iterator[Outcome]:
        units = [self._plan.unit(position) for position in positions]
        # A model that fans nothing out would gain nothing, and might take the driver down with it.
        few = 1 <= len(units) < self._backend.workers
        if few and all(self._plan.fans_out(position) for position in positions):
            yield from self._one_by_one(units)
            return
        if units:
            with self._backend.share(self._plan.work) as shared:
                yield from self._backend.run(run_unit, units, shared, fail_fast=self._fail_fast)

    def _one_by_one(self, units: Sequence[Unit]) -> Iterator[Outcome]:
        here = SerialBackend()
        with fanning_out(self._backend), here.share(self._plan.work) as shared, reporting(None):
            yield from here.run(run_unit, units, shared, fail_fast=self._fail_fast)

    def _keep(self, unit: UnitRecord, outcome: Outcome) -> None:
        result = _result(unit.hash, outcome)
        self._store.record(result)
        if not result.failed:
            self._done += 1
            return
        self._failed += 1
        if self._on_failure is not None:
            self._on_failure(unit, result)
        if self._tolerated is not None and self._failed > self._tolerated:
            raise TooManyFailuresError(
                f"{count(self._failed, 'unit')} failed, and {self._tolerated} "
                f"{'is' if self._tolerated == 1 else 'are'} tolerated. What is done is kept; "
                f"the same command continues, with --retry-failed the failed ones too."
            )


def _once(units: Sequence[UnitRecord]) -> list[int]:
    """Return the places of units, of those with the same hash the first."""
    return list({unit.hash: unit.position for unit in reversed(units)}.values())


def _result(name: str, outcome: Outcome) -> Result:
    failure: Any = outcome.failure
    if failure is not None:
        return Result(
            name, error_type=failure.type, error=failure.message, traceback=failure.traceback,
            attempts=outcome.attempts,
        )  # fmt: skip
    answer = outcome.value
    return Result(
        name,
        scores=answer.scores,
        facts=answer.facts,
        fit_seconds=answer.fit_seconds,
        predict_seconds=answer.predict_seconds,
        attempts=outcome.attempts,
    )
