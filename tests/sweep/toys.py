"""Small studies for the tests of sweeps."""

from __future__ import annotations

from pathlib import Path
from typing import Any, ClassVar

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin

from distsearch.sweep.spec import Data, Protocol, Setting, Spec


def setting(label: str, name: str, entry: str = "", **params: Any) -> Setting:
    return Setting(label=label, entry=entry or label, name=name, params=params, varied=params)


IRIS = Data(label="iris", source="iris")
WINE = Data(label="wine", source="wine")
KNN = setting("KNN", "knn", n_neighbors=3)
NB = setting("NB", "nb")
BASE = setting("base", "standardize")
SPHERICAL = setting("spherical", "boxcox", strategy="spherical", gridsize=3, cv=2)


def study(name: str = "toy", **more: Any) -> Spec:
    """Return a study of one estimator and two methods on five folds of iris."""
    parts: dict[str, Any] = {
        "seed": 3,
        "data": (IRIS,),
        "estimators": (KNN,),
        "methods": (BASE, SPHERICAL),
        "protocol": Protocol(folds=5),
        "path": Path("toy.toml"),
        "text": "# toy",
    }
    return Spec(study=name, **{**parts, **more})


class Recorder(ClassifierMixin, BaseEstimator):
    """A classifier that keeps what every fit and every prediction gets to see."""

    seen: ClassVar[list[tuple[str, Any]]] = []

    def fit(self, X: Any, y: Any) -> Any:
        self.seen.append(("fit", np.array(X)))
        self.classes_ = np.unique(y)
        return self

    def predict(self, X: Any) -> Any:
        self.seen.append(("predict", np.array(X)))
        return np.repeat(self.classes_[:1], len(X))


class Tunable(Recorder):
    """One of them with a parameter that makes no difference."""

    def __init__(self, level: int = 0) -> None:
        self.level = level
