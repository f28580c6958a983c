"""The score without a map, which the search has to beat."""

from __future__ import annotations

import math
import warnings
from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.metrics import check_scoring
from sklearn.model_selection import cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from distsearch.backends import single_threaded
from distsearch.boxcox import BoxCoxSearchCV
from distsearch.cli._categories import in_place
from distsearch.errors import DistsearchWarning

__all__ = ["base_score"]


def base_score(search: BoxCoxSearchCV, X: Any, y: Any) -> float:
    """Score the estimator on standardised numbers by the metric and the splits of the search.

    NaN where that fails: the search has succeeded, and its result is worth more than this.

    Parameters
    ----------
    search : BoxCoxSearchCV
        Fitted, or about to be.
    X, y : array-like
        What it is fitted on.
    """
    scaler: Any = StandardScaler()
    if search.passthrough:
        scaler = in_place(X.shape[1], search.passthrough, "passthrough", scaler)
    model = make_pipeline(scaler, clone(search.estimator))
    scorer = check_scoring(model, scoring=search.scoring)
    try:
        with single_threaded():
            if search.cv == "resubstitution":
                return float(scorer(model.fit(X, y), X, y))
            scores = cross_val_score(model, X, y, cv=search.cv, scoring=scorer, error_score="raise")
            return float(np.mean(scores))
    except Exception as error:  # whatever an estimator or a metric raises
        warnings.warn(
            f"There is no score without a map: {type(error).__name__}: {error}",
            DistsearchWarning,
            stacklevel=2,
        )
        return math.nan
