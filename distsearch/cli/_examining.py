"""The work of ``distsearch doctor``."""

from __future__ import annotations

import os
import shutil
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

import click
import numpy as np
from joblib import cpu_count
from threadpoolctl import threadpool_info

from distsearch._installed import installed_versions
from distsearch.backends import Unit, open_backend, single_threaded
from distsearch.backends._machine import memory
from distsearch.cli._console import columns, facts
from distsearch.cli._errors import one_line

__all__ = ["run"]

_UNITS = 8
_GIB = 2**30


def run(backends: Sequence[str]) -> bool:
    """Print what there is; return whether every backend works."""
    click.echo(facts([*_versions(), *_resources()]))
    header = ("backend", "result", "workers", "start s")
    tried = [_try(name) for name in backends]
    if tried:
        click.echo("\n" + columns(header, tried, left=2))
    return all(result[1] == "ok" for result in tried)


def _versions() -> list[tuple[str, str]]:
    return [(name, found or "not installed") for name, found in installed_versions().items()]


def _resources() -> list[tuple[str, str]]:
    affinity = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    with single_threaded():
        held = {each["num_threads"] for each in threadpool_info()}
    return [
        ("cores", f"{os.cpu_count()} in the machine, {affinity} allowed, {cpu_count()} to use"),
        ("memory", _memory()),
        *(
            (f"disk, {name}", f"{shutil.disk_usage(folder).free / _GIB:.1f} GiB free in {folder}")
            for name, folder in [("here", str(Path.cwd())), ("temporary", tempfile.gettempdir())]
        ),
        ("threads", f"{_threads()}; held to {', '.join(map(str, sorted(held)))} inside a unit"),
    ]


def _threads() -> str:
    libraries = threadpool_info()
    return ", ".join(
        sorted({f"{each['internal_api']} {each['num_threads']}" for each in libraries})
    )


def _memory() -> str:
    found = memory()
    if found is None:
        return "not known on this system"
    return "{:.1f} of {:.1f} GiB available".format(*(size / _GIB for size in found))


def _try(name: str) -> tuple[str, str, str, str]:
    """Run a few units and compare what they return with what they should."""
    start = time.monotonic()
    try:
        with open_backend(name) as backend, backend.share(np.arange(_UNITS)) as shared:
            workers = str(backend.workers)
            units = [Unit(place) for place in range(_UNITS)]
            outcomes = backend.run(_square, units, shared)
            first = next(outcomes)
            seconds = f"{time.monotonic() - start:.1f}"
            values = {each.index: each.unwrap() for each in [first, *outcomes]}
    except Exception as error:  # the doctor reports every illness
        return name, one_line(f"{type(error).__name__}: {error}"), "", ""
    right = values == {place: place**2 for place in range(_UNITS)}
    return name, "ok" if right else "wrong results", workers, seconds


def _square(unit: Unit, shared: np.ndarray) -> int:
    return int(shared[unit.payload]) ** 2
