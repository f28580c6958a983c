"""The benchmark of ODD compares like with like; its figures are for people to look at."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import distsearch

JOBS = Path(distsearch.__file__).parents[1] / "jobs"


@pytest.fixture
def odd(monkeypatch: pytest.MonkeyPatch) -> Any:
    """The benchmark's module, found as it is when it is run."""
    monkeypatch.syspath_prepend(str(JOBS))
    import benchmarks.odd

    return benchmarks.odd


def test_a_tiny_run(
    odd: Any, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.delenv("DISTSEARCH_DATA", raising=False)
    parser = argparse.ArgumentParser()
    odd.add_options(parser)
    odd.run(
        parser.parse_args(
            ["--rows", "300", "--rounds=1", "--searches=1", "--iterations=3", "--starts=2"]
        )
    )
    out = capsys.readouterr().out
    for name in ("300 values", "300 value", "13, 3, 3", "iris", "wine"):
        assert name in out
    assert "Not at hand (DISTSEARCH_DATA is not set): crabs" in out
    assert "HIGHER" not in out


def test_both_write_the_criterion_of_the_paper(odd: Any) -> None:
    problem = odd.made_up(60, 4, 3)
    M = np.random.default_rng(0).normal(size=(4, 2))
    groups = [problem.X[problem.codes == k] @ M for k in range(3)]
    spreads = sum(np.linalg.norm(np.linalg.eigvalsh(np.cov(Y.T))) for Y in groups)
    a, b, c = (Y.mean(axis=0) for Y in groups)
    product = np.prod([np.linalg.norm(each) for each in (a - b, a - c, b - c)])
    assert problem.direct()(M) == pytest.approx((1 + spreads) / product ** (1 / 3))
    odd.check_agreement(problem.criterion(2), problem.direct(), M)
    with pytest.raises(SystemExit, match="differs"):
        odd.check_agreement(odd.made_up(61, 4, 3).criterion(2), problem.direct(), M)
