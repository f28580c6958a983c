"""Which solver finds the linear transform, and the form in which it is handed back."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from distsearch.backends import Backend
from distsearch.errors import InvalidInputError
from distsearch.odd._criterion import LinearCriterion
from distsearch.odd._history import Trail
from distsearch.odd._linear import Solution, global_minimum, polish, screen, whitening
from distsearch.odd._orientation import canonical
from distsearch.odd._schedule import PaperSchedule

__all__ = ["LinearSearch", "checked_start"]

Floats = NDArray[np.float64]

_WORTH_A_COMPONENT = 0.01


@dataclass(frozen=True, eq=False)
class LinearSearch:
    """How a linear transform is looked for.

    Parameters
    ----------
    n_components : int or "auto"
        Columns of M.
    solver : "auto" or PaperSchedule
        Exact, or the paper's.
    init : "auto", "random" or ndarray
        Where the exact solver starts.
    n_restarts : int
        Random starts after the first.
    max_iter, tol
        As in `minimize`.
    seed : SeedSequence
        Of draws.
    """

    n_components: int | str
    solver: Any
    init: Any
    n_restarts: int
    max_iter: int
    tol: float
    seed: np.random.SeedSequence

    def run(self, criterion: LinearCriterion, backend: Backend, trail: Trail) -> Floats:
        """Return M at its best scale in canonical orientation; note the way on the trail.

        Parameters
        ----------
        criterion : LinearCriterion
            Of the scaled columns.
        backend : Backend
            For a solver that can use one.
        trail : Trail
            Gets a row an iteration.
        """
        n_features, n_classes = criterion.shape[0], len(criterion.mean)
        wanted = n_classes if self.n_components == "auto" else int(self.n_components)
        if isinstance(self.solver, PaperSchedule) and self.n_components != "auto":
            found = self.solver.run(criterion, backend, self.seed)
            trail.add_rows(found.stage, found.criterion)
            M = found.W
        else:
            white = whitening(criterion)
            M = white @ self._exact(criterion.seen_through(white, wanted), white, trail)
            if self.n_components == "auto":
                wanted = M.shape[1]
        M = canonical(criterion, criterion.scale(M))
        return np.hstack([M, np.zeros((n_features, wanted - M.shape[1]))])

    def _exact(self, within: LinearCriterion, white: Floats, trail: Trail) -> Floats:
        """Return M in whitened coordinates, its scale and orientation as they come."""
        wanted = within.shape[1]
        given = self._usable(within, self._given(white, wanted))
        if len(within.mean) == 2 and given is None:
            # The mean covariance is the identity here: Fisher's discriminant with equal weights.
            M: Floats = within.mean_difference.T
            trail.add("closed form", [np.exp(within.value(within.scale(M)))])
            return M
        whole = global_minimum(
            within, None if given is None or wanted < len(within.mean) - 1 else given[0],
            max_iter=self.max_iter, tol=self.tol,
        )  # fmt: skip
        if self.n_components == "auto":
            return self._grown(within, whole, trail)
        if wanted >= whole.M.shape[1]:
            self._note(within, whole, trail)
            return whole.M
        return self._narrow(within, whole, wanted, given, trail).M

    def _narrow(
        self,
        within: LinearCriterion,
        whole: Solution,
        n_components: int,
        given: Floats | None,
        trail: Trail,
    ) -> Solution:
        if given is None:
            given = screen(within, whole.M, n_components, np.random.default_rng(self.seed))
        found = polish(within, given, max_iter=self.max_iter, tol=self.tol)
        self._note(within, found, trail)
        return found

    def _grown(self, within: LinearCriterion, whole: Solution, trail: Trail) -> Floats:
        """Return M with as many columns as improve Ω by a hundredth each."""
        rank = whole.M.shape[1]
        found: Solution | None = None
        for n_components in range(1, rank):
            wider = self._narrow(within, whole, n_components, None, trail)
            if found is not None and not self._gains(within, found, wider):
                return found.M
            found = wider
        self._note(within, whole, trail)
        return whole.M if found is None or self._gains(within, found, whole) else found.M

    @staticmethod
    def _gains(within: LinearCriterion, narrow: Solution, wide: Solution) -> bool:
        gain = within.best_value(narrow.value) - within.best_value(wide.value)
        return gain >= _WORTH_A_COMPONENT

    def _given(self, white: Floats, n_components: int) -> Floats | None:
        """Return the starts that were asked for, in whitened coordinates; None for our own."""
        if isinstance(self.init, str):
            if self.init == "auto":
                return None
            rng = np.random.default_rng(self.seed)
            return rng.standard_normal((self.n_restarts + 1, white.shape[1], n_components))
        start = checked_start(self.init, (white.shape[0], n_components))
        return (np.linalg.pinv(white) @ start)[None]

    @staticmethod
    def _usable(within: LinearCriterion, given: Floats | None) -> Floats | None:
        """Return the starts at which no centres meet, as they do for zeros; None for none."""
        if given is None:
            return None
        usable = [start for start in given if np.isfinite(within.shape_value(start))]
        return np.array(usable) if usable else None

    @staticmethod
    def _note(within: LinearCriterion, found: Solution, trail: Trail) -> None:
        for number, trace in enumerate(found.trace):
            values = [within.best_value(value) for value in trace or [found.value]]
            trail.add("quasi-newton", np.exp(values), number)


def checked_start(init: Any, shape: tuple[int, int]) -> Floats:
    """Return a start that was given as an array.

    Raises
    ------
    InvalidInputError
        When it has another shape, or a value that is not finite.
    """
    start = np.asarray(init, dtype=np.float64)
    if start.shape != shape or not np.isfinite(start).all():
        got = f"shape {start.shape}" if start.shape != shape else "values that are not finite"
        raise InvalidInputError(
            f"init must be 'auto', 'random' or finite numbers of shape {shape}: a row for each "
            f"feature that varies (and, for other than linear F, one for the bias), a column for "
            f"each component. Got {got} instead."
        )
    return start
