"""What the environment says while a Ray of our own starts, and nothing afterwards."""

from __future__ import annotations

import logging
import os
import secrets
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from functools import cache
from typing import Any

from distsearch.backends._threads import ONE_THREAD

__all__ = ["KEEPALIVE", "environment", "loopback_only", "private_token", "private_variables"]

KEEPALIVE = {
    "RAY_grpc_client_keepalive_time_ms": "30000",
    "RAY_grpc_client_keepalive_timeout_ms": "10000",
}
"""With these a driver notices in 40 s that a node fell silent; by default it takes 7 minutes."""

_LOOPBACK = "RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER"


@contextmanager
def environment(changes: Mapping[str, str]) -> Iterator[None]:
    """Change environment variables for the length of a ``with`` statement.

    Afterwards all are as before, also those that Ray sets for the rest of the process.
    """
    before = dict(os.environ)
    os.environ.update(changes)
    try:
        yield
    finally:
        for name in set(os.environ) - set(before):
            del os.environ[name]
        os.environ.update(before)


@cache
def private_token() -> str:
    """Return the token of this process's private Rays."""
    return secrets.token_hex(32)


def private_variables() -> dict[str, str]:
    """Return what the processes of a private Ray find in their environment."""
    path = [entry or os.getcwd() for entry in sys.path]
    variables = {
        **ONE_THREAD,
        "PYTHONPATH": os.pathsep.join(path),
        "RAY_USAGE_STATS_ENABLED": "0",
        _LOOPBACK: "0",
    }
    # Where nothing is said of the mode, Ray turns tokens on itself, which works after an import
    # too, and with a token given it writes no file for it.
    if not any(os.environ.get(name) for name in ("RAY_AUTH_TOKEN", "RAY_AUTH_TOKEN_PATH")):
        variables["RAY_AUTH_TOKEN"] = private_token()
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
