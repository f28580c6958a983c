"""The process-wide settings of the caller that a unit can notice, carried to the workers."""

from __future__ import annotations

import pickle
import sys
import warnings
from operator import attrgetter
from typing import Any

__all__ = ["Surroundings", "surroundings"]


def surroundings() -> bytes:
    """Return the caller's warning filters and scikit-learn configuration, packed."""
    entries: Any = warnings.filters
    filters = [
        (action, message, (category.__module__, category.__qualname__), module, line)
        for action, message, category, module, line in entries
    ]
    return pickle.dumps((filters, _sklearn_config()), protocol=5)


def _sklearn_config() -> tuple[bool, dict[str, Any]] | None:
    """Return the configuration and whether it is out of the ordinary; None without sklearn."""
    sklearn = sys.modules.get("sklearn")
    if sklearn is None or not hasattr(sklearn, "get_config"):
        return None
    config = sklearn.get_config()
    ordinary = getattr(getattr(sklearn, "_config", None), "_global_config", None)
    return config != ordinary, config


class Surroundings:
    """What a worker process has made its own so far."""

    def __init__(self) -> None:
        self._packed = b""
        self._modules = 0
        self._filters: list[Any] = []
        self._config: tuple[bool, dict[str, Any]] | None = None

    def adopt(self, packed: bytes) -> None:
        """Make the packed settings this process's own, as far as they are not yet.

        A setting is no reason to import the library that it is about (scikit-learn takes a
        second), so those of libraries that are not here yet wait for a later task.
        """
        if packed == self._packed and len(sys.modules) == self._modules:
            return
        if packed != self._packed:
            self._packed = packed
            self._filters, self._config = pickle.loads(packed)
        warnings.resetwarnings()
        in_force: Any = warnings.filters
        in_force.extend(filter(None, map(_resolve, self._filters)))
        if self._config is not None and (self._config[0] or "sklearn" in sys.modules):
            import sklearn

            sklearn.set_config(**self._config[1])
            self._config = None
        self._modules = len(sys.modules)


def _resolve(entry: Any) -> Any:
    """Return a warning filter with its category, or None while its module is not loaded."""
    action, message, (home, name), module, line = entry
    try:
        return action, message, attrgetter(name)(sys.modules[home]), module, line
    except (KeyError, AttributeError):
        return None
