"""Worker processes as the driver sees them: one socket each, and nothing shared between them.

A pool with common queues breaks as a whole when one worker is killed, and cannot say which task
it was running. With a socket each, a death concerns one task, its signal is known, and one worker
can be ended without the others. There is no lock and no semaphore to leak.
"""

from __future__ import annotations

import os
import pickle
import signal
import subprocess
import sys
from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from multiprocessing import Pipe
from typing import Any

from distsearch.backends._threads import ONE_THREAD

__all__ = ["Child", "how_it_ended"]

_BOOT = (
    "import sys; handle, sys.path[:] = int(sys.argv[1]), sys.argv[2:]; "
    "from distsearch.backends._worker import main; main(handle)"
)
_EXIT_SECONDS = 1.0


@contextmanager
def _interrupts_held() -> Iterator[None]:
    """Hold SIGINT back, so that a child is not interrupted before it can say it ignores that."""
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
        path = [entry if entry else os.getcwd() for entry in sys.path]
        command = [sys.executable, "-c", _BOOT, str(theirs.fileno()), *path]
        with _interrupts_held():
            self.process = subprocess.Popen(
                command,
                env={**os.environ, **ONE_THREAD},
                stdin=subprocess.DEVNULL,
                pass_fds=[theirs.fileno()],
            )
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

    def end(self, *, kill: bool) -> int:
        """End the process and return its exit code; a busy one only ends when killed."""
        self.connection.close()
        if kill:
            self.process.kill()
        try:
            return self.process.wait(_EXIT_SECONDS)
        except subprocess.TimeoutExpired:
            self.process.kill()
            return self.process.wait()


def how_it_ended(code: int) -> tuple[str, str]:
    """Return a process's end as a name and as the beginning of a sentence."""
    if code >= 0:
        return "Exit", f"The worker process exited with code {code}"
    try:
        name = signal.Signals(-code).name
    except ValueError:
        name = f"signal {-code}"
    return name, f"The worker process was ended by {name}"
