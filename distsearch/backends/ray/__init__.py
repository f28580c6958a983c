"""Units run on Ray; the only folder that knows of it."""

from typing import TYPE_CHECKING, Any

from distsearch.backends.ray._backend import RayBackend

if TYPE_CHECKING:
    from distsearch.backends.ray._jobs import JobEnd, JobServer

__all__ = ["JobEnd", "JobServer", "RayBackend"]


def __getattr__(name: str) -> Any:
    if name in {"JobEnd", "JobServer"}:
        from distsearch.backends.ray import _jobs

        return getattr(_jobs, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
