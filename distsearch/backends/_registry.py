"""The one door through which a backend is asked for."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from distsearch._wording import did_you_mean
from distsearch.backends._base import ShippedBackend, within_means
from distsearch.backends._execute import inside_unit
from distsearch.backends._protocol import Backend
from distsearch.backends.processes import ProcessesBackend
from distsearch.backends.serial import SerialBackend
from distsearch.errors import InvalidInputError, UnknownNameError

__all__ = ["get_backend", "open_backend", "restore_backend"]

_ALLOWED = (
    "'serial', 'processes', 'processes:8' (8 of them), 'ray', 'ray:8' (a Ray of its own with 8 "
    "CPUs), 'ray:HOST:PORT' (a running one), or a Backend"
)
_NAMES = ("serial", "processes", "ray")


def get_backend(spec: str | Backend = "serial") -> Backend:
    """Return the place where units run.

    Parameters
    ----------
    spec : str or Backend
        "serial", "processes", "processes:8", "ray", "ray:8", "ray:HOST:PORT", or a backend, which
        is returned as it is. "ray" joins the cluster that RAY_ADDRESS names, or the Ray that this
        process is connected to, and starts a private one otherwise.

    Returns
    -------
    Backend
        Inside a unit of another backend a string always gives the serial one: the workers are
        taken.

    Raises
    ------
    UnknownNameError
        For a name that is none of these.
    InvalidInputError
        For a number of workers that makes no sense.
    ResourceError
        For more workers than the machine can bear.
    BackendError
        When there is no Ray at the address.

    Examples
    --------
    >>> from distsearch.backends import get_backend
    >>> get_backend("processes:2").workers
    2
    """
    if isinstance(spec, type):
        raise UnknownNameError(
            f"backend must be a Backend, not a class of them. Got {spec.__name__} instead of "
            f"{spec.__name__}()."
        )
    if not isinstance(spec, str):
        # The second question looks at every attribute, and some connect to a cluster.
        if isinstance(spec, ShippedBackend) or isinstance(spec, Backend):  # noqa: SIM101
            return spec
        raise UnknownNameError(f"backend must be {_ALLOWED}. Got {spec!r} instead.")
    name, _, rest = spec.strip().partition(":")
    if name not in _NAMES or (name == "serial" and rest):
        hint = did_you_mean(name, _NAMES)
        raise UnknownNameError(f"backend must be {_ALLOWED}. Got {spec!r} instead.{hint}")
    if name == "serial" or inside_unit():
        return SerialBackend()
    if name == "processes":
        return ProcessesBackend(_number(rest, spec))
    from distsearch.backends.ray import RayBackend

    if ":" in rest:
        return RayBackend(address=rest).start()
    return RayBackend(workers=_number(rest, spec)) if rest else RayBackend()


def restore_backend(name: str, arguments: dict[str, Any]) -> Backend:
    """Make a backend again from its pickle, without asking whether its cluster is still there."""
    if name == "serial" or inside_unit():
        return SerialBackend()
    if name == "processes":
        return ProcessesBackend(**within_means(arguments))
    from distsearch.backends.ray import RayBackend

    return RayBackend(**within_means(arguments))


def _number(text: str, spec: str) -> int:
    if not text:
        return -1
    try:
        return int(text)
    except ValueError:
        raise InvalidInputError(
            f"backend {spec!r} must end in a number of workers or, for Ray, in HOST:PORT. "
            f"Got {text!r} instead."
        ) from None


@contextmanager
def open_backend(spec: str | Backend = "serial") -> Iterator[Backend]:
    """Get a backend for the length of a ``with`` statement.

    Parameters
    ----------
    spec : str or Backend
        As for `get_backend`. A backend that was passed in stays open: it is its owner's to close.

    Yields
    ------
    Backend
    """
    backend = get_backend(spec)
    try:
        yield backend
    finally:
        if backend is not spec:
            backend.close()
