"""Where work runs: here, in worker processes, or on Ray, with the same results from each."""

from typing import TYPE_CHECKING, Any

from distsearch.backends._interrupts import interrupts_kept
from distsearch.backends._protocol import Backend, Failure, Outcome, Shared, Unit, UnitFn
from distsearch.backends._registry import get_backend, open_backend
from distsearch.backends._run_all import run_all
from distsearch.backends._seeds import derive_seed, seed_sequence
from distsearch.backends._threads import single_threaded
from distsearch.backends._time_limit import time_limit
from distsearch.backends.processes import ProcessesBackend
from distsearch.backends.serial import SerialBackend

if TYPE_CHECKING:
    from distsearch.backends.ray import RayBackend

__all__ = [
    "Backend",
    "Failure",
    "Outcome",
    "ProcessesBackend",
    "RayBackend",
    "SerialBackend",
    "Shared",
    "Unit",
    "UnitFn",
    "derive_seed",
    "get_backend",
    "interrupts_kept",
    "open_backend",
    "run_all",
    "seed_sequence",
    "single_threaded",
    "time_limit",
]


def __getattr__(name: str) -> Any:
    # Ray takes a third of a second to import, and most runs do without it.
    if name == "RayBackend":
        from distsearch.backends.ray import RayBackend

        return RayBackend
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
