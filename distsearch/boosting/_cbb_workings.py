"""Parts of `CBBClassifier` that its users do not call."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from distsearch._warn import warn_caller
from distsearch._wording import count
from distsearch.backends import Backend, derive_seed, open_backend, seed_sequence
from distsearch.boosting._adaboost import rule_for
from distsearch.boosting._cluster_fit import (
    Initial,
    Settings,
    action_for,
    fit_initials,
    initial_votes,
    learn_runs,
)
from distsearch.boosting._cluster_runs import Actions
from distsearch.boosting._clustering import (
    Clustering,
    cluster_by,
    cluster_by_groups,
    cluster_by_k_means,
)
from distsearch.boosting._deltas import choose_delta, default_grid
from distsearch.boosting._ensemble import BoostedClassifier, add_votes
from distsearch.boosting._learners import Sample
from distsearch.boosting._resampling import Run
from distsearch.boosting._rows import Rows
from distsearch.boosting._space import ClusterSpace
from distsearch.boosting._steps import Rule
from distsearch.boosting._types import Census, minority_share
from distsearch.boosting._variants import Variant, variant_for
from distsearch.boosting._x_means import XMeans
from distsearch.errors import InvalidInputError

__all__ = ["CBBWorkings"]

Codes = NDArray[np.intp]
Floats = NDArray[np.float64]

_ESTIMATE_FOLDS = 5


class CBBWorkings(BoostedClassifier):
    """Clustering, types and tables of `CBBClassifier`."""

    n_estimators: int
    delta: str
    delta1: float
    delta2: float
    delta_grid: Any
    delta_folds: int
    estimate: str
    variant: str
    actions: Any
    booster: str | None
    beta: float
    borrow: float | None
    max_initial_vote: float | None
    voting: str
    initial_vote: str
    eta_high: float
    eta_low: float
    clusterer: Any
    criterion: str
    min_clusters: int | None
    max_clusters: int
    n_init: int
    min_cluster_size: int
    rule: str
    backend: Any
    random_state: Any
    clusters_: dict[str, list[Any]]
    delta_: tuple[float, float]
    _initial_votes: Floats
    _restricted: bool

    @property
    def fit_facts_(self) -> dict[str, Any]:
        """What a study keeps of each fit: functions with the initial one, types, δ1 and δ2."""
        functions = 1 + super().fit_facts_["functions"]
        types = dict(sorted(Counter(self.clusters_["type"]).items()))
        return {"functions": functions, "types": types, "delta": list(self.delta_)}

    def _fit_rows(self, rows: Rows) -> None:
        seed = seed_sequence(self.random_state)
        n_classes = len(rows.classes)
        settings = self._settings(rule_for(self.rule, n_classes))
        with open_backend(self.backend) as backend:
            clusters = self._cluster(rows, derive_seed(seed, 0), backend)
            inner = derive_seed(seed, 1)
            (initial,) = self._initials(rows, clusters, settings, inner, backend)
            self._choose(rows, clusters, settings, inner, backend)
            kinds, todo = self._types(initial.census, settings)
            runs = learn_runs(rows, clusters, todo, settings, inner, backend)
        self.initial_ = initial.function
        self.estimators_ = [run.functions for run in runs]
        self.estimator_votes_ = [np.asarray(run.votes) for run in runs]
        self._initial_votes = initial_votes(initial.census, settings, n_classes)
        self._restricted = settings.restricted
        self.clusters_ = self._table(initial.census, kinds, todo, runs)
        self.suspects_ = self._suspects(rows, clusters, initial.census, kinds)
        self._warn(rows, todo, settings)

    def _stages(self, sample: Sample) -> Iterator[Floats]:
        where = self._locate(sample)
        totals = np.zeros((len(sample), len(self.classes_)))
        votes = np.append(self._initial_votes, 1.0)[where]
        add_votes(totals, self.initial_, votes, sample, self.classes_)
        yield totals
        parts = [self._voted_on(sample, where, c) for c in range(len(self.estimators_))]
        for stage in range(max((len(each) for each in self.estimators_), default=0)):
            for c, part in enumerate(parts):
                if part is not None and stage < len(self.estimators_[c]):
                    members, some = part
                    own = np.zeros((len(some), len(self.classes_)))
                    function, vote = self.estimators_[c][stage], self.estimator_votes_[c][stage]
                    add_votes(own, function, vote, some, self.classes_)
                    totals[members] += own
            yield totals

    def _validate_params(self) -> None:
        super()._validate_params()
        self._variant()
        if self.delta_grid is not None:
            self._checked_grid()
        if self.min_clusters is not None and self.min_clusters > self.max_clusters:
            raise InvalidInputError(
                f"min_clusters must be at most max_clusters. Got min_clusters={self.min_clusters} "
                f"and max_clusters={self.max_clusters} instead."
            )

    def _variant(self) -> Variant:
        return variant_for(
            self.variant, self.actions, self.booster, self.borrow, self.max_initial_vote
        )

    def _settings(self, rule: Rule) -> Settings:
        variant = self._variant()
        actions = Actions(
            self._base(),
            self.n_estimators,
            self.eta_high,
            self.eta_low,
            rule,
            beta=self.beta if variant.booster == "kl" else None,
            borrowed=variant.borrow,
        )
        return Settings(
            actions,
            by_type=variant.actions,
            out_of_fold=_ESTIMATE_FOLDS if self.estimate == "out-of-fold" else 0,
            local=self.initial_vote == "local",
            largest=variant.max_initial_vote,
            restricted=self.voting == "restricted",
            min_cluster_size=self.min_cluster_size,
        )

    def _cluster(self, rows: Rows, seed: np.random.SeedSequence, backend: Backend) -> Codes:
        weight = rows.weight * (rows.draws / rows.weight.sum())
        self.space_ = ClusterSpace().fit(rows.X, weight)
        Z = self.space_.transform(rows.X)
        found = self._clustering(Z, weight, rows, seed, backend)
        self.locator_, self._cluster_names, self.bic_ = found.locator, found.names, found.bic
        return found.labels

    def _clustering(
        self, Z: Floats, weight: Floats, rows: Rows, seed: np.random.SeedSequence, backend: Backend
    ) -> Clustering:
        if rows.groups is not None:
            return cluster_by_groups(Z, rows.groups)
        low = self.min_clusters or min(len(rows.classes), self.max_clusters)
        numbers = (low, self.max_clusters)
        if not isinstance(self.clusterer, str):
            return cluster_by(Z, weight, self.clusterer, seed)
        if self.clusterer == "x-means":
            return cluster_by(Z, weight, XMeans(*numbers, n_init=self.n_init), seed)
        return cluster_by_k_means(
            Z, weight, numbers, criterion=self.criterion, n_init=self.n_init, seed=seed,
            backend=backend,
        )  # fmt: skip

    def _initials(
        self,
        rows: Rows,
        clusters: Codes,
        settings: Settings,
        seed: np.random.SeedSequence,
        backend: Backend,
    ) -> list[Initial]:
        everything = (0, np.arange(len(rows)), np.empty(0, dtype=np.intp))
        return fit_initials(rows, clusters, [everything], settings, seed, backend)

    def _choose(
        self,
        rows: Rows,
        clusters: Codes,
        settings: Settings,
        seed: np.random.SeedSequence,
        backend: Backend,
    ) -> None:
        self.delta_, self.delta_scores_ = (self.delta1, self.delta2), None
        alike = len(set(settings.by_type.values())) == 1
        if self.delta == "fixed" or alike:
            return
        grid = default_grid(len(rows.classes)) if self.delta_grid is None else self._checked_grid()
        n_folds = min(self.delta_folds, len(rows))
        self.delta_, scores = choose_delta(rows, clusters, grid, n_folds, settings, seed, backend)
        self.delta_scores_ = [(*pair, float(s)) for pair, s in zip(grid, scores, strict=True)]

    def _checked_grid(self) -> list[tuple[float, float]]:
        grid = []
        for pair in self.delta_grid:
            try:
                d1, d2 = (float(each) for each in pair)
            except (TypeError, ValueError):
                d1 = d2 = np.nan
            if not (0 <= d1 <= 1 and 0 <= d2 <= 1):
                raise InvalidInputError(
                    f"Each of delta_grid must be a pair of numbers from 0 to 1, δ1 and δ2. Got "
                    f"{pair!r} instead."
                )
            grid.append((d1, d2))
        if not grid:
            raise InvalidInputError(
                "delta_grid is empty. Give pairs of δ1 and δ2, or None for the default grid."
            )
        return grid

    def _types(self, census: Census, settings: Settings) -> tuple[list[str], list[str]]:
        pairs = [action_for(census, c, self.delta_, settings) for c in range(len(census.size))]
        return [kind for kind, _ in pairs], [action for _, action in pairs]

    def _table(
        self, census: Census, kinds: Sequence[str], todo: Sequence[str], runs: Sequence[Run]
    ) -> dict[str, list[Any]]:
        return {
            "size": census.size.tolist(),
            "minority": (census.minority / census.size).tolist(),
            "accuracy": (1 - census.wrong / census.size).tolist(),
            "type": list(kinds),
            "action": list(todo),
            "n_functions": [len(run.functions) for run in runs],
            "stopped": [run.stopped for run in runs],
            "initial_vote": self._initial_votes.tolist(),
            "votes": [list(run.votes) for run in runs],
        }

    def _suspects(self, rows: Rows, clusters: Codes, census: Census, kinds: Sequence[str]) -> Codes:
        homogeneous = np.asarray([kind.startswith("HO") for kind in kinds])
        odd = homogeneous[clusters] & (rows.codes != census.majority[clusters])
        return np.flatnonzero(np.append(odd, False)[rows.places])

    def _warn(self, rows: Rows, todo: Sequence[str], settings: Settings) -> None:
        if all(action == "nothing" for action in todo):
            warn_caller(
                f"All {count(len(todo), 'cluster')} are left to the initial function, so that the "
                f"model equals its base learner alone. A smaller delta1 or delta2, "
                f'estimate="out-of-fold" or variant="pooled" makes it learn more.'
            )
        share = minority_share(rows.codes, rows.weight)
        matters = any(
            settings.by_type[f"HE{each}"] != settings.by_type[f"HO{each}"] for each in "SP"
        )
        if matters and self.delta == "fixed" and self.delta2 > share:
            warn_caller(
                f"delta2={self.delta2} is larger than the share of rows outside the largest class, "
                f"{share:.3g}: a cluster like the whole is homogeneous. Give a smaller delta2, or "
                f'delta="auto".'
            )

    def _locate(self, sample: Sample) -> Codes:
        names = self.locator_.predict(self.space_.transform(sample.X))
        known = self._cluster_names
        places = np.minimum(np.searchsorted(known, names), len(known) - 1)
        found: Codes = np.where(known[places] == names, places, -1)
        return found

    def _voted_on(self, sample: Sample, where: Codes, cluster: int) -> tuple[Any, Sample] | None:
        """Return the rows that the functions of a cluster vote on, and their sample."""
        if not self.estimators_[cluster]:
            return None
        if not self._restricted:
            return slice(None), sample
        members = np.flatnonzero(where == cluster)
        return (members, sample.only(members)) if len(members) else None
