"""What the environment says while a Ray of our own starts, and nothing afterwards."""

from __future__ import annotations

import logging
import os
import secrets
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from distsearch.backends._threads import ONE_THREAD

__all__ = ["KEEPALIVE", "environment", "loopback_only", "private_variables"]

KEEPALIVE = {
    "RAY_grpc_client_keepalive_time_ms": "30000",
    "RAY_grpc_client_keepalive_timeout_ms": "10000",
}
"""With these a driver notices in 40 s that a node fell silent; by default it takes 7 minutes."""

_LOOPBACK = "RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER"


@contextmanager
def environment(changes: Mapping[str, str | None]) -> Iterator[None]:
    """Change environment variables (None removes one) for the length of a ``with`` statement."""
    before = {name: os.environ.get(name) for name in changes}
    _put(changes)
    try:
        yield
    finally:
        _put(before)


def _put(variables: Mapping[str, str | None]) -> None:
    for name, value in variables.items():
        if value is None:
            os.environ.pop(name, None)
        else:
            os.environ[name] = value


def private_variables() -> dict[str, str | None]:
    """Return what the processes of a private Ray find in their environment."""
    path = [entry or os.getcwd() for entry in sys.path]
    variables: dict[str, str | None] = {
        **ONE_THREAD,
        "PYTHONPATH": os.pathsep.join(path),
        "RAY_USAGE_STATS_ENABLED": "0",
        _LOOPBACK: "0",
    }
    # Where nothing is said, Ray turns tokens on, and with one given it writes no file for it.
    # Setting the mode itself would come too late where Ray has been imported before. It sets the
    # variable too, hence its place among those that are put back.
    variables["RAY_AUTH_MODE"] = os.environ.get("RAY_AUTH_MODE")
    if not any(os.environ.get(name) for name in ("RAY_AUTH_TOKEN", "RAY_AUTH_TOKEN_PATH")):
        variables["RAY_AUTH_TOKEN"] = secrets.token_hex(32)
    return variables


@contextmanager
def loopback_only(constants: Any) -> Iterator[None]:
    """Have a Ray that is started meanwhile listen on the loopback interface only.

    Ray does so where it has no clusters, and looks at the variable for that on import, which may
    have happened long ago.
    """
    before = getattr(constants, "ENABLE_RAY_CLUSTER", None)
    constants.ENABLE_RAY_CLUSTER = False
    logger = logging.getLogger("ray")
    level = logger.level
    logger.setLevel(logging.ERROR)
    try:
        yield
    finally:
        constants.ENABLE_RAY_CLUSTER = before
        logger.setLevel(level)
