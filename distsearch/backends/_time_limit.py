"""A limit to the time that a unit takes.

Two alarms, because one cannot do it all. The first raises in Python code, which ends nearly every
unit cleanly; but a library that computes for an hour in one call of its own never gets to notice,
and code that catches everything goes on. The second ends the worker process, by a watching thread
and by the kernel's limit on CPU time; the backend then knows the signal, tries the unit again and
at last gives it up.
"""

from __future__ import annotations

import os
import resource
import signal
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Any

from distsearch.backends._execute import in_worker_process
from distsearch.errors import InvalidInputError, UnitTimeoutError

__all__ = ["time_limit"]

_AGAIN_SECONDS = 1.0
"""The alarm repeats: somebody's ``except Exception`` may have caught the first."""


@contextmanager
def time_limit(seconds: float | None) -> Iterator[None]:
    """Raise in the block when it takes longer.

    Parameters
    ----------
    seconds : float or None
        Wall time that the block may take; None for any.

    Raises
    ------
    UnitTimeoutError
        When the time is up, also when the block catches it and ends. Outside the main thread
        nothing is raised. A worker process that goes on all the same ends with SIGXCPU after
        twice the time and a second.
    InvalidInputError
        When ``seconds`` is not positive.

    Examples
    --------
    >>> from distsearch.backends import time_limit
    >>> with time_limit(60):
    ...     pass
    """
    if seconds is None:
        yield
        return
    if not seconds > 0:
        raise InvalidInputError(f"A time limit must be above 0 seconds. Got {seconds!r} instead.")
    with _alarm(seconds), _last_resort(seconds):
        yield


@contextmanager
def _alarm(seconds: float) -> Iterator[None]:
    if threading.current_thread() is not threading.main_thread():
        yield
        return

    error = UnitTimeoutError(f"The unit took longer than its limit of {seconds:g} seconds.")
    expired = False

    def expire(number: int, frame: FrameType | None) -> None:
        nonlocal expired
        del number, frame
        expired = True
        raise error

    handler = signal.signal(signal.SIGALRM, expire)
    start = time.monotonic()
    left, interval = signal.setitimer(signal.ITIMER_REAL, seconds, _AGAIN_SECONDS)
    try:
        yield
    finally:
        _disarm(handler)
        if left:  # somebody else's alarm goes on
            left = max(left - (time.monotonic() - start), 1e-3)
            signal.setitimer(signal.ITIMER_REAL, left, interval)
    if expired:
        raise error


def _disarm(handler: Any) -> None:
    """Stop the alarm, however often it goes off meanwhile."""
    while True:
        try:
            signal.setitimer(signal.ITIMER_REAL, 0.0)
            signal.signal(signal.SIGALRM, handler)
        except UnitTimeoutError:
            continue
        return


@contextmanager
def _last_resort(seconds: float) -> Iterator[None]:
    if not in_worker_process():
        yield
        return
    longest = 2.0 * seconds + 1.0
    watch = threading.Timer(longest, os.kill, (os.getpid(), signal.SIGXCPU))
    watch.daemon = True
    soft, hard = resource.getrlimit(resource.RLIMIT_CPU)
    known = [limit for limit in (soft, hard) if limit != resource.RLIM_INFINITY]
    cpu = int(time.process_time() + longest) + 1  # for code that no thread gets a turn beside
    watch.start()
    resource.setrlimit(resource.RLIMIT_CPU, (min([cpu, *known]), hard))
    try:
        yield
    finally:
        watch.cancel()
        resource.setrlimit(resource.RLIMIT_CPU, (soft, hard))
