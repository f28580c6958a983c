"""The one loop that drives every strategy."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from distsearch.backends import Backend
from distsearch.errors import DistsearchWarning, SearchFailedError
from distsearch.search._evaluate import Evaluator
from distsearch.search._foresight import Foresight
from distsearch.search._history import History
from distsearch.search._memo import Memo
from distsearch.search._objective import Objective
from distsearch.search._progress import Progress, report
from distsearch.search._strategy import Batch, Strategy

__all__ = ["SearchResult", "search"]


@dataclass(frozen=True, slots=True)
class SearchResult:
    """What a search found.

    Parameters
    ----------
    best : ndarray of shape (n_dimensions,)
        The point that the strategy returns.
    best_score : float
        The score that earned it the place.
    history : History
        Every candidate asked for, with its score.
    n_evaluations : int
        Candidates that were really scored; the others were known already.
    """

    best: NDArray[np.float64]
    best_score: float
    history: History
    n_evaluations: int


def search(
    strategy: Strategy,
    objective: Objective,
    backend: Backend,
    *,
    start: NDArray[np.float64],
    seed: np.random.SeedSequence,
    memo: Memo | None = None,
    error_score: float | Literal["raise"] = np.nan,
    label: str = "search",
    speculate: bool = True,
) -> SearchResult:
    """Ask the strategy, score on the backend, tell the strategy, until there is nothing to gain.

    The search ends when the strategy is done or its best score is the objective's maximum, which
    nothing can beat. A candidate is scored once, however often it is asked for.

    Parameters
    ----------
    strategy : Strategy
        Begun here; it holds the outcome afterwards.
    objective : Objective
        What a candidate is worth.
    backend : Backend
        Where the scoring runs.
    start : ndarray of shape (n_dimensions,)
        Where the strategy starts.
    seed : numpy.random.SeedSequence
        Root of the strategy's draws and of the units' seeds.
    memo : Memo, optional
        Scores known already; new ones are added.
    error_score : float or "raise"
        Score of a candidate that fails; NaN never wins, and "raise" ends the search.
    label : str
        What to call the search in its progress lines.
    speculate : bool
        Whether workers that would have nothing to do score what a foreseeable strategy asks for
        next if the present batch changes nothing. It changes the time a search takes, and
        nothing else.

    Returns
    -------
    SearchResult

    Raises
    ------
    SearchFailedError
        When no candidate could be scored, or not the one that the strategy returns.
    """
    memo = Memo() if memo is None else memo
    history = History()
    strategy.begin(start, seed)  # checks its parameters, before anything relies on them
    planned = strategy.planned(len(start))
    evaluator = Evaluator(objective, backend, seed, error_score=error_score, n_known=memo.n_loaded)
    foresight = Foresight(strategy) if speculate and _is_foreseeable(strategy) else None
    try:
        while not strategy.done and strategy.best[1] < objective.maximum:
            batch = strategy.ask()
            step = _Step(label, len(history), planned, strategy.best[1])
            coming = () if foresight is None else _coming(foresight, batch, memo)
            scores, known = _score(batch, evaluator, memo, step, coming)
            history.add(batch, scores, known)
            strategy.tell(scores)
    finally:
        evaluator.close()
        memo.save()
    evaluator.refuse_if_all_failed()
    best_point, best_score = strategy.best
    if np.isneginf(best_score):
        raise SearchFailedError(
            f"{type(strategy).__name__} returned a point that could not be scored "
            f"({evaluator.tally()}), though others could. Choose another strategy."
        )
    report(Progress(label, len(history), planned, best_score, finished=True))
    _warn(evaluator)
    return SearchResult(best_point, best_score, history, evaluator.n_evaluations)


class _Step:
    """Reports each score of a batch as it comes in."""

    def __init__(self, label: str, done: int, planned: int, best: float) -> None:
        self._label, self._done, self._planned = label, done, planned
        self._best = best if np.isfinite(best) else np.nan

    def add(self, candidates: int, score: float = np.nan) -> None:
        self._done += candidates
        self._best = float(np.fmax(self._best, score))
        report(Progress(self._label, self._done, self._planned, self._best))


def _is_foreseeable(strategy: Strategy) -> bool:
    return bool(getattr(strategy, "foreseeable", False))


def _coming(foresight: Foresight, batch: Batch, memo: Memo) -> Iterator[NDArray[np.float64]]:
    """Yield what will have to be scored after a batch that changes nothing."""
    seen = {point.tobytes() for point in batch.candidates}
    for later in foresight.after(batch):
        fresh = [
            point
            for point in np.unique(later.candidates, axis=0)
            if memo.get(point) is None and point.tobytes() not in seen
        ]
        seen.update(point.tobytes() for point in fresh)
        if fresh:
            yield np.array(fresh)


def _score(
    batch: Batch,
    evaluator: Evaluator,
    memo: Memo,
    step: _Step,
    coming: Iterable[NDArray[np.float64]],
) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
    """Score what the memo does not know, each distinct candidate once."""
    scores = np.array([_or_nan(memo.get(point)) for point in batch.candidates])
    known = np.array([memo.get(point) is not None for point in batch.candidates])
    if known.any():
        step.add(int(known.sum()))
    if not known.all():
        fresh, place = np.unique(batch.candidates[~known], axis=0, return_inverse=True)

        def take(point: NDArray[np.float64], score: float) -> None:
            memo.put(point, score)
            step.add(1, score)

        values = evaluator.score(fresh, take, coming)
        for point in fresh[np.isnan(values)]:
            memo.put(point, np.nan)
        scores[~known] = values[place.reshape(-1)]
    return np.where(np.isnan(scores), evaluator.error_score, scores), known


def _or_nan(score: float | None) -> float:
    return np.nan if score is None else score


def _warn(evaluator: Evaluator) -> None:
    notes: list[Any] = [f"{count} × {text}" for text, count in evaluator.warnings.most_common(3)]
    if notes:
        warnings.warn(
            f"Estimators warned while {evaluator.n_evaluations} candidates were scored: "
            + "; ".join(notes),
            DistsearchWarning,
            stacklevel=5,
        )
    if evaluator.n_failed:
        warnings.warn(
            f"{evaluator.n_failed} of {evaluator.n_evaluations} candidates failed and could not "
            f"win; their fits failed with {evaluator.tally()}.",
            DistsearchWarning,
            stacklevel=5,
        )
