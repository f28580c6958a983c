"""Versions of the packages that results depend on."""

from __future__ import annotations

import platform
from collections.abc import Iterable
from importlib.metadata import PackageNotFoundError, version

from distsearch._version import __version__

__all__ = ["installed_versions"]

PACKAGES = ("numpy", "scipy", "scikit-learn", "pandas", "joblib", "skops", "ray", "pyarrow")


def installed_versions(names: Iterable[str] = PACKAGES) -> dict[str, str | None]:
    """Return the versions of Python, of this package and of others; None where not installed."""
    found: dict[str, str | None] = {
        "python": platform.python_version(),
        "distsearch": __version__,
    }
    for name in names:
        try:
            found[name] = version(name)
        except PackageNotFoundError:
            found[name] = None
    return found
