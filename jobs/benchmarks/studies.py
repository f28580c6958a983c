"""Studies to measure sweeps with, and ways to run them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pandas as pd
from sklearn.datasets import make_classification
from sklearn.model_selection import RepeatedStratifiedKFold

from distsearch.backends import Backend, Outcome
from distsearch.sweep import Plan, make_plan, run_plan
from distsearch.sweep._unit import run_unit
from distsearch.sweep.spec import Data, Protocol, Setting, Spec
from distsearch.sweep.store import StoreReader

__all__ = ["FOLDS", "in_new_store", "make_spec", "make_splits", "spinning_study", "without_store"]

FOLDS = 5


def make_spec(
    folder: str, X: Any, y: Any, name: str, method: str, settings: Iterable[Mapping[str, Any]]
) -> Spec:
    """Write the data as a file, and return a study of one estimator with these settings on it."""
    file = Path(folder) / "data.csv"
    frame = pd.DataFrame(X, columns=[f"x{place}" for place in range(X.shape[1])])
    frame.assign(target=y).to_csv(file, index=False)
    return Spec(
        study="benchmark",
        data=(Data(label="data", source=str(file), target="target"),),
        estimators=tuple(
            Setting(label=f"setting {place}", entry="all", name=name, params=each, varied=each)
            for place, each in enumerate(settings)
        ),
        methods=(Setting(label=method, entry=method, name=method),),
        protocol=Protocol(folds=FOLDS),
        trust=("benchmarks",),
        path=file.with_suffix(".toml"),
    )


def make_splits(X: Any, y: Any) -> list[tuple[Any, Any]]:
    """Return the splits that the study has."""
    splitter = RepeatedStratifiedKFold(n_splits=FOLDS, n_repeats=1, random_state=0)
    return list(splitter.split(X, y))


def spinning_study(folder: str, n_units: int, seconds: float) -> tuple[Spec, Any, Any]:
    """Return a study of units whose fit takes that long, and its data."""
    X, y = make_classification(100, 5, random_state=0)
    settings = [{"seconds": seconds, "number": n} for n in range(max(1, n_units // FOLDS))]
    return make_spec(folder, X, y, "benchmarks.tiny:Spin", "plain", settings), X, y


def in_new_store(plan: Plan | Spec, backend: Backend) -> pd.DataFrame:
    """Plan a study if it is not planned yet, run it into a new store and read the results."""
    if isinstance(plan, Spec):
        plan = make_plan(plan)
    with TemporaryDirectory() as folder:
        store = Path(folder) / "results.sqlite"
        run_plan(plan, store, backend=backend)
        reader = StoreReader(store)
        return reader.results(reader.study())


def without_store(plan: Plan, backend: Backend) -> Iterator[Outcome]:
    """Run the units of a plan and keep nothing."""
    units = [plan.unit(position) for position in range(len(plan.study.units))]
    with backend.share(plan.work) as shared:
        yield from backend.run(run_unit, units, shared)
