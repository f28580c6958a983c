"""What the contract's units do; in the package, so that workers everywhere can import it."""

from __future__ import annotations

import os
import random
import signal
import threading
import time
import warnings
from pathlib import Path
from typing import Any

import numpy as np
from threadpoolctl import threadpool_info

from distsearch.backends._protocol import Unit
from distsearch.backends._registry import get_backend

__all__: list[str] = []


class OddError(Exception):
    """An error that pickle cannot rebuild: its constructor wants two arguments and passes one."""

    def __init__(self, place: str, reason: str) -> None:
        super().__init__(f"{reason} at {place}")


class PlainError(ValueError):
    """An error that survives."""


def square(unit: Unit, _: Any) -> int:
    return int(unit.payload**2)


def draw(unit: Unit, shared: Any) -> dict[str, Any]:
    """Draw from every generator that a unit has, after a sleep that mixes up completion."""
    time.sleep(float(np.random.default_rng(os.getpid() + unit.payload).uniform(0, 0.004)))
    own = np.random.default_rng(unit.seed)
    pairs = np.random.randn(3)  # noqa: NPY002 - an odd number leaves half a pair behind
    return {
        "numpy": pairs,
        "python": random.random(),
        "own": own.normal(size=2),
        "data": float((shared["X"] @ pairs).sum()) if shared is not None else 0.0,
        "children": own.bit_generator.seed_seq.spawn(1)[0].spawn_key,  # type: ignore[attr-defined]
    }


def cluster(unit: Unit, shared: Any) -> Any:
    """Fit k-means, whose centres depend on the number of threads."""
    from sklearn.cluster import KMeans

    return KMeans(3, n_init=1, max_iter=20).fit(shared["X"] + unit.payload).cluster_centers_


def threads(_: Unit, __: Any) -> list[int]:
    return [int(library["num_threads"]) for library in threadpool_info()]


def flags(_: Unit, shared: Any) -> list[bool]:
    """Say of every array in the shared value whether it could be written to."""
    frame = shared["frame"]
    arrays = [shared["large"], shared["small"], shared["view"], shared["names"]]
    arrays += [frame[column].to_numpy() for column in frame.columns]
    return [bool(array.flags.writeable) for array in arrays]


def give_back(_: Unit, shared: Any) -> Any:
    return {"again": shared["large"][:5], "fortran": shared["view"]}


def fail(unit: Unit, _: Any) -> Any:
    """Do what the payload says: raise an error, or return what cannot be sent."""
    match unit.payload:
        case "plain":
            raise PlainError("three is not even")
        case "odd":
            raise OddError("row 3", "no number")
        case "exit":
            raise SystemExit(3)
        case "lock":
            return {"guard": threading.Lock()}
    return unit.payload


def die(unit: Unit, _: Any) -> Any:
    """End the process: with "once:PATH" the first time only, with "always" on every try."""
    kind, _, path = str(unit.payload).partition(":")
    if kind == "exit":
        os._exit(7)
    if kind == "always" or (kind == "once" and not Path(path).exists()):
        if path:
            Path(path).touch()
        os.kill(os.getpid(), signal.SIGKILL)
    return unit.payload


def slow(unit: Unit, _: Any) -> Any:
    time.sleep(unit.payload)
    return os.getpid()


def nested(_: Unit, __: Any) -> tuple[str, int]:
    with get_backend("processes:2") as backend:
        return backend.name, backend.workers


def warn(_: Unit, __: Any) -> str:
    with warnings.catch_warnings():
        warnings.warn("something to know", RuntimeWarning, stacklevel=1)
    return "warned"


def configuration(_: Unit, __: Any) -> bool:
    import sklearn

    return bool(sklearn.get_config()["enable_metadata_routing"])
