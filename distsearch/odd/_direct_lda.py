"""Direct linear discriminant analysis, with which the paper compares."""

from __future__ import annotations

from numbers import Integral
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin, TransformerMixin
from sklearn.base import ClassNamePrefixFeaturesOutMixin as Named
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted, validate_data

from distsearch._sklearn import Interval
from distsearch._wording import count, quoted
from distsearch.errors import InvalidInputError
from distsearch.odd._discriminants import highest

__all__ = ["DirectLDA"]

Floats = NDArray[np.float64]

_RANK = 1e-10
"""Share of the largest singular value below which the means do not differ in a direction."""


class DirectLDA(Named, ClassifierMixin, TransformerMixin, BaseEstimator):  # type: ignore[misc]
    """Discriminant analysis that keeps the null space of the within-class scatter.

    Use it where features outnumber rows. It first looks at the space in which the means of the
    classes differ, and there keeps the directions in which the classes vary least. A row is of the
    class with the nearest centre.

    Parameters
    ----------
    n_components : int or None, default=None
        Directions to keep, at most the number of classes less one; None for all. Fewer are kept
        where the means of the classes differ in fewer.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        The labels.
    scalings_ : ndarray of shape (n_features, n_components)
        The map of centred rows.
    xbar_ : ndarray of shape (n_features,)
        Mean of the training rows.
    means_ : ndarray of shape (n_classes, n_components)
        Where the means of the classes land.
    n_features_in_, feature_names_in_
        As in scikit-learn.

    Notes
    -----
    The steps, with S_b and S_w the scatter between and within classes: Z such that ZᵀS_bZ is the
    identity, without the null space of S_b; then the eigenvectors of ZᵀS_wZ with the smallest
    eigenvalues, zeros included. No matrix of features by features is made.

    References
    ----------
    Yu, H. and Yang, J. (2001). A direct LDA algorithm for high-dimensional data - with application
    to face recognition. Pattern Recognition 34(10), 2067-2070.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from distsearch.odd import DirectLDA
    >>> X, y = load_wine(return_X_y=True)
    >>> DirectLDA().fit(X, y).transform(X).shape
    (178, 2)
    """

    _parameter_constraints: ClassVar[dict[str, Any]] = {
        "n_components": [Interval(Integral, 1, None, closed="left"), None]
    }

    def __init__(self, n_components: int | None = None) -> None:
        self.n_components = n_components

    def fit(self, X: Any, y: Any) -> Self:
        """Learn the directions.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Training rows.
        y : array-like of shape (n_samples,)
            Their labels.

        Returns
        -------
        self

        Raises
        ------
        InvalidInputError
            When there is one class only, the classes have the same mean, or more components are
            asked for than there can be.
        """
        self._validate_params()
        X, y = validate_data(self, X, y, dtype=np.float64)
        check_classification_targets(y)
        self.classes_, codes, counts = np.unique(y, return_inverse=True, return_counts=True)
        if len(counts) < 2:
            raise InvalidInputError(
                f"DirectLDA needs rows of two classes or more; the data have one class, "
                f"{quoted(self.classes_[0])}. Give rows of another class too."
            )
        self._check_components(min(len(counts) - 1, X.shape[1]))
        self.xbar_ = X.mean(axis=0)
        sums = np.zeros((len(counts), X.shape[1]))
        np.add.at(sums, codes, X - self.xbar_)
        means = sums / counts[:, None]
        # The rounding of sums over the rows: equal means seldom come out equal to the last bit.
        rounding = len(X) * np.finfo(np.float64).eps * float(np.linalg.norm(X))
        between = _between(means * np.sqrt(counts)[:, None], rounding)
        within = (X - self.xbar_ - means[codes]) @ between
        # In the space of the means' differences, made round, the least variation comes first.
        _, directions = np.linalg.eigh(within.T @ within)
        limit = between.shape[1] if self.n_components is None else self.n_components
        self.scalings_ = between @ directions[:, :limit]
        self.means_ = means @ self.scalings_
        return self

    def _check_components(self, limit: int) -> None:
        if self.n_components is not None and self.n_components > limit:
            raise InvalidInputError(
                f"n_components={self.n_components} is more than there are directions in which the "
                f"means of {count(len(self.classes_), 'class')} of "
                f"{count(self.n_features_in_, 'feature')} can differ. Use {limit} or fewer, or "
                f"None for all."
            )

    @property
    def _n_features_out(self) -> int:
        return int(self.scalings_.shape[1])

    def transform(self, X: Any) -> Floats:
        """Return where rows land.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Rows.

        Returns
        -------
        ndarray of shape (n_samples, n_components)
        """
        check_is_fitted(self)
        X = validate_data(self, X, dtype=np.float64, reset=False)
        landed: Floats = (X - self.xbar_) @ self.scalings_
        return landed

    def decision_function(self, X: Any) -> Floats:
        """Return minus the distance to the centre of each class.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Rows.

        Returns
        -------
        ndarray of shape (n_samples,) or (n_samples, n_classes)
            For two classes the distance to the first less that to the second.
        """
        check_is_fitted(self)
        X = validate_data(self, X, dtype=np.float64, reset=False)
        landed = (X - self.xbar_) @ self.scalings_
        scores = np.stack([-np.linalg.norm(landed - mean, axis=1) for mean in self.means_], axis=1)
        return scores[:, 1] - scores[:, 0] if len(self.classes_) == 2 else scores

    def predict(self, X: Any) -> NDArray[Any]:
        """Return the class with the nearest centre.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Rows.

        Returns
        -------
        ndarray of shape (n_samples,)
        """
        scores = self.decision_function(X)
        labels: NDArray[Any] = self.classes_[highest(scores)]
        return labels


def _between(weighted_means: Floats, rounding: float) -> Floats:
    """Return Z with ZᵀS_bZ the identity, S_b being the between-class scatter.

    Its null space is left out. The decomposition is of a matrix with a row a class, so that
    nothing of the size of features by features is made.
    """
    _, singular, rows = np.linalg.svd(weighted_means, full_matrices=False)
    kept = singular > max(_RANK * singular[0], rounding)
    if not kept.any():
        raise InvalidInputError(
            "All classes have the same mean in every feature, so that no direction tells them "
            "apart. Add features in which they differ."
        )
    between: Floats = rows[kept].T / singular[kept]
    return between
