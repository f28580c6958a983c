"""What a machine is found to have; tests/backends/test_ray_nodes.py asks others."""

from __future__ import annotations

import shutil
from importlib.metadata import version
from pathlib import Path

import psutil
import pytest

import distsearch
from distsearch.backends._machine import StoreFacts, examine_machine, memory


def store(path: Path) -> StoreFacts:
    found = examine_machine((), "distsearch.errors", str(path))["store"]
    assert found is not None
    return found


def test_what_is_here(tmp_path: Path) -> None:
    found = examine_machine(("numpy", "no-such-package"), "distsearch.errors")
    assert found["versions"]["numpy"] == version("numpy")
    assert found["versions"]["no-such-package"] is None
    assert found["versions"]["distsearch"] == distsearch.__version__
    assert (found["error"], found["store"]) == ("", None)
    assert found["shared_memory"] == pytest.approx(shutil.disk_usage("/dev/shm").free, rel=0.1)


def test_memory_is_what_psutil_says_or_less() -> None:
    found, known = memory(), psutil.virtual_memory()
    assert found is not None
    assert 0 < found[0] <= 1.1 * known.available
    assert found[0] <= found[1] <= known.total


def test_packages_that_cannot_be_used(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(tmp_path)
    (tmp_path / "machine_broken").mkdir()
    (tmp_path / "machine_broken" / "__init__.py").write_text("")
    (tmp_path / "machine_broken" / "_version.py").write_text("__version__ = '7'")
    (tmp_path / "machine_broken" / "work.py").write_text("1 / 0")
    found = examine_machine((), "machine_broken.work")
    assert found["versions"]["machine_broken"] == "7"
    assert found["error"] == "ZeroDivisionError: division by zero"
    assert examine_machine((), "machine_missing.work")["error"] == (
        "there is no package machine_missing"
    )
    (tmp_path / "machine_broken" / "work.py").write_text("2 / 0")
    assert examine_machine((), "machine_broken.work")["content"] != found["content"]
    (tmp_path / "machine_broken" / "work.py").write_text("1 / 0")
    (tmp_path / "machine_broken" / "notes.txt").write_text("no code")
    assert examine_machine((), "machine_broken.work")["content"] == found["content"]


def test_places_for_a_store(tmp_path: Path) -> None:
    assert store(tmp_path / "s.sqlite")["error"] == ""
    assert list(tmp_path.iterdir()) == []
    assert store(tmp_path)["error"] == f"{tmp_path} is a folder"
    assert store(tmp_path / "a" / "s.sqlite")["error"] == f"there is no folder {tmp_path}/a"
    refused = store(Path("/proc/s.sqlite"))  # where root cannot write either
    assert refused["error"].startswith("nothing can be written to the folder /proc: ")
    assert refused["file_system"] == "proc"
