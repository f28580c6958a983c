"""Sweeps with a store beside Ray Tune, Optuna and a grid search: speed, overhead and memory.

Whatever is kept goes to the folder for temporary files (TMPDIR), whose disk is part of the figures.
"""

from __future__ import annotations

import argparse
import statistics
import time
from collections.abc import Callable, Mapping
from contextlib import ExitStack
from functools import partial
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.measure import seconds_in_turns
from benchmarks.overhead import measure_memory, measure_overhead
from benchmarks.peers import Trials, grid_search, is_installed, optuna_runs, tune_run
from benchmarks.studies import FOLDS, in_new_store, make_spec, make_splits
from distsearch.backends import Backend, get_backend
from distsearch.sweep.spec import Spec

OURS = ("ray", "processes", "serial")

Contender = Callable[[], Any]


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add this table's options."""
    parser.add_argument("--trials", type=int, default=200, help="settings of the first table")
    parser.add_argument(
        "--units", type=int, default=5000, help="units of the second; the third has twice as many"
    )
    parser.add_argument("--rounds", type=int, default=3, help="counted runs of each contender")
    parser.add_argument("--workers", type=int, default=2, help="processes, or CPUs of Ray")


def run(options: argparse.Namespace) -> None:
    """Print the three tables."""
    compare_trials(options.trials, options.rounds, options.workers)
    measure_overhead(options.units, options.rounds, options.workers)
    measure_memory(2 * options.units, options.workers)


def make_trials(n_trials: int) -> tuple[str, Trials]:
    """Return the name of the data, and about as many trials on it: a multiple of four."""
    from benchmarks.backends import load_data  # loads Ray

    name, (X, y) = load_data()
    neighbours = list(range(1, max(1, n_trials // 4) + 1))
    grid: dict[str, list[Any]] = {
        "n_neighbors": neighbours,
        "weights": ["uniform", "distance"],
        "p": [1, 2],
    }
    return name, Trials(X, y, make_splits(X, y), grid)


def sweep_accuracies(spec: Spec, backend: Backend) -> NDArray[np.float64]:
    """Run a study and return the mean accuracy of each setting, in the study's order."""
    results = in_new_store(spec, backend)
    folds = np.asarray(results["accuracy"], dtype=np.float64).reshape(-1, FOLDS)
    means: NDArray[np.float64] = folds.mean(axis=1)
    return means


def compare_trials(n_trials: int, rounds: int, workers: int) -> None:
    """Print how many small trials a second everybody does."""
    name, trials = make_trials(n_trials)
    answers: dict[str, NDArray[np.float64]] = {}
    with ExitStack() as stack:
        folder = stack.enter_context(TemporaryDirectory())
        spec = make_spec(folder, trials.X, trials.y, "knn", "standardize", trials.settings)
        contenders: dict[str, Contender] = {}
        for kind in OURS:
            place = kind if kind == "serial" else f"{kind}:{workers}"
            backend = stack.enter_context(get_backend(place))
            contenders[kind] = partial(sweep_accuracies, spec, backend)
        if is_installed("optuna"):
            contenders |= optuna_runs(trials, workers)
        contenders[f"GridSearchCV, {workers} processes"] = partial(grid_search, trials, workers)
        seconds = seconds_in_turns(_keeping(contenders, answers), rounds)
        if is_installed("ray.tune"):
            seconds |= _tune_once(trials, answers, rounds)
    _check_agreement(answers)
    print(
        f"\n{len(trials.settings)} trials, k-nearest neighbours on {name}, {FOLDS} folds each, "
        f"{workers} workers\n  (all found the same accuracies; Ray Tune runs once)"
    )
    _print_trials(seconds, len(trials.settings))


def _keeping(contenders: Mapping[str, Contender], answers: dict[str, Any]) -> dict[str, Contender]:
    """Have contenders leave what they return."""

    def keep(name: str) -> None:
        answers[name] = contenders[name]()

    return {name: partial(keep, name) for name in contenders}


def _tune_once(trials: Trials, answers: dict[str, Any], rounds: int) -> dict[str, list[float]]:
    """Run Ray Tune as it comes and with workers used again; it is too slow for rounds."""
    seconds = {}
    for name, reuse in (("Ray Tune", False), ("Ray Tune, reuse_actors", True)):
        begin = time.perf_counter()
        answers[name] = tune_run(trials, reuse_actors=reuse)
        seconds[name] = [time.perf_counter() - begin] * rounds
    return seconds


def _check_agreement(answers: Mapping[str, NDArray[np.float64]]) -> None:
    for name, answer in answers.items():
        if not np.allclose(answer, answers["serial"], rtol=0.0, atol=1e-12):
            raise SystemExit(f"{name} found other accuracies than serial")


def _print_trials(seconds: Mapping[str, list[float]], n_trials: int) -> None:
    """Print trials a second, and how many times as fast as each our backends are."""
    print(f"  {'':<28} {'median s':>9} {'trials/s':>9}   times as fast: {', '.join(OURS)}")
    for name, theirs in seconds.items():
        rate = n_trials / statistics.median(theirs)
        shown = " ".join(f"{_ratio(theirs, seconds[ours]):>8.2f}x" for ours in OURS)
        print(f"  {name:<28} {statistics.median(theirs):>9.3f} {rate:>9.2f}  {shown}")
    for module, title in (("optuna", "Optuna"), ("ray.tune", "Ray Tune")):
        known = [name for name in seconds if name.startswith(title)]
        if known:
            best = min(known, key=lambda name: statistics.median(seconds[name]))
            print(f"  {title} at its best: {best}")
        else:
            print(f"  {title:<28} not installed ({module})")


def _ratio(theirs: list[float], ours: list[float]) -> float:
    return statistics.median(a / b for a, b in zip(theirs, ours, strict=True))
