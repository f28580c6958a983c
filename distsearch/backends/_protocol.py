"""What a backend is: the words that everything above it speaks.

A backend runs *units*: independent calls of one function, each with its own payload and seed.
Nothing that a unit can observe depends on the backend, on the number of workers, on how units
were grouped into tasks, or on the order in which they completed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from types import TracebackType
from typing import Any, Literal, Protocol, Self, runtime_checkable

import numpy as np

from distsearch.errors import BackendError, UnitLostError

__all__ = ["Backend", "Failure", "Outcome", "Shared", "Unit", "UnitFn"]


@dataclass(frozen=True, slots=True)
class Unit:
    """One independent piece of work.

    Parameters
    ----------
    payload : object
        What this unit is about; small, sent with the unit.
    seed : numpy.random.SeedSequence or None
        Where this unit's randomness comes from. NumPy's and Python's global generators are set
        from it for the duration of the unit and put back afterwards, so that code which draws
        from them is reproducible too.
    name : str
        What to call the unit in messages.
    memory : int
        Bytes that it may take besides the shared data; 0 where nobody knows. Where memory is
        handed out, it is kept for the unit.
    """

    payload: Any
    seed: np.random.SeedSequence | None = None
    name: str = ""
    memory: int = 0


class RemoteTraceback(Exception):  # noqa: N818 - it carries a text, it is not raised by itself
    """The worker's traceback, shown as the cause of an error that a unit raised."""

    def __init__(self, text: str) -> None:
        super().__init__(text)
        self.text = text

    def __str__(self) -> str:
        return f"\n{self.text}"


@dataclass(frozen=True, slots=True)
class Failure:
    """Why a unit has no value.

    Parameters
    ----------
    kind : {"error", "lost"}
        "error": the unit raised; "lost": its worker died under it on every try.
    type : str
        Qualified name of the exception's class, or of the signal that ended the worker.
    message : str
        The exception's text, or what is known of the worker's end.
    traceback : str
        The worker's traceback; empty when the worker died.
    exception : BaseException or None
        The exception itself where it survives a round trip through pickle.
    """

    kind: Literal["error", "lost"]
    type: str
    message: str
    traceback: str = ""
    exception: BaseException | None = None

    def reraise(self) -> None:
        """Raise the unit's own exception, with the worker's traceback as its cause.

        Raises
        ------
        BaseException
            What the unit raised; `BackendError` where that cannot be rebuilt here or, like
            SystemExit, would end more than the unit, and `UnitLostError` when the worker died.
        """
        cause = RemoteTraceback(self.traceback) if self.traceback else None
        if isinstance(self.exception, Exception):
            raise self.exception from cause
        stand_in = UnitLostError if self.kind == "lost" else BackendError
        raise stand_in(f"{self.type}: {self.message}") from cause


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of a unit.

    Parameters
    ----------
    index : int
        The unit's place in the sequence that was run.
    value : object
        What the function returned; None where it failed.
    failure : Failure or None
        Why it failed; None where it did not.
    seconds : float
        Wall time of the function in its worker.
    attempts : int
        How many times the unit was handed to a worker.
    """

    index: int
    value: Any = None
    failure: Failure | None = None
    seconds: float = 0.0
    attempts: int = 1

    def unwrap(self) -> Any:
        """Return the value, or raise what the unit raised."""
        if self.failure is not None:
            self.failure.reraise()
        return self.value


UnitFn = Callable[[Unit, Any], Any]
"""Called in a worker as ``fn(unit, shared_value)``; pure, and importable or picklable by value."""


class Shared(Protocol):
    """Read-only data held once for every worker; the handle serves many runs."""

    def close(self) -> None:
        """Let go of the data. Calling it twice is harmless."""

    def __enter__(self) -> Self: ...

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None: ...


@runtime_checkable
class Backend(Protocol):
    """Runs independent units.

    A backend keeps a bounded number of tasks in flight, retries units lost with their worker
    (three tries, then the unit fails with the signal's name; a machine that goes away is not the
    unit's fault and costs it none of them), never retries an error that the unit raised, never
    loses that error's type, message and traceback, never hangs, and leaves no process behind.
    Arrays inside the shared value arrive read-only.
    """

    @property
    def name(self) -> str:
        """What `get_backend` calls this kind of backend."""

    @property
    def workers(self) -> int:
        """How many units run at a time."""

    def share(self, value: Any) -> Shared:
        """Hand ``value`` to every worker once.

        Raises
        ------
        CannotBeSentError
            When something inside ``value`` cannot travel; the message names the attribute.
        """

    def run(
        self,
        fn: UnitFn,
        units: Sequence[Unit],
        shared: Shared | None = None,
        *,
        fail_fast: bool = False,
    ) -> Iterator[Outcome]:
        """Run ``fn(unit, shared_value)`` for every unit; yield outcomes as they complete.

        Parameters
        ----------
        fn : callable
            The function of every unit of this run.
        units : sequence of Unit
            The work; an outcome's ``index`` is a place in it.
        shared : Shared, optional
            A handle that this backend's `share` made; None hands None to ``fn``.
        fail_fast : bool
            Stop after the first failure instead of running every unit.

        Yields
        ------
        Outcome
            One for each unit, in order of completion; fewer only after ``fail_fast``.
        """

    def close(self) -> None:
        """End every process that this backend started. Calling it twice is harmless."""

    def __enter__(self) -> Self: ...

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None: ...
