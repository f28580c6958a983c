"""The process-wide settings of the caller that a unit can notice, carried to the workers."""

from __future__ import annotations

import pickle
import sys
import warnings
from contextlib import suppress
from typing import Any

from distsearch.backends._sending import dump_payload
from distsearch.errors import CannotBeSentError

__all__ = ["Surroundings", "surroundings"]


def surroundings() -> bytes:
    """Return the caller's warning filters and scikit-learn configuration, packed."""
    filters = []
    for entry in warnings.filters:
        with suppress(CannotBeSentError):
            filters.append(dump_payload(entry, "a warning filter"))
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
        self._config: tuple[bool, dict[str, Any]] | None = None

    def adopt(self, packed: bytes) -> None:
        """Make the packed settings this process's own, if they are not yet."""
        if packed != self._packed:
            self._packed = packed
            filters, self._config = pickle.loads(packed)
            _set_filters(filters)
        # An ordinary configuration is no reason to import scikit-learn.
        if self._config is not None and (self._config[0] or "sklearn" in sys.modules):
            import sklearn

            sklearn.set_config(**self._config[1])
            self._config = None


def _set_filters(packed: list[bytes]) -> None:
    filters = []
    for data in packed:
        # The category of a filter may be unknown here; then nothing here raises it either.
        with suppress(Exception):
            filters.append(pickle.loads(data))
    warnings.resetwarnings()
    warnings.filters.extend(filters)  # type: ignore[attr-defined]
