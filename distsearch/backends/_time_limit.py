"""A limit to the time that a unit takes.

Two alarms, because one cannot do it all. The first raises in Python code, which ends nearly every
unit cleanly; but a library that computes for an hour in one call of its own never gets to notice.
The second is the kernel's, on CPU time, and ends the worker process; the backend then knows the
signal, tries the unit again and at last gives it up.
"""

from __future__ import annotations

import resource
import signal
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

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
        When the time is up. Outside the main thread nothing is raised. Where a worker process
        does not get to raise, the kernel ends it with SIGXCPU after twice the time.
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
    with _alarm(seconds), _cpu_limit(seconds):
        yield


@contextmanager
def _alarm(seconds: float) -> Iterator[None]:
    if threading.current_thread() is not threading.main_thread():
        yield
        return

    def expire(number: int, frame: FrameType | None) -> None:
        del number, frame
        raise UnitTimeoutError(f"The unit took longer than its limit of {seconds:g} seconds.")

    handler = signal.signal(signal.SIGALRM, expire)
    start = time.monotonic()
    left, interval = signal.setitimer(signal.ITIMER_REAL, seconds, _AGAIN_SECONDS)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0.0)
        signal.signal(signal.SIGALRM, handler)
        if left:  # somebody else's alarm goes on
            left = max(left - (time.monotonic() - start), 1e-3)
            signal.setitimer(signal.ITIMER_REAL, left, interval)


@contextmanager
def _cpu_limit(seconds: float) -> Iterator[None]:
    if not in_worker_process():
        yield
        return
    soft, hard = resource.getrlimit(resource.RLIMIT_CPU)
    wanted = int(time.process_time() + 2.0 * seconds) + 1
    known = [limit for limit in (soft, hard) if limit != resource.RLIM_INFINITY]
    resource.setrlimit(resource.RLIMIT_CPU, (min([wanted, *known]), hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_CPU, (soft, hard))
