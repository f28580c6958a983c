"""Decision stumps on columns that are sorted once."""

from __future__ import annotations

from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import _check_sample_weight, check_is_fitted, validate_data

__all__ = ["DecisionStumpClassifier", "PresortedStumps"]

Codes = NDArray[np.intp]
Floats = NDArray[np.float64]

_MANY = 2.0**26
"""From as many rows on, products of counts are no longer exact."""


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
        PresortedStumps(X, codes, classes).split(self, weight)
        return self

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


class PresortedStumps:
    """Stumps for many weightings of the same rows.

    Parameters
    ----------
    X : ndarray of shape (n_samples, n_features)
        Rows.
    codes : ndarray of int of shape (n_samples,)
        Their classes.
    classes : ndarray of shape (n_classes,)
        The labels.
    """

    def __init__(self, X: Floats, codes: Codes, classes: NDArray[Any]) -> None:
        self.X, self.codes, self.classes = X, codes, classes
        columns = np.ascontiguousarray(X.T)
        self.order = np.argsort(columns, axis=1, kind="stable")
        values = np.take_along_axis(columns, self.order, axis=1)
        # Nothing is split between equal values, nor behind the last row.
        self.open = np.zeros(values.shape)
        self.open[:, :-1] = values[:, 1:] != values[:, :-1]
        self.score, self.left, self.right = np.empty((3, *values.shape))

    def split(self, stump: DecisionStumpClassifier, weight: Any) -> DecisionStumpClassifier:
        """Make a stump the best one for a weighting, and return it.

        Parameters
        ----------
        stump : DecisionStumpClassifier
            Is given its split.
        weight : ndarray of shape (n_samples,)
            Weights or counts; rows without any are as if they were not there.
        """
        weight = np.asarray(weight)
        # Sums of counts must be exact, as integers and as the floating numbers they are kept in.
        exact = weight.dtype.kind != "f" or bool((weight == np.floor(weight)).all())
        small = float(weight.sum()) < _MANY
        weight = weight.astype(np.int64 if exact and small else np.float64, copy=False)
        n_classes = len(self.classes)
        totals: Any = np.bincount(self.codes, weights=weight, minlength=n_classes)
        stump.classes_ = self.classes
        feature, rank, useful = self._best(weight, totals)
        rows = self.order[feature]
        left, behind = rows[: rank + 1], rows[rank + 1 :]
        inside = np.bincount(self.codes[left], weights=weight[left], minlength=len(totals))
        outside = totals - inside
        if not (useful and inside.any() and outside.any()):
            stump.feature_, stump.threshold_ = 0, np.inf
            stump.shares_ = np.array([totals, totals]) / totals.sum()
            return stump
        # Rows without weight between the two sides have no say in where the threshold is.
        high = self.X[behind[(weight[behind] > 0).argmax()], feature]
        low = self.X[left[-1], feature]
        stump.feature_, stump.threshold_ = feature, _between(low, high)
        stump.shares_ = np.array([inside / inside.sum(), outside / outside.sum()])
        return stump

    def _best(self, weight: Any, totals: Floats) -> tuple[int, int, bool]:
        """Return the best split's column, the rank of the last row left of it, and if it helps.

        With L and R the weights on both sides and W that of all, the fall of the Gini impurity is
        Σ_k (W L_k - T_k L)² / (L R) but for a factor. Counts are added up as integers, which is
        exact, so that equally good splits are told from better ones, and several times as fast.
        """
        score, left, right = self.score, self.left, self.right
        totals = totals.astype(weight.dtype)
        whole = totals.sum()
        # Of two classes one says it all.
        first = 1 if len(totals) == 2 else 0
        for k in range(first, len(totals)):
            left[:] = self._sums(weight * (whole * (self.codes == k) - totals[k]))
            if k == first:
                np.multiply(left, left, out=score)
            else:
                left *= left
                score += left
        left[:] = self._sums(weight)
        np.subtract(whole, left, out=right)
        left *= right
        # What is left of the first row with weight, or has all weight, splits nothing.
        np.maximum(left, 1e-12 * float(whole) ** 2, out=left)
        score /= left
        score *= self.open
        column, rank = divmod(int(score.argmax()), score.shape[1])
        return column, rank, bool(score[column, rank] > 0)

    def _sums(self, values: Any) -> Any:
        """Return the running totals of values along the sorted columns."""
        return values.take(self.order, mode="clip").cumsum(axis=1)


def _between(low: float, high: float) -> float:
    """Return the middle of two values, the lower one where there is no number between them."""
    middle = low / 2 + high / 2
    return float(middle) if low <= middle < high else float(low)
