"""Options that several commands share."""

from __future__ import annotations

import ast
import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import click

__all__ = ["OUTPUT", "SEED", "backend_option", "reading_options", "settings", "trust_option"]

Command = TypeVar("Command", bound=Callable[..., Any])


class _Output(click.Path):
    """A file to write; ``folder/`` is no name of one, although `Path` would make it one."""

    def convert(
        self,
        value: str | os.PathLike[str],
        param: click.Parameter | None,
        ctx: click.Context | None,
    ) -> Any:
        text = os.fspath(value)
        if not text or text.endswith(os.sep):
            self.fail(f"must be the name of a file. Got {text!r} instead.", param, ctx)
        return super().convert(value, param, ctx)


OUTPUT = _Output(path_type=Path)
"""The type of options that name a file to write."""

SEED = click.IntRange(0, 2**32 - 1)
"""The type of ``--seed``: what scikit-learn takes."""


def settings(
    ctx: click.Context, param: click.Parameter, values: tuple[str, ...]
) -> tuple[tuple[str, Any], ...]:
    """Split every ``name=value``; type the value as Python would, or leave it text."""
    pairs = []
    for each in values:
        name, equals, text = each.partition("=")
        if not (name.strip() and equals):
            raise click.BadParameter(
                f"must be name=value, such as n_neighbors=3. Got {each!r} instead.", ctx, param
            )
        pairs.append((name.strip(), _literal(text.strip())))
    return tuple(pairs)


def _literal(text: str) -> Any:
    if text.lower() in {"true", "false"}:
        return text.lower() == "true"
    try:
        return ast.literal_eval(text)
    except (ValueError, SyntaxError, TypeError, MemoryError, RecursionError):
        return text


def backend_option(command: Command) -> Command:
    """Add ``--backend``."""
    return click.option(
        "--backend",
        default="processes",
        show_default=True,
        metavar="NAME",
        help="Where the work runs: serial, processes, processes:8, ray, ray:8 or ray:HOST:PORT. "
        "The result is the same from each.",
    )(command)


def trust_option(command: Command) -> Command:
    """Add ``--trust``."""
    return click.option(
        "--trust",
        multiple=True,
        metavar="MODULE",
        callback=_find_here,
        help="A module whose code may run, such as that of an estimator of your own. Repeatable.",
    )(command)


def _find_here(
    ctx: click.Context, param: click.Parameter, modules: tuple[str, ...]
) -> tuple[str, ...]:
    """Let trusted modules be found in the current folder, as ``python -m`` does."""
    del ctx, param
    if modules and os.getcwd() not in sys.path:
        sys.path.insert(0, os.getcwd())
    return modules


def reading_options(command: Command) -> Command:
    """Add the options that say how a data file is read; each is None where it was not given."""
    options = [
        click.option("--delimiter", help="The character between fields, found if not given."),
        click.option("--decimal", help="The decimal mark: '.' or ','."),
        click.option("--encoding", help="The text encoding, UTF-8 if not given."),
        click.option(
            "--missing-value",
            "missing",
            multiple=True,
            metavar="TEXT",
            help="A text that stands for a missing value, such as '?'. Repeatable.",
        ),
        click.option(
            "--categorical",
            multiple=True,
            metavar="COLUMN",
            help="A column whose values are names and stay as written, such as 007 and 7. "
            "Repeatable.",
        ),
    ]
    for option in reversed(options):
        command = option(command)
    return command
