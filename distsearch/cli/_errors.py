"""How a command ends: an exit code, and one line on standard error that says why.

====  ==============================================================
Code  Meaning
====  ==============================================================
0     done
1     the work failed
2     the command or its input cannot work as given
130   interrupted by Ctrl-C (143: by a termination signal)
141   whoever was reading the output went away
====  ==============================================================
"""

from __future__ import annotations

import re
import signal
import threading
import traceback as tracebacks
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Any

import click

from distsearch.errors import (
    DataError,
    DistsearchError,
    DistsearchWarning,
    InvalidInputError,
    ResourceError,
)

__all__ = ["BROKEN_PIPE", "Interrupted", "as_options", "notes", "one_line", "tell", "terminable"]

FAILED, BAD_INPUT, INTERRUPTED, BROKEN_PIPE, TERMINATED = 1, 2, 130, 141, 143

_OPTIONS = (
    (r"\bmissing=\[('[^']*')\]", r"--missing-value \1"),
    (r"\bmissing=\[[^\]]*\]", "--missing-value with each of these texts"),
    (r"\bmissing_target='(\w+)'", r"--missing-target \1"),
    (r"\b(decimal|delimiter|encoding)=('[^']*')", r"--\1 \2"),
    (r"\btask='regression'", "a regressor, such as --estimator ridge"),
    (r"\btask='classification'", "a classifier"),
    (r"\boption ignore\b", "--ignore"),
    (r"\(target\)", "with --target"),
)
"""Advice of the library, and what it is here."""


class Interrupted(KeyboardInterrupt):
    """Ctrl-C, with something to say about what was kept."""


class _Terminated(KeyboardInterrupt):
    """A termination signal: it unwinds the work as Ctrl-C does."""


@contextmanager
def terminable() -> Iterator[None]:
    """Unwind on SIGTERM, so that what was found is kept and no worker is left behind."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return

    def stop(number: int, frame: FrameType | None) -> None:
        del number, frame
        raise _Terminated

    before = signal.signal(signal.SIGTERM, stop)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)


@contextmanager
def notes() -> Iterator[None]:
    """Show each warning meant for users once, as one line on standard error."""
    shown = set()

    def show(message: Warning | str, category: type[Warning], *rest: Any, **more: Any) -> None:
        del rest, more
        text = one_line(str(message))
        if not issubclass(category, DistsearchWarning):
            text = f"{category.__name__}: {text}"
        if text not in shown:
            shown.add(text)
            click.echo(f"Note: {text}", err=True)

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        warnings.simplefilter("always", UserWarning)
        warnings.showwarning = show
        yield


def tell(error: BaseException, *, traceback: bool = False) -> int:
    """Write one line about an error, or its traceback; return the exit code.

    Parameters
    ----------
    error : BaseException
        What ended the command.
    traceback : bool
        Show the traceback as well.
    """
    if traceback and not isinstance(error, click.ClickException | BrokenPipeError):
        click.echo("".join(tracebacks.format_exception(error)).rstrip(), err=True)
    code, text = _explain(error)
    if text:
        click.echo(text, err=True)
    return code


def _explain(error: BaseException) -> tuple[int, str]:
    if isinstance(error, BrokenPipeError):
        return BROKEN_PIPE, ""
    if isinstance(error, KeyboardInterrupt | click.Abort):
        stopped = isinstance(error, _Terminated) or isinstance(error.__cause__, _Terminated)
        text = str(error) or "nothing was written."
        return (TERMINATED if stopped else INTERRUPTED), f"Interrupted: {text}"
    code, text = _expected(error) or _unexpected(error)
    return code, f"Error: {one_line(text)}"


def _expected(error: BaseException) -> tuple[int, str] | None:
    if isinstance(error, click.ClickException):
        return BAD_INPUT, _with_hint(error)
    if isinstance(error, DistsearchError):
        bad_input = isinstance(error, InvalidInputError | DataError | ResourceError)
        return BAD_INPUT if bad_input else FAILED, as_options(str(error))
    if isinstance(error, OSError):
        name = f"{error.filename}: " if error.filename else ""
        code = BAD_INPUT if isinstance(error, FileNotFoundError) else FAILED
        return code, f"{name}{error.strerror or error}."
    if isinstance(error, MemoryError):
        return FAILED, "memory ran out. Use fewer workers, fewer rows or a larger machine."
    return None


def _unexpected(error: BaseException) -> tuple[int, str]:
    text = f"{type(error).__name__}: {error}"
    if _said_by_sklearn(error):
        return BAD_INPUT, f"scikit-learn refused: {error}"
    if hasattr(error.__cause__, "text"):  # the traceback of a worker
        return FAILED, f"a unit of work failed with {text}"
    return FAILED, (
        f"unexpected {text} (DISTSEARCH_TRACEBACK=1 shows where it happened; please report it)"
    )


def as_options(text: str) -> str:
    """Return a message of the library with its parameters named as the command line does.

    Examples
    --------
    >>> as_options("set missing=['?'] or task='regression'")
    "set --missing-value '?' or a regressor, such as --estimator ridge"
    """
    for pattern, option in _OPTIONS:
        text = re.sub(pattern, option, text)
    return text


def one_line(text: str) -> str:
    """Return the text with every run of blanks and line ends as one blank."""
    return " ".join(text.split())


def _with_hint(error: click.ClickException) -> str:
    context = getattr(error, "ctx", None)
    hint = f" See '{context.command_path} --help'." if context is not None else ""
    return f"{error.format_message()}{hint}"


def _said_by_sklearn(error: BaseException) -> bool:
    """Say whether scikit-learn raised this on purpose, in one of its checks."""
    if not isinstance(error, ValueError):
        return False
    frames = list(tracebacks.walk_tb(error.__traceback__))
    return bool(frames) and str(frames[-1][0].f_globals.get("__name__")).startswith("sklearn")
