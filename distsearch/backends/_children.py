"""Worker processes as the driver sees them: loky's processes, with one socket each.

Loky starts them: fresh interpreters, never forks, which OpenMP would hang. Its executor is left
out, because a pool with common queues breaks as a whole when one worker is killed and cannot say
which task that was running. With a socket each, a death concerns one task, its signal is known,
and one worker can be ended without the others. There is no lock and no semaphore to leak.
"""

from __future__ import annotations

import os
import pickle
import signal
from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from multiprocessing import Pipe, resource_tracker
from multiprocessing.connection import wait as wait_for_any
from pathlib import Path
from typing import Any

from joblib.externals.loky.backend import resource_tracker as loky_tracker
from joblib.externals.loky.backend.process import LokyProcess

from distsearch.backends._threads import ONE_THREAD
from distsearch.backends._worker import main

__all__ = ["Child", "how_it_ended", "oom_kills"]

_EXIT_SECONDS = 1.0
_KERNEL = Path("/proc/vmstat")


@contextmanager
def _interrupts_held() -> Iterator[None]:
    """Hold SIGINT back, so that a child is not interrupted before it can say it ignores that."""
    # Starting the trackers would let it through again.
    resource_tracker.ensure_running()
    loky_tracker.ensure_running()
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


class Child:
    """One worker process and the tasks it has been sent.

    Attributes
    ----------
    tasks : deque of int
        Numbers of the tasks sent and not reported; the first is the one that runs.
    ready : bool
        Whether it has come up.
    """

    def __init__(self) -> None:
        self.connection, theirs = Pipe()
        self.process = LokyProcess(target=main, args=(theirs,), env=ONE_THREAD)
        with _interrupts_held():
            self.process.start()
        theirs.close()
        self.tasks: deque[int] = deque()
        self.ready = False

    def send(self, number: int, body: Any) -> None:
        """Send a task, or with None for its body ask to have it back."""
        # To the dead nothing can be sent; whoever waits for this one will notice.
        with suppress(OSError):
            self.connection.send_bytes(pickle.dumps((number, body), protocol=5))

    def receive(self) -> Any:
        """Return a task's number and results (None for a task given back).

        Raises
        ------
        EOFError
            When the process is gone.
        """
        try:
            return pickle.loads(self.connection.recv_bytes())
        except OSError as error:
            raise EOFError from error

    @property
    def dead(self) -> bool:
        """Whether the process is gone."""
        return bool(wait_for_any([self.process.sentinel], 0))

    def end(self, *, kill: bool) -> int | None:
        """End the process and return its exit code; a busy one only ends when killed.

        None means that somebody else has collected the code.
        """
        self.connection.close()
        if not kill:
            self.process.join(_EXIT_SECONDS)
        if not self.dead:
            with suppress(ProcessLookupError):
                os.kill(self.process.pid, signal.SIGKILL)
        self.process.join()
        code: int | None = self.process.exitcode
        return code


def how_it_ended(code: int | None) -> tuple[str, str]:
    """Return a process's end as a name and as the beginning of a sentence."""
    if code is None:
        return "Unknown", "The worker process ended"
    if code >= 0:
        return "Exit", f"The worker process exited with code {code}"
    try:
        name = signal.Signals(-code).name
    except ValueError:
        name = f"signal {-code}"
    return name, f"The worker process was ended by {name}"


def oom_kills() -> int:
    """Return how many processes the kernel has ended for want of memory; 0 where it does not tell.

    To the parent such a death looks like any other by SIGKILL.
    """
    with suppress(OSError):
        for line in _KERNEL.read_text(encoding="ascii").splitlines():
            name, number = line.split()
            if name == "oom_kill":
                return int(number)
    return 0
