"""The group of commands: each is a module, loaded when it is asked for."""

from __future__ import annotations

import codecs
import io
import os
import sys
from collections.abc import Sequence
from importlib import import_module
from typing import Any, NoReturn

import click

from distsearch._version import __version__
from distsearch._wording import did_you_mean
from distsearch.cli._errors import BROKEN_PIPE, notes, tell, terminable

__all__ = ["run"]

_SPELLED = {"λ": "lambda", "±": "+-", "×": "x", "…": "...", "–": "-"}
_COMMANDS = {
    "fit": "distsearch.cli._fit",
    "predict": "distsearch.cli._predict",
    "encode": "distsearch.cli._encode",
    "sweep": "distsearch.cli._sweep",
    "status": "distsearch.cli._status",
    "compare": "distsearch.cli._compare",
    "export": "distsearch.cli._export",
    "submit": "distsearch.cli._submit",
    "demo": "distsearch.cli._demo",
    "doctor": "distsearch.cli._doctor",
    "data": "distsearch.cli._data",
}


class Program(click.Group):
    """A group whose commands end in one line, whatever goes wrong."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the commands in the order in which one needs them."""
        del ctx
        return list(_COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Import the module of a command and return it."""
        if cmd_name not in _COMMANDS:
            near = did_you_mean(cmd_name, _COMMANDS)
            ctx.fail(f"No such command {cmd_name!r}.{near}")
        command: click.Command = import_module(_COMMANDS[cmd_name]).command
        return command

    def invoke(self, ctx: click.Context) -> Any:
        """Run the command; say in one line what went wrong."""
        try:
            with notes(), terminable():
                super().invoke(ctx)
                if sys.stdout is not None:
                    sys.stdout.flush()
        except (click.exceptions.Exit, SystemExit):
            raise
        except BaseException as error:
            code = tell(error, traceback=ctx.params["traceback"])
            if code == BROKEN_PIPE:
                _silence_stdout()
            ctx.exit(code)


def _silence_stdout() -> None:
    """Keep the interpreter from complaining at exit that nobody reads its output."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _spell(error: UnicodeError) -> tuple[str, int]:
    """Spell out characters that the terminal's encoding lacks, instead of failing."""
    if not isinstance(error, UnicodeEncodeError):
        raise error
    text = error.object[error.start : error.end]
    plain = "".join(_SPELLED.get(each, each) for each in text)
    return plain.encode("ascii", "backslashreplace").decode("ascii"), error.end


def _print_anything() -> None:
    codecs.register_error("distsearch.spell", _spell)
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="distsearch.spell")


@click.command(cls=Program, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="distsearch", message="%(prog)s %(version)s")
@click.option(
    "--traceback",
    is_flag=True,
    envvar="DISTSEARCH_TRACEBACK",
    help="Show the whole traceback of an error (or set DISTSEARCH_TRACEBACK=1).",
)
def _program(traceback: bool) -> None:
    """Find the setting of a method that is best for your data.

    \b
    Start with:
      distsearch demo                                        see what it does
      distsearch fit DATA.csv --target LABEL -o model.skops  search and save a model
      distsearch predict model.skops NEW.csv -o OUT.csv      use it
      distsearch encode DATA.csv --target LABEL -o OUT.csv   make numbers of categories

    \b
    Exit codes: 0 done, 1 the work failed, 2 the command or its input is wrong,
    130 stopped by Ctrl-C, 143 by a termination signal, 129 by a terminal that closed.
    """  # noqa: D301
    del traceback  # read from the context


def run(args: Sequence[str] | None, **extra: Any) -> NoReturn:
    """Run the command line and exit, see `distsearch.cli.main`."""
    given = None if args is None else list(args)
    _print_anything()
    try:
        code = _program.main(given, prog_name="distsearch", standalone_mode=False, **extra)
    except Exception as error:  # outside of any command, such as help that nobody reads
        code = tell(error)
        if code == BROKEN_PIPE:
            _silence_stdout()
    sys.exit(code if isinstance(code, int) else 0)
