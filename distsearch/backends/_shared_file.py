"""Shared data where every process of this machine can map it."""

from __future__ import annotations

import os
import shutil
import tempfile
import uuid
from typing import IO, Any

from distsearch.backends._base import SharedData
from distsearch.backends._sending import Frozen
from distsearch.backends._worker import Location
from distsearch.errors import BackendError, ResourceError

__all__ = ["SharedFile"]

_ALIGNMENT = 64


class SharedFile(SharedData):
    """Shared data in a file without a name, so that not even a killed driver leaves it behind."""

    def __init__(self, frozen: Frozen, owner: Any) -> None:
        super().__init__(frozen, owner)
        spans = []
        end = 0
        for part in (frozen.stream, *frozen.buffers):
            start = -(-end // _ALIGNMENT) * _ALIGNMENT
            end = start + len(part)
            spans.append((start, end))
        self._frozen = None
        self._file: IO[bytes] = tempfile.TemporaryFile(dir=_roomy(end))  # noqa: SIM115
        try:
            for (start, _), part in zip(spans, (frozen.stream, *frozen.buffers), strict=True):
                self._file.seek(start)
                self._file.write(part)
            self._file.flush()
        except OSError as error:
            raise ResourceError(
                f"There is no room for {end} bytes of shared data: {error}. "
                f"Set TMPDIR to a folder with more."
            ) from None
        path = f"/proc/{os.getpid()}/fd/{self._file.fileno()}"
        self._location = Location(uuid.uuid4().hex, path, tuple(spans))

    @property
    def location(self) -> Location:
        """Where workers find it."""
        if self._file.closed:
            raise BackendError("This shared data was closed. Share the value again.")
        return self._location

    def close(self) -> None:
        """Let go of the data. Calling it twice is harmless."""
        self._file.close()


def _roomy(size: int) -> str | None:
    """Return the shared-memory folder where ``size`` bytes fit twice, else None for a disk."""
    try:
        return "/dev/shm" if shutil.disk_usage("/dev/shm").free > 2 * size else None
    except OSError:
        return None
