"""All units of one job, for callers that want every value before they go on."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from distsearch.backends._protocol import Backend, Unit, UnitFn

__all__ = ["run_all"]


def run_all(backend: Backend, fn: UnitFn, units: Sequence[Unit], shared: Any) -> list[Any]:
    """Run every unit and return the values in the order of the units.

    Parameters
    ----------
    backend : Backend
        Where they run.
    fn : callable
        The function of every unit.
    units : sequence of Unit
        The work.
    shared : object
        Handed to every worker once, for this run.

    Raises
    ------
    Exception
        What the first unit that failed raised; the others are not waited for.
    """
    values: list[Any] = [None] * len(units)
    with backend.share(shared) as handle:
        for outcome in backend.run(fn, units, handle, fail_fast=True):
            values[outcome.index] = outcome.unwrap()
    return values
