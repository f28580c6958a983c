"""Units run on Ray; the only folder that knows of it."""

from distsearch.backends.ray._backend import RayBackend

__all__ = ["RayBackend"]
