"""The work of ``distsearch demo``."""

from __future__ import annotations

import time
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import click
import numpy as np
from sklearn.base import is_classifier

from distsearch.backends import open_backend
from distsearch.cli import _checks, _models
from distsearch.cli._comparison import BASE, Comparison, compare, make_search
from distsearch.cli._console import columns
from distsearch.errors import InvalidInputError
from distsearch.registry import make_estimator
from distsearch.search import LineReporter, reporting
from distsearch.tables import Table, load

__all__ = ["run"]

_DATA = "breast_cancer"


def run(
    output: Path,
    backend: str,
    estimator: str,
    folds: int,
    repeats: int,
    seed: int,
    quiet: bool,
) -> None:
    """Compare, show, and save the best."""
    _checks.check_outputs({"-o": output})
    classifier = make_estimator(estimator, seed=seed)
    if not is_classifier(classifier):
        raise InvalidInputError(f"--estimator {estimator} is no classifier. Choose another.")
    table = load(_DATA)
    start = time.monotonic()
    click.echo(
        f"{_DATA}: {len(table.y)} rows, {table.X.shape[1]} features; {classifier!r}; "
        f"{folds} folds × {repeats}.",
        err=True,
    )
    with (
        nullcontext() if quiet else reporting(LineReporter()),
        open_backend(backend) as place,
    ):
        results = compare(
            classifier, table.X, table.y, place, folds=folds, repeats=repeats, seed=seed
        )
        best = max(results, key=lambda result: float(result.scores.mean()))
        model = make_search(classifier, best.method, seed, place).fit(table.X, table.y)
    _save(output, table, model, best, seed)
    click.echo(
        f"{_table(results)}\n\nBest: {best.method}, fitted on all rows and saved in {output} "
        f"after {time.monotonic() - start:.0f} s. Next:\n"
        f"  distsearch predict {output} {_DATA} -o predictions.csv"
    )


def _table(results: list[Comparison]) -> str:
    base = results[0].scores
    rows = []
    for result in results:
        gain = 100 * (result.scores - base)
        rows.append((
            result.method,
            f"{100 * result.scores.mean():.2f} ± {100 * result.scores.std(ddof=1):.2f}",
            "" if result.method == BASE else f"{gain.mean():+.2f} ± {gain.std(ddof=1):.2f}",
            f"{result.evaluations.sum():,}" if result.evaluations.any() else "",
            f"{result.seconds:.1f}",
        ))  # fmt: skip
    header = ("method", "accuracy %", "gain in points", "λ evaluations", "core seconds")
    return columns(header, rows)


def _save(output: Path, table: Table, model: Any, best: Comparison, seed: int) -> None:
    report = {
        "data": table.source,
        "method": best.method,
        "scoring": "accuracy",
        "impute": "error",
        "score": float(np.mean(best.scores)),
        "seed": seed,
    }
    _models.save(output, getattr(model, "best_estimator_", model), table, report)
