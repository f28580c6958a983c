"""What a unit chooses by itself: values of an estimator's parameters, from its training rows.

The candidates are cross-validated whole, with everything that prepares the features: within each
fold, missing values are filled, categories encoded and features scaled from the rows that the fold
trains on. The rows that the unit is scored on have no part in it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import is_classifier
from sklearn.model_selection import GridSearchCV, KFold, StratifiedKFold
from sklearn.pipeline import Pipeline

from distsearch._wording import count
from distsearch.sweep._data import StudyData
from distsearch.sweep.spec import Tuning

__all__ = ["Choice", "choose", "lacking_rows"]


@dataclass(frozen=True)
class Choice:
    """The values that a unit goes on with.

    Parameters
    ----------
    values : mapping of str to object
        By parameter of the estimator.
    score : float
        Their mean score over the folds.
    """

    values: Mapping[str, Any]
    score: float


def choose(
    tuning: Tuning,
    estimator: Any,
    model: Any,
    transformer: Any,
    X: NDArray[Any],
    y: NDArray[Any],
    seed: int,
) -> Choice:
    """Choose the values with the best mean score over the folds; of equal ones the first.

    Parameters
    ----------
    tuning : Tuning
        What to choose from.
    estimator : estimator
        The one whose parameters they are, not fitted; `model` or somewhere inside it.
    model : estimator
        What is fitted on prepared features.
    transformer : transformer or None
        What prepares them, not fitted.
    X : ndarray of shape (n_samples, n_features)
        The training rows, not prepared.
    y : ndarray of shape (n_samples,)
        Their target.
    seed : int
        Draws the folds.

    Returns
    -------
    Choice
        By the score of the model itself: accuracy, or R² for numbers.
    """
    folds = (StratifiedKFold if is_classifier(estimator) else KFold)(
        tuning.folds, shuffle=True, random_state=seed
    )
    whole = Pipeline([("prepare", transformer or "passthrough"), ("model", model)])
    prefix = _prefix(whole, estimator)
    candidates = tuning.combinations()
    # One grid a candidate: a single grid would be gone through in the order of its sorted names.
    grids = [
        {f"{prefix}{key}": [value] for key, value in candidate.items()} for candidate in candidates
    ]
    search = GridSearchCV(whole, grids, cv=folds, refit=False, n_jobs=None, error_score="raise")
    search.fit(X, y)
    return Choice(candidates[search.best_index_], float(search.best_score_))


def _prefix(whole: Any, estimator: Any) -> str:
    """Return what comes before the name of an estimator's parameter inside of another's."""
    return next(
        f"{name}__" for name, value in whole.get_params(deep=True).items() if value is estimator
    )


def lacking_rows(tuning: Tuning, data: StudyData) -> str | None:
    """Say why a data set has too few training rows for the folds; None if it has enough.

    Parameters
    ----------
    tuning : Tuning
        What is tuned.
    data : StudyData
        The data set, with its splits.
    """
    of = "" if data.n_classes is None else " of the class with the most"
    fewest = min(_most(data.y[split.train], data.n_classes) for split in data.splits)
    if fewest >= tuning.folds:
        return None
    return (
        f"tune_cv must be at most the {count(fewest, 'row')}{of} in a training part of "
        f"{data.label}. Got {tuning.folds} instead. Use fewer folds, or split the data otherwise."
    )


def _most(y: NDArray[Any], n_classes: int | None) -> int:
    return len(y) if n_classes is None else int(np.unique(y, return_counts=True)[1].max())
