"""What a machine has that work on it needs.

The functions here are sent to machines that may lack this package or have another version of it, so
they use the standard library and `file_system` alone, and return plain values.
"""

from __future__ import annotations

import hashlib
import os
import platform
import shutil
import tempfile
import time
from collections.abc import Sequence
from importlib import import_module
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec
from pathlib import Path
from typing import TypedDict

from distsearch._file_systems import file_system

__all__ = ["MachineFacts", "StoreFacts", "clock", "examine_machine", "memory"]


class StoreFacts(TypedDict):
    """What is known of the place where a file of results is to be.

    ``error`` says why it cannot be written and is empty where it can; ``file_system`` is the type
    that the kernel has for it, empty where that is not known.
    """

    error: str
    file_system: str


class MachineFacts(TypedDict):
    """What is known of a machine.

    ``versions`` has None for packages that are not installed; ``content`` is a digest of the code
    of this package, and ``error`` says why it cannot be used; sizes are free bytes, None where they
    are not known.
    """

    versions: dict[str, str | None]
    content: str
    error: str
    memory: int | None
    disk: int
    shared_memory: int | None
    store: StoreFacts | None


def examine_machine(packages: Sequence[str], module: str, store: str | None = None) -> MachineFacts:
    """Return what this machine has.

    Parameters
    ----------
    packages : sequence of str
        Whose versions are wanted.
    module : str
        The module of this package that has to be importable.
    store : str, optional
        A file that is to be written.

    Returns
    -------
    MachineFacts
    """
    package = module.partition(".")[0]
    own, content, error = _examine_package(package, module)
    versions: dict[str, str | None] = {"python": platform.python_version(), package: own}
    for name in packages:
        try:
            versions[name] = version(name)
        except PackageNotFoundError:
            versions[name] = None
    free = memory()
    shared = Path("/dev/shm")
    return {
        "versions": versions,
        "content": content,
        "error": error,
        "memory": free and free[0],
        "disk": shutil.disk_usage(tempfile.gettempdir()).free,
        "shared_memory": shutil.disk_usage(shared).free if shared.is_dir() else None,
        "store": None if store is None else _examine_store(Path(store)),
    }


def _examine_package(package: str, module: str) -> tuple[str | None, str, str]:
    """Return a package's version, a digest of its code, and why it cannot be imported."""
    found = find_spec(package)
    if found is None or found.origin is None:
        return None, "", f"there is no package {package}"
    folder = Path(found.origin).parent
    digest = hashlib.sha256()
    for path in sorted(folder.rglob("*.py")):
        digest.update(path.relative_to(folder).as_posix().encode())
        digest.update(hashlib.sha256(path.read_bytes()).digest())
    own, error = None, ""
    try:
        own = str(import_module(f"{package}._version").__version__)
        import_module(module)
    except Exception as reason:  # whatever the code of another version or a broken package raises
        error = f"{type(reason).__name__}: {reason}"
    return own, digest.hexdigest(), error


def memory() -> tuple[int, int] | None:
    """Return free and total bytes of memory, those of the container where there is one.

    None where the system does not tell.
    """
    try:
        lines = Path("/proc/meminfo").read_text(encoding="ascii").splitlines()
    except OSError:
        return None
    sizes = {line.partition(":")[0]: line.split()[1] for line in lines}
    free, total = (1024 * int(sizes[name]) for name in ("MemAvailable", "MemTotal"))
    group = Path("/sys/fs/cgroup")
    try:
        limit = int((group / "memory.max").read_text(encoding="ascii"))
        used = int((group / "memory.current").read_text(encoding="ascii"))
    except (OSError, ValueError):  # there is none, or it is "max"
        return free, total
    return min(free, limit - used), min(total, limit)


def clock() -> float:
    """Return the time of this machine's clock, in seconds."""
    return time.time()


def _examine_store(path: Path) -> StoreFacts:
    folder = path.resolve().parent
    error = ""
    if path.is_dir():
        error = f"{path} is a folder"
    elif not folder.is_dir():
        error = f"there is no folder {folder}"
    elif path.exists() and not os.access(path, os.W_OK):
        error = f"the file {path} is read-only"
    else:
        try:
            # Permissions do not tell all: a server's rules, a quota or a full disk refuse as well.
            with tempfile.TemporaryFile(dir=folder) as file:
                file.write(b"0" * 4096)
        except OSError as reason:
            error = f"nothing can be written to the folder {folder}: {reason.strerror}"
    return {"error": error, "file_system": file_system(str(folder))}
