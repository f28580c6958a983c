"""Warnings that point at the line of the user, however deep the call."""

from __future__ import annotations

import sys
import warnings

from distsearch.errors import DistsearchWarning

__all__ = ["warn_caller"]

_OURS = ("distsearch.", "sklearn.")


def warn_caller(message: str) -> None:
    """Warn at the nearest line that is neither in distsearch nor in scikit-learn.

    Parameters
    ----------
    message : str
        What to say.
    """
    level, frame = 1, sys._getframe()
    while frame.f_back is not None and frame.f_globals.get("__name__", "").startswith(_OURS):
        level, frame = level + 1, frame.f_back
    warnings.warn(message, DistsearchWarning, stacklevel=level)
