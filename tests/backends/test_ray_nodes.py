"""Nodes that are examined; what is said about them is in tests/cli/test_diagnosis.py."""

from __future__ import annotations

import json
import os
import secrets
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import psutil
import pytest
from two_nodes import LOOPBACK, heard, start, start_head

import distsearch
from distsearch.backends.ray._nodes import compare_clocks

ROOT = Path(distsearch.__file__).parents[1]

DOCTOR = """
import json, os, signal, sys
from dataclasses import asdict
from two_nodes import join
from distsearch.backends.ray import examine_nodes
from distsearch.cli import main

address, store = sys.argv[1:]
join(address, 2).close()
try:
    main(["doctor", "--address", address, "--store", store])
except SystemExit as end:
    print(f"ended with {end.code}")
sys.stdout.flush()
input()
nodes = examine_nodes(address, (), "distsearch.errors", seconds=2)
print(json.dumps([asdict(node) for node in nodes]))
"""


def test_clocks_are_compared_in_the_middle_of_a_trip() -> None:
    ticks = iter([100.0, 100.5])
    assert compare_clocks(lambda: 107.25, lambda: next(ticks)) == (7.0, 0.25)


@pytest.fixture(scope="module")
def environment() -> dict[str, str]:
    kept = {name: value for name, value in os.environ.items() if not name.startswith("RAY_")}
    tests = ROOT / "tests"
    return {
        **kept,
        "PYTHONPATH": os.pathsep.join([str(ROOT), str(tests)]),
        "RAY_AUTH_MODE": "token",
        "RAY_AUTH_TOKEN": secrets.token_hex(32),
        "RAY_USAGE_STATS_ENABLED": "0",
        **LOOPBACK,
    }


@pytest.fixture(scope="module")
def other(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Code of another machine: an early distsearch that has nothing, and a later pandas."""
    folder = tmp_path_factory.mktemp("other")
    (folder / "distsearch").mkdir()
    (folder / "distsearch" / "__init__.py").touch()
    (folder / "distsearch" / "_version.py").write_text("__version__ = '0.0.1'\n")
    (folder / "pandas-99.1.dist-info").mkdir()
    (folder / "pandas-99.1.dist-info" / "METADATA").write_text("Name: pandas\nVersion: 99.1\n")
    return folder


@pytest.fixture(scope="module")
def answers(
    environment: dict[str, str], other: Path, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[tuple[list[str], list[dict[str, Any]]]]:
    """What the doctor says of two nodes, and what is found when one of them is silent."""
    with ExitStack() as stack:
        address = start_head(stack, environment)
        second = start(stack, f"--address={address}", env={**environment, "PYTHONPATH": str(other)})
        driver = stack.enter_context(subprocess.Popen(
            [sys.executable, "-c", DOCTOR, address, tmp_path_factory.mktemp("s") / "s.sqlite"],
            env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
            stderr=subprocess.PIPE, text=True, cwd=tmp_path_factory.mktemp("here"),
        ))  # fmt: skip
        stack.callback(driver.kill)
        assert driver.stdout is not None
        lines = []
        for line in driver.stdout:
            lines.append(line.rstrip("\n"))
            if line.startswith("ended with"):
                break
        assert heard(second.pid) == {"127.0.0.1"}
        for each in psutil.Process(second.pid).children(recursive=True):
            each.suspend()
        out, err = driver.communicate("\n", timeout=60)
        assert driver.returncode == 0, err
        yield lines, json.loads(out)


@pytest.mark.ray
def test_every_node_of_a_cluster_is_examined(
    answers: tuple[list[str], list[dict[str, Any]]],
) -> None:
    text = "\n".join(answers[0])
    words = [line.split() for line in answers[0]]
    (head,) = [line for line in words if "(head)" in line]
    assert head[3:5] == ["ok", "1"]
    (worker,) = [line for line in words if line[:1] == ["127.0.0.1"] and "(head)" not in line]
    assert worker[2:4] == ["error", "1"]
    name = " ".join(worker[:2])
    assert f"Error: {name}: distsearch is 0.0.1, and {distsearch.__version__} on the" in text
    assert f"Error: {name}: pandas is 99.1, and " in text
    assert f"Error: {name}: distsearch cannot be used: ModuleNotFoundError: " in text
    assert "sqlite cannot be written" not in text
    assert answers[0][-2:] == ["Not fit for a study as they are: 1 of 2 nodes.", "ended with 1"]


@pytest.mark.ray
def test_a_silent_node_is_named_and_holds_nothing_up(
    answers: tuple[list[str], list[dict[str, Any]]],
) -> None:
    head, silent = answers[1]
    assert (head["head"], head["trouble"]) == (True, "")
    assert abs(head["ahead"]) <= head["within"] + 0.001  # it is the same clock
    assert (silent["facts"], silent["trouble"]) == (None, "no answer within 2 seconds")
