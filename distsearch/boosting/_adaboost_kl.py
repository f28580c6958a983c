"""AdaBoost_KL, whose weights are kept from leaving the uniform distribution far behind."""

from __future__ import annotations

from numbers import Real
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from scipy.special import log_expit, softmax

from distsearch._sklearn import Interval
from distsearch.boosting._machines import Machine, MachineRun, OneVsRestBooster
from distsearch.boosting._resampling import boost
from distsearch.boosting._steps import KLStep

__all__ = ["AdaBoostKLClassifier"]

Floats = NDArray[np.float64]


class AdaBoostKLClassifier(OneVsRestBooster):
    """AdaBoost with a penalty on skewed weights, for data with wrong labels or outliers.

    The penalty is the Kullback-Leibler divergence of the weights from those of the start. A row
    whose weight has grown counts as nearer to being right than its margin says, so that no few
    hard rows take over. In every round as many rows are drawn as there are, with replacement and
    by their weights, so that any classifier works.

    Two classes are told apart by one machine; of more classes each has its own against the rest.

    Parameters
    ----------
    estimator : str or classifier, default="tree"
        What is fitted: "tree", "svm", "mlp", "rbf" or "stump" (see `named_estimator`), or any
        classifier.
    n_estimators : int, default=10
        Functions of a machine at most.
    beta : float, default=0.5
        Weight of the penalty, β. With 0 this is AdaBoost. What has been learned of the weights
        fades by a factor of 1 - αβ in each round, which is negative, too much, for a large β and
        an accurate function.
    max_vote : float, default=10.0
        Largest vote, for functions whose vote would be infinite.
    random_state : int, RandomState, Generator, SeedSequence or None, default=None
        Draws, and the functions' own random states.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        The labels.
    estimators_ : list of lists of estimator
        The functions of each machine: one machine for two classes, else one for each class, whose
        functions give 1 for the class and 0 for the rest.
    estimator_votes_ : list of ndarray of shape (n_functions,)
        Their votes, 2α, which are AdaBoost's for β = 0.
    estimator_errors_ : list of ndarray of shape (n_functions,)
        Their weighted errors.
    stopped_ : list of str
        Why each machine's last round was the last: see `ResamplingAdaBoostClassifier`.
    n_features_in_, feature_names_in_
        As in scikit-learn.

    Notes
    -----
    With weights d, d¹ at the start, and z = ±1 for right and wrong, α makes Σ d exp(-α u)
    smallest, where u = z + β ln(d/d¹); then d is multiplied by exp(-α u) and normalised.

    Results do not depend on the order of the rows.

    References
    ----------
    Sun, Y., Li, J. and Hager, W. (2004). Two new regularized AdaBoost algorithms. ICMLA.
    Sun, Y., Todorovic, S. and Li, J. (2006). Reducing the overfitting of AdaBoost by controlling
    its data distribution skewness. International Journal of Pattern Recognition and Artificial
    Intelligence 20(7), 1093-1116.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from distsearch.boosting import AdaBoostKLClassifier
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> boosted = AdaBoostKLClassifier("stump", random_state=0).fit(X[:400], y[:400])
    >>> len(boosted.estimators_[0])
    10
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **OneVsRestBooster._parameter_constraints,
        "beta": [Interval(Real, 0, None, closed="left")],
        "max_vote": [Interval(Real, 0, None, closed="neither")],
    }

    def __init__(
        self,
        estimator: Any = "tree",
        n_estimators: int = 10,
        *,
        beta: float = 0.5,
        max_vote: float = 10.0,
        random_state: Any = None,
    ) -> None:
        self.estimator = estimator
        self.n_estimators = n_estimators
        self.beta = beta
        self.max_vote = max_vote
        self.random_state = random_state

    def _fit_machines(self, machines: list[Machine]) -> list[MachineRun]:
        runs: list[Any] = super()._fit_machines(machines)
        self.estimator_errors_ = [np.asarray(run.errors) for run in runs]
        return runs

    def _boost(self, machine: Machine) -> Any:
        step = KLStep("M1", 2, self.beta, max_vote=self.max_vote)
        return boost(
            machine.learner, machine.rows, machine.rng, n_estimators=self.n_estimators, step=step
        )

    def _probabilities(self, totals: Floats) -> Floats:
        # More than two classes have one log odds each, not two halves of the same.
        odds = totals if totals.shape[1] == 2 else log_expit(totals)
        probabilities: Floats = softmax(odds, axis=1)
        return probabilities
