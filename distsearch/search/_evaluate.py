"""Scoring a batch of candidates on a backend."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from distsearch.backends import Backend, Failure, Unit, derive_seed
from distsearch.errors import SearchFailedError
from distsearch.search._advance import Advance, Name
from distsearch.search._objective import Objective, Scored

__all__ = ["Evaluator"]

_TRIED_BEFORE_GIVING_UP = 10


def _score_unit(unit: Unit, objective: Objective) -> Scored:
    candidates, parts = unit.payload
    return objective.score(candidates, parts)


def _candidate_key(candidate: NDArray[np.float64]) -> int:
    """Name a candidate by its values, so that its seed depends on nothing else."""
    return int.from_bytes(
        hashlib.blake2b((candidate + 0.0).tobytes(), digest_size=16).digest(), "little"
    )


@dataclass(frozen=True, slots=True)
class _Block:
    """What one unit scores."""

    rows: slice
    parts: NDArray[np.int64]
    unit: Unit

    @property
    def name(self) -> Name:
        """What tells the unit from others."""
        candidates, parts = self.unit.payload
        return candidates.tobytes(), int(parts[0])


class Evaluator:
    """Turns candidates into scores: one unit a block of (candidate, part) pairs.

    Parameters
    ----------
    objective : Objective
        Sent to the workers once.
    backend : Backend
        Where the units run.
    seed : numpy.random.SeedSequence
        Root of the units' seeds; each depends on the candidate and the part alone.
    error_score : float or "raise"
        What the score of a candidate that fails is to be replaced by; "raise" lets the first
        failure end the search.
    n_known : int
        Scores known from an earlier run: with any, not every candidate has failed.
    """

    def __init__(
        self,
        objective: Objective,
        backend: Backend,
        seed: np.random.SeedSequence,
        *,
        error_score: float | Literal["raise"] = np.nan,
        n_known: int = 0,
    ) -> None:
        self.objective = objective
        self.warnings: Counter[str] = Counter()
        self.n_evaluations = 0
        self.n_failed = 0
        self._failures: Counter[str] = Counter()
        self._first_failure: Failure | None = None
        self._backend = backend
        self._seed = seed
        self._n_known = n_known
        self._raise_errors = error_score == "raise"
        self.error_score = np.nan if error_score == "raise" else float(error_score)
        self._shared = backend.share(objective)
        self._advance = Advance(backend, _score_unit, self._shared)

    def close(self) -> None:
        """Let the workers forget the objective."""
        self._advance.close()
        self._shared.close()

    def score(
        self,
        candidates: NDArray[np.float64],
        on_score: Callable[[NDArray[np.float64], float], None],
        coming: Iterable[NDArray[np.float64]] = (),
    ) -> NDArray[np.float64]:
        """Return one score a candidate: the mean over the parts, NaN where any part failed.

        Parameters
        ----------
        candidates : ndarray of shape (n_candidates, n_dimensions)
            One point a row.
        on_score : callable
            Called with a candidate and its score as soon as that is known, in whatever order.
        coming : iterable of ndarray of shape (n_candidates, n_dimensions)
            Candidates of the next calls, where they can be foreseen. Workers that would have
            nothing to do score them in advance.

        Raises
        ------
        SearchFailedError
            When the first ten candidates or more have failed, every one.
        """
        blocks = {block.name: block for block in self._blocks(candidates)}
        places = {name: place for place, name in enumerate(blocks)}
        values = np.full((len(candidates), self.objective.n_parts), np.nan)
        failures: dict[int, Failure] = {}
        for name, outcome in self._advance.run(
            {name: block.unit for name, block in blocks.items()},
            ((block.name, block.unit) for each in coming for block in self._blocks(each)),
            fail_fast=self._raise_errors,
        ):
            if outcome.failure is not None:
                failures[places[name]] = outcome.failure
                if self._raise_errors:
                    break
                continue
            rows = blocks[name].rows
            values[rows, blocks[name].parts] = outcome.value.values
            self.warnings.update(outcome.value.warnings)
            for row in range(*rows.indices(len(candidates))):
                if not np.isnan(values[row]).any():
                    on_score(candidates[row], float(np.mean(values[row])))
        scores = np.array([np.mean(row) for row in values])
        self.n_evaluations += len(scores)
        self.n_failed += int(np.isnan(scores).sum())
        self._note(failures)
        return scores

    def _blocks(self, candidates: NDArray[np.float64]) -> Iterator[_Block]:
        size, parts = self.objective.candidates_per_unit, np.arange(self.objective.n_parts)
        for row in range(0, len(candidates), size):
            for part in range(0, len(parts), self.objective.parts_per_unit):
                rows = slice(row, row + size)
                some = parts[part : part + self.objective.parts_per_unit]
                seed = derive_seed(self._seed, _candidate_key(candidates[row]), part)
                yield _Block(rows, some, Unit((candidates[rows], some), seed))

    def _note(self, failures: dict[int, Failure]) -> None:
        for index in sorted(failures):
            failure = failures[index]
            self._first_failure = self._first_failure or failure
            self._failures[failure.type] += 1
        if failures and self._raise_errors:
            failures[min(failures)].reraise()
        if self.n_failed == self.n_evaluations >= _TRIED_BEFORE_GIVING_UP:
            self.refuse_if_all_failed()

    def refuse_if_all_failed(self) -> None:
        """Raise when not one candidate could be scored.

        Raises
        ------
        SearchFailedError
            With a tally by kind of error, and the first traceback as its cause.
        """
        if self._n_known or self.n_failed < self.n_evaluations or not self.n_evaluations:
            return
        failure = self._first_failure
        if failure is None:
            raise SearchFailedError(
                f"All {self.n_evaluations} candidates scored NaN: the metric is undefined for "
                f"this estimator on these data. Choose another metric or other splits."
            )
        try:
            failure.reraise()
        except Exception as cause:
            raise SearchFailedError(
                f"Not one of {self.n_evaluations} candidates could be scored; their fits failed "
                f"with {self.tally()}. The first said: "
                f"{failure.message.strip() or failure.type}"
            ) from cause

    def tally(self) -> str:
        """Return the failures by kind, as text."""
        kinds = ", ".join(f"{count} × {kind}" for kind, count in self._failures.most_common())
        return kinds or "a metric that is NaN or infinite"
