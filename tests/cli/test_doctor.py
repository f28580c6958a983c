from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from importlib.metadata import version
from typing import Any


def test_versions_and_backends(run: Callable[..., Any]) -> None:
    done = run("doctor", "--skip-ray")
    words = [line.split() for line in done.out.splitlines()]
    assert done.code == 0
    assert ["numpy", version("numpy")] in words
    assert ["serial", "ok", "1"] in [line[:3] for line in words]
    assert ["processes", "ok"] in [line[:2] for line in words]
    assert not any(line[:1] == ["ray"] and line[1:2] == ["ok"] for line in words)


def test_a_backend_that_does_not_work_is_told_and_is_code_1() -> None:
    """In a process of its own, for one that is connected to a Ray says another thing."""
    done = subprocess.run(
        [sys.executable, "-m", "distsearch.cli", "doctor", "--backend", "serial",
         "--backend", "ray:127.0.0.1:1"],
        capture_output=True, text=True, check=False, timeout=120,
    )  # fmt: skip
    assert done.returncode == 1
    assert "BackendError: There is no Ray to join at '127.0.0.1:1'" in done.stdout
    assert "Traceback" not in done.stdout + done.stderr
