"""What a run leaves behind about itself, so that its table can be traced to what made it."""

from __future__ import annotations

import os
import platform
import sys
from typing import Any

from distsearch._installed import installed_versions
from distsearch.backends import Backend
from distsearch.sweep.spec import Spec
from distsearch.sweep.store import RunRecord

__all__ = ["make_manifest"]


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
        versions={name: found for name, found in installed_versions().items() if found},
        platform=_platform(),
    )


def _platform() -> dict[str, Any]:
    return {
        "system": platform.platform(),
        "machine": platform.machine(),
        "cores": os.cpu_count(),
        "byte order": sys.byteorder,
    }
