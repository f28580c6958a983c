"""What is learned inside clusters: one run for each cluster and action."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from distsearch.backends import Backend, Unit, derive_seed, run_all
from distsearch.boosting._learners import Sample, bind, codes_of
from distsearch.boosting._resampling import Run, boost, fit_all
from distsearch.boosting._rows import Rows
from distsearch.boosting._steps import AdaBoostStep, KLStep, Rule, Step, clipped_vote

__all__ = ["ACTIONS", "Actions", "Job", "run_jobs"]

Codes = NDArray[np.intp]
Floats = NDArray[np.float64]

ACTIONS = ("boost", "boost slowly", "one function", "nothing")
"""What can be done in a cluster; a run's seed has the action's place in this list."""


@dataclass(frozen=True)
class Actions:
    """How runs inside clusters are made.

    Parameters
    ----------
    base : estimator
        What is fitted.
    n_estimators : int
        Rounds at most.
    eta_high, eta_low : float
        Learning rates of "boost" and "boost slowly".
    rule : {"M1", "SAMME"}
        See `boost`.
    beta : float or None
        That of AdaBoost_KL; None for AdaBoost.
    borrowed : float
        What a row of another cluster weighs in boosting, where one of the cluster weighs 1.
    """

    base: Any
    n_estimators: int
    eta_high: float
    eta_low: float
    rule: Rule
    beta: float | None
    borrowed: float

    def run(self, rows: Rows, job: Job, seed: np.random.SeedSequence) -> Run:
        """Return what an action learns in a cluster."""
        if job.action == "one function":
            return self._one_function(rows.only(job.members), seed)
        seen = rows.borrowing(job.members, job.others, self.borrowed)
        return boost(
            bind(self.base, seen),
            seen,
            seed,
            n_estimators=self.n_estimators,
            step=self._step(job.action, len(rows.classes)),
        )

    def _step(self, action: str, n_classes: int) -> Step:
        eta = self.eta_high if action == "boost" else self.eta_low
        if self.beta is None:
            return AdaBoostStep(self.rule, n_classes, eta)
        return KLStep(self.rule, n_classes, self.beta, eta)

    def _one_function(self, rows: Rows, seed: np.random.SeedSequence) -> Run:
        learner = bind(self.base, rows)
        function = fit_all(learner, rows, int(seed.generate_state(1)[0] >> 1))
        wrong = learner.codes(function) != rows.codes
        error = float(rows.weight[wrong].sum() / rows.weight.sum())
        value = clipped_vote(error, rows.draws, 1.0, self.rule, len(rows.classes))
        return Run([function], [value], [error], "one function")


@dataclass(frozen=True, eq=False)
class Job:
    """A run to be made.

    Parameters
    ----------
    fold : int
        0 for all training rows, from 1 the inner folds.
    cluster : int
        The cluster.
    action : str
        One of `ACTIONS` but "nothing".
    members : ndarray of int
        Rows of the cluster that are learned from.
    others : ndarray of int
        Rows of other clusters that may be.
    asked : ndarray of int
        Rows that the functions are asked about; with any, votes come back instead of functions.
    """

    fold: int
    cluster: int
    action: str
    members: Codes
    others: Codes
    asked: Codes | None = None

    @property
    def key(self) -> tuple[int, int, int]:
        """What its seed belongs to."""
        return self.fold, self.cluster, ACTIONS.index(self.action)


def run_jobs(
    jobs: Sequence[Job],
    rows: Rows,
    actions: Actions,
    seed: np.random.SeedSequence,
    backend: Backend,
) -> list[Any]:
    """Make runs, the largest first.

    Parameters
    ----------
    jobs : sequence of Job
        The runs.
    rows : Rows
        All training rows.
    actions : Actions
        How runs are made.
    seed : numpy.random.SeedSequence
        A run's own seed derives from it by fold, cluster and action.
    backend : Backend
        Where they are made.

    Returns
    -------
    list of Run or ndarray
        In the order of the jobs: the run, or the totals of its votes, of shape
        (n_asked, n_classes).
    """
    order = sorted(range(len(jobs)), key=lambda i: (-len(jobs[i].members), jobs[i].key))
    units = [
        Unit(jobs[i], derive_seed(seed, *jobs[i].key), f"cluster {jobs[i].cluster}") for i in order
    ]
    values = run_all(backend, _run, units, (rows, actions))
    return [value for _, value in sorted(zip(order, values, strict=True), key=lambda pair: pair[0])]


def _run(unit: Unit, shared: tuple[Rows, Actions]) -> Any:
    rows, actions = shared
    job: Job = unit.payload
    assert unit.seed is not None
    try:
        run = actions.run(rows, job, unit.seed)
    except Exception as error:
        error.add_note(
            f"This happened in cluster {job.cluster}, which has {len(job.members)} distinct rows. "
            f"A larger min_cluster_size leaves small clusters to the initial function."
        )
        raise
    return run if job.asked is None else votes_on(run, rows, job.asked)


def votes_on(run: Run, rows: Rows, asked: Codes) -> Floats:
    """Return the totals of a run's votes on rows, of shape (n_asked, n_classes)."""
    sample = Sample(rows.only(asked).X)
    totals = np.zeros((len(asked), len(rows.classes)))
    for function, vote in zip(run.functions, run.votes, strict=True):
        totals[np.arange(len(asked)), codes_of(function, sample, rows.classes)] += vote
    return totals
