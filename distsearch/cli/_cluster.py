"""What commands that work with a cluster have in common."""

from __future__ import annotations

from pathlib import Path
from urllib.parse import urlsplit

from distsearch.errors import InvalidInputError

__all__ = ["check_kept", "is_url"]


def check_kept(store: Path) -> None:
    """Refuse a file of results that a job's end would take with it."""
    if not store.is_absolute():
        raise InvalidInputError(
            f"--store {store} must be an absolute path: the job runs in a temporary copy of its "
            f"folder, which is deleted afterwards. Name a file on storage that the cluster keeps."
        )


def is_url(address: str) -> bool:
    """Say whether an address is one of a job server."""
    try:
        parts = urlsplit(address)
    except ValueError:
        return False
    return parts.scheme in {"http", "https"} and bool(parts.hostname)
