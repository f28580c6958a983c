from __future__ import annotations

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


def test_a_backend_that_does_not_work_is_told_and_is_code_1(run: Callable[..., Any]) -> None:
    done = run("doctor", "--backend", "serial", "--backend", "ray:127.0.0.1:1")
    assert done.code == 1
    assert "BackendError: There is no Ray to join at '127.0.0.1:1'" in done.out
    assert "Traceback" not in done.out + done.err
