"""Boosters by resampling, and cluster-based boosting, beside AdaBoostClassifier of scikit-learn.

Seconds are those of the processor, on one thread, in turns within one run, for each function that
is kept: runs may end early, and draws that are thrown away are charged. Medians over the seeds;
ratios are taken seed by seed.
"""

from __future__ import annotations

import argparse
import os
import statistics
import time
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.ensemble import AdaBoostClassifier
from sklearn.tree import DecisionTreeClassifier
from threadpoolctl import threadpool_limits

from benchmarks.measure import print_table, seconds_in_turns
from distsearch.backends import get_backend
from distsearch.boosting import C45TreeClassifier, CBBClassifier, ResamplingAdaBoostClassifier
from distsearch.tables import load

Maker = Callable[[int], Any]
"""Makes a classifier from a seed."""

STUMP_GOAL = 10.0
TREE_GOAL = 1.5
CBB_GOAL = 1.0
GRID_GOAL = 2.0
PAIR = (0.2, 0.3)
"""The default δ1 and δ2."""

FILES: dict[str, list[str] | None] = {
    "sonar": None,
    "pima": None,
    "contraceptive": ["2", "3"],
    "wdbc": None,
}
"""Data sets, and the classes that are one; the others are the other."""
BUNDLED = "breast_cancer"


@dataclass(frozen=True, eq=False)
class Problem:
    """Rows of two classes.

    Parameters
    ----------
    name : str
        Of the data set.
    X : ndarray of shape (n_samples, n_features)
        Rows.
    y : ndarray of shape (n_samples,)
        Labels.
    """

    name: str
    X: NDArray[np.float64]
    y: NDArray[Any]


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add this table's options."""
    parser.add_argument("--seeds", type=int, default=5, help="of each contender")
    parser.add_argument("--rounds", type=int, default=2, help="counted runs with each seed")
    parser.add_argument("--sets", nargs="*", default=list(FILES), help="data sets")
    parser.add_argument(
        "--fanned", default="svm", choices=("tree", "svm", "mlp", "rbf", "stump"),
        help="learner of the runs on worker processes",
    )  # fmt: skip
    parser.add_argument("--workers", type=int, default=2, help="worker processes")
    parser.add_argument("--only", default="", help="leave out tables whose name lacks this text")


def plain_tree() -> DecisionTreeClassifier:
    """Return an unpruned tree."""
    return DecisionTreeClassifier(criterion="entropy", min_samples_leaf=2)


def resampling(estimator: Any, n_estimators: int, seed: int) -> Any:
    """Return our AdaBoost."""
    return ResamplingAdaBoostClassifier(estimator, n_estimators, random_state=seed)


def reweighting(estimator: Any, n_estimators: int, seed: int) -> Any:
    """Return that of scikit-learn."""
    return AdaBoostClassifier(estimator, n_estimators=n_estimators, random_state=seed)


def clusters(seed: int, **params: Any) -> Any:
    """Return cluster-based boosting as it comes, but for some parameters."""
    return CBBClassifier(random_state=seed, **params)


def real(wanted: Sequence[str]) -> Iterator[Problem]:
    """Yield the data sets that are at hand, one that is bundled if there are none."""
    folder = os.environ.get("DISTSEARCH_DATA")
    paths = {name: Path(folder or "") / f"{name}.csv" for name in wanted}
    absent = [name for name, path in paths.items() if not (folder and path.exists())]
    if absent:
        print(f"  Not at hand (DISTSEARCH_DATA is {folder or 'not set'}): {', '.join(absent)}")
    if len(absent) == len(paths):
        yield _problem(BUNDLED, load(BUNDLED, numeric=True))
    for name in (each for each in wanted if each not in absent):
        table = load(paths[name], "target", positive=FILES.get(name), numeric=True)
        yield _problem(name, table)


def _problem(name: str, table: Any) -> Problem:
    return Problem(name, table.X.to_numpy(np.float64), np.asarray(table.y))


def n_functions(model: Any) -> int:
    """Return how many functions a fitted model keeps, with the initial one."""
    if isinstance(model, CBBClassifier):
        return 1 + sum(len(each) for each in model.estimators_)
    return len(model.estimators_)


@dataclass(frozen=True)
class Cost:
    """What one contender took on one data set, seed by seed.

    Parameters
    ----------
    seconds : list of float
        Of a fit, medians over the rounds.
    functions : list of int
        That it kept.
    accuracy : list of float
        On the training rows.
    """

    seconds: list[float]
    functions: list[int]
    accuracy: list[float]

    @property
    def each(self) -> list[float]:
        """Seconds for each function kept."""
        return [a / b for a, b in zip(self.seconds, self.functions, strict=True)]


def costs(
    problem: Problem, makers: Mapping[str, Maker], seeds: int, rounds: int
) -> dict[str, Cost]:
    """Return what the contenders take, on the same seeds."""
    found = {name: Cost([], [], []) for name in makers}
    for seed in range(seeds):
        models = {name: make(seed) for name, make in makers.items()}
        fits = {name: partial(m.fit, problem.X, problem.y) for name, m in models.items()}
        seconds = seconds_in_turns(fits, rounds, clock=time.process_time, at_least=0.02)
        for name, model in models.items():
            found[name].seconds.append(statistics.median(seconds[name]))
            found[name].functions.append(n_functions(model))
            found[name].accuracy.append(float(model.score(problem.X, problem.y)))
    return found


def _ratios(ours: Sequence[float], theirs: Sequence[float]) -> tuple[float, str]:
    each = [b / a for a, b in zip(ours, theirs, strict=True)]
    return statistics.median(each), f"({min(each):.2f} - {max(each):.2f})"


def _met(reached: bool) -> str:
    return "met" if reached else "missed"


def contest(
    title: str,
    problems: Sequence[Problem],
    pairs: Mapping[str, tuple[Maker, Maker]],
    goals: Mapping[str, float],
    options: argparse.Namespace,
) -> None:
    """Print what a kept function costs us and the peer."""
    print(
        f"\n{title}\n  {'':<26} {'kept':>14} {'training accuracy':>20} {'CPU ms a function':>20}"
        f" {'ratio':>8} {'(min - max)':>16} goal"
    )
    for problem in problems:
        makers = {f"{n} {k}": m for n, pair in pairs.items() for k, m in enumerate(pair)}
        found = costs(problem, makers, options.seeds, options.rounds)
        for name in pairs:
            ours, theirs = found[f"{name} 0"], found[f"{name} 1"]
            ratio, spread = _ratios(ours.each, theirs.each)
            goal = goals.get(name)
            verdict = "-" if goal is None else f"{goal:g}x {_met(ratio >= goal)}"
            columns = (
                _beside(ours.functions, theirs.functions, "6g"),
                _beside(ours.accuracy, theirs.accuracy, "9.3f"),
                _beside([1e3 * t for t in ours.each], [1e3 * t for t in theirs.each], "9.2f"),
            )
            print(
                f"  {f'{problem.name}, {name}':<26} {' '.join(columns)} {ratio:>7.2f}x {spread:>16}"
                f" {verdict}",
                flush=True,
            )


def _beside(ours: Sequence[float], theirs: Sequence[float], form: str) -> str:
    return f"{_middle(ours):{form}} |{_middle(theirs):{form}}"


def _middle(values: Sequence[float]) -> float:
    return float(statistics.median(values))


def stumps(problems: Sequence[Problem], options: argparse.Namespace) -> None:
    """Print what a stump costs."""
    contest(
        "Stumps, 50 at most: ours | AdaBoostClassifier's",
        problems,
        {"stump": (partial(resampling, "stump", 50), partial(reweighting, None, 50))},
        {"stump": STUMP_GOAL},
        options,
    )


def trees(problems: Sequence[Problem], options: argparse.Namespace) -> None:
    """Print what a tree costs."""
    plain, pruned = plain_tree(), C45TreeClassifier()
    contest(
        "Trees, 10 at most: ours | AdaBoostClassifier's",
        problems,
        {
            "unpruned": (partial(resampling, plain, 10), partial(reweighting, plain, 10)),
            "C4.5": (partial(resampling, pruned, 10), partial(reweighting, pruned, 10)),
        },
        {"unpruned": TREE_GOAL},
        options,
    )


def cluster_boosting(problems: Sequence[Problem], options: argparse.Namespace) -> None:
    """Print what a function of cluster-based boosting costs, with all that precedes it.

    All but the initial function are fitted to draws from a cluster, which has fewer rows.
    """
    contest(
        "CBBClassifier as it comes, pruned trees, clustering included | AdaBoostClassifier's",
        problems,
        {
            "C4.5": (clusters, partial(reweighting, C45TreeClassifier(), 10)),
            "unpruned": (clusters, partial(reweighting, plain_tree(), 10)),
        },
        {"C4.5": CBB_GOAL, "unpruned": CBB_GOAL},
        options,
    )


def delta_grid(problems: Sequence[Problem], options: argparse.Namespace) -> None:
    """Print what the choice of δ costs: 25 pairs beside one, and beside none to choose from.

    Raises
    ------
    SystemExit
        When a pair gets another accuracy alone than within the grid.
    """
    print(
        "\nThe grid of 25 pairs of δ: CPU s of a fit, and how often as much it takes\n"
        f"  {'':<16} {'grid':>8} {'one pair':>9} {'fixed':>8} {'/ one pair':>11}"
        f" {'(min - max)':>16} {'/ fixed':>8} {'(min - max)':>16}  goal at most {GRID_GOAL:g} pairs"
    )
    makers: dict[str, Maker] = {
        "grid": partial(clusters, delta="auto"),
        "one": partial(clusters, delta="auto", delta_grid=[PAIR]),
        "fixed": clusters,
    }
    for problem in problems:
        check_grid(problem)
        found = costs(problem, makers, options.seeds, options.rounds)
        grid, one, fixed = (found[name].seconds for name in makers)
        by_one, spread_one = _ratios(one, grid)
        by_fixed, spread_fixed = _ratios(fixed, grid)
        print(
            f"  {problem.name:<16} {_middle(grid):>8.3f} {_middle(one):>9.3f}"
            f" {_middle(fixed):>8.3f} {by_one:>10.2f}x {spread_one:>16} {by_fixed:>7.2f}x"
            f" {spread_fixed:>16}  {_met(by_one <= GRID_GOAL)}",
            flush=True,
        )


def check_grid(problem: Problem) -> None:
    """Refuse to time a grid that gives other results than its pairs."""
    whole = clusters(0, delta="auto").fit(problem.X, problem.y)
    for *pair, score in whole.delta_scores_[:: len(whole.delta_scores_) - 1]:
        alone = clusters(0, delta="auto", delta_grid=[pair]).fit(problem.X, problem.y)
        if alone.delta_scores_ != [(*pair, score)]:
            raise SystemExit(f"{problem.name}: {alone.delta_scores_} alone, {score} in the grid")


def fan_out(problems: Sequence[Problem], options: argparse.Namespace) -> None:
    """Print wall seconds of a fit on worker processes, beside one without.

    Raises
    ------
    SystemExit
        When probabilities are not the same bits everywhere.
    """
    name = f"processes:{options.workers}"
    with get_backend(name) as kept:
        backends = {"serial": "serial", f"{name}, started for it": name, f"{name}, kept": kept}
        for problem in problems:
            models = {
                label: clusters(0, estimator=options.fanned, delta="auto", backend=backend)
                for label, backend in backends.items()
            }
            fits = {n: partial(m.fit, problem.X, problem.y) for n, m in models.items()}
            seconds = seconds_in_turns(fits, options.rounds)
            found = {n: m.predict_proba(problem.X) for n, m in models.items()}
            for label, probabilities in found.items():
                if not np.array_equal(probabilities, found["serial"]):
                    raise SystemExit(f"{problem.name}: {label} gives other bits")
            title = f"CBBClassifier({options.fanned!r}, delta='auto') on {problem.name}, wall s"
            print_table(title, seconds, "serial")


TABLES: dict[str, Callable[[Sequence[Problem], argparse.Namespace], None]] = {
    "stumps": stumps,
    "trees": trees,
    "cluster boosting": cluster_boosting,
    "delta grid": delta_grid,
    "fan-out": fan_out,
}


def run(options: argparse.Namespace) -> None:
    """Print the tables."""
    problems = list(real(options.sets))
    with threadpool_limits(1), warnings.catch_warnings():
        # What a model left to its initial function says is no matter here.
        warnings.simplefilter("ignore", UserWarning)
        for name, table in TABLES.items():
            if options.only in name:
                table(problems, options)
