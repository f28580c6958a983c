"""The metrics of a study: scikit-learn's by name, and those that need the training rows or a clock.

``balanced_accuracy_ovr`` looks at each class against the rest: the metric is the mean over the
classes of the balanced accuracy on the test rows. A row is claimed for the class when its score
passes a threshold, the one with the highest balanced accuracy on the training rows; with the ending
``_predicted``, when the class is predicted; with ``_signed``, when its score is above 0, or its
probability above a half where there are no scores.
``train_`` before the name of any metric means the rows that the model was fitted on.
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
from distsearch._thresholds import best_threshold
from distsearch.sweep.spec import ON_TRAINING_ROWS

__all__ = ["Measured", "Part", "lacking", "measure"]

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
    of_training = {name: name.removeprefix(ON_TRAINING_ROWS) for name in names}
    of_training = {name: bare for name, bare in of_training.items() if name != bare}
    measured = _measure(model, [name for name in names if name not in of_training], part)
    if of_training:
        same_rows = Part(part.X_train, part.y_train, part.X_train, part.y_train)
        again = _measure(model, list(of_training.values()), same_rows)
        for name, bare in of_training.items():
            measured.scores[name] = again.scores[bare]
            if bare in again.undefined:
                measured.undefined[name] = again.undefined[bare]
    return measured


def _measure(model: Any, names: Sequence[str], part: Part) -> Measured:
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


def _by_threshold(model: Any, part: Part) -> float:
    train, test = _class_scores(model, part.X_train), _class_scores(model, part.X_test)
    claimed = [
        test[:, place] > best_threshold(train[:, place], part.y_train == label)
        for place, label in enumerate(model.classes_)
    ]
    return _mean_balanced_accuracy(model.classes_, part.y_test, claimed)


def _by_prediction(model: Any, part: Part) -> float:
    predicted = model.predict(part.X_test)
    claimed = [predicted == label for label in model.classes_]
    return _mean_balanced_accuracy(model.classes_, part.y_test, claimed)


def _by_sign(model: Any, part: Part) -> float:
    if hasattr(model, "decision_function"):
        claimed = _signed_scores(model, part.X_test) > 0.0
    else:
        claimed = model.predict_proba(part.X_test) > 0.5
    return _mean_balanced_accuracy(model.classes_, part.y_test, list(claimed.T))


def _mean_balanced_accuracy(
    classes: NDArray[Any], actual: NDArray[Any], claimed: Sequence[NDArray[np.bool_]]
) -> float:
    """Return the mean over the classes, given which rows are claimed for each."""
    values = []
    for label, ours in zip(classes, claimed, strict=True):
        is_class = actual == label
        if is_class.all() or not is_class.any():
            raise ValueError(f"the rows are all, or none, of class {label!r}")
        values.append((ours[is_class].mean() + (~ours[~is_class]).mean()) / 2.0)
    return float(np.mean(values))


def _class_scores(model: Any, X: NDArray[Any]) -> NDArray[np.float64]:
    """Return a score a class, higher for rows that are more like it.

    Of three classes or more it is the probability if there is one: a discriminant of
    `decision_function` may tell the classes of one row apart and yet not be comparable between
    rows, as with linear discriminant analysis.
    """
    if hasattr(model, "predict_proba") and (
        len(model.classes_) > 2 or not hasattr(model, "decision_function")
    ):
        probabilities: NDArray[np.float64] = model.predict_proba(X)
        return probabilities
    return _signed_scores(model, X)


def _signed_scores(model: Any, X: NDArray[Any]) -> NDArray[np.float64]:
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
    bare = {name: name.removeprefix(ON_TRAINING_ROWS) for name in names}
    needed: dict[str, tuple[str, ...]] = {
        name: _NEEDS[metric] if metric in _OWN else response_methods(metric)
        for name, metric in bare.items()
        if metric in _OWN or metric in get_scorer_names()
    }
    return {
        name: " or ".join(methods)
        for name, methods in needed.items()
        if not any(hasattr(estimator, method) for method in methods)
    }


_OWN: dict[str, Callable[[Any, Part], float]] = {
    "balanced_accuracy_ovr": _by_threshold,
    "balanced_accuracy_ovr_predicted": _by_prediction,
    "balanced_accuracy_ovr_signed": _by_sign,
}
_NEEDS = {
    "balanced_accuracy_ovr": _OF_CLASSES,
    "balanced_accuracy_ovr_predicted": ("predict",),
    "balanced_accuracy_ovr_signed": _OF_CLASSES,
}
"""Methods of an estimator any of which a metric of our own can work on."""
