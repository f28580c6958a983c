"""The iterative Box-Cox search on many workers, with and without scoring ahead.

A direction of 11 candidates on 5 folds has 55 units, and no direction begins before the one before
it is decided. The search is a real one; its units sleep instead of fitting, and return the scores
that were recorded. Beside what was measured stands the model: waves of as many units as there are
workers, which end where a direction changes the point.
"""

from __future__ import annotations

import argparse
import threading
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from math import ceil
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.datasets import make_classification
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier

from distsearch.backends import Outcome, SerialBackend, Unit, UnitFn
from distsearch.boxcox import BoxCoxSearchCV, IterativeGrid
from distsearch.search import Scored, SearchResult, search

SEED = np.random.SeedSequence(0)


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add this table's options."""
    parser.add_argument("--workers", nargs="*", type=int, default=[16, 64, 256])
    parser.add_argument("--milliseconds", type=float, default=50.0, help="how long a unit sleeps")
    parser.add_argument("--features", type=int, default=60)
    parser.add_argument("--epochs", type=int, default=4)


class Threads(SerialBackend):
    """Runs units that sleep in as many threads."""

    name = "threads"

    def __init__(self, workers: int) -> None:
        self.workers = workers
        self.begun = 0

    def run(
        self, fn: UnitFn, units: Sequence[Unit], shared: Any = None, *, fail_fast: bool = False
    ) -> Iterator[Outcome]:
        """Run every unit; those that have not begun when the run is given up never do."""
        del fail_fast
        value, given_up = shared.value(), threading.Event()

        def work(index: int) -> Outcome | None:
            if given_up.is_set():
                return None
            self.begun += 1
            return Outcome(index, fn(units[index], value))

        pool = ThreadPoolExecutor(self.workers)
        try:
            for done in as_completed([pool.submit(work, index) for index in range(len(units))]):
                outcome = done.result()
                assert outcome is not None
                yield outcome
        finally:
            given_up.set()
            pool.shutdown(wait=False)


class Recorded:
    """Sleeps, then returns the score that a search gave the candidate."""

    name = "recorded"
    candidates_per_unit = 1
    parts_per_unit = 1
    n_parts = 5

    def __init__(self, scores: dict[bytes, float], seconds: float) -> None:
        self.scores = scores
        self.seconds = seconds
        self.maximum = np.inf

    def score(self, candidates: NDArray[np.float64], parts: NDArray[np.int64]) -> Scored:
        """Score one candidate on one fold; the lowest of all where it was never asked for."""
        time.sleep(self.seconds)
        score = self.scores.get((candidates[0] + 0.0).tobytes(), -1.0)
        return Scored(np.full((1, len(parts)), score))


def record(classifier: Any, features: int, epochs: int) -> BoxCoxSearchCV:
    """Search for real."""
    X, y = make_classification(
        208, features, n_informative=features // 3, n_redundant=features // 3, flip_y=0.1,
        random_state=0,
    )  # fmt: skip
    X = np.exp(X / 2)
    model = BoxCoxSearchCV(classifier, IterativeGrid(epochs=epochs), backend="processes:2")
    return model.fit(X, y)


def waves(result: SearchResult, workers: int, *, ahead: bool) -> int:
    """Return how many waves of units the search takes by the model."""
    table = result.history.table()
    moved = np.flatnonzero(np.diff(table["best_score"], prepend=-np.inf) > 0)
    starts = np.flatnonzero(np.diff(table["coordinate"], prepend=-2))
    changes = {int(np.searchsorted(starts, row, side="right")) - 1 for row in moved}
    known = np.add.reduceat(table["from_memo"].astype(int), starts)
    units = 5 * (np.diff(np.append(starts, len(table["score"]))) - known)
    total, direction = 0, 0
    while direction < len(starts):
        width, taken = 0, 0
        while direction + width < len(starts):
            size = int(units[direction + width])
            if width and (not ahead or taken + size > workers):
                break
            taken, width = taken + size, width + 1
            if direction + width - 1 in changes:
                break
        total += ceil(taken / workers)
        direction += width
    return total


def timed(
    recorded: Recorded, start: NDArray[np.float64], epochs: int, workers: int, speculate: bool
) -> tuple[SearchResult, float, int]:
    """Return a search's result, its seconds, and how many units it began."""
    backend = Threads(workers)
    begin = time.perf_counter()
    found = search(
        IterativeGrid(epochs=epochs), recorded, backend, start=start, seed=SEED,
        speculate=speculate,
    )  # fmt: skip
    return found, time.perf_counter() - begin, backend.begun


def run(options: argparse.Namespace) -> None:
    """Print model and measurement for two classifiers."""
    for classifier in (GaussianNB(), KNeighborsClassifier()):
        real = record(classifier, options.features, options.epochs)
        rows = real.search_lambdas_[:, real.searched_features_]
        scores = real.search_history_["score"].tolist()
        known = {(row + 0.0).tobytes(): score for row, score in zip(rows, scores, strict=True)}
        recorded = Recorded(known, options.milliseconds / 1e3)
        print(
            f"\n{type(classifier).__name__}: {len(rows):,} candidates x 5 folds of "
            f"{options.features} features, units of {options.milliseconds:g} ms\n"
            f"  {'workers':>8} {'alone s':>9} {'ahead s':>9} {'speed-up':>9} {'model':>7} "
            f"{'units in vain':>14}"
        )
        for workers in options.workers:
            alone, before, needed = timed(recorded, rows[0], options.epochs, workers, False)
            ahead, after, begun = timed(recorded, rows[0], options.epochs, workers, True)
            if not _are_same(alone, ahead):
                raise SystemExit("scoring ahead has changed the search")
            model = waves(alone, workers, ahead=False) / waves(alone, workers, ahead=True)
            print(
                f"  {workers:>8} {before:>9.2f} {after:>9.2f} {before / after:>8.2f}x "
                f"{model:>6.2f}x {begun / needed - 1:>14.0%}"
            )


def _are_same(one: SearchResult, other: SearchResult) -> bool:
    left, right = one.history.table(), other.history.table()
    return bool(
        np.array_equal(one.best, other.best)
        and one.n_evaluations == other.n_evaluations
        and all(np.array_equal(left[name], right[name], equal_nan=name in ("score", "value",
                                                                           "best_score"))
                for name in left)
    )  # fmt: skip
