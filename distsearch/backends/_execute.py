"""Running units where they run: seeds, errors, threads, and results as bytes.

Every backend calls `run_units`, serial too, so that a unit finds the same surroundings everywhere.
"""

from __future__ import annotations

import pickle
import random
import threading
import time
import traceback
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, nullcontext
from typing import Any

import numpy as np
from joblib import parallel_config
from numpy.random import mtrand

from distsearch.backends._interrupts import interrupts_kept
from distsearch.backends._protocol import Failure, Outcome, Unit, UnitFn
from distsearch.backends._sending import dump_payload, dump_result
from distsearch.backends._threads import single_threaded
from distsearch.errors import UnitTimeoutError

__all__ = [
    "Result",
    "execute",
    "failed_units",
    "in_worker_process",
    "inside_unit",
    "mark_worker",
    "outcome_of",
    "pack",
    "run_units",
]

Result = tuple[bool, bytes, float]
"""Whether the unit has a value, the pickled value or failure, and the function's seconds."""

_here = threading.local()
_worker_process = False
_spare: list[np.random.MT19937] = []
_turn = threading.RLock()
"""Units in the caller's process take turns: its generators and thread counts are shared."""


def inside_unit() -> bool:
    """Say whether the caller is part of a unit."""
    return _worker_process or getattr(_here, "inside", False)


def in_worker_process() -> bool:
    """Say whether this is a process that exists to run units."""
    return _worker_process


def mark_worker() -> None:
    """Say that everything in this process is part of a unit, whatever its thread."""
    global _worker_process  # noqa: PLW0603 - a fact about the process
    _worker_process = True


def pack(units: Sequence[Unit]) -> list[bytes]:
    """Pickle units before any work starts.

    Raises
    ------
    CannotBeSentError
        When a payload cannot be pickled; the message names the unit and the attribute.
    """
    packed = []
    for place, unit in enumerate(units):
        seed = unit.seed
        # A SeedSequence pickles slowly, and serial units must not advance the caller's own.
        parts = seed and (seed.entropy, seed.spawn_key, seed.pool_size, seed.n_children_spawned)
        name = f"the payload of unit {unit.name or place!r}"
        payload = dump_payload(unit.payload, name)
        packed.append(pickle.dumps((payload, parts, unit.name), protocol=5))
    return packed


def _unpack(blob: bytes) -> Unit:
    payload, parts, name = pickle.loads(blob)
    seed = None
    if parts is not None:
        entropy, spawn_key, pool_size, spawned = parts
        seed = np.random.SeedSequence(
            entropy, spawn_key=spawn_key, pool_size=pool_size, n_children_spawned=spawned
        )
    return Unit(pickle.loads(payload), seed, name)


def run_units(fn: UnitFn, blobs: Sequence[bytes], shared: Any, *, worker: bool) -> list[Result]:
    """Run packed units one after the other.

    Parameters
    ----------
    fn : callable
        The units' function.
    blobs : sequence of bytes
        Units from `pack`.
    shared : object
        What ``fn`` gets as its second argument.
    worker : bool
        True in a process of our own: nobody's random state needs keeping there, and an interrupt
        can only come from the unit itself.
    """
    # What a unit parallelises inside itself would compete with the units beside it.
    with (
        nullcontext() if worker else _turn,
        single_threaded(),
        parallel_config("sequential"),
    ):
        return [_run_blob(fn, blob, shared, worker) for blob in blobs]


def _run_blob(fn: UnitFn, blob: bytes, shared: Any, worker: bool) -> Result:
    try:
        unit = _unpack(blob)
    except Exception as error:
        return False, _dump_error(error), 0.0
    if not worker:
        with interrupts_kept():
            return execute(fn, unit, shared)
    try:
        return execute(fn, unit, shared, keep_state=False)
    except KeyboardInterrupt as error:
        return False, _dump_error(error), 0.0


def execute(fn: UnitFn, unit: Unit, shared: Any, *, keep_state: bool = True) -> Result:
    """Run one unit with the global generators set from its seed."""
    outer = getattr(_here, "inside", False)
    _here.inside = True
    start = time.perf_counter()
    try:
        with _seeded(unit.seed, keep_state):
            start = time.perf_counter()
            value = fn(unit, shared)
        seconds = time.perf_counter() - start
        return True, dump_result(value), seconds
    except KeyboardInterrupt:
        raise
    except BaseException as error:
        if outer and isinstance(error, UnitTimeoutError):
            raise  # the limit is that of the unit around this one
        return False, _dump_error(error), time.perf_counter() - start
    finally:
        _here.inside = outer


@contextmanager
def _seeded(seed: np.random.SeedSequence | None, keep_state: bool) -> Iterator[None]:
    """Set NumPy's and Python's global generators from ``seed`` and put them back afterwards.

    NumPy's is exchanged rather than copied, which takes a hundredth of the time; only the second
    half of a pair of normal deviates that the caller has yet to draw needs a look at its state.
    """
    if seed is None:
        yield
        return
    words = seed.generate_state(8)
    python_state = random.getstate() if keep_state else None
    numpy_state = np.random.get_state(legacy=False) if keep_state else None  # noqa: NPY002
    generator = mtrand.get_bit_generator()
    # Never let go of one: a thread of the caller's may be drawing from it.
    scratch = _spare.pop() if _spare else np.random.MT19937(0)
    mtrand.set_bit_generator(scratch)
    try:
        np.random.seed(words[:4])  # noqa: NPY002
        random.seed(int.from_bytes(words[4:].tobytes(), "little"))
        yield
    finally:
        mtrand.set_bit_generator(generator)
        _spare.append(scratch)
        if numpy_state is not None and numpy_state["has_gauss"]:
            np.random.set_state(numpy_state)  # noqa: NPY002
        if python_state is not None:
            random.setstate(python_state)


def _qualified(kind: type) -> str:
    return f"{kind.__module__}.{kind.__qualname__}".removeprefix("builtins.")


def _dump_error(error: BaseException) -> bytes:
    """Pickle the facts of an error, and the error itself where it survives that."""
    try:
        message = str(error)
    except Exception:
        message = "(its text cannot be had)"
    text = "".join(traceback.format_exception(error))
    try:
        itself = dump_result(error)
        if type(pickle.loads(itself)) is not type(error):
            itself = b""
    except Exception:
        itself = b""
    return pickle.dumps((_qualified(type(error)), message, text, itself), protocol=5)


def failed_units(error: BaseException, number: int) -> list[Result]:
    """Return the results of units that share the reason why they could not be run."""
    return [(False, _dump_error(error), 0.0)] * number


def outcome_of(index: int, result: Result, attempts: int) -> Outcome:
    """Turn a worker's result into what the caller sees."""
    has_value, data, seconds = result
    failure = None
    value = None
    if has_value:
        try:
            value = pickle.loads(data)
        except Exception as error:
            failure = _failure_of(_dump_error(error))
    else:
        failure = _failure_of(data)
    return Outcome(index, value, failure, seconds, attempts)


def _failure_of(data: bytes) -> Failure:
    kind, message, text, itself = pickle.loads(data)
    try:
        exception = pickle.loads(itself) if itself else None
    except Exception:
        exception = None
    return Failure("error", kind, message, text, exception)
