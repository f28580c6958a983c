"""AdaBoost by resampling, over any classifier."""

from __future__ import annotations

from collections.abc import Iterator
from numbers import Real
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from distsearch._sklearn import Interval, StrOptions
from distsearch.backends import seed_sequence
from distsearch.boosting._ensemble import BoostedClassifier, add_votes
from distsearch.boosting._learners import Sample, bind
from distsearch.boosting._resampling import Run, boost
from distsearch.boosting._rows import Rows
from distsearch.boosting._steps import AdaBoostStep, Rule, Step

__all__ = ["ResamplingAdaBoostClassifier", "VotingClassifier", "rule_for"]

Floats = NDArray[np.float64]


def rule_for(rule: str, n_classes: int) -> Rule:
    """Return the rule that "auto" stands for: both are the same for two classes."""
    if rule == "auto":
        return "M1" if n_classes == 2 else "SAMME"
    return "SAMME" if rule == "SAMME" else "M1"


class VotingClassifier(BoostedClassifier):
    """Base of classifiers that are one boosting run."""

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **BoostedClassifier._parameter_constraints,
        "learning_rate": [Interval(Real, 0, None, closed="neither")],
        "rule": [StrOptions({"auto", "M1", "SAMME"})],
        "first_on_all": ["boolean"],
    }

    n_estimators: int
    learning_rate: float
    rule: str
    first_on_all: bool
    random_state: Any

    def _run(self, rows: Rows, seed: np.random.SeedSequence) -> None:
        run = boost(
            bind(self._base(), rows),
            rows,
            seed,
            n_estimators=self.n_estimators,
            step=self._step(len(rows.classes)),
            first_on_all=self.first_on_all,
        )
        self._keep(run)

    def _step(self, n_classes: int) -> Step:
        return AdaBoostStep(rule_for(self.rule, n_classes), n_classes, self.learning_rate)

    def _keep(self, run: Run) -> None:
        self.estimators_ = run.functions
        self.estimator_votes_ = np.asarray(run.votes)
        self.estimator_errors_ = np.asarray(run.errors)
        self.stopped_ = run.stopped

    def _stages(self, sample: Sample) -> Iterator[Floats]:
        totals = np.zeros((len(sample), len(self.classes_)))
        for function, vote in zip(self.estimators_, self.estimator_votes_, strict=True):
            add_votes(totals, function, vote, sample, self.classes_)
            yield totals.copy()


class ResamplingAdaBoostClassifier(VotingClassifier):
    """AdaBoost.M1 whose functions are fitted to draws, as Weka's AdaBoostM1 with ``-Q``.

    In every round as many rows are drawn as there are, with replacement and by their weights, so
    that it works over classifiers that take no weights. The error of a function is taken over all
    rows with their weights; the weights of the rows that it gets wrong are multiplied by the odds
    of being right.

    Parameters
    ----------
    estimator : str or classifier, default="tree"
        What is fitted: "tree", "svm", "mlp", "rbf" or "stump" (see `named_estimator`), or any
        classifier.
    n_estimators : int, default=10
        Rounds at most.
    learning_rate : float, default=1.0
        Factor of all votes, η.
    rule : {"auto", "M1", "SAMME"}, default="auto"
        M1 asks for errors below 1/2, SAMME for errors below 1 - 1/n_classes, and adds
        ln(n_classes - 1) to the log odds. For two classes they are the same; for more, "auto" is
        SAMME.
    first_on_all : bool, default=False
        Whether the first function is fitted to all rows instead of a draw.
    random_state : int, RandomState, Generator, SeedSequence or None, default=None
        Draws, and the functions' own random states.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        The labels.
    estimators_ : list of estimator
        The functions.
    estimator_votes_ : ndarray of shape (n_functions,)
        Their votes.
    estimator_errors_ : ndarray of shape (n_functions,)
        Their weighted errors.
    stopped_ : str
        Why the last round was the last: "n_estimators", "perfect" (a function without error, ten
        draws in a row) or "chance" (a function no better than chance). The function that ends a
        run is kept only if it is the first.
    n_features_in_, feature_names_in_
        As in scikit-learn.

    Notes
    -----
    Results do not depend on the order of the rows.

    References
    ----------
    Freund, Y. and Schapire, R. E. (1996). Experiments with a new boosting algorithm. ICML.
    Zhu, J., Zou, H., Rosset, S. and Hastie, T. (2009). Multi-class AdaBoost. Statistics and Its
    Interface 2, 349-360.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from distsearch.boosting import ResamplingAdaBoostClassifier
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> boosted = ResamplingAdaBoostClassifier(random_state=0).fit(X[:400], y[:400])
    >>> len(boosted.estimators_)
    10
    """

    def __init__(
        self,
        estimator: Any = "tree",
        n_estimators: int = 10,
        *,
        learning_rate: float = 1.0,
        rule: str = "auto",
        first_on_all: bool = False,
        random_state: Any = None,
    ) -> None:
        self.estimator = estimator
        self.n_estimators = n_estimators
        self.learning_rate = learning_rate
        self.rule = rule
        self.first_on_all = first_on_all
        self.random_state = random_state

    def _fit_rows(self, rows: Rows) -> None:
        self._run(rows, seed_sequence(self.random_state))
