"""A study of twenty short units, and an estimator that leaves a trace of every fit."""

from __future__ import annotations

import os
import signal
import time
from pathlib import Path

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin

from distsearch.sweep import export_table, make_plan
from distsearch.sweep.spec import Data, Limits, Protocol, Setting, Spec
from distsearch.sweep.store import StoreReader

TRACE = "CHAOS_TRACE"
"""The environment variable that names the file that every fit adds a line to."""

KILL = "CHAOS_KILL"
"""The one that names a file; the first fit that finds it removes it and dies."""

SECONDS = "CHAOS_SECONDS"
"""The one that says how long a fit takes."""


class Traced(ClassifierMixin, BaseEstimator):
    """Says the class of the nearest mean, a little at random."""

    def __init__(self, fails=False, random_state=None):
        self.fails = fails
        self.random_state = random_state

    def fit(self, X, y):
        if TRACE in os.environ:
            with open(os.environ[TRACE], "a") as file:  # a short line is written in one piece
                file.write(f"{self.random_state}\n")
        time.sleep(float(os.environ.get(SECONDS, "0")))
        self._die_once()
        if self.fails:
            raise ValueError(f"no luck with {len(X)} rows")
        self.classes_ = np.unique(y)
        means = np.array([X[y == label].mean(axis=0) for label in self.classes_])
        own = np.random.RandomState(self.random_state).normal(0, 0.3, means.shape)
        self.means_ = means + own + np.random.normal(0, 0.1)
        return self

    def _die_once(self):
        if KILL in os.environ:
            try:
                os.unlink(os.environ[KILL])
            except FileNotFoundError:
                return
            os.kill(os.getpid(), signal.SIGKILL)

    def predict(self, X):
        distances = np.linalg.norm(X[:, np.newaxis] - self.means_, axis=2)
        return self.classes_[np.argmin(distances, axis=1)]


def make_spec(repeats: int = 2, **more: object) -> Spec:
    """Return a study of two methods on ten splits."""
    name = "chaos.studies:Traced"
    return Spec(
        study="twenty",
        seed=7,
        data=(Data(label="iris", source="iris"),),
        estimators=(Setting(label="traced", entry="traced", name=name),),
        methods=(
            Setting(label="plain", entry="plain", name="plain"),
            Setting(label="standardize", entry="standardize", name="standardize"),
        ),
        protocol=Protocol(folds=5, repeats=repeats),
        scorers=("accuracy", "f1_macro"),
        trust=("chaos",),
        path=Path("twenty.toml"),
        **{"limits": Limits(), **more},
    )


def make_tests_plan(**more: object):
    return make_plan(make_spec(**more))


def table(store: Path) -> str:
    """Return the exported table of a store."""
    reader = StoreReader(store)
    study = reader.study()
    return export_table(study, reader.results(study)).to_csv(index=False)


def fits(trace: Path) -> list[str]:
    """Return the seeds of the fits that were begun."""
    return trace.read_text().splitlines() if trace.exists() else []
