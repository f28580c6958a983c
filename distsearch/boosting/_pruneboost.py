"""Boosting without the rows where labels overlap."""

from __future__ import annotations

from numbers import Integral, Real
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from distsearch._sklearn import Interval, StrOptions
from distsearch._warn import warn_caller
from distsearch.backends import seed_sequence
from distsearch.boosting._adaboost import VotingClassifier
from distsearch.boosting._pruning import (
    cluster_labels,
    distances_between,
    troublesome,
    whitening,
)
from distsearch.boosting._rows import Rows
from distsearch.boosting._space import ClusterSpace

__all__ = ["PruneBoostClassifier"]

Codes = NDArray[np.intp]
Floats = NDArray[np.float64]


class PruneBoostClassifier(VotingClassifier):
    """AdaBoost on what is left when clusters that overlap with another label's are dropped.

    The rows of each label are clustered with k-means, and all members of a cluster whose centre is
    closer than a threshold to that of a cluster of another label are left out. Then functions are
    boosted as `ResamplingAdaBoostClassifier` does.

    Parameters
    ----------
    estimator : str or classifier, default="tree"
        What is fitted: "tree", "svm", "mlp", "rbf" or "stump" (see `named_estimator`), or any
        classifier.
    n_estimators : int, default=10
        Rounds at most.
    n_clusters : int, default=20
        Clusters of each label, k; fewer where its rows are at fewer places.
    threshold : float, default=0.1
        Distance below which two clusters are troublesome, D; the paper tries 0.1, 0.2 and 0.3.
        Nothing is dropped at 0.
    unit : {"relative", "mahalanobis"}, default="relative"
        Unit of `threshold`: the largest distance between two clusters that are compared, or the
        Mahalanobis distance itself.
    pairing : {"different-labels", "all"}, default="different-labels"
        Which clusters are compared with each other.
    clustering : {"per-label", "all-rows"}, default="per-label"
        Whether each label is clustered on its own, or all rows at once; the label of a cluster is
        then that of most of its rows.
    learning_rate : float, default=1.0
        Factor of all votes, η.
    rule : {"auto", "M1", "SAMME"}, default="auto"
        M1 asks for errors below 1/2, SAMME for errors below 1 - 1/n_classes; "auto" is SAMME for
        more than two classes.
    first_on_all : bool, default=False
        Whether the first function is fitted to all rows that are left instead of a draw.
    random_state : int, RandomState, Generator, SeedSequence or None, default=None
        Clusters, draws, and the functions' own random states.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        The labels.
    pruned_ : ndarray of int of shape (n_pruned,)
        Positions of the training rows that were left out.
    n_clusters_ : int
        Clusters of all labels together.
    distance_range_ : tuple of float
        The smallest and the largest distance between clusters that were compared, in `unit`; not
        a number where there was only one cluster.
    estimators_ : list of estimator
        The functions.
    estimator_votes_ : ndarray of shape (n_functions,)
        Their votes.
    estimator_errors_ : ndarray of shape (n_functions,)
        Their weighted errors on the rows that are left.
    stopped_ : str
        Why the last round was the last: "n_estimators", "perfect" or "chance".
    n_features_in_, feature_names_in_
        As in scikit-learn.

    Notes
    -----
    Where a label would lose all its rows, none is left out.

    Columns are scaled to [0, 1], categories stand in columns of their own, and missing values
    become the mean or the most frequent value. Distances use the pooled covariance within labels
    and its pseudo-inverse, so directions without any spread inside labels do not count.

    Only the abstract of the paper leaves no doubt; per-label clusters, pairs of different labels
    and the relative unit are readings of "overlapped classes". In its own unit, distances up to
    0.3 hardly occur.

    Results do not depend on the order of the rows. Weights count in clusters and covariances too.

    References
    ----------
    Kim, Y., Baek, J. and Kim, H. (2013). PruneBoost. ICUIMC.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from distsearch.boosting import PruneBoostClassifier
    >>> X, y = load_iris(return_X_y=True)
    >>> model = PruneBoostClassifier(random_state=0).fit(X, y)
    >>> sorted(set(y[model.pruned_].tolist()))
    [1, 2]
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **VotingClassifier._parameter_constraints,
        "n_clusters": [Interval(Integral, 1, None, closed="left")],
        "threshold": [Interval(Real, 0, None, closed="left")],
        "unit": [StrOptions({"relative", "mahalanobis"})],
        "pairing": [StrOptions({"different-labels", "all"})],
        "clustering": [StrOptions({"per-label", "all-rows"})],
    }

    def __init__(
        self,
        estimator: Any = "tree",
        n_estimators: int = 10,
        *,
        n_clusters: int = 20,
        threshold: float = 0.1,
        unit: str = "relative",
        pairing: str = "different-labels",
        clustering: str = "per-label",
        learning_rate: float = 1.0,
        rule: str = "auto",
        first_on_all: bool = False,
        random_state: Any = None,
    ) -> None:
        self.estimator = estimator
        self.n_estimators = n_estimators
        self.n_clusters = n_clusters
        self.threshold = threshold
        self.unit = unit
        self.pairing = pairing
        self.clustering = clustering
        self.learning_rate = learning_rate
        self.rule = rule
        self.first_on_all = first_on_all
        self.random_state = random_state

    def _fit_rows(self, rows: Rows) -> None:
        seed = seed_sequence(self.random_state)
        left_out = self._find_overlap(rows, seed)
        if len(np.unique(rows.codes[~left_out])) < len(rows.classes):
            left_out[:] = False
            if self.distance_range_[1] > 0:
                warn_caller(
                    f"Nothing was left out: with threshold={self.threshold} a label would lose all "
                    f"its rows. Distances are from {self.distance_range_[0]:.3g} to "
                    f"{self.distance_range_[1]:.3g}; give a smaller threshold."
                )
        given = rows.places >= 0
        self.pruned_ = np.flatnonzero(given & left_out[rows.places])
        self._run(rows.only(np.flatnonzero(~left_out)) if left_out.any() else rows, seed)

    def _find_overlap(self, rows: Rows, seed: np.random.SeedSequence) -> NDArray[np.bool_]:
        counts = rows.weight * (rows.draws / rows.weight.sum())
        Z = ClusterSpace().fit(rows.X, counts).transform(rows.X)
        clusters = cluster_labels(
            Z,
            rows.codes,
            counts,
            self.n_clusters,
            seed,
            mixed=self.clustering == "all-rows",
        )
        self.n_clusters_ = len(clusters.codes)
        whitened = whitening(Z, rows.codes, counts)
        distances = self._in_unit(
            distances_between(clusters, whitened, alike=self.pairing == "all")
        )
        return troublesome(distances, self.threshold)[clusters.labels]

    def _in_unit(self, distances: Floats) -> Floats:
        compared = distances[np.isfinite(distances)]
        if self.unit == "relative" and compared.max(initial=0.0) > 0:
            distances = distances / compared.max()
            compared = compared / compared.max()
        span = (compared.min(), compared.max()) if len(compared) else (np.nan, np.nan)
        self.distance_range_ = (float(span[0]), float(span[1]))
        return distances
