"""From prepared rows to the best transform through an activation."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.model_selection import StratifiedShuffleSplit

from distsearch._wording import count, quoted
from distsearch.backends import Backend, derive_seed
from distsearch.errors import InvalidInputError
from distsearch.odd._activations import Activation
from distsearch.odd._criterion import ActivationCriterion
from distsearch.odd._fitting import Settings, Transform
from distsearch.odd._history import Trail
from distsearch.odd._moments import moments_of
from distsearch.odd._nonlinear import HeldOut, descend_from, starts_from
from distsearch.odd._orientation import signed
from distsearch.odd._reading import Rows
from distsearch.odd._schedule import PaperSchedule
from distsearch.odd._shrinkage import shrink
from distsearch.odd._solving import LinearSearch, checked_start

__all__ = ["fit_activation", "hold_out"]

Floats = NDArray[np.float64]


def fit_activation(
    rows: Rows,
    linear: Transform,
    activation: Activation,
    settings: Settings,
    backend: Backend,
    held_out: HeldOut | None,
) -> Transform:
    """Find the transform through an activation, from the linear one.

    Parameters
    ----------
    rows : Rows
        Prepared.
    linear : Transform
        The best linear transform.
    activation : Activation
        g.
    settings : Settings
        What is asked for.
    backend : Backend
        Where descents from several starts run.
    held_out : HeldOut or None
        What stops descents early, and the rows that they see.
    """
    search = settings.search
    seen = rows if held_out is None else held_out.seen
    criterion = ActivationCriterion(
        seen.X, seen.codes, len(rows.classes), linear.M.shape[1], activation,
        weight=seen.weight, gamma=settings.gamma, exponent=settings.exponent,
        class_factor=settings.class_factor, ddof=settings.ddof, shrinkage=linear.shrinkage,
    )  # fmt: skip
    trail = Trail()
    if isinstance(search.solver, PaperSchedule):
        found = search.solver.run(criterion, backend, search.seed)
        trail.add_rows(found.stage, found.criterion)
        W = found.W
    else:
        starts = _starts(criterion, linear, search, settings.init)
        W = _best_descent(criterion, starts, search, held_out, backend, trail)
    W = _ordered(W, activation)
    Y = activation.value(rows.X @ W[:-1] + W[-1])
    landed = moments_of(Y, rows.codes, len(rows.classes), rows.weight)
    covariances = shrink(landed.covariance(settings.ddof), linear.shrinkage, Y.shape[1])
    return Transform(
        W[:-1], W[-1], criterion.value(W), landed.mean, covariances,
        linear.shrinkage, trail,
    )  # fmt: skip


def _best_descent(
    criterion: ActivationCriterion,
    starts: list[Floats],
    search: LinearSearch,
    held_out: HeldOut | None,
    backend: Backend,
    trail: Trail,
) -> Floats:
    descents = descend_from(
        starts, criterion, held_out, backend,
        max_iter=search.max_iter, tol=search.tol,
    )  # fmt: skip
    if not descents:
        raise InvalidInputError(
            "The centres of two classes coincide at every start. Give another init or random_state."
        )
    for number, each in enumerate(descents):
        trail.add("quasi-newton", np.exp(each.minimum.trace or [each.minimum.value]), number)
    return min(descents, key=lambda each: each.loss).minimum.point


def _starts(
    criterion: ActivationCriterion, linear: Transform, search: LinearSearch, init: Any
) -> list[Floats]:
    seeds = [derive_seed(search.seed, number) for number in range(search.n_restarts + 1)]
    own = starts_from(linear.M, linear.r, seeds)
    if isinstance(init, str):
        return own[:-1] if init == "auto" else own[len(own) - len(seeds) :]
    start = checked_start(init, criterion.shape)
    # A start at which centres meet, such as all zeros, leads nowhere.
    return [start] if np.isfinite(criterion.value(start)) else own[:-1]


def hold_out(
    rows: Rows,
    fraction: float,
    seed: np.random.SeedSequence,
    activation: Activation,
    patience: int,
) -> HeldOut:
    """Set rows of each class aside for stopping early.

    Raises
    ------
    InvalidInputError
        When a class has too few rows for that.
    """
    n_rows = np.bincount(rows.codes)
    rarest = int(np.argmin(n_rows))
    if n_rows[rarest] < 2:
        raise InvalidInputError(
            f"early_stopping sets rows of each class aside, and class "
            f"{quoted(rows.classes[rarest])} has one row. Give more rows or set "
            f"early_stopping=False."
        )
    splitter = StratifiedShuffleSplit(
        1, test_size=fraction, random_state=int(seed.generate_state(1)[0])
    )
    try:
        train, held = next(splitter.split(rows.X, rows.codes))
    except ValueError as error:
        raise InvalidInputError(
            f"validation_fraction={fraction} of {count(len(rows.X), 'row')} cannot be set aside: "
            f"{error} Choose another fraction or set early_stopping=False."
        ) from None
    seen, held_rows = _some(rows, train), _some(rows, held)
    weight = np.bincount(seen.codes, seen.weight, len(rows.classes))
    return HeldOut(held_rows, seen, activation, weight / weight.sum(), patience)


def _some(rows: Rows, chosen: NDArray[np.intp]) -> Rows:
    return replace(rows, X=rows.X[chosen], codes=rows.codes[chosen], weight=rows.weight[chosen])


def _ordered(W: Floats, activation: Activation) -> Floats:
    """Return W with the columns of largest M first and, for an odd g, signs that are fixed."""
    M = W[:-1]
    if getattr(activation, "is_odd", False):
        W = W * signed(M)
    order = np.argsort(-np.linalg.norm(M, axis=0), kind="stable")
    return W[:, order]
