"""What the kernel says about memory: how much there is, and whom it ended for want of it."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path

__all__ = ["available_memory", "oom_kills"]

_PROC = Path("/proc")
_GROUP = Path("/sys/fs/cgroup")


def available_memory() -> int:
    """Return how many bytes this process and its children may still take.

    The least of what the machine has available and what the control group leaves.
    """
    limits = [_field(_PROC / "meminfo", "MemAvailable:") * 1024]
    with suppress(OSError, ValueError):  # no such group, or "max": no limit
        most = int((_GROUP / "memory.max").read_text())
        limits.append(most - int((_GROUP / "memory.current").read_text()))
    return max(0, min(limits))


def oom_kills() -> int:
    """Return how many processes the kernel has ended because memory ran out."""
    return _field(_PROC / "vmstat", "oom_kill")


def _field(path: Path, name: str) -> int:
    """Return a number of a file with a name and a number a line; 0 where it has none."""
    with suppress(OSError):
        for line in path.read_text().splitlines():
            if line.split()[:1] == [name]:
                return int(line.split()[1])
    return 0
