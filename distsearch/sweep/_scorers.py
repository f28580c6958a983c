"""The metrics of a study: scikit-learn's by name, and those that need the training rows or a clock.

``balanced_accuracy_ovr`` looks at each class against the rest: a row is claimed for the class when
its score passes a threshold, the one with the highest balanced accuracy on the training rows; the
metric is the mean over the classes of the balanced accuracy on the test rows.
"""

from __future__ import annotations

import time
import traceback
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.metrics import check_scoring, get_scorer, get_scorer_names

from distsearch._sklearn import response_methods

__all__ = ["Measured", "Part", "best_threshold", "lacking", "measure"]

_OF_CLASSES = ("decision_function", "predict_proba")
_TIMES = ("fit_seconds", "predict_seconds")


@dataclass(frozen=True)
class Part:
    """Training and test rows as a model meets them."""

    X_train: NDArray[Any]
    y_train: NDArray[Any]
    X_test: NDArray[Any]
    y_test: NDArray[Any]


@dataclass(frozen=True)
class Measured:
    """The scores of a model, NaN where undefined, and why they are."""

    scores: dict[str, float]
    undefined: dict[str, str]
    seconds: float


def measure(model: Any, names: Sequence[str], part: Part) -> Measured:
    """Score a fitted model on the test rows.

    Parameters
    ----------
    model : estimator
        Fitted.
    names : sequence of str
        The metrics; times are left to the caller.
    part : Part
        The rows.

    Raises
    ------
    Exception
        Whatever the model raises when it cannot predict at all.
    """
    start = time.perf_counter()
    scores: dict[str, float] = {}
    undefined: dict[str, str] = {}
    theirs = [name for name in names if name not in _OWN and name not in _TIMES]
    values = _score(model, theirs, part)
    if theirs and all(isinstance(value, str) for value in values.values()):
        model.predict(part.X_test)  # a model that cannot predict has failed, whatever the metric
    for name, value in values.items():
        _note(name, value, scores, undefined)
    seconds = time.perf_counter() - start
    for name in names:
        if name in _OWN:
            try:
                scores[name] = _OWN[name](model, part)
            except Exception:  # whatever an estimator raises
                _note(name, traceback.format_exc(), scores, undefined)
    return Measured({name: scores[name] for name in names if name in scores}, undefined, seconds)


def _score(model: Any, names: Sequence[str], part: Part) -> dict[str, Any]:
    """Return the values of scikit-learn's metrics, or the tracebacks that are there instead."""
    if not names:
        return {}
    try:
        if len(names) == 1:
            return {names[0]: get_scorer(names[0])(model, part.X_test, part.y_test)}
        values: dict[str, Any] = _together(tuple(names))(model, part.X_test, part.y_test)
    except Exception:
        if len(names) == 1:
            return {names[0]: traceback.format_exc()}
        # Before the first metric: the model lacks what one of them needs.
        return {name: _score(model, [name], part)[name] for name in names}
    return values


@lru_cache(maxsize=16)
def _together(names: tuple[str, ...]) -> Any:
    """Return a scorer of several metrics, which predicts once; making it takes as long as using."""
    return check_scoring(scoring=list(names), raise_exc=False)


def _note(name: str, value: Any, scores: dict[str, float], undefined: dict[str, str]) -> None:
    """Keep a score, or NaN with the last line of the traceback that is there in its place."""
    if isinstance(value, str):
        scores[name] = np.nan
        undefined[name] = value.strip().splitlines()[-1]
        return
    scores[name] = float(value)
    if np.isnan(scores[name]):
        undefined[name] = "the metric has no value on these rows"


def _balanced_accuracy_ovr(model: Any, part: Part) -> float:
    train, test = _class_scores(model, part.X_train), _class_scores(model, part.X_test)
    values = []
    for place, label in enumerate(model.classes_):
        actual = part.y_test == label
        if actual.all() or not actual.any():
            raise ValueError(f"the test rows are all, or none, of class {label!r}")
        threshold = best_threshold(train[:, place], part.y_train == label)
        values.append(_balanced_accuracy(actual, test[:, place] > threshold))
    return float(np.mean(values))


def _class_scores(model: Any, X: NDArray[Any]) -> NDArray[np.float64]:
    """Return a score a class, higher for rows that are more like it."""
    if not hasattr(model, "decision_function"):
        probabilities: NDArray[np.float64] = model.predict_proba(X)
        return probabilities
    scores: NDArray[np.float64] = model.decision_function(X)
    return np.column_stack([-scores, scores]) if scores.ndim == 1 else scores


def lacking(estimator: Any, names: Sequence[str]) -> dict[str, str]:
    """Return the metrics that an estimator lacks a method for, with what it lacks.

    Parameters
    ----------
    estimator : estimator
        Not fitted.
    names : sequence of str
        The metrics; unknown ones are somebody else's to tell.
    """
    needed: dict[str, tuple[str, ...]] = {
        name: _OF_CLASSES if name in _OWN else response_methods(name)
        for name in names
        if name in _OWN or name in get_scorer_names()
    }
    return {
        name: " or ".join(methods)
        for name, methods in needed.items()
        if not any(hasattr(estimator, method) for method in methods)
    }


def best_threshold(scores: NDArray[np.float64], positive: NDArray[np.bool_]) -> float:
    """Return the threshold with the highest balanced accuracy.

    Parameters
    ----------
    scores : ndarray of shape (n_samples,)
        A row is claimed when its score is above the threshold.
    positive : ndarray of bool of shape (n_samples,)
        Which rows are to be claimed.

    Returns
    -------
    float
        Half way between two scores that follow each other, or an infinity; the lowest of equally
        good ones.
    """
    order = np.argsort(scores, kind="stable")
    ranked, hits = scores[order], positive[order]
    below = np.concatenate([[0], np.cumsum(~hits)]) / max(1, int((~hits).sum()))
    above = 1.0 - np.concatenate([[0], np.cumsum(hits)]) / max(1, int(hits.sum()))
    cuts = np.concatenate([[-np.inf], (ranked[1:] + ranked[:-1]) / 2.0, [np.inf]])
    possible = np.concatenate([[True], ranked[1:] > ranked[:-1], [True]])
    quality = np.where(possible, np.round(below + above, 12), -1.0)
    return float(cuts[int(np.argmax(quality))])


def _balanced_accuracy(actual: NDArray[np.bool_], claimed: NDArray[np.bool_]) -> float:
    return float((claimed[actual].mean() + (~claimed[~actual]).mean()) / 2.0)


_OWN: dict[str, Callable[[Any, Part], float]] = {"balanced_accuracy_ovr": _balanced_accuracy_ovr}
