from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

import distsearch
from distsearch.cli import main

ROOT = Path(distsearch.__file__).parents[1]


@dataclass(frozen=True)
class Result:
    code: int
    out: str
    err: str

    @property
    def error(self) -> str:
        """The last line of standard error, which has to be the only one about the error."""
        lines = [line for line in self.err.splitlines() if not line.startswith("Note: ")]
        assert len(lines) == 1, self.err
        return lines[0]


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str]) -> Callable[..., Result]:
    """Run the command line in this process."""

    def call(*args: Any) -> Result:
        capsys.readouterr()
        with pytest.raises(SystemExit) as exit_:
            main([str(each) for each in args])
        captured = capsys.readouterr()
        return Result(int(exit_.value.code or 0), captured.out, captured.err)

    return call


@pytest.fixture
def start(tmp_path: Path) -> Iterator[Callable[..., subprocess.Popen[str]]]:
    """Start the command line in a process group of its own."""
    with ExitStack() as stack:

        def call(*args: Any, env: Mapping[str, str] | None = None) -> subprocess.Popen[str]:
            path = os.pathsep.join([str(ROOT), os.environ.get("PYTHONPATH", "")])
            process = subprocess.Popen(
                [sys.executable, "-m", "distsearch.cli", *map(str, args)],
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                text=True,
                env={**os.environ, "PYTHONPATH": path, **(env or {})},
                cwd=tmp_path,
                start_new_session=True,
            )
            stack.enter_context(process)
            stack.callback(process.kill)
            return process

        yield call


@pytest.fixture(scope="session")
def flowers(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The iris data as a file, with text labels and an id."""
    from sklearn.datasets import load_iris

    bunch = load_iris(as_frame=True)
    frame = bunch.data.set_axis(["sl", "sw", "pl", "pw"], axis=1)
    frame.insert(0, "id", [f"f{row:03}" for row in range(len(frame))])
    frame["species"] = bunch.target_names[bunch.target]
    path = tmp_path_factory.mktemp("data") / "flowers.csv"
    frame.to_csv(path, index=False)
    return path


@pytest.fixture
def frame(flowers: Path) -> pd.DataFrame:
    return pd.read_csv(flowers)
