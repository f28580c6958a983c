"""Boosters of functions with values ±1: one machine for two classes, else one for each class."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import zip_longest
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import softmax
from sklearn.base import BaseEstimator

from distsearch.backends import derive_seed, seed_sequence
from distsearch.boosting._ensemble import BoostedClassifier
from distsearch.boosting._learners import Learner, Sample, bind, codes_of, quickly
from distsearch.boosting._resampling import seed_of
from distsearch.boosting._rows import Rows

__all__ = ["Machine", "MachineRun", "OneVsRestBooster", "machines_of"]

Floats = NDArray[np.float64]

_ONE_AGAINST_REST = np.arange(2)


@dataclass(frozen=True, eq=False)
class Machine:
    """What a run for one class draws from.

    Parameters
    ----------
    rows : Rows
        Training rows with two classes, of which the second counts as +1.
    learner : Learner
        Bound to `rows`.
    rng : numpy.random.Generator
        Of this machine only.
    """

    rows: Rows
    learner: Learner
    rng: np.random.Generator

    def draw(self, log_weight: Floats) -> tuple[Any, Floats]:
        """Fit a function to as many rows as there are, drawn by weight.

        Parameters
        ----------
        log_weight : ndarray of shape (n_rows,)
            Logarithms of the weights, which need not add up to 1.

        Returns
        -------
        function : estimator
        correct : ndarray of shape (n_rows,)
            1 where it gives the class of a row, else -1.
        """
        counts = self.rng.multinomial(self.rows.draws, softmax(log_weight))
        with quickly():
            function = self.learner.fit(counts, seed_of(self.rng))
            right = self.learner.codes(function) == self.rows.codes
        return function, np.where(right, 1.0, -1.0)

    def error(self, correct: Floats) -> float:
        """Return the share of the weight of the rows that a function gets wrong."""
        return float(np.average(correct < 0, weights=self.rows.weight))


@dataclass(frozen=True, eq=False)
class MachineRun:
    """What a machine has learned.

    Parameters
    ----------
    functions : list of estimator
        The functions, in order.
    votes : list of float
        Their votes.
    stopped : str
        Why the run ended.
    """

    functions: list[Any]
    votes: list[float]
    stopped: str


def machines_of(base: BaseEstimator, rows: Rows, seed: np.random.SeedSequence) -> list[Machine]:
    """Return one machine for two classes, else one for each class against the rest.

    Parameters
    ----------
    base : estimator
        Its clones are the functions.
    rows : Rows
        Training rows.
    seed : numpy.random.SeedSequence
        Each machine's own comes from it and from the machine's number.
    """
    n_classes = len(rows.classes)
    parts = [rows] if n_classes == 2 else [_against_rest(rows, code) for code in range(n_classes)]
    return [
        Machine(part, bind(base, part), np.random.default_rng(derive_seed(seed, number)))
        for number, part in enumerate(parts)
    ]


class OneVsRestBooster(BoostedClassifier):
    """Base of classifiers that are one machine, or one for each class.

    A subclass learns a machine in `_boost`.
    """

    random_state: Any
    estimators_: list[list[Any]]
    estimator_votes_: list[Floats]
    stopped_: list[str]

    @abstractmethod
    def _boost(self, machine: Machine) -> MachineRun:
        """Learn the functions of one machine."""

    def _fit_rows(self, rows: Rows) -> None:
        self._fit_machines(machines_of(self._base(), rows, seed_sequence(self.random_state)))

    def _fit_machines(self, machines: list[Machine]) -> list[MachineRun]:
        runs = [self._boost(machine) for machine in machines]
        self.estimators_ = [run.functions for run in runs]
        self.estimator_votes_ = [np.asarray(run.votes) for run in runs]
        self.stopped_ = [run.stopped for run in runs]
        return runs

    def _stages(self, sample: Sample) -> Iterator[Floats]:
        scores = np.zeros((len(sample), len(self.estimators_)))
        machines = zip(self.estimators_, self.estimator_votes_, strict=True)
        for stage in zip_longest(*(zip(*machine, strict=True) for machine in machines)):
            for machine, one in enumerate(stage):
                if one is not None:
                    scores[:, machine] += one[1] * self._values(one[0], sample)
            yield _totals_of(scores)

    def _values(self, function: Any, sample: Sample) -> Floats:
        classes = self.classes_ if len(self.classes_) == 2 else _ONE_AGAINST_REST
        return np.where(codes_of(function, sample, classes) == 1, 1.0, -1.0)


def _against_rest(rows: Rows, code: int) -> Rows:
    return replace(rows, codes=(rows.codes == code).astype(np.intp), classes=_ONE_AGAINST_REST)


def _totals_of(scores: Floats) -> Floats:
    if scores.shape[1] > 1:
        return scores.copy()
    totals: Floats = scores * np.asarray([-0.5, 0.5])
    return totals
