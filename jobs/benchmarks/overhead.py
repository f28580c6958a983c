"""What a sweep costs around its units: time of the workers, and memory of the driver."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable, Mapping
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from multiprocessing import get_context
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from joblib import Parallel, delayed
from joblib.externals.loky import get_reusable_executor

from benchmarks.measure import seconds_in_turns
from benchmarks.studies import in_new_store, make_splits, spinning_study, without_store
from benchmarks.tiny import Spin
from distsearch.backends import Backend, get_backend
from distsearch.search import Progress, reporting
from distsearch.sweep import Plan, make_plan, run_plan
from distsearch.sweep.spec import Spec

__all__ = ["measure_memory", "measure_overhead"]

Call = tuple[Any, Any, Mapping[str, Any]]
Look = Callable[[int], None]


def _calls(spec: Spec, X: Any, y: Any) -> list[Call]:
    """Return the units of a study as arguments of `_bare_unit`."""
    splits = make_splits(X, y)
    return [((X, y), split, each.params) for each in spec.estimators for split in splits]


def _bare_unit(data: tuple[Any, Any], split: tuple[Any, Any], params: Mapping[str, Any]) -> float:
    """Fit and score one model with nothing around it; return the seconds."""
    begin = time.perf_counter()
    (X, y), (train, test) = data, split
    Spin(**params).fit(X[train], y[train]).score(X[test], y[test])
    return time.perf_counter() - begin


def _stored_seconds(plan: Plan | Spec, backend: Backend) -> float:
    results = in_new_store(plan, backend)
    return float((results["fit_seconds"] + results["predict_seconds"]).mean())


def _seconds_of_run(plan: Plan, backend: Backend) -> float:
    answers = [outcome.unwrap() for outcome in without_store(plan, backend)]
    return statistics.fmean(each.fit_seconds + each.predict_seconds for each in answers)


def measure_overhead(n_units: int, rounds: int, workers: int) -> None:
    """Print which share of the workers' time goes to units with a fit of a millisecond."""
    inside: dict[str, list[float]] = {}

    def noting(name: str, contender: Callable[[], float]) -> None:
        inside.setdefault(name, []).append(contender())

    with TemporaryDirectory() as folder, get_backend(f"processes:{workers}") as processes:
        spec, X, y = spinning_study(folder, n_units, 0.001)
        plan, calls = make_plan(spec), _calls(spec, X, y)
        alone = statistics.fmean(_bare_unit(*call) for call in calls[:1000])
        parallel = Parallel(n_jobs=workers)
        contenders: dict[str, Callable[[], float]] = {
            "planned, run, kept and read": lambda: _stored_seconds(spec, processes),
            "run, kept and read": lambda: _stored_seconds(plan, processes),
            "run only": lambda: _seconds_of_run(plan, processes),
            "joblib Parallel (loky)": lambda: statistics.fmean(
                parallel(delayed(_bare_unit)(*call) for call in calls)
            ),
        }
        seconds = seconds_in_turns(
            {name: partial(noting, name, each) for name, each in contenders.items()}, rounds
        )
    print(
        f"\n{len(calls):,} units, fit and score {alone * 1e3:.2f} ms alone, {workers} processes\n"
        f"  {'':<28} {'median s':>9} {'units/s':>9} {'ms inside':>10} {'of ideal':>9} {'alone':>9}"
    )
    for name, own in seconds.items():
        counted = inside[name][1:]
        ideal = [
            len(calls) * each / workers / wall for each, wall in zip(counted, own, strict=True)
        ]
        median = statistics.median(own)
        print(
            f"  {name:<28} {median:>9.3f} {len(calls) / median:>9,.0f} "
            f"{statistics.median(counted) * 1e3:>10.2f} {statistics.median(ideal):>9.1%} "
            f"{len(calls) * alone / workers / median:>9.1%}"
        )
    print(
        "  (ideal: units x their fit and score / workers, as measured inside the run, and as "
        "measured\n  alone; the second also counts what workers and driver take from each other)"
    )


def _resident() -> float:
    """Return the memory of this process, in MiB."""
    with open("/proc/self/status", encoding="ascii") as status:
        return next(int(line.split()[1]) for line in status if line.startswith("VmRSS:")) / 1024


def _kept(folder: str, n_units: int, backend: Backend, look: Look) -> None:
    spec, _, _ = spinning_study(folder, n_units, 0.0)

    def note(progress: Progress) -> None:
        look(progress.done)

    with reporting(note):
        run_plan(make_plan(spec), Path(folder) / "results.sqlite", backend=backend)


def _not_kept(folder: str, n_units: int, backend: Backend, look: Look) -> None:
    spec, _, _ = spinning_study(folder, n_units, 0.0)
    for done, _ in enumerate(without_store(make_plan(spec), backend), start=1):
        look(done)


def _by_joblib(folder: str, n_units: int, backend: Backend, look: Look) -> None:
    calls = _calls(*spinning_study(folder, n_units, 0.0))
    parallel = Parallel(n_jobs=backend.workers, return_as="generator_unordered")
    for done, _ in enumerate(parallel(delayed(_bare_unit)(*call) for call in calls), start=1):
        look(done)
    get_reusable_executor().shutdown()  # this process would wait five minutes for it to end


WAYS = {
    "run and kept": _kept,
    "run only": _not_kept,
    "joblib Parallel (loky)": _by_joblib,
}


def memory_of(way: str, n_units: int, workers: int, early: int) -> tuple[float, float, float]:
    """Run tiny units in one of the ways and watch the memory of this process.

    Parameters
    ----------
    way : str
        A key of `WAYS`.
    n_units, workers : int
        How many.
    early : int
        After how many units to look, again and again.

    Returns
    -------
    (float, float, float)
        MiB at the first look, at the end, and at most.
    """
    seen: list[float] = []

    def look(done: int) -> None:
        if done % early == 0 or done == n_units:
            seen.append(_resident())

    with TemporaryDirectory() as folder, get_backend(f"processes:{workers}") as processes:
        WAYS[way](folder, n_units, processes, look)
    return seen[0], seen[-1], max(seen)


def measure_memory(n_units: int, workers: int) -> None:
    """Print how much the driver grows with the number of finished units."""
    early = max(1, n_units // 10)
    print(f"\n{n_units:,} tiny units on {workers} processes, MiB of a driver of their own")
    print(f"  {'':<28} {f'at {early:,}':>9} {f'at {n_units:,}':>9} {'most':>9} {'growth':>9}")
    for way in WAYS:
        # A new process each: what one has let go of would hide what the next one takes.
        with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as fresh:
            first, last, most = fresh.submit(memory_of, way, n_units, workers, early).result()
        print(f"  {way:<28} {first:>9.1f} {last:>9.1f} {most:>9.1f} {most / first - 1:>+9.1%}")
