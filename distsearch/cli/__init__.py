"""The command line: ``distsearch fit``, ``predict``, ``demo``, ``doctor`` and ``data``."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import Any

__all__ = ["main"]


def main(args: Sequence[str] | None = None, **extra: Any) -> None:
    """Run the command line and exit.

    Parameters
    ----------
    args : sequence of str, optional
        What follows the program's name; by default what the process was started with.
    **extra : object
        Settings of the click context, such as ``default_map``.
    """
    try:
        # Imported here, so that Ctrl-C while this takes its time is no traceback.
        from distsearch.cli._program import run
    except KeyboardInterrupt:
        sys.stderr.write("Interrupted: nothing was written.\n")
        sys.exit(130)
    run(args, **extra)
