"""ODD beside the criterion as the paper writes it, and beside the search that the paper has.

The peer projects all rows and takes means, covariances and eigenvalues of every class; CMA-ES of
pycma and then BFGS of SciPy with finite differences minimise that. Seconds are those of the
processor, on one thread, in turns within one run.
"""

from __future__ import annotations

import argparse
import os
import statistics
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from importlib import import_module
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize
from sklearn.datasets import make_blobs
from sklearn.feature_selection import VarianceThreshold
from sklearn.preprocessing import MinMaxScaler
from threadpoolctl import threadpool_limits

from benchmarks.measure import seconds_in_turns
from distsearch.odd import ODDClassifier
from distsearch.odd._criterion import LinearCriterion, usual_exponent
from distsearch.odd._moments import moments_of
from distsearch.tables import load

Floats = NDArray[np.float64]
Contender = Callable[[], object]

_cpu_seconds = partial(seconds_in_turns, clock=time.process_time, at_least=0.02)

EVALUATION_GOALS = {1_000: 10.0, 100_000: 300.0, 1_000_000: 3000.0}
POPULATIONS = ((4, 3, 3), (9, 2, 2), (10, 3, 3), (13, 3, 3))
"""Variables, classes and components."""
POPULATION_GOAL = 10.0
FIT_GOAL = 30.0
SAME = 1e-6
"""Relative difference up to which two Ω are the same."""
NEAR = 0.005

FILES = (
    "crabs", "breast_wisconsin", "glass", "parkinsons", "yeast", "wine_quality_white", "thyroid",
)  # fmt: skip
WINDOWS = ["1", "2", "3"]
"""Classes of glass that are one in the paper; the others are the other."""
ONE_COMPONENT = ("wine", "yeast", "wine_quality_white")


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add this table's options."""
    parser.add_argument(
        "--rows", type=int, nargs="*", default=list(EVALUATION_GOALS), help="of one evaluation"
    )
    parser.add_argument("--rounds", type=int, default=5, help="counted runs of each contender")
    parser.add_argument("--searches", type=int, default=3, help="runs of the paper's search")
    parser.add_argument("--iterations", type=int, default=100, help="of CMA-ES, and of BFGS")
    parser.add_argument("--starts", type=int, default=200, help="random starts of one component")
    parser.add_argument("--sets", nargs="*", help="only these data sets (default: all)")
    parser.add_argument("--only", default="", help="leave out tables whose name lacks this text")


@dataclass(frozen=True, eq=False)
class Problem:
    """Rows in [-1, 1] and their classes.

    Parameters
    ----------
    name : str
        Of the data set.
    X : ndarray of shape (n_samples, n_features)
        No column is constant.
    codes : ndarray of int of shape (n_samples,)
        0, 1, ...; each class has a row.
    """

    name: str
    X: Floats
    codes: NDArray[np.intp]

    @property
    def n_classes(self) -> int:
        """The number of classes."""
        return int(self.codes.max()) + 1

    def criterion(self, n_components: int) -> LinearCriterion:
        """Return our criterion, from the moments of the rows."""
        moments = moments_of(self.X, self.codes, self.n_classes)
        return LinearCriterion(moments.mean, moments.covariance(), n_components)

    def direct(self) -> Direct:
        """Return the criterion as the paper writes it."""
        return Direct([self.X[self.codes == k] for k in range(self.n_classes)])


class Direct:
    """Ω by projecting every row.

    Parameters
    ----------
    groups : sequence of ndarray
        The rows of each class.
    """

    def __init__(self, groups: Sequence[Floats]) -> None:
        self.groups = groups
        first, second = zip(*combinations(range(len(groups)), 2), strict=True)
        self.first, self.second = list(first), list(second)
        self.exponent = usual_exponent(len(groups))

    def __call__(self, M: Floats) -> float:
        """Return Ω, with γ = 1."""
        projected = [rows @ M for rows in self.groups]
        centers = np.array([Y.mean(axis=0) for Y in projected])
        spread = sum(self._spread(Y) for Y in projected)
        distances = np.linalg.norm(centers[self.first] - centers[self.second], axis=1)
        with np.errstate(divide="ignore"):
            return float((1.0 + spread) / np.prod(distances) ** self.exponent)

    @staticmethod
    def _spread(Y: Floats) -> float:
        if len(Y) == 1:
            return 0.0
        covariance = np.atleast_2d(np.cov(Y, rowvar=False))
        return float(np.linalg.norm(np.linalg.eigvalsh(covariance)))


def made_up(n_rows: int, n_features: int, n_classes: int) -> Problem:
    """Return clouds of points."""
    X, codes = make_blobs(n_rows, n_features, centers=n_classes, random_state=0)
    return Problem(f"{n_rows:,} rows", MinMaxScaler((-1.0, 1.0)).fit_transform(X), codes)


def real(wanted: Sequence[str] | None) -> Iterator[Problem]:
    """Yield the data sets that are at hand, and say which are not."""
    names = [name for name in ("iris", "wine", *FILES) if wanted is None or name in wanted]
    folder = os.environ.get("DISTSEARCH_DATA")
    absent = []
    for name in names:
        path = Path(folder or "") / f"{name}.csv"
        if name in FILES and not (folder and path.exists()):
            absent.append(name)
            continue
        positive = WINDOWS if name == "glass" else None
        table = load(path, "target", positive=positive) if name in FILES else load(name)
        text = table.X.select_dtypes(exclude="number").columns
        X = table.X.assign(**{column: table.X[column].factorize()[0] for column in text})
        X = VarianceThreshold().fit_transform(X.fillna(X.median()).to_numpy(np.float64))
        codes = np.unique(table.y, return_inverse=True)[1]
        yield Problem(name, MinMaxScaler((-1.0, 1.0)).fit_transform(X), codes)
    if absent:
        print(f"  Not at hand (DISTSEARCH_DATA is {folder or 'not set'}): {', '.join(absent)}")


def _ratios(ours: Sequence[float], theirs: Sequence[float]) -> tuple[float, str]:
    each = [b / a for a, b in zip(ours, theirs, strict=True)]
    return statistics.median(each), f"({min(each):,.1f} - {max(each):,.1f})"


def _met(reached: bool) -> str:
    return "met" if reached else "missed"


def evaluations(rows: Sequence[int], rounds: int) -> None:
    """Print what one evaluation of Ω costs us and the peer, by the number of rows.

    Raises
    ------
    SystemExit
        When both find another Ω.
    """
    print(
        "\nOne evaluation of Ω: 10 variables, 3 classes, 3 components\n"
        f"  {'rows':>9} {'':<8} {'CPU µs':>8} {'direct':>12} {'ratio':>9} {'(min - max)':>22} goal"
    )
    ours: dict[str, list[float]] = {}
    for n_rows in rows:
        problem = made_up(n_rows, 10, 3)
        M = np.random.default_rng(0).normal(size=(10, 3))
        criterion, direct = problem.criterion(3), problem.direct()
        check_agreement(criterion, direct, M)
        contenders: dict[str, Contender] = {
            "values": partial(criterion.values, M[None]),
            "value": partial(criterion.value, M),
            "direct": partial(direct, M),
        }
        seconds = _cpu_seconds(contenders, rounds)
        goal = EVALUATION_GOALS.get(n_rows)
        for name in ("values", "value"):
            ratio, spread = _ratios(seconds[name], seconds["direct"])
            mine, theirs = (1e6 * statistics.median(seconds[each]) for each in (name, "direct"))
            ours.setdefault(name, []).append(mine)
            verdict = "-" if goal is None else f"{goal:,.0f}x {_met(ratio >= goal)}"
            print(
                f"  {n_rows:>9,} {name:<8} {mine:>8.1f} {theirs:>12,.1f} {ratio:>8,.0f}x"
                f" {spread:>22} {verdict}"
            )
    for name, each in ours.items():
        print(f"  {name}: {min(each):.1f} to {max(each):.1f} µs, whatever the rows")


def check_agreement(criterion: LinearCriterion, direct: Direct, M: Floats) -> None:
    """Refuse to compare criteria that are not the same."""
    found = np.exp([criterion.value(M), float(criterion.values(M[None])[0])])
    if not np.allclose(found, direct(M), rtol=1e-9, atol=0.0):
        raise SystemExit(f"Ω differs: {found} here, {direct(M)} by projecting the rows")


def populations(rounds: int) -> None:
    """Print what a population costs in one batch, and one by one."""
    print(
        "\nA population of 50: one batch (values) beside one by one (value)\n"
        f"  {'variables, classes, components':<32} {'CPU µs':>8} {'singly':>8} {'ratio':>9}"
        f" {'(min - max)':>18} goal {POPULATION_GOAL:.0f}x"
    )
    for n_features, n_classes, p in POPULATIONS:
        criterion = made_up(500, n_features, n_classes).criterion(p)
        population = np.random.default_rng(0).normal(size=(50, n_features, p))
        singly = partial(_one_by_one, criterion, population)
        np.testing.assert_allclose(criterion.values(population), singly(), rtol=0, atol=1e-10)
        contenders: dict[str, Contender] = {
            "batch": partial(criterion.values, population),
            "singly": singly,
        }
        seconds = _cpu_seconds(contenders, rounds)
        ratio, spread = _ratios(seconds["batch"], seconds["singly"])
        mine, theirs = (1e6 * statistics.median(each) for each in seconds.values())
        name = f"{n_features}, {n_classes}, {p}"
        print(
            f"  {name:<32} {mine:>8.1f} {theirs:>8.1f} {ratio:>8.1f}x {spread:>18}"
            f" {_met(ratio >= POPULATION_GOAL)}"
        )


def _one_by_one(criterion: LinearCriterion, population: Floats) -> list[float]:
    return [criterion.value(M) for M in population]


def our_fit(problem: Problem, n_components: int, **params: Any) -> ODDClassifier:
    """Return the classifier fitted as it comes, but for shrinkage, which the paper has not."""
    return ODDClassifier(n_components, shrinkage=0.0, **params).fit(problem.X, problem.codes)


def papers_search(direct: Direct, shape: tuple[int, int], iterations: int, seed: int) -> Floats:
    """Return M by CMA-ES of pycma from (-1, 1) with step 1, then BFGS with finite differences."""
    cma = import_module("cma")
    start = np.random.default_rng(seed).uniform(-1.0, 1.0, shape).ravel()

    def omega(x: Floats) -> float:
        return direct(x.reshape(shape))

    settings = {"maxiter": iterations, "seed": seed + 1, "verbose": -9}
    best, _ = cma.fmin2(omega, start, 1.0, settings)
    found = minimize(omega, best, method="BFGS", options={"maxiter": iterations, "gtol": 1e-8})
    x = found.x if found.fun <= omega(best) else best
    return np.asarray(x, dtype=np.float64).reshape(shape)


def fits(problems: Sequence[Problem], searches: int, iterations: int) -> None:
    """Print what a whole linear fit costs and finds, and what the paper's search does."""
    print(
        f"\nA linear fit, as many components as classes, beside CMA-ES (pycma, {iterations} "
        f"iterations) and BFGS ({iterations}, finite differences) on the direct criterion,\n"
        f"which are not charged for scaling, thresholds or scores; Ω on the same rows, theirs the "
        f"lowest of {searches}\n"
        f"  {'':<20} {'Ω':>12} {'theirs':>12} {'':<6} {'CPU s':>8} {'theirs':>8} {'ratio':>8}"
        f" goal {FIT_GOAL:.0f}x  spread over 10 random starts"
    )
    for problem in problems:
        p, direct = problem.n_classes, problem.direct()
        seconds: dict[str, list[float]] = {"ours": [], "theirs": []}
        omegas = []
        for seed in range(searches):
            ours = partial(our_fit, problem, p)
            seconds["ours"] += _cpu_seconds({"ours": ours}, 1)["ours"]
            begin = time.process_time()
            M = papers_search(direct, (problem.X.shape[1], p), iterations, seed)
            seconds["theirs"].append(time.process_time() - begin)
            omegas.append(direct(M))
        found, theirs = direct(our_fit(problem, p).components_.T), min(omegas)
        ratio, _ = _ratios(seconds["ours"], seconds["theirs"])
        spread = spread_of_starts(problem, p)
        mine, others = (statistics.median(each) for each in seconds.values())
        print(
            f"  {problem.name:<20} {found:>12.7f} {theirs:>12.7f} {_relation(found, theirs):<6}"
            f" {mine:>8.4f} {others:>8.3f} {ratio:>7,.0f}x {_met(ratio >= FIT_GOAL):<8}"
            f" {spread:>9.1e} {_met(spread <= SAME)}",
            flush=True,
        )


def _relation(found: float, theirs: float) -> str:
    if abs(found / theirs - 1.0) <= SAME:
        return "same"
    return "lower" if found < theirs else "HIGHER"


def spread_of_starts(problem: Problem, n_components: int) -> float:
    """Return how far apart, relatively, ten random starts end."""
    direct = problem.direct()
    omegas = [
        direct(our_fit(problem, n_components, init="random", random_state=seed).components_.T)
        for seed in range(10)
    ]
    return max(omegas) / min(omegas) - 1.0


def single_components(problems: Sequence[Problem], starts: int) -> None:
    """Print Ω of one component, where there are many minima, and the best of random starts."""
    print(
        f"\nOne component: Ω beside the best of {starts} random directions, each descended with "
        f"L-BFGS on our criterion; goal within {NEAR:.1%}\n"
        f"  {'':<20} {'Ω':>12} {'theirs':>12} {'more':>8} {'goal':<7} {'CPU s':>8} {'theirs':>8}"
    )
    for problem in problems:
        direct = problem.direct()
        begin = time.process_time()
        found = direct(our_fit(problem, 1, random_state=0).components_.T)
        between = time.process_time()
        best = best_of_random(problem.criterion(1), starts)
        end = time.process_time()
        more = found / best - 1.0
        verdict = _met(more <= NEAR)
        print(
            f"  {problem.name:<20} {found:>12.7f} {best:>12.7f} {more:>8.3%} {verdict:<7}"
            f" {between - begin:>8.3f} {end - between:>8.3f}",
            flush=True,
        )


def best_of_random(criterion: LinearCriterion, starts: int) -> float:
    """Return the smallest Ω that descents from random directions in whitened space end at."""
    whiten = np.linalg.inv(np.linalg.cholesky(criterion.covariance.mean(axis=0))).T
    n_features = len(whiten)

    def log_omega(x: Floats) -> tuple[float, Floats]:
        value, gradient = criterion.value_and_gradient(whiten @ x[:, None])
        return value, (whiten.T @ gradient).ravel()

    directions = np.random.default_rng(0).normal(size=(starts, n_features))
    lowest = min(
        minimize(log_omega, each, jac=True, method="L-BFGS-B").fun
        for each in directions / np.linalg.norm(directions, axis=1, keepdims=True)
    )
    return float(np.exp(lowest))


def run(options: argparse.Namespace) -> None:
    """Print the tables."""
    with threadpool_limits(1):
        if options.only in "evaluations":
            evaluations(options.rows, options.rounds)
        if options.only in "populations":
            populations(options.rounds)
        if options.only in "fits":
            fits(list(real(options.sets)), options.searches, options.iterations)
        if options.only in "single components":
            sets = [each for each in ONE_COMPONENT if not options.sets or each in options.sets]
            single_components(list(real(sets)), options.starts)
