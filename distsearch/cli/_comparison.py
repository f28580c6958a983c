"""An estimator on plain features against the same on features mapped in several ways.

A unit of work is one method on one split. Inside it everything is serial, and the λ are searched
on the training rows by their own score, as in the paper; the test rows are only for the score
that is reported.
"""

from __future__ import annotations

import time
import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.model_selection import RepeatedStratifiedKFold
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from distsearch.backends import Backend, Unit
from distsearch.boxcox import MLE, BoxCoxSearchCV, DiagonalGrid, IterativeGrid, SphericalGrid
from distsearch.search import Progress, report

__all__ = ["BASE", "METHODS", "Comparison", "compare", "make_search"]

BASE = "base"
METHODS: dict[str, Any] = {
    "mle": MLE(),
    "spherical": SphericalGrid(),
    "diagonal": DiagonalGrid(),
    "iterative": IterativeGrid(epochs=2),
}
"""The strategies compared, by name."""


@dataclass(frozen=True)
class Comparison:
    """The results of one method, a value a split.

    Parameters
    ----------
    method : str
        "base", or a name in `METHODS`.
    scores : ndarray of shape (n_splits,)
        Accuracy on the test rows.
    evaluations : ndarray of int of shape (n_splits,)
        λ vectors scored on the training rows.
    seconds : float
        Time of all splits together.
    """

    method: str
    scores: NDArray[np.float64]
    evaluations: NDArray[np.int64]
    seconds: float


def make_search(estimator: Any, method: str, seed: int, backend: str | Backend = "serial") -> Any:
    """Return the search for a method, or the estimator on standardised features."""
    if method == BASE:
        return make_pipeline(StandardScaler(), clone(estimator))
    return BoxCoxSearchCV(
        estimator,
        clone(METHODS[method]),
        cv="resubstitution",
        random_state=seed,
        backend=backend,
    )


def compare(
    estimator: Any,
    X: Any,
    y: NDArray[Any],
    backend: Backend,
    *,
    folds: int = 5,
    repeats: int = 2,
    seed: int = 0,
) -> list[Comparison]:
    """Compare the estimator alone with every method under repeated stratified cross-validation.

    Parameters
    ----------
    estimator : estimator
        A classifier.
    X : array-like of shape (n_samples, n_features)
        Rows.
    y : ndarray of shape (n_samples,)
        Labels.
    backend : Backend
        Where the units run; the scores do not depend on it.
    folds, repeats : int
        Folds, and how often they are drawn anew.
    seed : int
        Seed of the splits and of the searches.

    Returns
    -------
    list of Comparison
        The estimator alone first. All methods meet the same splits.
    """
    drawn = RepeatedStratifiedKFold(n_splits=folds, n_repeats=repeats, random_state=seed)
    splits = list(drawn.split(X, y))
    methods = [BASE, *METHODS]
    # The longest first: then no worker is left with one at the end.
    work = [(method, place) for method in reversed(methods) for place in range(len(splits))]
    units = [Unit(each, name=f"{each[0]}, split {each[1]}") for each in work]
    found: dict[tuple[str, int], tuple[float, int, float]] = {}
    with backend.share((estimator, np.asarray(X), y, splits, seed)) as shared:
        for outcome in backend.run(_run_unit, units, shared, fail_fast=True):
            found[work[outcome.index]] = outcome.unwrap()
            done = len(found)
            report(Progress("Comparison", done, len(units), np.nan, finished=done == len(units)))
    return [_gather(method, [found[method, place] for place in range(len(splits))])
            for method in methods]  # fmt: skip


def _run_unit(unit: Unit, shared: Any) -> tuple[float, int, float]:
    method, place = unit.payload
    estimator, X, y, splits, seed = shared
    train, test = splits[place]
    start = time.perf_counter()
    model = make_search(estimator, method, seed)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model.fit(X[train], y[train])
    score = float(np.mean(model.predict(X[test]) == y[test]))
    return score, getattr(model, "n_evaluations_", 0), time.perf_counter() - start


def _gather(method: str, results: Sequence[tuple[float, int, float]]) -> Comparison:
    scores, evaluations, seconds = zip(*results, strict=True)
    return Comparison(method, np.array(scores), np.array(evaluations), sum(seconds))
