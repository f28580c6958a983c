"""The private half of `ODDClassifier`: what its methods are made of."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin, TransformerMixin
from sklearn.exceptions import NotFittedError
from sklearn.utils.class_weight import compute_class_weight
from sklearn.utils.validation import check_is_fitted

from distsearch._thresholds import best_threshold
from distsearch._wording import listed, quoted
from distsearch.backends import Backend, open_backend, seed_sequence, single_threaded
from distsearch.errors import InvalidInputError
from distsearch.odd._activations import get_activation
from distsearch.odd._criterion import usual_exponent
from distsearch.odd._discriminants import by_distance, by_gaussians, evidence
from distsearch.odd._errors import TooFewRowsError
from distsearch.odd._fitting import (
    Rows,
    Settings,
    Transform,
    fit_activation,
    fit_linear,
    fit_spanned,
    hold_out,
    sum_rows,
)
from distsearch.odd._moments import Frame, Moments, column_range, is_sparse
from distsearch.odd._preparation import Preparation, principal_components
from distsearch.odd._reading import read_rows, read_training
from distsearch.odd._schedule import PaperSchedule
from distsearch.odd._solving import LinearSearch

__all__ = ["ODDWorkings"]

Floats = NDArray[np.float64]


class ODDWorkings(ClassifierMixin, TransformerMixin, BaseEstimator):  # type: ignore[misc]
    """Reading, fitting and landing; the parameters are those of `ODDClassifier`."""

    n_features_in_: int
    feature_names_in_: Any
    thresholds_: Floats | None
    _moments: dict[str, Any]
    _pca: dict[str, Floats] | None
    _unsolved: str | None

    @property
    def _is_linear(self) -> bool:
        return isinstance(self.activation, str) and self.activation == "linear"

    @property
    def _takes_sparse(self) -> bool:
        return self._is_linear and self.pca is None

    def _read(self, X: Any) -> Any:
        return read_rows(self, X, sparse_too=self._takes_sparse)

    def _read_training(self, X: Any, y: Any, sample_weight: Any, *, reset: bool = True) -> Rows:
        X, y, weight = read_training(
            self, X, y, sample_weight, sparse_too=self._takes_sparse, reset=reset
        )
        classes, codes = np.unique(y, return_inverse=True)
        return Rows(X, codes, weight, classes)

    def _check_fitted(self) -> None:
        reason = getattr(self, "_unsolved", None)
        if reason is not None:
            raise NotFittedError(f"The rows so far do not suffice for a transform: {reason}")
        check_is_fitted(self, "components_")

    def _forget(self) -> None:
        for name in ("_moments", "_unsolved"):
            if hasattr(self, name):
                delattr(self, name)

    def _fit_rows(self, rows: Rows) -> None:
        totals: Floats = np.bincount(rows.codes, rows.weight, len(rows.classes)).astype(float)
        settings = self._settings(rows.classes, totals)
        with single_threaded(), open_backend(self.backend) as backend:
            rows = self._to_components(rows)
            low, high = column_range(rows.X)
            centred = not is_sparse(rows.X)
            preparation = Preparation.of_range(low, high, centred=centred)
            if centred and len(preparation.kept) > len(rows.X):
                found = fit_spanned(preparation.apply(rows.X), rows, settings, backend)
            else:
                frame = Frame.around(low, high, centred=centred)
                moments = sum_rows(rows, frame, backend)
                found = self._fit_prepared(moments, preparation, rows.classes, settings, backend)
                if self._takes_sparse:  # whatever takes sparse rows takes further rows too
                    self._moments = _packed(rows.classes, moments, centred)
            if not self._is_linear:
                found = self._through_activation(rows, preparation, found, settings, backend)
            self._keep(found, preparation, rows.classes, totals)
            self._set_thresholds(rows, preparation)

    def _fit_moments(self) -> None:
        """Fit from the moments; where they do not suffice yet, remember why."""
        classes, moments, centred = _unpacked(self._moments)
        self._pca = None
        try:
            settings = self._settings(classes, moments.weight)
            preparation = Preparation.of_range(moments.low, moments.high, centred=centred)
            with single_threaded(), open_backend(self.backend) as backend:
                found = self._fit_prepared(moments, preparation, classes, settings, backend)
        except TooFewRowsError as error:
            self._unsolved = str(error)
            return
        self._unsolved = None
        self._keep(found, preparation, classes, moments.weight)
        self.thresholds_ = None

    @staticmethod
    def _fit_prepared(
        moments: Moments, preparation: Preparation, classes: NDArray[Any], settings: Settings,
        backend: Backend,
    ) -> Transform:  # fmt: skip
        prepared = moments.rescaled(preparation.center, preparation.scale, preparation.kept)
        return fit_linear(prepared, classes, settings, backend)

    def _through_activation(
        self, rows: Rows, preparation: Preparation, linear: Transform, settings: Settings,
        backend: Backend,
    ) -> Transform:  # fmt: skip
        activation = get_activation(self.activation)
        X = preparation.apply(rows.X)
        held_out = None
        if self.early_stopping:
            held_out = hold_out(
                X, rows, self.validation_fraction, settings.search.seed, activation,
                self.n_iter_no_change,
            )  # fmt: skip
        return fit_activation(X, rows, linear, activation, settings, backend, held_out)

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
            self.solver.check()
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

    def _to_components(self, rows: Rows) -> Rows:
        self._pca = None
        if self.pca is None:
            return rows
        mean, components = principal_components(rows.X, rows.weight, self.pca)
        self._pca = {"mean": mean, "components": components}
        return Rows((rows.X - mean) @ components, rows.codes, rows.weight, rows.classes)

    def _keep(
        self, found: Transform, preparation: Preparation, classes: NDArray[Any], totals: Floats
    ) -> None:
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

    def _add_rows(self, X: Any, y: Any, classes: Any, sample_weight: Any) -> None:
        self._refuse_without_moments(self)
        first = not hasattr(self, "_moments")
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
            self._add(rows.classes, sum_rows(rows, frame, backend), centred)

    def _add_learned(self, other: Any) -> None:
        self._refuse_without_moments(self)
        self._refuse_without_moments(other)
        if not isinstance(other, ODDWorkings) or not hasattr(other, "_moments"):
            raise InvalidInputError(
                f"merge takes ODDClassifier that are fitted, for linear F and without pca. "
                f"Got {quoted(other)} instead."
            )
        names = getattr(other, "feature_names_in_", None)
        if not hasattr(self, "_moments"):
            self.n_features_in_ = other.n_features_in_
            if names is not None:
                self.feature_names_in_ = names
        ours = getattr(self, "feature_names_in_", None)
        if self.n_features_in_ != other.n_features_in_ or not np.array_equal(
            [] if ours is None else ours, [] if names is None else names
        ):
            raise InvalidInputError(
                f"merge takes estimators of the same features in the same order. Got "
                f"{self.n_features_in_} ({_some(ours)}) and {other.n_features_in_} "
                f"({_some(names)}) instead."
            )
        self._add(*_unpacked(other._moments))

    @staticmethod
    def _refuse_without_moments(estimator: Any) -> None:
        if hasattr(estimator, "components_") and not hasattr(estimator, "_moments"):
            raise InvalidInputError(
                "An estimator that was fitted at once on fewer rows than features keeps no "
                "covariances of them all, so that no rows can be added to it. Begin a new one with "
                "partial_fit."
            )

    def _add(self, classes: NDArray[Any], moments: Moments, centred: bool) -> None:
        """Add moments to those so far."""
        if hasattr(self, "_moments"):
            known, so_far, was_centred = _unpacked(self._moments)
            if (known.dtype.kind in "OUS") != (classes.dtype.kind in "OUS"):
                raise InvalidInputError(
                    f"Labels must be numbers in all batches, or text in all. Got "
                    f"{listed(classes, 3)} after {listed(known, 3)}."
                )
            every = np.unique(np.concatenate([known, classes]))
            moments = so_far.among(len(every), np.searchsorted(every, known)) + moments.among(
                len(every), np.searchsorted(every, classes)
            )
            classes, centred = every, was_centred and centred
        self._moments = _packed(classes, moments, centred)

    # Landing

    def _land(self, X: Any) -> Floats:
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


def _packed(classes: NDArray[Any], moments: Moments, centred: bool) -> dict[str, Any]:
    """Return moments as plain arrays, for estimators hold nothing else."""
    return {"classes": classes, "centred": centred, **moments.state()}


def _unpacked(packed: dict[str, Any]) -> tuple[NDArray[Any], Moments, bool]:
    state = {name: each for name, each in packed.items() if name not in {"classes", "centred"}}
    return packed["classes"], Moments.from_state(state), packed["centred"]


def _some(names: Any) -> str:
    return "without names" if names is None else listed(names, 5)
