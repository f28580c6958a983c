"""What the three backends have in common."""

from __future__ import annotations

from numbers import Integral
from types import TracebackType
from typing import Any, Self

from joblib import cpu_count

from distsearch.backends._sending import Frozen
from distsearch.errors import BackendError, InvalidInputError, ResourceError

__all__ = [
    "Closing",
    "SharedData",
    "ShippedBackend",
    "check_owner",
    "check_workers",
    "is_count",
    "within_means",
]

_MOST_PER_CORE = 4


class Closing:
    """A thing with a `close` that a ``with`` statement calls."""

    def close(self) -> None:
        """Let go of everything held."""

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()


class ShippedBackend(Closing):
    """Ways to copy and pickle a backend: copies are the same backend, pickles how it was made."""

    name: str

    @property
    def spec(self) -> str:
        """What `get_backend` makes an equal backend from."""
        return self.name

    @property
    def arguments(self) -> dict[str, Any]:
        """What it was made with."""
        return {}

    def __copy__(self) -> Self:
        return self

    def __deepcopy__(self, memo: Any) -> Self:
        return self

    def __reduce__(self) -> tuple[Any, ...]:
        from distsearch.backends._registry import restore_backend

        return restore_backend, (self.name, self.arguments)

    def __getstate__(self) -> dict[str, Any]:
        return self.arguments

    def __setstate__(self, arguments: dict[str, Any]) -> None:
        # Serialisers that do not heed __reduce__ come here.
        self.__init__(**within_means(arguments))  # type: ignore[misc]

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.spec!r})"


class SharedData(Closing):
    """Data that one backend laid out for its workers."""

    def __init__(self, frozen: Frozen, owner: ShippedBackend) -> None:
        self._frozen: Frozen | None = frozen
        self.owner = owner

    def close(self) -> None:
        """Let go of the data. Calling it twice is harmless."""
        self._frozen = None

    @property
    def frozen(self) -> Frozen:
        """The data, as long as the handle is open."""
        if self._frozen is None:
            raise BackendError("This shared data was closed. Share the value again.")
        return self._frozen


def check_owner(shared: Any, backend: ShippedBackend) -> None:
    """Refuse data that another backend laid out.

    Raises
    ------
    BackendError
        When ``shared`` is not a handle that ``backend.share`` made.
    """
    if shared is not None and getattr(shared, "owner", None) is not backend:
        raise BackendError(
            f"The shared data given to {backend!r} was not made by it. "
            f"Make it with the share method of the backend that runs the units."
        )


def check_workers(workers: int) -> int:
    """Return how many workers to use on this machine.

    Parameters
    ----------
    workers : int
        What was asked for; -1 for every core that this process may use.

    Raises
    ------
    InvalidInputError
        For anything but a positive integer or -1.
    ResourceError
        For more than four workers a core.
    """
    cores = int(cpu_count())
    if workers == -1:
        return cores
    if not is_count(workers):
        raise InvalidInputError(
            f"workers must be a positive whole number, or -1 for all cores. "
            f"Got {workers!r} instead."
        )
    if workers > _MOST_PER_CORE * cores:
        raise ResourceError(
            f"{workers} workers were asked for, and this machine has {cores} cores to use. "
            f"At most {_MOST_PER_CORE} workers a core are allowed; use -1 for one a core."
        )
    return int(workers)


def within_means(arguments: dict[str, Any]) -> dict[str, Any]:
    """Return a backend's arguments with no more workers than this machine allows.

    What was saved on a large machine can be loaded on a small one.
    """
    workers = arguments.get("workers")
    if workers is None:
        return arguments
    return {**arguments, "workers": min(workers, _MOST_PER_CORE * int(cpu_count()))}


def is_count(number: Any) -> bool:
    """Say whether ``number`` is an integer of 1 or more."""
    return isinstance(number, Integral) and number is not True and int(number) >= 1
