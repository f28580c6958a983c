"""One unit of a study: prepare the features, fit the model on the training rows, score it."""

from __future__ import annotations

import json
import math
import time
import warnings
from collections import Counter, OrderedDict
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone

from distsearch.backends import Backend, Unit, time_limit
from distsearch.sweep._categories import chain
from distsearch.sweep._data import StudyData
from distsearch.sweep._methods import get_method
from distsearch.sweep._scorers import Part, measure
from distsearch.sweep._tuning import choose
from distsearch.sweep.spec import Tuning
from distsearch.sweep.store._values import to_json

__all__ = ["Answer", "Work", "fanning_out", "has_backend", "preparation", "run_unit"]

_MOST_PARTS = 8
_MOST_BYTES = 256 * 2**20


@dataclass(frozen=True)
class Work:
    """What the units of a study have in common; handed to every worker once.

    Parameters
    ----------
    data : tuple of StudyData
        The data sets.
    estimators : tuple of estimator
        Not fitted.
    methods : tuple of (str, mapping)
        Names and parameters.
    scorers : tuple of str
        Names of the metrics.
    unit_seconds : float or None
        Time for a unit.
    tunings : tuple of (Tuning or None)
        What each estimator tunes.
    """

    data: tuple[StudyData, ...]
    estimators: tuple[Any, ...]
    methods: tuple[tuple[str, Mapping[str, Any]], ...]
    scorers: tuple[str, ...]
    unit_seconds: float | None
    tunings: tuple[Tuning | None, ...]


@dataclass(frozen=True)
class Answer:
    """What a unit found."""

    scores: dict[str, float]
    facts: dict[str, Any]
    fit_seconds: float
    predict_seconds: float


_backend: ContextVar[str | Backend] = ContextVar("distsearch_sweep_backend", default="serial")


@contextmanager
def fanning_out(backend: Backend) -> Iterator[None]:
    """Let the models fitted inside the block use ``backend`` for work of their own."""
    token = _backend.set(backend)
    try:
        yield
    finally:
        _backend.reset(token)


def has_backend(estimator: Any) -> bool:
    """Say whether an estimator can hand work of its own to a backend, and was given none."""
    given: Any = estimator.get_params(deep=False).get("backend")
    return isinstance(given, str) and given == "serial"


def run_unit(unit: Unit, work: Work) -> Answer:
    """Fit and score one model.

    Parameters
    ----------
    unit : Unit
        Its payload has the places of the data set, of the split, of the estimator and of the
        method.
    work : Work
        What they are.

    Raises
    ------
    UnitTimeoutError
        When it takes too long.
    """
    with time_limit(work.unit_seconds), warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        answer = _fit_and_score(unit, work)
    tally = Counter(each.category.__name__ for each in caught)
    if tally:
        answer.facts["warnings"] = dict(sorted(tally.items()))
    return answer


def _fit_and_score(unit: Unit, work: Work) -> Answer:
    data, split, place, method = unit.payload
    name, params = work.methods[method]
    start = time.perf_counter()
    part = _part(work.data[data], split, name, params)
    prepared = time.perf_counter() - start
    estimator, seed = _estimator(unit, work.estimators[place])
    backend, categories = _backend.get(), work.data[data].categories
    model = get_method(name).make(estimator, params, seed, backend, categories)
    start = time.perf_counter()
    facts = {}
    tuning = work.tunings[place]
    if tuning is not None:
        facts = _tune(tuning, estimator, model, seed, unit, work)
    model.fit(part.X_train, part.y_train)
    fit_seconds = prepared + time.perf_counter() - start
    measured = measure(model, work.scorers, part)
    times = {"fit_seconds": fit_seconds, "predict_seconds": measured.seconds}
    scores = {name: {**times, **measured.scores}[name] for name in work.scorers}
    facts |= _facts(model)
    if measured.undefined:
        facts["undefined"] = measured.undefined
    return Answer(scores, facts, fit_seconds, measured.seconds)


def _estimator(unit: Unit, estimator: Any) -> tuple[Any, int]:
    """Return the estimator to fit, and the unit's seed, which takes the place of a missing one."""
    assert unit.seed is not None
    seed = int(unit.seed.generate_state(1)[0])
    estimator = clone(estimator)
    if estimator.get_params(deep=False).get("random_state", seed) is None:
        estimator.set_params(random_state=seed)
    if has_backend(estimator):
        estimator.set_params(backend=_backend.get())
    return estimator, seed


def _tune(
    tuning: Tuning, estimator: Any, model: Any, seed: int, unit: Unit, work: Work
) -> dict[str, Any]:
    """Give an estimator within a model the values that are best on the training rows."""
    data, split, _, method = unit.payload
    table = work.data[data]
    train = table.splits[split].train
    transformer = preparation(table, *work.methods[method])
    choice = choose(tuning, estimator, model, transformer, table.X[train], table.y[train], seed)
    estimator.set_params(**choice.values)
    score = choice.score if math.isfinite(choice.score) else None
    return {"tuned": dict(choice.values), "tuning_score": score}


def _facts(model: Any) -> dict[str, Any]:
    """Return what a search found, and what a model offers in ``fit_facts_``, plain values."""
    facts: dict[str, Any] = {}
    offered = getattr(model, "fit_facts_", None)
    if offered is not None:
        facts["model"] = json.loads(to_json(dict(offered)))  # what JSON lacks fails here alone
    if hasattr(model, "lambdas_"):
        facts["lambdas"] = [float(each) for each in model.lambdas_]
        facts["evaluations"] = int(model.n_evaluations_)
        best = float(model.best_score_)
        facts["search_score"] = best if math.isfinite(best) else None
    return facts


_parts: OrderedDict[tuple[str, ...], Part] = OrderedDict()
"""The parts used last. Units that follow each other often have theirs in common."""


def _part(data: StudyData, split: int, method: str, params: Mapping[str, Any]) -> Part:
    transformer = preparation(data, method, params)
    rows = data.splits[split]
    how: list[Any] = [data.impute, method, params]
    if data.categories is not None:  # these, and the target, which data.hash covers
        how += [data.encoding, data.seed]
    key = (
        data.hash,
        rows.hash,
        "" if transformer is None else json.dumps(how, sort_keys=True, default=repr),
    )
    part = _parts.get(key)
    if part is None:
        part = _parts[key] = _prepare(data, rows.train, rows.test, transformer)
    _parts.move_to_end(key)
    _forget()
    return part


def preparation(data: StudyData, method: str, params: Mapping[str, Any]) -> Any:
    """Return what each training part is prepared with; None if with nothing.

    Parameters
    ----------
    data : StudyData
        The data set.
    method : str
        The method's name.
    params : mapping of str to object
        Its parameters.
    """
    return chain(data.imputer(), get_method(method).prepare(params, data.categories))


def _prepare(
    data: StudyData, train: NDArray[np.int64], test: NDArray[np.int64], transformer: Any
) -> Part:
    X_train, X_test, y_train = data.X[train], data.X[test], data.y[train]
    if transformer is not None:
        X_train = transformer.fit_transform(X_train, y_train)
        X_test = transformer.transform(X_test)
    part = Part(X_train, y_train, X_test, data.y[test])
    for array in (part.X_train, part.y_train, part.X_test, part.y_test):
        array.setflags(write=False)  # the next unit gets the same
    return part


def _forget() -> None:
    def held() -> int:
        return sum(each.X_train.nbytes + each.X_test.nbytes for each in _parts.values())

    while len(_parts) > 1 and (len(_parts) > _MOST_PARTS or held() > _MOST_BYTES):
        _parts.popitem(last=False)
