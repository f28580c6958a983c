"""What all boosted classifiers share: reading rows, adding up votes, deciding by them."""

from __future__ import annotations

from abc import ABCMeta, abstractmethod
from collections.abc import Iterator
from numbers import Integral
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray
from scipy.special import softmax
from sklearn.base import BaseEstimator, ClassifierMixin, is_classifier
from sklearn.metrics import accuracy_score
from sklearn.utils.validation import check_is_fitted

from distsearch._sklearn import HasMethods, Interval, StrOptions, check_parameters
from distsearch.backends import single_threaded
from distsearch.boosting._learners import Sample, codes_of
from distsearch.boosting._named import NAMES, named_estimator
from distsearch.boosting._reading import allows_missing, read_rows, read_training
from distsearch.boosting._rows import Rows
from distsearch.errors import InvalidInputError

__all__ = ["BoostedClassifier", "add_votes"]

Floats = NDArray[np.float64]


class BoostedClassifier(ClassifierMixin, BaseEstimator, metaclass=ABCMeta):  # type: ignore[misc]
    """Base of classifiers whose functions vote.

    A subclass learns in `_fit_rows`, and adds up votes, stage by stage, in `_stages`.
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "estimator": [StrOptions(set(NAMES)), HasMethods(["fit", "predict"])],
        "n_estimators": [Interval(Integral, 1, None, closed="left")],
        "random_state": ["random_state", np.random.Generator, np.random.SeedSequence],
    }

    estimator: Any
    classes_: NDArray[Any]
    estimators_: list[Any]

    @abstractmethod
    def _fit_rows(self, rows: Rows) -> None:
        """Learn from rows."""

    @abstractmethod
    def _stages(self, sample: Sample) -> Iterator[Floats]:
        """Yield the totals of votes, of shape (n_samples, n_classes), after each stage."""

    def _totals(self, sample: Sample) -> Floats:
        for totals in self._stages(sample):  # noqa: B007
            pass
        return totals

    def _probabilities(self, totals: Floats) -> Floats:
        probabilities: Floats = softmax(totals, axis=1)
        return probabilities

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Learn the functions and their votes.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Training rows. A frame that holds anything but numbers is handed on as it is.
        y : array-like of shape (n_samples,)
            Their labels.
        sample_weight : array-like of shape (n_samples,), optional
            Weights that are whole numbers count as repetitions; others only say how likely a row
            is to be drawn, and how much it counts in errors.

        Returns
        -------
        self

        Raises
        ------
        InvalidInputError
            When there is one class only, or `estimator` is no classifier.
        """
        self._validate_params()
        rows = read_training(self, self._base(), X, y, sample_weight)
        with single_threaded():
            self._fit_rows(rows)
        return self

    def predict(self, X: Any) -> NDArray[Any]:
        """Return the class with the largest total of votes, of equal ones the first.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Rows.

        Returns
        -------
        ndarray of shape (n_samples,)
        """
        return self._decide(self._totals(self._read(X)))

    def decision_function(self, X: Any) -> Floats:
        """Return the totals of votes.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Rows.

        Returns
        -------
        ndarray of shape (n_samples,) or (n_samples, n_classes)
            For two classes the difference, positive for the second.
        """
        return _scores(self._totals(self._read(X)))

    def predict_proba(self, X: Any) -> Floats:
        """Return the probability of each class.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Rows.

        Returns
        -------
        ndarray of shape (n_samples, n_classes)
            Where functions vote with log odds, proportional to the exponential of the totals.
        """
        return self._probabilities(self._totals(self._read(X)))

    def staged_predict(self, X: Any) -> Iterator[NDArray[Any]]:
        """Yield the predictions after each stage.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Rows.

        Yields
        ------
        ndarray of shape (n_samples,)
        """
        for totals in self._stages(self._read(X)):
            yield self._decide(totals)

    def staged_score(self, X: Any, y: Any, sample_weight: Any = None) -> Iterator[float]:
        """Yield the accuracy after each stage.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Rows.
        y : array-like of shape (n_samples,)
            Their labels.
        sample_weight : array-like of shape (n_samples,), optional
            Weights.

        Yields
        ------
        float
        """
        for predicted in self.staged_predict(X):
            yield float(accuracy_score(y, predicted, sample_weight=sample_weight))

    @property
    def fit_facts_(self) -> dict[str, Any]:
        """What a study keeps of each fit: how many functions were learned."""
        check_is_fitted(self)
        lists = (each if isinstance(each, list) else [each] for each in self.estimators_)
        return {"functions": sum(map(len, lists))}

    def _base(self) -> Any:
        """Return the classifier whose clones are the functions."""
        base = self.estimator
        if isinstance(base, str):
            return named_estimator(base)
        if isinstance(base, type) or not is_classifier(base):
            raise InvalidInputError(
                f"The 'estimator' parameter of {type(self).__name__} must be a classifier or one "
                f"of {', '.join(NAMES)}. Got {base!r} instead."
            )
        # Clones are fitted without checks of their own.
        for each in (base, *base.get_params(deep=True).values()):
            check_parameters(each)
        return base

    def _read(self, X: Any) -> Sample:
        check_is_fitted(self)
        return Sample(read_rows(self, X))

    def _decide(self, totals: Floats) -> NDArray[Any]:
        labels: NDArray[Any] = self.classes_[np.argmax(totals, axis=1)]
        return labels

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        base = self.estimator
        base = named_estimator(base) if isinstance(base, str) and base in NAMES else base
        if hasattr(base, "fit"):
            tags.input_tags.allow_nan = allows_missing(base)
        tags.input_tags.sparse = False
        return tags


def add_votes(
    totals: Floats, function: Any, vote: float | Floats, sample: Sample, classes: Any
) -> None:
    """Add a function's vote to the totals of the classes it names."""
    totals[np.arange(len(sample)), codes_of(function, sample, classes)] += vote


def _scores(totals: Floats) -> Floats:
    return totals[:, 1] - totals[:, 0] if totals.shape[1] == 2 else totals
