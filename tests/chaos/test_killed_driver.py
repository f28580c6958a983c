"""The driver is killed after every unit there is; the same command then ends at the same table."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import pytest
from chaos.studies import fits, table

UNITS = 20
DRIVER = Path(__file__).with_name("driver.py")


def drive(jobs: list[dict[str, object]]) -> list[int]:
    """Run jobs one after the other; return their exit codes."""
    run = subprocess.run(
        [sys.executable, str(DRIVER), json.dumps(jobs)],
        stdout=subprocess.PIPE, text=True, check=True, timeout=240,
    )  # fmt: skip
    return [int(line) for line in run.stdout.split()]


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory: pytest.TempPathFactory) -> str:
    folder = tmp_path_factory.mktemp("undisturbed")
    store = folder / "store.sqlite"
    job = {"store": str(store), "trace": str(folder / "trace"), "backend": "serial"}
    assert drive([job]) == [0]
    return table(store)


@pytest.mark.parametrize(
    ("backend", "points", "flight"),
    [("serial", range(1, UNITS + 1), 1), ("processes:2", (1, 7, 19), UNITS)],
)
def test_a_killed_driver_loses_what_was_in_flight_and_nothing_else(
    tmp_path: Path, undisturbed: str, backend: str, points: Sequence[int], flight: int
) -> None:
    jobs = []
    for k in points:
        where = {"store": str(tmp_path / f"{k}.sqlite"), "trace": str(tmp_path / f"{k}.trace")}
        jobs += [
            {**where, "backend": backend, "die_after": k},
            {**where, "backend": "serial"},
        ]
    assert drive(jobs) == [-9, 0] * len(points)
    for k in points:
        assert table(tmp_path / f"{k}.sqlite") == undisturbed
        counts = Counter(fits(tmp_path / f"{k}.trace"))
        assert len(counts) == UNITS
        assert max(counts.values()) <= 2
        assert sum(counts.values()) - UNITS <= flight
        assert not os.path.exists(tmp_path / f"{k}.sqlite-wal")
