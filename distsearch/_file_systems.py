"""What kind of file system a file is on."""

from __future__ import annotations

import re

__all__ = ["file_system", "is_network"]

_NETWORK = ("nfs", "cifs", "smb", "lustre", "beegfs", "gpfs", "ceph", "9p", "afs", "fuse.")
_LOCAL = ("fuse.fuse-overlayfs",)


def file_system(path: str, mounts: str = "/proc/self/mounts") -> str:
    """Return the type of the file system that a resolved path is on, empty if it is not known.

    Parameters
    ----------
    path : str
        Absolute and without links; it need not exist.
    mounts : str
        The kernel's table of what is mounted.
    """
    best, kind = "", ""
    try:
        with open(mounts, encoding="utf-8", errors="surrogateescape") as file:
            for line in file:
                _, point, found = line.split(" ")[:3]
                point = re.sub(r"\\([0-7]{3})", lambda code: chr(int(code[1], 8)), point)
                inside = f"{path}/".startswith(point.rstrip("/") + "/")
                if inside and len(point) >= len(best):  # a later mount hides an earlier one
                    best, kind = point, found
    except (OSError, ValueError):
        return ""
    return kind


def is_network(kind: str) -> bool:
    """Say whether other hosts may see a file there, whose memory is not shared with this one."""
    return f"{kind}.".startswith(_NETWORK) and kind not in _LOCAL
