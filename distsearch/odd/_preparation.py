"""What happens to the columns before the transform: components, range, constant columns."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from distsearch.errors import InvalidInputError
from distsearch.odd._errors import TooFewRowsError
from distsearch.odd._moments import is_sparse
from distsearch.odd._orientation import signed

__all__ = ["Preparation", "principal_components"]

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Preparation:
    """The map of columns to [-1, 1] by their training range, constant ones left out.

    Parameters
    ----------
    kept : ndarray of int of shape (n_kept,)
        The columns, or principal components, that vary.
    center, scale : ndarray of shape (n_kept,)
        A column becomes (x - center) · scale.
    """

    kept: NDArray[np.intp]
    center: Floats
    scale: Floats

    @classmethod
    def of_range(cls, low: Floats, high: Floats, *, centred: bool = True) -> Preparation:
        """Return the map that the training range asks for.

        Parameters
        ----------
        low, high : ndarray of shape (n_features,)
            The range.
        centred : bool
            Whether the middle of the range becomes 0; sparse columns are divided by their largest
            magnitude instead, so that zeros stay zeros.

        Raises
        ------
        InvalidInputError
            When no column varies.
        """
        half = high / 2 - low / 2
        kept = np.flatnonzero(half > np.finfo(float).tiny)  # of a smaller one there is no inverse
        if not len(kept):
            raise TooFewRowsError(
                "Every feature is constant: there is nothing to tell the classes by. Give rows "
                "with at least one feature that varies."
            )
        low, high = low[kept], high[kept]
        if centred:
            return cls(kept, low / 2 + high / 2, 1.0 / half[kept])
        return cls(kept, np.zeros(len(kept)), 1.0 / np.maximum(np.abs(low), np.abs(high)))

    def apply(self, X: Any) -> Any:
        """Return rows in the new coordinates; later rows may leave [-1, 1]."""
        X = X if len(self.kept) == X.shape[1] else X[:, self.kept]
        if is_sparse(X):
            return X.multiply(self.scale).tocsr()
        return (X - self.center) * self.scale


def principal_components(
    X: Floats, weight: Floats | None, n_components: float
) -> tuple[Floats, Floats]:
    """Return the mean of the rows and their first principal components.

    Parameters
    ----------
    X : ndarray of shape (n_samples, n_features)
        Rows.
    weight : ndarray of shape (n_samples,), optional
        How often each row counts, which scikit-learn's PCA has no place for.
    n_components : int or float
        How many, or the share of the variance that they keep.

    Returns
    -------
    mean : ndarray of shape (n_features,)
    components : ndarray of shape (n_features, n_components)
        The entry of largest magnitude of each is positive.

    Raises
    ------
    InvalidInputError
        When there are not so many.
    """
    mean = np.average(X, axis=0, weights=weight)
    centred = X - mean
    if weight is not None:
        centred *= np.sqrt(weight)[:, None]
    if len(X) < X.shape[1]:
        _, singular, rows = np.linalg.svd(centred, full_matrices=False)
        variances, components = singular**2, rows.T
    else:
        values, vectors = np.linalg.eigh(centred.T @ centred)
        variances, components = np.maximum(values[::-1], 0.0), vectors[:, ::-1]
    if n_components < 1:
        share = np.cumsum(variances) / variances.sum()
        n_kept = int(np.searchsorted(share, n_components)) + 1
    elif n_components > len(variances):
        raise InvalidInputError(
            f"pca={n_components} asks for more components than {min(X.shape)}, the smaller of the "
            f"number of rows and of features. Ask for at most that many, or set pca=None."
        )
    else:
        n_kept = int(n_components)
    components = components[:, :n_kept]
    return mean, components * signed(components)
