"""Cluster-based boosting: what is learned after the initial function depends on the cluster."""

from __future__ import annotations

from numbers import Integral, Real
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from distsearch._sklearn import HasMethods, Interval, StrOptions
from distsearch.backends import single_threaded
from distsearch.boosting._bic import CRITERIA
from distsearch.boosting._cbb_workings import CBBWorkings
from distsearch.boosting._ensemble import BoostedClassifier
from distsearch.boosting._reading import read_training
from distsearch.boosting._variants import VARIANTS

__all__ = ["CBBClassifier"]

Codes = NDArray[np.intp]

_SHARE = Interval(Real, 0, 1, closed="both")
_POSITIVE = Interval(Real, 0, None, closed="neither")
_COUNT = Interval(Integral, 1, None, closed="left")


class CBBClassifier(CBBWorkings):
    """Boosting that looks at clusters of the training rows before it learns more functions.

    An initial function is fitted to all rows, and the rows are clustered without their labels.
    What follows depends on the cluster: where labels are mixed and the initial function struggles,
    it boosts; where labels are mixed and it prospers, it boosts with a small learning rate; where
    nearly all rows have one label and it struggles, one more function is learned; where it
    prospers there, nothing is done. A row is decided by the initial function and the functions of
    its own cluster.

    Parameters
    ----------
    estimator : str or classifier, default="tree"
        What is fitted: "tree", "svm", "mlp", "rbf" or "stump" (see `named_estimator`), or any
        classifier.
    n_estimators : int, default=10
        Rounds in a cluster at most.
    delta : {"fixed", "auto"}, default="fixed"
        Whether δ1 and δ2 are those given, or chosen from a grid by inner cross-validation. As they
        only select among runs that are made once, the whole grid costs about as much as one pair.
    delta1 : float, default=0.2
        A cluster prospers when the initial function is right on at least 1 - δ1 of its rows.
    delta2 : float, default=0.3
        A cluster is homogeneous when fewer than δ2 of its rows have another label than most.
        Skewed data need a smaller one, many classes a larger one.
    delta_grid : list of (float, float) or None, default=None
        Pairs of δ1 and δ2 for "auto"; None for five of each in the ranges of the paper.
    delta_folds : int, default=3
        Inner folds for "auto".
    estimate : {"training", "out-of-fold"}, default="training"
        Which errors of the initial function decide on types and on its votes. A learner that fits
        its training rows perfectly prospers everywhere by the first.
    variant : {"paper", "pooled"}, default="paper"
        What `actions`, `booster`, `borrow` and `max_initial_vote` are where they are not given.
        "pooled" boosts in every cluster with AdaBoost_KL, borrows the rows of the others at a
        weight of 0.3, and caps the vote of the initial function at 1. It is more accurate as a
        rule, and slower.
    actions : dict of str to str or None, default=None
        What is done in clusters of some types: "boost", "boost slowly" (with `eta_low`), "one
        function" or "nothing". Those of the paper are {"HES": "boost", "HEP": "boost slowly",
        "HOS": "one function", "HOP": "nothing"}.
    booster : {"adaboost", "kl"} or None, default=None
        What boosts inside clusters: AdaBoost, as in the paper, or AdaBoost_KL.
    beta : float, default=0.5
        The penalty of "kl", see `AdaBoostKLClassifier`.
    borrow : float or None, default=None
        What a row of another cluster weighs in boosting, where one of the cluster weighs 1. With 0
        a cluster sees its own rows only, as in the paper; with 1 clusters do not matter.
    voting : {"restricted", "unrestricted"}, default="restricted"
        Whether the functions of a row's own cluster vote on it, or those of all.
    initial_vote : {"local", "global"}, default="local"
        Whether the error behind the initial function's vote is that on the cluster at hand, or on
        all rows.
    max_initial_vote : float or None, default=None
        The largest vote of the initial function. Log odds of errors on training rows overstate
        what a learner knows that fits them well.
    eta_high, eta_low : float, default=1.0 and 0.5
        Learning rates of boosting where the initial function struggles and where it prospers.
    rule : {"auto", "M1", "SAMME"}, default="auto"
        M1 asks for errors below 1/2, SAMME for errors below 1 - 1/n_classes; "auto" is SAMME for
        more than two classes.
    clusterer : {"k-means", "x-means"} or clusterer, default="k-means"
        "k-means" runs it afresh for each number of clusters, as the paper does; "x-means" splits
        clusters, as Pelleg and Moore do; any clusterer of scikit-learn.
    criterion : str, default="variance"
        By which the number of clusters is chosen: "variance", "scatter", "pooled",
        "pooled-variance" or "x-means"; see the notes.
    min_clusters, max_clusters : int or None, int, default=None and 10
        Numbers of clusters that are tried; None for the number of classes.
    n_init : int, default=5
        Random starts of k-means; 1 in the paper.
    min_cluster_size : int, default=2
        Clusters with fewer rows are left to the initial function.
    backend : str or Backend, default="serial"
        Where runs are made: "serial", "processes", "ray", see `get_backend`.
    random_state : int, RandomState, Generator, SeedSequence or None, default=None
        Clusters, draws, and the functions' own random states.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        The labels.
    initial_ : estimator
        The initial function.
    clusters_ : dict of str to list
        A table with a row for each cluster: ``size``, ``minority`` (share), ``accuracy`` (of the
        initial function), ``type``, ``action``, ``n_functions``, ``stopped`` (why),
        ``initial_vote`` and ``votes``. ``pandas.DataFrame(model.clusters_)`` shows it.
    estimators_ : list of list of estimator
        The functions of each cluster.
    estimator_votes_ : list of ndarray
        Their votes.
    bic_ : dict of int to float
        The criterion for each number of clusters that was tried.
    delta_ : tuple of float
        δ1 and δ2 as used.
    delta_scores_ : list of (float, float, float) or None
        δ1, δ2 and the inner accuracy for each pair of the grid; None for "fixed".
    suspects_ : ndarray of int
        Training rows that may be mislabelled: their label is not that of most rows of their
        homogeneous cluster.
    n_features_in_, feature_names_in_
        As in scikit-learn.

    Notes
    -----
    For clustering, columns are scaled to [0, 1], categories stand in columns of their own at a
    distance of 1 from each other, and missing values become the mean or the most frequent value.
    The learner sees the rows as they are.

    With n_c rows and a sum of squared distances SS_c in cluster c, "variance" is
    Σ n_c ln(SS_c / n_c) + k ln n_c, the reading of the paper's equation (2) that gives its numbers
    of clusters. "pooled" is the equation as printed, n ln SSE + k ln n, which takes nearly always
    as many clusters as it may: ten for twelve numbers in three groups.

    Results do not depend on the order of the rows, nor on `backend`: every run has a seed of its
    own, by inner fold, cluster and action.

    References
    ----------
    Miller, L. D. and Soh, L.-K. (2015). Cluster-based boosting. IEEE Transactions on Knowledge and
    Data Engineering 27(6), 1491-1504.
    Pelleg, D. and Moore, A. (2000). X-means. ICML.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from distsearch.boosting import CBBClassifier
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> model = CBBClassifier(random_state=0).fit(X, y)
    >>> sorted(set(model.clusters_["type"]))
    ['HEP', 'HOP']
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **BoostedClassifier._parameter_constraints,
        "delta": [StrOptions({"fixed", "auto"})],
        "delta1": [_SHARE],
        "delta2": [_SHARE],
        "delta_grid": [list, tuple, None],
        "delta_folds": [Interval(Integral, 2, None, closed="left")],
        "estimate": [StrOptions({"training", "out-of-fold"})],
        "variant": [StrOptions(set(VARIANTS))],
        "actions": [dict, None],
        "booster": [StrOptions({"adaboost", "kl"}), None],
        "beta": [Interval(Real, 0, None, closed="left")],
        "borrow": [_SHARE, None],
        "voting": [StrOptions({"restricted", "unrestricted"})],
        "initial_vote": [StrOptions({"local", "global"})],
        "max_initial_vote": [Interval(Real, 0, np.inf, closed="both"), None],
        "eta_high": [_POSITIVE],
        "eta_low": [_POSITIVE],
        "rule": [StrOptions({"auto", "M1", "SAMME"})],
        "clusterer": [StrOptions({"k-means", "x-means"}), HasMethods("fit")],
        "criterion": [StrOptions(set(CRITERIA))],
        "min_clusters": [_COUNT, None],
        "max_clusters": [_COUNT],
        "n_init": [_COUNT],
        "min_cluster_size": [_COUNT],
        "backend": [str, HasMethods("run")],
    }

    def __init__(
        self,
        estimator: Any = "tree",
        n_estimators: int = 10,
        *,
        delta: str = "fixed",
        delta1: float = 0.2,
        delta2: float = 0.3,
        delta_grid: Any = None,
        delta_folds: int = 3,
        estimate: str = "training",
        variant: str = "paper",
        actions: Any = None,
        booster: str | None = None,
        beta: float = 0.5,
        borrow: float | None = None,
        voting: str = "restricted",
        initial_vote: str = "local",
        max_initial_vote: float | None = None,
        eta_high: float = 1.0,
        eta_low: float = 0.5,
        rule: str = "auto",
        clusterer: Any = "k-means",
        criterion: str = "variance",
        min_clusters: int | None = None,
        max_clusters: int = 10,
        n_init: int = 5,
        min_cluster_size: int = 2,
        backend: Any = "serial",
        random_state: Any = None,
    ) -> None:
        self.estimator = estimator
        self.n_estimators = n_estimators
        self.delta = delta
        self.delta1 = delta1
        self.delta2 = delta2
        self.delta_grid = delta_grid
        self.delta_folds = delta_folds
        self.estimate = estimate
        self.variant = variant
        self.actions = actions
        self.booster = booster
        self.beta = beta
        self.borrow = borrow
        self.voting = voting
        self.initial_vote = initial_vote
        self.max_initial_vote = max_initial_vote
        self.eta_high = eta_high
        self.eta_low = eta_low
        self.rule = rule
        self.clusterer = clusterer
        self.criterion = criterion
        self.min_clusters = min_clusters
        self.max_clusters = max_clusters
        self.n_init = n_init
        self.min_cluster_size = min_cluster_size
        self.backend = backend
        self.random_state = random_state

    def fit(self, X: Any, y: Any, sample_weight: Any = None, groups: Any = None) -> Self:
        """Learn the initial function, the clusters and the functions in them.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Training rows. A frame that holds anything but numbers is handed on as it is.
        y : array-like of shape (n_samples,)
            Their labels.
        sample_weight : array-like of shape (n_samples,), optional
            Weights that are whole numbers count as repetitions; others only say how likely a row
            is to be drawn, and how much it counts in errors, shares and clusters.
        groups : array-like of shape (n_samples,), optional
            Groups to take as clusters; new rows belong to the group of the nearest training row.

        Returns
        -------
        self

        Raises
        ------
        InvalidInputError
            When there is one class only, or `estimator` is no classifier.
        """
        self._validate_params()
        rows = read_training(self, self._base(), X, y, sample_weight, groups)
        with single_threaded():
            self._fit_rows(rows)
        return self

    def cluster_of(self, X: Any) -> Codes:
        """Return the cluster of each row, the row of `clusters_` that is about it.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Rows.

        Returns
        -------
        ndarray of int of shape (n_samples,)
            -1 where a clusterer sees a cluster without any training rows.
        """
        return self._locate(self._read(X))
