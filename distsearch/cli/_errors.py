"""How a command ends: an exit code, and one line on standard error that says why.

====  ==============================================================
Code  Meaning
====  ==============================================================
0     done
1     the work failed
2     the command or its input cannot work as given
130   interrupted by Ctrl-C (143: by a termination signal, 129: by a terminal that closed)
141   whoever was reading the output went away
====  ==============================================================
"""

from __future__ import annotations

import os
import re
import signal
import threading
import traceback as tracebacks
import warnings
from collections.abc import Callable, Iterator
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
    SpecError,
)

__all__ = ["BROKEN_PIPE", "Interrupted", "as_options", "notes", "one_line", "tell", "terminable"]

FAILED, BAD_INPUT, INTERRUPTED, BROKEN_PIPE = 1, 2, 130, 141


def _as_option(match: re.Match[str]) -> str:
    return f"--{match.group(1).replace('_', '-')}"


_OPTIONS: tuple[tuple[str, str | Callable[[re.Match[str]], str]], ...] = (
    (r"\bmissing=\[('[^']*')\]", r"--missing-value \1"),
    (r"\bmissing=\[[^\]]*\]", "--missing-value with each of these texts"),
    (r"\bmissing_target='(\w+)'", r"--missing-target \1"),
    (r"\b(decimal|delimiter|encoding)=('[^']*')", r"--\1 \2"),
    (r"\btask='regression'", "a regressor, such as --estimator ridge"),
    (r"\btask='classification'", "a classifier"),
    (r"\boption (ignore|categorical)\b", r"--\1"),
    (r"\bdeclare it categorical\b", "declare it with --categorical"),
    (r": (columns|ignore|categorical) names ", r": --\1 names "),
    (r"^(delimiter|decimal|encoding|backend) must ", r"--\1 must "),
    (r"\bUse at most (\d+) folds\b", r"Use --cv \1 or less"),
    (r"\(target\)", "with --target"),
    (r"^(\w+)(?= has no effect on the strategy)", _as_option),
    (r"\bchoose another strategy\b", "choose another --strategy"),
)
"""Advice of the library, and what it is here."""


class Interrupted(KeyboardInterrupt):
    """Ctrl-C, with something to say about what was kept."""


class _Terminated(KeyboardInterrupt):
    """A signal to end: it unwinds the work as Ctrl-C does."""

    def __init__(self, number: int) -> None:
        super().__init__()
        self.code = 128 + number


@contextmanager
def terminable() -> Iterator[None]:
    """Unwind on SIGTERM and SIGHUP, so that what was found is kept and no worker is left behind."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return

    def stop(number: int, frame: FrameType | None) -> None:
        del frame
        raise _Terminated(number)

    # A signal that is ignored stays so: that is how nohup works.
    numbers = [
        each
        for each in (signal.SIGTERM, signal.SIGHUP)
        if signal.getsignal(each) is not signal.SIG_IGN
    ]
    before = {each: signal.signal(each, stop) for each in numbers}
    try:
        yield
    finally:
        for each, handler in before.items():
            signal.signal(each, handler)


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
    for problem in error.problems if isinstance(error, SpecError) else ():
        click.echo(one_line(problem), err=True)
    if text:
        click.echo(text, err=True)
    return code


def _explain(error: BaseException) -> tuple[int, str]:
    if isinstance(error, BrokenPipeError):
        return BROKEN_PIPE, ""
    if isinstance(error, KeyboardInterrupt | click.Abort):
        text = str(error) or "nothing was written."
        codes = [each.code for each in (error, error.__cause__) if isinstance(each, _Terminated)]
        return (codes or [INTERRUPTED])[0], f"Interrupted: {text}"
    if isinstance(error, click.exceptions.NoArgsIsHelpError):
        return BAD_INPUT, error.format_message()
    code, text = _expected(error) or _unexpected(error)
    return code, f"Error: {one_line(text)}"


def _expected(error: BaseException) -> tuple[int, str] | None:
    if isinstance(error, click.ClickException):
        return BAD_INPUT, _with_hint(error)
    if isinstance(error, DistsearchError):
        bad_input = isinstance(error, InvalidInputError | DataError | ResourceError)
        if isinstance(error.__cause__, OSError):  # a full disk is nobody's wrong input
            bad_input = False
        text = error.summary if isinstance(error, SpecError) else as_options(str(error))
        return BAD_INPUT if bad_input else FAILED, text
    if isinstance(error, OSError):
        if not _have_folder():
            return BAD_INPUT, "the current folder has been deleted. Change to another one."
        name = f"{error.filename}: " if error.filename else ""
        code = BAD_INPUT if isinstance(error, FileNotFoundError) else FAILED
        return code, f"{name}{error.strerror or error}."
    if isinstance(error, MemoryError):
        return FAILED, "memory ran out. Use fewer workers, fewer rows or a larger machine."
    return None


def _have_folder() -> bool:
    try:
        os.getcwd()
    except OSError:
        return False
    return True


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
    text = re.sub(r"\bset (ignore|categorical)=\[([^\]]*)\]", _as_repeated, text)
    for pattern, option in _OPTIONS:
        text = re.sub(pattern, option, text)
    return text


def _as_repeated(match: re.Match[str]) -> str:
    names = re.findall(r"'[^']*'|\"[^\"]*\"", match.group(2))
    return " ".join(f"--{match.group(1)} {name}" for name in names)


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
