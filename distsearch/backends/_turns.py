"""Units in the caller's process take turns, whatever thread they come from.

NumPy's global generator, the number of BLAS threads and the warning filters belong to the whole
process. Two units side by side would draw from each other's generator, put the wrong one back,
and crash the process when one is taken away while the other draws from it.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

__all__ = ["turn"]

LOOK_SECONDS = 3.0


class _Turns:
    """Whose turn it is."""

    def __init__(self) -> None:
        self.lock = threading.RLock()
        self.holder = 0

    def take(self) -> bool:
        """Wait for the turn; False when its holder does nothing, perhaps waiting for this one."""
        seen = None
        while not self.lock.acquire(timeout=LOOK_SECONDS):
            used = _time_on_cpu(self.holder)
            look = used and (self.holder, used)
            if look and look == seen:
                return False
            seen = look
        self.holder = threading.get_native_id()
        return True


def _time_on_cpu(thread: int) -> list[str]:
    """Return what a thread has used of the processor; nothing where that cannot be known."""
    try:
        fields = Path(f"/proc/self/task/{thread}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return []
    return fields[11:13]


_turns = _Turns()


def _start_anew() -> None:
    """Forget a turn that a thread of the parent process had."""
    global _turns  # noqa: PLW0603 - a fact about the process
    _turns = _Turns()


os.register_at_fork(after_in_child=_start_anew)


@contextmanager
def turn() -> Iterator[bool]:
    """Wait for this thread's turn and say whether it got it.

    Without it, the settings of the process are somebody else's and must be left alone. A unit
    that starts threads and waits for the units in them would otherwise wait for ever.
    """
    turns = _turns
    taken = turns.take()
    try:
        yield taken
    finally:
        if taken:
            turns.lock.release()
