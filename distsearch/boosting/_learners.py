"""Learners bound to rows: one function after another from draws of the same rows."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from copy import copy
from functools import cached_property
from numbers import Integral
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray
from sklearn import config_context
from sklearn.base import BaseEstimator, clone
from sklearn.dummy import DummyClassifier
from sklearn.tree import DecisionTreeClassifier
from sklearn.utils.validation import has_fit_parameter

from distsearch.boosting._presorted import PresortedColumns
from distsearch.boosting._rows import Rows, take
from distsearch.boosting._stump import DecisionStumpClassifier
from distsearch.errors import InvalidInputError

__all__ = ["Learner", "Sample", "bind", "codes_of", "quickly"]

Codes = NDArray[np.intp]

_LARGEST = float(np.finfo(np.float32).max)

_JUST_BELOW_1 = 1 - 1e-12


class Learner(Protocol):
    """What fits functions to draws of the rows it is bound to."""

    def fit(self, counts: Codes, seed: int) -> Any:
        """Return an estimator fitted to so many copies of each row."""

    def fit_weighted(self, seed: int) -> Any:
        """Return an estimator fitted to all rows with their weights."""

    def codes(self, function: Any) -> Codes:
        """Return the class that a function gives to each row."""


class Sample:
    """Rows to predict, in the forms that functions ask for.

    Parameters
    ----------
    X : ndarray or DataFrame of shape (n_rows, n_features)
        Rows.
    """

    def __init__(self, X: Any) -> None:
        self.X = X

    def __len__(self) -> int:
        return len(self.X)

    @cached_property
    def single(self) -> NDArray[np.float32] | None:
        """The rows in single precision, which trees work in; None where they do not fit."""
        if not isinstance(self.X, np.ndarray) or (np.abs(self.X) > _LARGEST).any():
            return None
        return np.ascontiguousarray(self.X, dtype=np.float32)

    def only(self, rows: Codes) -> Sample:
        """Return some of the rows."""
        some = Sample(take(self.X, rows))
        if self.__dict__.get("single") is not None:
            some.__dict__["single"] = self.single[rows]  # type: ignore[index]
        return some


def bind(estimator: BaseEstimator, rows: Rows) -> Learner:
    """Return the fastest learner for an estimator; all give what the estimator alone would give.

    Parameters
    ----------
    estimator : estimator
        Any classifier; it is cloned for each function.
    rows : Rows
        What it is fitted to.
    """
    if type(estimator) is DecisionStumpClassifier and isinstance(rows.X, np.ndarray):
        return _Stumps(estimator, rows)
    plain = isinstance(rows.X, np.ndarray) and bool((np.abs(rows.X) <= _LARGEST).all())
    if isinstance(estimator, DecisionTreeClassifier) and plain:
        return _Trees(estimator, rows)
    return _Copies(estimator, rows)


def codes_of(function: Any, sample: Sample, classes: NDArray[Any]) -> Codes:
    """Return the class that a function gives to each row.

    Parameters
    ----------
    function : estimator
        A fitted classifier.
    sample : Sample
        Rows.
    classes : ndarray of shape (n_classes,)
        All labels.
    """
    if isinstance(function, DummyClassifier):
        return np.full(len(sample), _positions(function, classes)[0])
    if isinstance(function, DecisionStumpClassifier) and isinstance(sample.X, np.ndarray):
        return _positions(function, classes)[function.codes_of(sample.X)]
    if isinstance(function, DecisionTreeClassifier) and sample.single is not None:
        return _leaves(function, sample.single, classes)
    return _positions_of(_answers(function, sample), classes)


@contextmanager
def quickly() -> Iterator[None]:
    """Leave out checks that scikit-learn repeats in every fit; parameters were checked before."""
    with config_context(skip_parameter_validation=True):
        yield


class _Copies:
    """Any classifier, fitted to copies of rows."""

    def __init__(self, estimator: BaseEstimator, rows: Rows) -> None:
        self.estimator, self.rows = estimator, rows
        self.sample, self.labels = Sample(rows.X), rows.labels

    def fit(self, counts: Codes, seed: int) -> Any:
        """Return an estimator fitted to so many copies of each row."""
        drawn = np.repeat(np.arange(len(counts)), counts)
        codes = self.rows.codes[drawn]
        if (codes == codes[0]).all():
            return self._constant(drawn[:1])
        return seeded(self.estimator, seed).fit(take(self.rows.X, drawn), self.labels[drawn])

    def fit_weighted(self, seed: int) -> Any:
        """Return an estimator fitted to all rows with their weights.

        Rows are drawn for one that takes no weights.
        """
        codes, weight = self.rows.codes, self.rows.weight
        if (codes == codes[0]).all():
            return self._constant(np.zeros(1, dtype=np.intp))
        if has_fit_parameter(self.estimator, "sample_weight"):
            function = seeded(self.estimator, seed)
            return function.fit(self.rows.X, self.labels, sample_weight=weight)
        rng = np.random.default_rng(seed)
        return self.fit(rng.multinomial(self.rows.draws, weight / weight.sum()), seed)

    def codes(self, function: Any) -> Codes:
        """Return the class that a function gives to each row."""
        return codes_of(function, self.sample, self.rows.classes)

    def _constant(self, row: Codes) -> Any:
        function = DummyClassifier(strategy="most_frequent")
        return function.fit(take(self.rows.X, row), self.labels[row])


class _Trees(_Copies):
    """Trees of scikit-learn, without the checks of each fit.

    Where that gives the same tree, rows are weighted by their copies instead of copied: then the
    smallest leaf is one by weight. Only ``tree_.n_node_samples`` shows it.
    """

    def __init__(self, estimator: BaseEstimator, rows: Rows) -> None:
        super().__init__(estimator, rows)
        self.template: Any = clone(estimator)
        self.single: Any = self.sample.single

    def fit(self, counts: Codes, seed: int) -> Any:
        """Return a tree fitted to so many copies of each row."""
        drawn = np.flatnonzero(counts)
        codes = self.rows.codes[drawn]
        if (codes == codes[0]).all():
            return self._constant(drawn[:1])
        tree = copy(self.template)
        tree.random_state = seed
        if not self._weighable(int(counts.sum())):
            drawn = np.repeat(drawn, counts[drawn])
            return tree.fit(self.single[drawn], self.labels[drawn], check_input=False)
        leaf = tree.min_samples_leaf
        tree.min_samples_leaf = 1
        tree.min_weight_fraction_leaf = leaf * _JUST_BELOW_1 / counts.sum() if leaf > 1 else 0.0
        weight = counts[drawn].astype(np.float64)
        tree.fit(self.single[drawn], self.labels[drawn], weight, check_input=False)
        tree.min_samples_leaf, tree.min_weight_fraction_leaf = leaf, 0.0
        return tree

    def _weighable(self, n_copies: int) -> bool:
        tree = self.template
        leaf = tree.min_samples_leaf
        return (
            isinstance(leaf, Integral)
            and 2 * int(leaf) <= n_copies
            and isinstance(tree.min_samples_split, Integral)
            and tree.min_samples_split == 2
            and tree.min_weight_fraction_leaf == 0
            and tree.class_weight is None
            and tree.splitter == "best"
        )


class _Stumps(_Copies):
    """Stumps on columns that are sorted once."""

    def __init__(self, estimator: BaseEstimator, rows: Rows) -> None:
        super().__init__(estimator, rows)
        self.columns = PresortedColumns(rows.X, rows.codes, len(rows.classes))

    def fit(self, counts: Codes, seed: int) -> Any:  # noqa: ARG002
        """Return a stump fitted to so many copies of each row."""
        return self._stump(counts)

    def fit_weighted(self, seed: int) -> Any:  # noqa: ARG002
        """Return a stump fitted to all rows with their weights."""
        return self._stump(self.rows.weight)

    def _stump(self, weight: Any) -> DecisionStumpClassifier:
        return DecisionStumpClassifier().set_split(self.columns.split(weight), self.rows.classes)


def seeded(estimator: Any, seed: int) -> Any:
    """Return a clone whose every ``random_state`` comes from a seed."""
    copy = clone(estimator)
    names = [
        name
        for name in copy.get_params(deep=True)
        if name == "random_state" or name.endswith("__random_state")
    ]
    return copy.set_params(**dict.fromkeys(sorted(names), seed))


def _answers(function: Any, sample: Sample) -> NDArray[Any]:
    """Return the labels that a function gives, which must be labels."""
    answers = np.asarray(function.predict(sample.X))
    if answers.shape != (len(sample),) or not np.isin(answers, function.classes_).all():
        raise InvalidInputError(
            f"The predict of a learner must give one of its classes_ for each row. "
            f"{type(function).__name__} gave {answers!r:.200} for {len(sample)} rows."
        )
    return answers


def _leaves(tree: Any, X: NDArray[np.float32], classes: NDArray[Any]) -> Codes:
    inner = tree.tree_
    answers = _positions(tree, classes)[np.argmax(inner.value[:, 0, :], axis=1)]
    codes: Codes = answers[inner.apply(X)]
    return codes


def _positions(function: Any, classes: NDArray[Any]) -> Codes:
    return _positions_of(function.classes_, classes)


def _positions_of(labels: Any, classes: NDArray[Any]) -> Codes:
    positions: Codes = np.searchsorted(classes, labels)
    return positions
