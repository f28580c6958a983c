"""Where a metric ends, so that a search can stop there."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.base import is_classifier
from sklearn.metrics import check_scoring, get_scorer, get_scorer_names

__all__ = ["make_scorer", "maximum_score"]

_UNBOUNDED = {"mutual_info_score", "positive_likelihood_ratio"}


def make_scorer(estimator: Any, scoring: Any) -> Any:
    """Return the scorer for ``scoring``; None means accuracy for classifiers and R² otherwise.

    Raises
    ------
    ValueError
        When scikit-learn knows no such metric.
    """
    if scoring is None:
        scoring = "accuracy" if is_classifier(estimator) else "r2"
    return check_scoring(estimator, scoring=scoring)


def maximum_score(scorer: Any) -> float:
    """Return the highest value of a metric that scikit-learn knows by name, else infinity.

    Parameters
    ----------
    scorer : callable
        Compared by metric and sign with the named scorers, whose errors end at 0 and whose
        shares and coefficients end at 1.
    """
    if getattr(scorer, "_kwargs", {}).get("normalize") is False:
        return np.inf  # a count instead of a share
    function = getattr(scorer, "_score_func", None)
    sign = getattr(scorer, "_sign", None)
    for name in get_scorer_names():
        known = get_scorer(name)
        if known._score_func is function and known._sign == sign and name not in _UNBOUNDED:
            return 0.0 if sign < 0 else 1.0
    return np.inf
