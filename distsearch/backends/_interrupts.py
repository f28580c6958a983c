"""Interrupts that the code of others swallows.

scikit-learn's multilayer perceptron takes Ctrl-C for the end of its training and returns what it
has got. Taken for a result, that would be a wrong one; and a loop of such fits would not stop.
"""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

__all__ = ["interrupts_kept"]


@contextmanager
def interrupts_kept() -> Iterator[None]:
    """Raise KeyboardInterrupt at the end when one was raised inside and has not come out."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return

    kept: list[KeyboardInterrupt] = []
    before = {
        number: handler
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
        if callable(handler := signal.getsignal(number))
    }

    def note(number: int, frame: FrameType | None) -> None:
        try:
            before[signal.Signals(number)](number, frame)
        except KeyboardInterrupt as error:
            kept.append(error)
            raise

    for number in before:
        signal.signal(number, note)
    try:
        yield
    except Exception as error:
        if kept:
            raise kept[0] from error
        raise
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
    if kept:
        raise kept[0]
