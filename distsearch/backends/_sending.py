"""What travels to a worker and back, as bytes.

Large arrays leave the pickle stream as buffers, so that every backend can lay them out once and
hand them to units without copying, read-only. Results take the older protocol 4, which copies
arrays in and therefore gives back writable ones, whatever they were in the worker.
"""

from __future__ import annotations

import io
import pickle
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from types import FunctionType
from typing import Any, Literal

import cloudpickle  # type: ignore[import-untyped]
import numpy as np

from distsearch.errors import CannotBeSentError

__all__ = ["Frozen", "dump_function", "dump_payload", "dump_result", "freeze", "thaw"]

_DEEPEST = 12


@dataclass(frozen=True, slots=True)
class Frozen:
    """A value as a pickle stream and the buffers that were left out of it.

    Parameters
    ----------
    stream : bytes-like
        The pickle.
    buffers : sequence of bytes-like
        The memory of its arrays, in order.
    """

    stream: Any
    buffers: Sequence[Any]


def _array(buffer: Any, dtype: np.dtype[Any], shape: tuple[int, ...], order: Any) -> Any:
    return np.frombuffer(buffer, dtype=dtype).reshape(shape, order=order)


class _Pickler(cloudpickle.Pickler):  # type: ignore[misc]
    """Leaves out every plain array, also the kinds that NumPy itself would copy in."""

    def reducer_override(self, obj: Any) -> Any:
        if type(obj) in (np.ndarray, np.memmap) and not obj.dtype.hasobject and obj.size:
            order: Literal["F", "C"] = "F" if obj.flags.fnc else "C"
            flat: Any = np.asarray(obj, order=order).reshape(-1, order=order).view(np.uint8)
            return _array, (pickle.PickleBuffer(flat), obj.dtype, obj.shape, order)
        return super().reducer_override(obj)


def freeze(value: Any, name: str = "shared") -> Frozen:
    """Pickle ``value`` with its arrays left out.

    Parameters
    ----------
    value : object
        Anything that can be pickled, functions by value included.
    name : str
        What to call the value in an error.

    Returns
    -------
    Frozen

    Raises
    ------
    CannotBeSentError
        When something inside cannot be pickled.
    """
    buffers: list[pickle.PickleBuffer] = []
    stream = io.BytesIO()
    try:
        _Pickler(stream, protocol=5, buffer_callback=buffers.append).dump(value)
    except Exception as error:
        raise _cannot_be_sent(value, name) from error
    return Frozen(stream.getvalue(), [buffer.raw().toreadonly() for buffer in buffers])


def thaw(frozen: Frozen) -> Any:
    """Rebuild the value; its arrays look at ``frozen.buffers`` and cannot be written to."""
    return pickle.loads(frozen.stream, buffers=frozen.buffers)


def dump_function(fn: Any) -> bytes:
    """Pickle a function, by value where a worker could not import it."""
    try:
        return bytes(cloudpickle.dumps(fn, protocol=5))
    except Exception as error:
        raise _cannot_be_sent(fn, getattr(fn, "__name__", "fn")) from error


def dump_payload(payload: Any, name: str) -> bytes:
    """Pickle what a unit is about; plain pickle is twice as fast and nearly always enough."""
    try:
        data = pickle.dumps(payload, protocol=4)
        # A worker's __main__ is another one, so what lives there has to go by value.
        return data if b"__main__" not in data else bytes(cloudpickle.dumps(payload, protocol=4))
    except Exception:
        try:
            return bytes(cloudpickle.dumps(payload, protocol=4))
        except Exception as error:
            raise _cannot_be_sent(payload, name) from error


def dump_result(value: Any) -> bytes:
    """Pickle what a unit returned."""
    try:
        return pickle.dumps(value, protocol=4)
    except Exception:
        return bytes(cloudpickle.dumps(value, protocol=4))


def _cannot_be_sent(value: Any, name: str) -> CannotBeSentError:
    path, culprit = _culprit(value, name)
    kind = type(culprit)
    qualified = f"{kind.__module__}.{kind.__qualname__}"
    qualified = qualified.removeprefix("builtins.")
    return CannotBeSentError(
        f"{path} is a {qualified!r}, which cannot be sent to a worker. "
        f"Create it inside the unit, or leave it out of the object's pickled state."
    )


def _culprit(value: Any, path: str) -> tuple[str, Any]:
    """Return the smallest part of ``value`` that cannot be pickled, and how to reach it."""
    for _ in range(_DEEPEST):
        for step, part in _parts(value):
            if not _can_be_pickled(part):
                path, value = path + step, part
                break
        else:
            break
    return path, value


def _parts(value: Any) -> Iterator[tuple[str, Any]]:
    if isinstance(value, dict):
        yield from ((f"[{key!r}]", part) for key, part in value.items())
    elif isinstance(value, (list, tuple, set, frozenset)):
        yield from ((f"[{place}]", part) for place, part in enumerate(value))
    elif isinstance(value, partial):
        yield from ((f".{name}", getattr(value, name)) for name in ("func", "args", "keywords"))
    elif isinstance(value, FunctionType):
        names = value.__code__.co_freevars
        for name, cell in zip(names, value.__closure__ or (), strict=True):
            yield f".{name}", cell.cell_contents
        for name in value.__code__.co_names:
            if name in value.__globals__:
                yield f".{name}", value.__globals__[name]
    elif hasattr(value, "__self__"):
        yield ".__self__", value.__self__
    else:
        yield from ((f".{name}", part) for name, part in getattr(value, "__dict__", {}).items())


def _can_be_pickled(value: Any) -> bool:
    try:
        cloudpickle.dumps(value, protocol=5)
    except Exception:
        return False
    return True
