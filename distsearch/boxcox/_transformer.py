"""Box-Cox as a scikit-learn transformer that is finite on every finite input."""

from __future__ import annotations

from numbers import Real
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, OneToOneFeatureMixin, TransformerMixin, clone
from sklearn.preprocessing import StandardScaler
from sklearn.utils import get_tags
from sklearn.utils.validation import check_is_fitted, validate_data

from distsearch._sklearn import HasMethods, Interval, StrOptions
from distsearch.boxcox._columns import Columns, column_names, find_features
from distsearch.boxcox._mle import MLE_BOUND, mle_lambdas
from distsearch.boxcox._standardize import apply_scaler, fit_scaler, undo_scaler
from distsearch.boxcox._transform import box_cox, inverse_box_cox, unscale_from_range
from distsearch.errors import InvalidInputError

__all__ = ["BoxCoxTransformer"]

Floats = NDArray[np.floating[Any]]


class BoxCoxTransformer(OneToOneFeatureMixin, TransformerMixin, BaseEstimator):  # type: ignore[misc]
    """Scale each feature to [1, 2], map it by its own Box-Cox λ, and standardise it.

    Use it where a classifier profits from features of another shape. `BoxCoxSearchCV` finds the λ
    that suit a given classifier; this transformer applies them, or the λ of maximal likelihood.

    Parameters
    ----------
    lambdas : "mle", float, array-like of shape (n_features,) or estimator, default="mle"
        The λ: of maximal likelihood (bounded to [-20, 20]), one for all features, one for each,
        or those that an estimator with ``lambdas_``, such as an unfitted `BoxCoxSearchCV`, learns
        from the training data.
    standardize : bool, default=True
        Give each feature mean 0 and variance 1 after the map.
    out_of_range : {"clip", "extrapolate", "error"}, default="clip"
        What `transform` does with values outside the training range: move them to its ends, map
        them all the same (as the paper does; where the map has no finite value, the nearest that
        has), or refuse them. `count_out_of_range` counts them.
    passthrough : array-like of int or str, or None, default=None
        Features, by position or name, that are left exactly as they are: not scaled, mapped or
        standardised. No value of theirs is out of range.

    Attributes
    ----------
    lambdas_ : ndarray of shape (n_features,)
        λ of each feature; 1 where it was passed through.
    data_min_, data_max_ : ndarray of shape (n_features,)
        Training range; infinite for the features in ``passthrough``.
    skipped_features_ : ndarray of int
        Indices of the features passed through, because they are constant or have no value.
    passthrough_features_ : ndarray of int
        Indices of the features in ``passthrough``.
    scaler_ : StandardScaler or None
        The standardisation.
    n_features_in_ : int
        Number of features.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the features, where the training data had them.

    Notes
    -----
    For λ = 0 the map is log x, else (x^λ - 1) / λ, computed as expm1(λ log x) / λ. With
    ``standardize``, λ = 1 is the identity up to standardisation. NaN stays NaN.

    References
    ----------
    Blum, L., Elgendi, M. and Menon, C. (2022). Impact of Box-Cox transformation on machine
    learning algorithms. Frontiers in Artificial Intelligence 5.

    Examples
    --------
    >>> import numpy as np
    >>> from distsearch.boxcox import BoxCoxTransformer
    >>> X = np.array([[1.0], [2.0], [4.0], [8.0]])
    >>> BoxCoxTransformer(lambdas=0, standardize=False).fit_transform(X).round(4).ravel()
    array([0.    , 0.1335, 0.3567, 0.6931])
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "lambdas": [StrOptions({"mle"}), Interval(Real, None, None, closed="neither"),
                    "array-like", HasMethods(["fit", "get_params"])],
        "standardize": ["boolean"],
        "out_of_range": [StrOptions({"clip", "extrapolate", "error"})],
        "passthrough": ["array-like", None],
    }  # fmt: skip

    def __init__(
        self,
        lambdas: Any = "mle",
        *,
        standardize: bool = True,
        out_of_range: str = "clip",
        passthrough: Any = None,
    ) -> None:
        self.lambdas = lambdas
        self.standardize = standardize
        self.out_of_range = out_of_range
        self.passthrough = passthrough

    def fit(self, X: Any, y: Any = None) -> Self:
        """Learn the training range, the λ and the standardisation.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Training rows; NaN is left out.
        y : array-like of shape (n_samples,), optional
            Targets; used only where the λ are searched.

        Returns
        -------
        self

        Raises
        ------
        InvalidInputError
            When the given λ are not one finite number for each feature, or ``passthrough`` has
            something that is no feature.
        """
        self._validate_params()
        X_seen, X = X, self._validate(X, reset=True)
        passed = find_features(self.passthrough, self, X.shape[1])
        columns = Columns.learn(X, column_names(self, X.shape[1]), passed)
        self.passthrough_features_ = passed
        self.data_min_, self.data_max_ = columns.low, columns.high
        self.skipped_features_ = np.flatnonzero(columns.constant)
        self._n_distinct = columns.n_distinct
        self.lambdas_ = self._learn_lambdas(X_seen, X, y, columns)
        self.lambdas_[self.skipped_features_] = 1.0
        self.lambdas_[passed] = 1.0
        self.scaler_ = StandardScaler() if self.standardize else None
        if self.scaler_ is not None:
            fit_scaler(self.scaler_, self._map(X), passed)
        return self

    def transform(self, X: Any) -> Floats:
        """Apply the map.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Rows; NaN stays NaN.

        Returns
        -------
        ndarray of shape (n_samples, n_features)

        Raises
        ------
        InvalidInputError
            With ``out_of_range="error"``, when a value lies outside the training range; names the
            feature, the number of such values and the first row.
        """
        check_is_fitted(self)
        X = self._validate(X, reset=False)
        if self.out_of_range == "error":
            self._refuse_out_of_range(X)
        if self.out_of_range == "clip":
            X = np.clip(X, self.data_min_, self.data_max_)
        mapped = self._map(X)
        if self.scaler_ is None:
            return mapped
        return apply_scaler(self.scaler_, mapped, self.passthrough_features_)

    def inverse_transform(self, X: Any) -> Floats:
        """Undo the map.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Mapped rows.

        Returns
        -------
        ndarray of shape (n_samples, n_features)
            Values on the scale of the training data; those that were clipped come back as the
            ends of the range.
        """
        check_is_fitted(self)
        X = validate_data(
            self, X, reset=False, dtype=[np.float64, np.float32], ensure_all_finite="allow-nan"
        )
        passed = self.passthrough_features_
        mapped = X if self.scaler_ is None else undo_scaler(self.scaler_, X, passed)
        values = np.array(mapped, order="C")
        skipped = set(self.skipped_features_.tolist())
        for j in np.setdiff1d(np.arange(X.shape[1]), passed):
            if j in skipped:
                values[:, j] += self._offset(j)
            else:
                scaled = inverse_box_cox(values[:, j], self.lambdas_[j])
                values[:, j] = unscale_from_range(scaled, self.data_min_[j], self.data_max_[j])
        return values

    def count_out_of_range(self, X: Any) -> NDArray[np.int64]:
        """Count the values of each feature that lie outside its training range.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Rows.

        Returns
        -------
        ndarray of int of shape (n_features,)
        """
        check_is_fitted(self)
        counts: NDArray[np.int64] = self._outside(self._validate(X, reset=False)).sum(axis=0)
        return counts

    def _validate(self, X: Any, *, reset: bool) -> Floats:
        validated: Floats = validate_data(
            self,
            X,
            reset=reset,
            dtype=[np.float64, np.float32],
            ensure_all_finite="allow-nan" if get_tags(self).input_tags.allow_nan else True,
        )
        return validated

    def _learn_lambdas(self, X_seen: Any, X: Floats, y: Any, columns: Columns) -> Floats:
        if isinstance(self.lambdas, str):
            lambdas = np.ones(X.shape[1])
            rest = np.setdiff1d(np.arange(X.shape[1]), columns.passed)
            lambdas[rest] = mle_lambdas(columns.scale(X)[:, rest])
            return np.clip(lambdas, -MLE_BOUND, MLE_BOUND)
        if hasattr(self.lambdas, "fit"):
            return np.array(clone(self.lambdas).fit(X_seen, y).lambdas_, dtype=np.float64)
        given = np.asarray(self.lambdas, dtype=np.float64)
        if given.shape not in {(), (X.shape[1],)} or not np.isfinite(given).all():
            raise InvalidInputError(
                f"lambdas must be one finite number or {X.shape[1]} of them, one for each "
                f"feature. Got {self.lambdas!r} instead."
            )
        return np.array(np.broadcast_to(given, X.shape[1]))

    def _map(self, X: Floats) -> Floats:
        """Scale and map every column that is not passed through."""
        passed = self.passthrough_features_
        columns = Columns(self.data_min_, self.data_max_, self._n_distinct, passed)
        mapped = columns.scale(X)
        constant = columns.constant
        for j in np.setdiff1d(np.arange(X.shape[1]), passed):
            if constant[j]:
                with np.errstate(over="ignore"):
                    mapped[:, j] = X[:, j] - self._offset(j)
                largest = np.finfo(X.dtype).max
                np.clip(mapped[:, j], -largest, largest, out=mapped[:, j])
            else:
                mapped[:, j] = box_cox(mapped[:, j], self.lambdas_[j])
        return mapped

    def _offset(self, j: int) -> float:
        """Return what a constant column loses before standardising: its mean, exactly."""
        return 0.0 if self.scaler_ is None else float(self.data_min_[j])

    def _outside(self, X: Floats) -> NDArray[np.bool_]:
        outside: NDArray[np.bool_] = (X < self.data_min_) | (X > self.data_max_)
        return outside

    def _refuse_out_of_range(self, X: Floats) -> None:
        outside = self._outside(X)
        if not outside.any():
            return
        j = int(np.flatnonzero(outside.any(axis=0))[0])
        rows = np.flatnonzero(outside[:, j])
        raise InvalidInputError(
            f"Feature {column_names(self, X.shape[1])[j]!r} has {len(rows)} values outside the "
            f"training range [{self.data_min_[j]:g}, {self.data_max_[j]:g}]; the first, "
            f"{X[rows[0], j]:g}, is in row {rows[0]}. Use out_of_range='clip' or 'extrapolate' to "
            f"accept them."
        )

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        if hasattr(self.lambdas, "fit"):
            inner = get_tags(self.lambdas)
            tags.input_tags.allow_nan = inner.input_tags.allow_nan
            tags.target_tags.required = inner.target_tags.required
        tags.transformer_tags.preserves_dtype = ["float64", "float32"]
        return tags
