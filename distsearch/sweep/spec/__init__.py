"""The study file."""

from distsearch.sweep.spec._types import Data, Limits, Protocol, Setting, Spec

__all__ = ["Data", "Limits", "Protocol", "Setting", "Spec"]
