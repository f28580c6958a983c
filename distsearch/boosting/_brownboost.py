"""BrownBoost, which gives up on rows that it cannot get right in time."""

from __future__ import annotations

from dataclasses import dataclass
from numbers import Real
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from scipy.special import erfc, erfcinv, log_ndtr, softmax

from distsearch._sklearn import Interval
from distsearch._warn import warn_caller
from distsearch.boosting._brown_flow import FlowStep, log_weight_of, potential, solve
from distsearch.boosting._machines import Machine, MachineRun, OneVsRestBooster
from distsearch.boosting._rows import Rows
from distsearch.boosting._steps import NOTHING
from distsearch.errors import InvalidInputError

__all__ = ["BrownBoostClassifier"]

Floats = NDArray[np.float64]

_TOTAL_TIME = 3.0
_LONGEST = 500.0

_DRAWS = 10
"""Draws of a round that meets functions without an edge."""


@dataclass(frozen=True, eq=False)
class _BrownRun(MachineRun):
    remaining: float
    potential: float
    first_error: float


class BrownBoostClassifier(OneVsRestBooster):
    """BrownBoost, whose functions are fitted to draws, for data with wrong labels.

    A row weighs little once its margin is large, and also once its margin is so negative that it
    will not become right in the time that is left. Each function uses up some of the total time
    c, and boosting ends when none is left; on the training rows it aims at the error
    ε = 1 - erf(√c). In every round as many rows are drawn as there are, with replacement and by
    their weights, so that any classifier works.

    Two classes are told apart by one machine; of more classes each has its own against the rest.

    Parameters
    ----------
    estimator : str or classifier, default="tree"
        What is fitted: "tree", "svm", "mlp", "rbf" or "stump" (see `named_estimator`), or any
        classifier.
    n_estimators : int, default=10
        Functions of a machine at most.
    total_time : float, optional
        Total time c, at most 500. From 1 to 5 is usable: with less, boosting ends after a first
        function that is at all accurate, with more it gives up on hardly any row. It is 3, a
        target of 1.4 %, if `target_error` is not given either.
    target_error : float, optional
        The error ε to aim at, between 0 and 1, instead of `total_time`.
    edge_threshold : float, default=1e-3
        A function whose weighted edge (the share right minus the share wrong) is no larger has
        none, ν.
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
        Their votes, α.
    total_time_, target_error_ : float
        c and ε.
    remaining_time_ : ndarray of shape (n_machines,)
        The time that was left.
    potential_ : ndarray of shape (n_machines,)
        Mean potential of the training rows at the end, 1 - erf((margin + time left)/√c). It is ε
        at the start and each function keeps it, so that it differs from `target_error_` by
        rounding only.
    stopped_ : list of str
        Why each machine's last round was the last: "time", "n_estimators" or "chance" (ten draws
        in a row without an edge; the first function is kept all the same).
    n_features_in_, feature_names_in_
        As in scikit-learn.

    Notes
    -----
    The decision function is Σ α h, of each machine or of the only one, and its confidence is
    erf(Σ α h / √c). Probabilities are (1 + confidence)/2, for more than two classes divided by
    their sum. A first function whose training error is at most (1 - erf(√c))/2 uses up all the
    time, which is warned of unless it has no error.

    Results do not depend on the order of the rows.

    References
    ----------
    Freund, Y. (2001). An adaptive version of the boost by majority algorithm. Machine Learning
    43, 293-318.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from distsearch.boosting import BrownBoostClassifier
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> boosted = BrownBoostClassifier("stump", random_state=0).fit(X[:400], y[:400])
    >>> len(boosted.estimators_[0])
    10
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **OneVsRestBooster._parameter_constraints,
        "total_time": [Interval(Real, 0, _LONGEST, closed="right"), None],
        "target_error": [Interval(Real, 0, 1, closed="neither"), None],
        "edge_threshold": [Interval(Real, 0, 1, closed="neither")],
    }

    def __init__(
        self,
        estimator: Any = "tree",
        n_estimators: int = 10,
        *,
        total_time: float | None = None,
        target_error: float | None = None,
        edge_threshold: float = 1e-3,
        random_state: Any = None,
    ) -> None:
        self.estimator = estimator
        self.n_estimators = n_estimators
        self.total_time = total_time
        self.target_error = target_error
        self.edge_threshold = edge_threshold
        self.random_state = random_state

    def _validate_params(self) -> None:
        super()._validate_params()
        self._time()

    def _fit_rows(self, rows: Rows) -> None:
        self.total_time_ = self._time()
        self.target_error_ = float(erfc(np.sqrt(self.total_time_)))
        super()._fit_rows(rows)

    def _fit_machines(self, machines: list[Machine]) -> list[MachineRun]:
        runs: list[Any] = super()._fit_machines(machines)
        self.remaining_time_ = np.asarray([run.remaining for run in runs])
        self.potential_ = np.asarray([run.potential for run in runs])
        self._warn(runs)
        return runs

    def _time(self) -> float:
        if self.total_time is not None and self.target_error is not None:
            raise InvalidInputError(
                f"Only one of total_time and target_error can be given. Got "
                f"total_time={self.total_time} and target_error={self.target_error} instead. "
                f"Leave one of them None; the target is 1 - erf(sqrt(total_time))."
            )
        if self.target_error is not None:
            time = float(erfcinv(self.target_error)) ** 2
            if time > _LONGEST:
                raise InvalidInputError(
                    f"target_error must be at least {erfc(np.sqrt(_LONGEST)):.3g}, that of "
                    f"total_time={_LONGEST:g}. Got {self.target_error} instead."
                )
            return time
        return _TOTAL_TIME if self.total_time is None else float(self.total_time)

    def _boost(self, machine: Machine) -> _BrownRun:
        weight, c = machine.rows.weight, self.total_time_
        margin, left, stopped = np.zeros(len(weight)), c, "n_estimators"
        functions: list[Any] = []
        votes: list[float] = []
        first_error = 0.0
        while len(functions) < self.n_estimators:
            function, correct, step = self._draw(machine, margin + left, left)
            if not functions:
                first_error = machine.error(correct)
            if step.alpha > 0 or not functions:
                functions.append(function)
                votes.append(max(step.alpha, NOTHING * np.sqrt(c)))
            margin += step.alpha * correct
            left = 0.0 if step.ended == "time" else left - step.time
            if step.ended == "time" or step.alpha == 0:
                stopped = "time" if step.ended == "time" else "chance"
                break
        kept = potential(margin + left, weight, c)
        return _BrownRun(functions, votes, stopped, left, kept, first_error)

    def _draw(
        self, machine: Machine, margin_time: Floats, left: float
    ) -> tuple[Any, Floats, FlowStep]:
        weight, c = machine.rows.weight, self.total_time_
        log_weight = np.log(weight) + log_weight_of(margin_time, c)
        for _ in range(_DRAWS):
            function, correct = machine.draw(log_weight)
            step = solve(margin_time, correct, weight, c, left, self.edge_threshold)
            if step.alpha > 0:
                break
        return function, correct, step

    def _warn(self, runs: list[Any]) -> None:
        early = [
            run.first_error
            for run in runs
            if run.stopped == "time" and len(run.functions) == 1 and run.first_error > 0
        ]
        if early:
            which = "" if len(runs) == 1 else f" of {len(early)} of {len(runs)} classes"
            warn_caller(
                f"The first function{which} used up all the time and is the only one: its training "
                f"error, {max(early):.3g}, is within {self.target_error_ / 2:.3g}, which is "
                f"(1 - erf(sqrt(c)))/2 for total_time c={self.total_time_:.4g}. Give a larger "
                f"total_time, or a smaller target_error, to boost on."
            )

    def _probabilities(self, totals: Floats) -> Floats:
        scale = np.sqrt(2 / self.total_time_)
        if totals.shape[1] == 2:
            totals = 2 * totals
        # (1 + erf(z))/2 is the normal distribution function at z times the root of 2
        probabilities: Floats = softmax(log_ndtr(scale * totals), axis=1)
        return probabilities
