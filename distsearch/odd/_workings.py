"""The private half of `ODDClassifier`: what its methods are made of."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin, TransformerMixin
from sklearn.exceptions import NotFittedError
from sklearn.utils import Tags
from sklearn.utils.class_weight import compute_class_weight
from sklearn.utils.validation import check_is_fitted

from distsearch._sklearn import check_parameters
from distsearch._thresholds import best_threshold
from distsearch._wording import listed, quoted
from distsearch.backends import Backend, open_backend, seed_sequence, single_threaded
from distsearch.errors import InvalidInputError
from distsearch.odd._activations import get_activation
from distsearch.odd._batches import (
    Packed,
    check_alike,
    combine,
    moments_kept_by,
    pack,
    unpack,
)
from distsearch.odd._bending import fit_activation, hold_out
from distsearch.odd._criterion import usual_exponent
from distsearch.odd._discriminants import by_distance, by_gaussians, evidence
from distsearch.odd._errors import TooFewRowsError
from distsearch.odd._fitting import (
    BLOCK,
    Settings,
    Transform,
    fit_linear,
    fit_spanned,
    sum_rows,
)
from distsearch.odd._moments import Frame, Moments, column_range, is_sparse
from distsearch.odd._preparation import Preparation, principal_components
from distsearch.odd._reading import Rows, read_rows, read_training
from distsearch.odd._schedule import PaperSchedule
from distsearch.odd._solving import LinearSearch

__all__ = ["ODDWorkings"]

Floats = NDArray[np.float64]


class ODDWorkings(ClassifierMixin, TransformerMixin, BaseEstimator):  # type: ignore[misc]
    """Reading, fitting and landing; the parameters are those of `ODDClassifier`."""

    n_features_in_: int
    feature_names_in_: Any
    n_components_: int
    thresholds_: Floats | None
    _moments: Packed | None
    _pca: dict[str, Floats] | None
    _unsolved: str | None

    @property
    def _is_linear(self) -> bool:
        return isinstance(self.activation, str) and self.activation == "linear"

    @property
    def _takes_sparse(self) -> bool:
        return self._is_linear and self.pca is None

    @property
    def _n_features_out(self) -> int:
        return int(self.n_components_)

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = self._takes_sparse
        return tags

    def _read(self, X: Any) -> Any:
        return read_rows(self, X, sparse_too=self._takes_sparse)

    def _read_training(self, X: Any, y: Any, sample_weight: Any, *, reset: bool = True) -> Rows:
        return read_training(self, X, y, sample_weight, sparse_too=self._takes_sparse, reset=reset)

    def _check_fitted(self) -> None:
        reason = getattr(self, "_unsolved", None)
        if reason is not None:
            raise NotFittedError(f"The rows so far do not suffice for a transform: {reason}")
        check_is_fitted(self, "components_")

    def _fit_rows(self, rows: Rows) -> None:
        totals: Floats = np.bincount(rows.codes, rows.weight, len(rows.classes)).astype(float)
        settings = self._settings(rows.classes, totals)
        kept: Packed | None = None
        with single_threaded(), open_backend(self.backend) as backend:
            rows, pca = self._to_components(rows)
            low, high = column_range(rows.X)
            centred = not is_sparse(rows.X)
            preparation = Preparation.of_range(low, high, centred=centred)
            if centred and len(preparation.kept) > len(rows.X):
                found = fit_spanned(_prepared(rows, preparation), settings, backend)
            else:
                frame = Frame.around(low, high, centred=centred)
                moments = sum_rows(rows, frame, backend)
                found = self._fit_prepared(moments, preparation, rows.classes, settings, backend)
                if self._takes_sparse:  # whatever takes sparse rows takes further rows too
                    kept = pack(rows.classes, moments, centred)
            if not self._is_linear:
                found = self._through_activation(
                    _prepared(rows, preparation), found, settings, backend
                )
            self._keep(found, preparation, rows.classes, totals, pca)
            self._moments, self._unsolved = kept, None
            self._set_thresholds(rows, preparation)

    def _fit_moments(self, packed: Packed) -> None:
        """Fit from moments; where they do not suffice yet, remember why."""
        classes, moments, centred = unpack(packed)
        try:
            settings = self._settings(classes, moments.weight)
            preparation = Preparation.of_range(moments.low, moments.high, centred=centred)
            with single_threaded(), open_backend(self.backend) as backend:
                found = self._fit_prepared(moments, preparation, classes, settings, backend)
        except TooFewRowsError as error:
            self._moments, self._unsolved = packed, str(error)
            return
        self._keep(found, preparation, classes, moments.weight, None)
        self._moments, self._unsolved = packed, None
        self.thresholds_ = None

    @staticmethod
    def _fit_prepared(
        moments: Moments, preparation: Preparation, classes: NDArray[Any], settings: Settings,
        backend: Backend,
    ) -> Transform:  # fmt: skip
        prepared = moments.rescaled(preparation.center, preparation.scale, preparation.kept)
        return fit_linear(prepared, classes, settings, backend)

    def _through_activation(
        self, rows: Rows, linear: Transform, settings: Settings, backend: Backend
    ) -> Transform:
        activation = get_activation(self.activation)
        held_out = None
        if self.early_stopping:
            held_out = hold_out(
                rows, self.validation_fraction, settings.search.seed, activation,
                self.n_iter_no_change,
            )  # fmt: skip
        return fit_activation(rows, linear, activation, settings, backend, held_out)

    def _settings(self, classes: NDArray[Any], totals: Floats) -> Settings:
        """Return what is asked for, checked against the classes."""
        if len(classes) < 2:
            raise TooFewRowsError(
                f"{type(self).__name__} needs rows of two classes or more; the data have one "
                f"class, {quoted(classes[0])}. Give rows of another class too."
            )
        limit = 2.0 * usual_exponent(len(classes))
        if self._is_linear and self.exponent is not None and self.exponent >= limit:
            raise InvalidInputError(
                f"exponent must be below {limit:.4g} for {len(classes)} classes and linear F: the "
                f"criterion has no minimum otherwise, it falls for ever as the transform grows. "
                f"Got {self.exponent!r} instead."
            )
        search = LinearSearch(
            len(classes) if self.n_components is None else self.n_components, self._solver(),
            # Another activation has a row more, for its bias, and starts from the best linear M.
            self.init if self._is_linear else "auto",
            self.n_restarts, self.max_iter, self.tol, seed_sequence(self.random_state),
        )  # fmt: skip
        return Settings(
            self.gamma, self.exponent, self.ddof, self.shrinkage,
            self._class_factor(classes, totals), search, self.init,
        )  # fmt: skip

    def _solver(self) -> Any:
        if not isinstance(self.solver, str):
            check_parameters(self.solver)
            return self.solver
        named = {"cmaes+bfgs": PaperSchedule(), "es": PaperSchedule(large=0)}
        return named.get(self.solver, "auto")

    def _class_factor(self, classes: NDArray[Any], totals: Floats) -> Floats:
        if self.class_weight is None:
            return np.ones(len(classes))
        if isinstance(self.class_weight, str):
            balanced: Floats = totals.sum() / (len(classes) * totals)
            return balanced
        try:
            factor: Floats = compute_class_weight(self.class_weight, classes=classes, y=classes)
        except ValueError as error:
            raise InvalidInputError(f"class_weight: {error}") from None
        if not (np.isfinite(factor).all() and (factor > 0).all()):
            raise InvalidInputError(
                f"class_weight must have a finite number above 0 for each class. "
                f"Got {self.class_weight!r} instead."
            )
        return factor

    def _to_components(self, rows: Rows) -> tuple[Rows, dict[str, Floats] | None]:
        if self.pca is None:
            return rows, None
        mean, components = principal_components(rows.X, rows.weight, self.pca)
        pca = {"mean": mean, "components": components}
        return replace(rows, X=(rows.X - mean) @ components), pca

    def _keep(
        self, found: Transform, preparation: Preparation, classes: NDArray[Any], totals: Floats,
        pca: dict[str, Floats] | None,
    ) -> None:  # fmt: skip
        self._pca = pca
        self.classes_, self.class_count_ = classes, totals
        priors = totals * self._class_factor(classes, totals)
        self.priors_ = priors / priors.sum()
        self.components_, self.intercept_ = found.M.T, found.r
        self.n_components_ = found.M.shape[1]
        self.kept_features_ = preparation.kept
        self._center, self._scale = preparation.center, preparation.scale
        self.centers_, self.covariances_ = found.centers, found.covariances
        self.criterion_ = float(np.exp(found.log_omega))
        self.history_ = found.trail.table()
        self.n_iter_ = len(self.history_["criterion"])
        self.scalings_ = self._raw_scalings(found.M * preparation.scale[:, None])

    def _raw_scalings(self, M: Floats) -> Floats:
        if self._pca is not None:
            scalings: Floats = self._pca["components"][:, self.kept_features_] @ M
            return scalings
        scalings = np.zeros((self.n_features_in_, M.shape[1]))
        scalings[self.kept_features_] = M
        return scalings

    def _set_thresholds(self, rows: Rows, preparation: Preparation) -> None:
        self.thresholds_ = None
        if self.threshold == "balanced":
            scores = self._scores(self._through(preparation.apply(rows.X)))
            self.thresholds_ = np.array(
                [
                    best_threshold(scores[:, k], rows.codes == k, rows.weight)
                    for k in range(len(rows.classes))
                ]
            )

    def _takes_batches(self) -> bool:
        """Say that rows can be added; else an error says why not, so that there is no method."""
        needs = {
            "activation": not self._is_linear,
            "pca": self.pca is not None,
            "threshold": self.threshold != "nearest",
        }
        wrong = [f"{name}={getattr(self, name)!r}" for name, is_so in needs.items() if is_so]
        if wrong:
            raise AttributeError(
                f"Rows can be added for activation='linear', pca=None and threshold='nearest' "
                f"only, because others need all rows at once. Got {', '.join(wrong)} instead. "
                f"Call fit with all rows."
            )
        return True

    def _batch(self, X: Any, y: Any, classes: Any, sample_weight: Any) -> Packed:
        """Return the moments of further rows."""
        first = moments_kept_by(self) is None
        rows = self._read_training(X, y, sample_weight, reset=first)
        if classes is not None:
            unknown = np.setdiff1d(rows.classes, np.asarray(classes))
            if len(unknown):
                raise InvalidInputError(
                    f"y has labels that are not in classes: {listed(unknown)}. Name every label "
                    f"that may occur, or leave classes out."
                )
        centred = not is_sparse(rows.X)
        frame = Frame.around(*column_range(rows.X), centred=centred)
        with single_threaded(), open_backend(self.backend) as backend:
            return pack(rows.classes, sum_rows(rows, frame, backend), centred)

    def _learned_by(self, others: tuple[Any, ...]) -> Packed | None:
        """Return what this estimator and others have learned together."""
        total = moments_kept_by(self)
        first = self if total is not None else None
        for other in others:
            packed = moments_kept_by(other) if isinstance(other, ODDWorkings) else None
            if packed is None:
                raise InvalidInputError(
                    f"merge takes ODDClassifier that are fitted, for linear F and without pca. "
                    f"Got {quoted(other)} instead."
                )
            first = other if first is None else first
            check_alike(first, other)
            total = combine(total, packed)
        if first is not None and first is not self:
            self.n_features_in_ = first.n_features_in_
            if hasattr(first, "feature_names_in_"):
                self.feature_names_in_ = first.feature_names_in_
        return total

    # Landing

    def _land(self, X: Any) -> Floats:
        """Map rows, a block at a time: the maps on the way are as large as what they map."""
        rows = max(1, BLOCK // max(1, X.shape[1]))
        if X.shape[0] <= rows:
            return self._land_block(X)
        blocks = [self._land_block(X[at : at + rows]) for at in range(0, X.shape[0], rows)]
        return np.concatenate(blocks)

    def _land_block(self, X: Any) -> Floats:
        if self._pca is not None:
            X = (X - self._pca["mean"]) @ self._pca["components"]
        if is_sparse(X):  # never centred, so that it stays sparse
            M = self.components_.T * self._scale[:, None]
            return self._activated(
                X[:, self.kept_features_] @ M + self.intercept_ - self._center @ M
            )
        prepared = Preparation(self.kept_features_, self._center, self._scale).apply(X)
        return self._through(prepared)

    def _through(self, prepared: Any) -> Floats:
        return self._activated(prepared @ self.components_.T + self.intercept_)

    def _activated(self, projected: Floats) -> Floats:
        landed: Floats = get_activation(self.activation).value(projected)
        return landed

    def _log_probabilities(self, Y: Floats) -> Floats:
        if self.discriminant == "distance":
            with np.errstate(divide="ignore"):
                return np.log(by_distance(Y, self.centers_))
        return by_gaussians(Y, self.centers_, self.covariances_, self.class_count_, self.priors_)

    def _probabilities(self, Y: Floats) -> Floats:
        if self.discriminant == "distance":
            return by_distance(Y, self.centers_)
        return np.exp(self._log_probabilities(Y))

    def _scores(self, Y: Floats) -> Floats:
        """Return a score a class; of two classes they are each other's negative."""
        if self.discriminant == "gaussian":
            return evidence(self._log_probabilities(Y))
        shares = by_distance(Y, self.centers_)
        return shares - shares[:, ::-1] if len(self.classes_) == 2 else shares


def _prepared(rows: Rows, preparation: Preparation) -> Rows:
    return replace(rows, X=preparation.apply(rows.X))
