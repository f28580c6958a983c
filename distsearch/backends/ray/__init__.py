"""Units run on Ray; the only folder that knows of it."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from distsearch.backends.ray._backend import RayBackend

if TYPE_CHECKING:
    from distsearch.backends.ray._jobs import JobEnd, JobServer
    from distsearch.backends.ray._nodes import Node, examine_nodes

__all__ = ["JobEnd", "JobServer", "Node", "RayBackend", "examine_nodes"]

_HOMES = {"JobEnd": "_jobs", "JobServer": "_jobs", "Node": "_nodes", "examine_nodes": "_nodes"}


def __getattr__(name: str) -> Any:
    if name in _HOMES:
        return getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
