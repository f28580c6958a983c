"""Decision stumps on columns that are sorted once."""

from __future__ import annotations

from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import _check_sample_weight, check_is_fitted, validate_data

from distsearch.boosting._presorted import PresortedColumns, Split

__all__ = ["DecisionStumpClassifier"]

Codes = NDArray[np.intp]
Floats = NDArray[np.float64]


class DecisionStumpClassifier(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """The best split of one column in two, by the Gini index.

    The same as a DecisionTreeClassifier with ``max_depth=1``, but that of equally good splits the
    first column and the lowest threshold win. Boosters sort its columns once for all rounds.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        The labels.
    feature_ : int
        The column.
    threshold_ : float
        Rows up to it are left of the split; infinite where no split helps.
    shares_ : ndarray of shape (2, n_classes)
        Shares of the classes left and right of the split.
    n_features_in_, feature_names_in_
        As in scikit-learn.

    Examples
    --------
    >>> from distsearch.boosting import DecisionStumpClassifier
    >>> stump = DecisionStumpClassifier().fit([[1.0], [2.0], [5.0]], ["a", "a", "b"])
    >>> stump.threshold_
    3.5
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {}

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Find the split.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Training rows.
        y : array-like of shape (n_samples,)
            Their labels.
        sample_weight : array-like of shape (n_samples,), optional
            How often each row counts.

        Returns
        -------
        self
        """
        X, y = validate_data(self, X, y, dtype=np.float64)
        check_classification_targets(y)
        weight = _check_sample_weight(sample_weight, X, dtype=np.float64, ensure_non_negative=True)
        classes, codes = np.unique(y, return_inverse=True)
        return self.set_split(PresortedColumns(X, codes, len(classes)).split(weight), classes)

    def predict(self, X: Any) -> NDArray[Any]:
        """Return the class that most training rows on the same side have, of equal ones the first.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Rows.

        Returns
        -------
        ndarray of shape (n_samples,)
        """
        codes = self.codes_of(self._read(X))
        labels: NDArray[Any] = self.classes_[codes]
        return labels

    def predict_proba(self, X: Any) -> Floats:
        """Return the shares of the classes among the training rows on the same side.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Rows.

        Returns
        -------
        ndarray of shape (n_samples, n_classes)
        """
        X = self._read(X)
        shares: Floats = self.shares_[self._right(X)]
        return shares

    def set_split(self, split: Split, classes: NDArray[Any]) -> Self:
        """Take a split as what was learned, without checks."""
        self.classes_ = classes
        self.feature_, self.threshold_ = split.feature, split.threshold
        self.shares_ = split.sides / split.sides.sum(axis=1, keepdims=True)
        return self

    def codes_of(self, X: Floats) -> Codes:
        """Return positions in ``classes_``, without checks."""
        codes: Codes = np.argmax(self.shares_, axis=1)[self._right(X)]
        return codes

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.poor_score = True  # two sides cannot tell more than two classes apart
        return tags

    def _read(self, X: Any) -> Floats:
        check_is_fitted(self)
        rows: Floats = validate_data(self, X, reset=False, dtype=np.float64)
        return rows

    def _right(self, X: Floats) -> Codes:
        right: Codes = (X[:, self.feature_] > self.threshold_).astype(np.intp)
        return right
