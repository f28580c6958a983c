"""Estimators that no Box-Cox map can change."""

from __future__ import annotations

import warnings
from typing import Any

from sklearn import ensemble, tree
from sklearn.pipeline import Pipeline

from distsearch.errors import DistsearchWarning

__all__ = ["is_monotone_invariant", "warn_if_invariant"]

_TREES = (
    tree.DecisionTreeClassifier,
    tree.DecisionTreeRegressor,
    ensemble.RandomForestClassifier,
    ensemble.RandomForestRegressor,
    ensemble.GradientBoostingClassifier,
    ensemble.GradientBoostingRegressor,
    ensemble.HistGradientBoostingClassifier,
    ensemble.HistGradientBoostingRegressor,
)
_DRAWS_THRESHOLDS = (tree.ExtraTreeClassifier, tree.ExtraTreeRegressor)
"""Draw thresholds uniformly between two values, and so see more than their order."""
_OF_TREES_BY_DEFAULT = (
    ensemble.AdaBoostClassifier,
    ensemble.AdaBoostRegressor,
    ensemble.BaggingClassifier,
    ensemble.BaggingRegressor,
)


def is_monotone_invariant(estimator: Any) -> bool:
    """Say whether the estimator sees only the order of each feature's values.

    Parameters
    ----------
    estimator : estimator
        Trees and their ensembles are, unless they draw their thresholds at random, and a pipeline
        that holds one of them alone.
    """
    if isinstance(estimator, Pipeline):
        return len(estimator.steps) == 1 and is_monotone_invariant(estimator.steps[0][1])
    if isinstance(estimator, _OF_TREES_BY_DEFAULT):
        return estimator.estimator is None or is_monotone_invariant(estimator.estimator)
    if isinstance(estimator, _DRAWS_THRESHOLDS) or getattr(estimator, "splitter", "") == "random":
        return False
    return isinstance(estimator, _TREES)


def warn_if_invariant(estimator: Any) -> None:
    """Warn that searching λ for such an estimator is pointless."""
    if is_monotone_invariant(estimator):
        warnings.warn(
            f"{type(estimator).__name__} splits on the order of each feature's values, which no "
            f"Box-Cox map changes: a search can only move thresholds between neighbouring values.",
            DistsearchWarning,
            stacklevel=3,
        )
