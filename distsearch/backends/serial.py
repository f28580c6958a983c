"""Units run here and now, one after the other: the backend that the others must agree with."""

from __future__ import annotations

import pickle
from collections.abc import Iterator, Sequence
from typing import Any

from distsearch.backends._base import SharedData, ShippedBackend, check_owner
from distsearch.backends._execute import outcome_of, pack, run_units
from distsearch.backends._protocol import Outcome, Shared, Unit, UnitFn
from distsearch.backends._sending import dump_function, freeze, thaw

__all__ = ["SerialBackend"]


class _Local(SharedData):
    """Shared data in the caller's own memory."""

    def value(self) -> Any:
        return thaw(self.frozen)


class SerialBackend(ShippedBackend):
    """Run units in the calling process, in order.

    Functions, payloads and data go through pickle here too, so that what works on this backend
    works on the others. A unit that ends the process ends the caller. Units of several threads
    take turns, because they share the process's generators, warning filters and BLAS threads; a
    unit must not wait for another thread's.

    Attributes
    ----------
    name : str
        "serial".
    workers : int
        1.

    Examples
    --------
    >>> from distsearch.backends import SerialBackend, Unit
    >>> units = [Unit(payload=n) for n in range(3)]
    >>> [outcome.value for outcome in SerialBackend().run(lambda unit, _: unit.payload**2, units)]
    [0, 1, 4]
    """

    name = "serial"
    workers = 1

    def share(self, value: Any) -> Shared:
        """Hand ``value`` to every unit, its arrays read-only and not copied.

        Parameters
        ----------
        value : object
            Anything that can be pickled.

        Returns
        -------
        Shared

        Raises
        ------
        CannotBeSentError
            When something inside ``value`` cannot be pickled.
        """
        return _Local(freeze(value), self)

    def run(
        self,
        fn: UnitFn,
        units: Sequence[Unit],
        shared: Shared | None = None,
        *,
        fail_fast: bool = False,
    ) -> Iterator[Outcome]:
        """Run every unit; see `Backend.run`."""
        check_owner(shared, self)
        function = pickle.loads(dump_function(fn))
        value = shared.value() if isinstance(shared, _Local) else None
        return self._run(function, pack(units), value, fail_fast)

    def _run(
        self, fn: UnitFn, blobs: list[bytes], value: Any, fail_fast: bool
    ) -> Iterator[Outcome]:
        for index, blob in enumerate(blobs):
            (result,) = run_units(fn, [blob], value, worker=False)
            outcome = outcome_of(index, result, attempts=1)
            yield outcome
            if fail_fast and outcome.failure is not None:
                return
