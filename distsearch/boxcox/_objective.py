"""The score of a λ vector, computed the plain way: map, standardise, fit, score."""

from __future__ import annotations

import warnings
from collections import Counter, OrderedDict
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.preprocessing import StandardScaler
from sklearn.utils import _safe_indexing

from distsearch._sklearn import rows_of_params
from distsearch.boxcox._standardize import apply_scaler, fit_scaler
from distsearch.boxcox._transform import box_cox
from distsearch.search import Scored

__all__ = ["PlainObjective"]

_CACHE_BYTES = 64 * 2**20


class PlainObjective:
    """Scores λ vectors for one estimator on fixed splits.

    Parameters
    ----------
    scaled : ndarray of shape (n_samples, n_features)
        The data, scaled to [1, 2]; the features ``passthrough`` as they are.
    y : ndarray of shape (n_samples,)
        Targets.
    active : ndarray of int of shape (n_dimensions,)
        The features whose λ are searched; the others keep λ = 1.
    estimator : estimator
        Cloned and fitted for each candidate and part.
    scorer : callable
        Called as ``scorer(estimator, X, y, **score_params)``; higher is better.
    splits : sequence of (ndarray, ndarray)
        Training and test rows of each part. One part with all rows in both is the paper's
        resubstitution score.
    maximum : float
        The scorer's highest value; infinity where it is not known.
    passthrough : ndarray of int, optional
        The features that are neither mapped nor standardised.
    fit_params, score_params : dict
        Passed on; values with one entry a sample are cut to the part's rows.

    Notes
    -----
    The map is applied to all rows at once, the standardisation is learned on the training rows of
    a part. Mapped columns are kept by (column, λ), because neighbouring candidates share them.
    """

    candidates_per_unit = 1
    parts_per_unit = 1

    def __init__(
        self,
        scaled: NDArray[Any],
        y: NDArray[Any],
        active: NDArray[np.int64],
        estimator: Any,
        scorer: Any,
        splits: Sequence[tuple[NDArray[np.int64], NDArray[np.int64]]],
        *,
        maximum: float = np.inf,
        passthrough: NDArray[np.int64] | None = None,
        fit_params: dict[str, Any] | None = None,
        score_params: dict[str, Any] | None = None,
    ) -> None:
        self.scaled = scaled
        self.y = y
        self.active = active
        self.estimator = estimator
        self.scorer = scorer
        self.splits = splits
        self.maximum = maximum
        self.passthrough = np.array([], dtype=np.int64) if passthrough is None else passthrough
        self.fit_params = fit_params or {}
        self.score_params = score_params or {}
        self.n_parts = len(splits)

    def score(self, candidates: NDArray[np.float64], parts: NDArray[np.int64]) -> Scored:
        """Score each candidate on each part.

        Parameters
        ----------
        candidates : ndarray of shape (n_candidates, n_dimensions)
            λ of the active features.
        parts : ndarray of int of shape (n_parts,)
            Numbers of splits.
        """
        values = np.empty((len(candidates), len(parts)))
        caught: Counter[str] = Counter()
        for i, candidate in enumerate(candidates):
            mapped = self.map(candidate)
            for k, part in enumerate(parts):
                with warnings.catch_warnings(record=True) as log:
                    warnings.simplefilter("always")
                    values[i, k] = self._score_one(mapped, *self.splits[part])
                caught.update(f"{w.category.__name__}: {w.message}" for w in log)
        return Scored(values, dict(caught))

    def map(self, candidate: NDArray[np.float64]) -> NDArray[Any]:
        """Return all rows mapped by the candidate's λ, in C order."""
        mapped = np.empty_like(self.scaled, order="C")
        lambdas = np.ones(self.scaled.shape[1])
        lambdas[self.active] = candidate
        passed = set(self.passthrough.tolist())
        for j, lam in enumerate(lambdas):
            mapped[:, j] = self.scaled[:, j] if j in passed else self._column(j, float(lam))
        return mapped

    def _column(self, j: int, lam: float) -> NDArray[Any]:
        cache: OrderedDict[tuple[int, float], NDArray[Any]]
        cache = self.__dict__.setdefault("_cache", OrderedDict())
        column = cache.get((j, lam))
        if column is None:
            column = cache[j, lam] = box_cox(self.scaled[:, j], lam)
            if len(cache) * column.nbytes > _CACHE_BYTES:
                cache.popitem(last=False)
        return column

    def _score_one(
        self, mapped: NDArray[Any], train: NDArray[np.int64], test: NDArray[np.int64]
    ) -> float:
        X_train, X_test = mapped[train], mapped[test]
        scaler = fit_scaler(StandardScaler(), X_train, self.passthrough)
        X_train = apply_scaler(scaler, X_train, self.passthrough)
        X_test = apply_scaler(scaler, X_test, self.passthrough)
        model = clone(self.estimator)
        fit_params = rows_of_params(self.scaled, self.fit_params, indices=train)
        score_params = rows_of_params(self.scaled, self.score_params, indices=test)
        model.fit(X_train, _safe_indexing(self.y, train), **fit_params)
        return float(self.scorer(model, X_test, _safe_indexing(self.y, test), **score_params))

    def __getstate__(self) -> dict[str, Any]:
        return {key: value for key, value in self.__dict__.items() if key != "_cache"}
