"""Telling a person how far a search is.

The driver sees every result, so progress needs nothing from the workers and looks the same on
every backend. Whoever starts the work says who listens, for a whole block of code, so that no
estimator needs a parameter for it.
"""

from __future__ import annotations

import math
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from typing import TextIO

__all__ = ["LineReporter", "Progress", "report", "reporting"]


@dataclass(frozen=True, slots=True)
class Progress:
    """How far something is.

    Parameters
    ----------
    label : str
        What is being done.
    done : int
        Steps finished.
    planned : int
        Steps at most; fewer when the work ends early.
    best : float
        Best score so far; NaN while there is none.
    finished : bool
        Whether this is the last word.
    exact : bool
        Whether ``planned`` is the number itself and not only its limit.
    """

    label: str
    done: int
    planned: int
    best: float
    finished: bool = False
    exact: bool = False


Reporter = Callable[[Progress], None]

_reporter: ContextVar[Reporter | None] = ContextVar("distsearch_reporter", default=None)


@contextmanager
def reporting(reporter: Reporter | None) -> Iterator[None]:
    """Send the progress of everything inside the block to ``reporter``; None silences it."""
    token = _reporter.set(reporter)
    try:
        yield
    finally:
        _reporter.reset(token)


def report(progress: Progress) -> None:
    """Pass ``progress`` to whoever listens."""
    reporter = _reporter.get()
    if reporter is not None:
        reporter(progress)


class LineReporter:
    """Writes progress with rate and time left: one line redrawn on a terminal, else plain lines.

    Parameters
    ----------
    stream : text file, optional
        Where to write; standard error by default.
    every : float, optional
        Seconds between lines; by default 0.2 on a terminal and 5 elsewhere.
    """

    def __init__(self, stream: TextIO | None = None, every: float | None = None) -> None:
        self._stream = stream if stream is not None else sys.stderr
        self._redraws = self._stream.isatty()
        self._every = every if every is not None else (0.2 if self._redraws else 5.0)
        self._label: str | None = None
        self._start = self._last = 0.0
        self._width = 0

    def __call__(self, progress: Progress) -> None:
        """Write a line when it is time for one."""
        now = time.monotonic()
        if progress.label != self._label:
            self._label, self._start, self._last = progress.label, now, now
        if progress.finished:
            self._label = None
        elif now - self._last < self._every:
            return
        self._last = now
        self._write(_line(progress, now - self._start), last=progress.finished)

    def say(self, line: str) -> None:
        """Write a line of another kind above the progress."""
        self._write(line, last=True)

    def _write(self, line: str, *, last: bool) -> None:
        if self._redraws:
            text = "\r" + line.ljust(self._width) + ("\n" if last else "")
            self._width = 0 if last else len(line)
        else:
            text = line + "\n"
        self._stream.write(text)
        self._stream.flush()


def _pace(rate: float) -> str:
    return f"{rate:,.0f}/s" if rate >= 1.0 else f"{1.0 / rate:,.1f} s each"


def _line(progress: Progress, seconds: float) -> str:
    text = f"{progress.label}: {progress.done:,}"
    if not progress.finished and progress.planned:
        text += f" of {'' if progress.exact else 'at most '}{progress.planned:,}"
    if not math.isnan(progress.best):
        text += f", best {progress.best:.4f}"
    rate = progress.done / seconds if seconds > 0 else 0.0
    if progress.finished:
        return f"{text}, {seconds:.1f} s"
    if rate:
        left = max(progress.planned - progress.done, 0) / rate
        text += f", {_pace(rate)}, {left:,.0f} s left{'' if progress.exact else ' at most'}"
    return text
