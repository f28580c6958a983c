"""Folders for stores."""

import os
import tempfile
from pathlib import Path

import pytest

MEMORY = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None  # syncs cost nothing there


@pytest.fixture
def tmp_path():
    with tempfile.TemporaryDirectory(dir=MEMORY, prefix="store-") as name:
        yield Path(name)


@pytest.fixture
def open_folder():
    """A folder that users other than the owner of the tests can reach."""
    with tempfile.TemporaryDirectory(prefix="store-") as name:
        folder = Path(name)
        folder.chmod(0o777)
        yield folder
        folder.chmod(0o777)
