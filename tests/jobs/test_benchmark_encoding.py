"""The benchmark of encoders compares like with like; its figures are for people to look at."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import distsearch

JOBS = Path(distsearch.__file__).parents[1] / "jobs"
TINY = [
    "--rows=400", "--text-rows=300", "--shard-rows=500", "--few=7", "--many=90", "--rounds=1",
    "--backends", "serial",
]  # fmt: skip


@pytest.fixture
def encoding(monkeypatch: pytest.MonkeyPatch) -> Any:
    """The benchmark's module, found as it is when it is run."""
    monkeypatch.syspath_prepend(str(JOBS))
    import benchmarks.encoding

    return benchmarks.encoding


def options(encoding: Any, *more: str) -> argparse.Namespace:
    parser = argparse.ArgumentParser()
    encoding.add_options(parser)
    return parser.parse_args([*TINY, *more])


def test_a_tiny_run(
    encoding: Any, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    pytest.importorskip("category_encoders")
    monkeypatch.delenv("DISTSEARCH_DATA", raising=False)
    # A process of its own each is too slow here.
    monkeypatch.setattr(encoding, "in_a_new_process", lambda contest, name: len(name) * 1.0)
    encoding.run(options(encoding))
    out = capsys.readouterr().out
    for name in ("7 categories", "90 categories", "7, 10 classes", "90, float target", "text, 300"):
        assert name in out
    assert "No real tables" in out
    assert " 4.0       6.0     67% missed" in out
    assert "shards on serial" in out


def test_memory_is_measured_in_a_process_of_its_own(encoding: Any) -> None:
    contest = next(encoding.contests(options(encoding, "--rows=300000")))
    values_alone = 300_000 * 8 / 2**20
    assert values_alone <= encoding.in_a_new_process(contest, "ours") < 20 * values_alone


def test_only_some_rows(
    encoding: Any, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    pytest.importorskip("category_encoders")
    monkeypatch.setattr(encoding, "in_a_new_process", lambda contest, name: 1.0)
    encoding.run(options(encoding, "--only=text"))
    out = capsys.readouterr().out
    assert "text, 300 rows" in out
    assert "categories" not in out
    assert "shards" not in out


def test_contenders_that_differ_are_not_compared(
    encoding: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    def other(X: pd.DataFrame, y: pd.Series, continuous: bool) -> Any:
        encoder, values = encoding.ours(X, y, continuous)
        return [encoder], [pd.DataFrame(values + 1e-9)]

    monkeypatch.setattr(encoding, "theirs", other)
    contest = next(encoding.contests(options(encoding)))
    with pytest.raises(SystemExit, match="7 categories: training values differ, by"):
        encoding.check_agreement(contest, *contest.make())


def test_shards_that_differ_are_not_timed(encoding: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    class Other(encoding.OrderedTargetEncoder):  # type: ignore[misc]
        def fit_transform(self, X: Any, y: Any) -> Any:
            values = super().fit_transform(X, y)
            return values if self.backend == "serial" else np.nextafter(values, 2.0)

    monkeypatch.setattr(encoding, "OrderedTargetEncoder", Other)
    with pytest.raises(SystemExit, match="shards on serial gives other bits"):
        encoding.run_on_backends(500, 7, ["serial"], 1)


def test_a_missing_peer_is_named(encoding: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(encoding, "import_module", _missing)
    with pytest.raises(SystemExit, match=r"pip install category_encoders==2\.11\.2"):
        encoding.run(options(encoding))


def _missing(name: str) -> Any:
    raise ImportError(name)
