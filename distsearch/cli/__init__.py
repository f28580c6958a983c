"""The command line: ``distsearch fit``, ``predict``, ``demo``, ``doctor`` and ``data``."""

from distsearch.cli._program import main

__all__ = ["main"]
