"""What a run leaves behind about itself, so that its table can be traced to what made it."""

from __future__ import annotations

import os
import platform
import sys
from importlib.metadata import PackageNotFoundError, version
from typing import Any

from distsearch._version import __version__
from distsearch.backends import Backend
from distsearch.sweep.spec import Spec
from distsearch.sweep.store import RunRecord

__all__ = ["make_manifest"]

_PACKAGES = ("numpy", "scipy", "scikit-learn", "pandas", "joblib", "ray")


def make_manifest(spec: Spec, backend: Backend, command: str) -> RunRecord:
    """Return the manifest of a run that is about to begin.

    Parameters
    ----------
    spec : Spec
        The study.
    backend : Backend
        Where its units run.
    command : str
        The command line, or what called the library.
    """
    return RunRecord(
        command=command,
        spec=spec.text,
        backend=f"{backend.name}:{backend.workers}",
        versions={"python": platform.python_version(), "distsearch": __version__, **_versions()},
        platform=_platform(),
    )


def _versions() -> dict[str, str]:
    found = {}
    for name in _PACKAGES:
        try:
            found[name] = version(name)
        except PackageNotFoundError:
            continue
    return found


def _platform() -> dict[str, Any]:
    return {
        "system": platform.platform(),
        "machine": platform.machine(),
        "cores": os.cpu_count(),
        "byte order": sys.byteorder,
    }
