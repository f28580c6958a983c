"""Timing contenders fairly: in turns, so that a machine whose speed drifts favours none."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable, Mapping

__all__ = ["print_table", "seconds_in_turns"]


def seconds_in_turns(
    contenders: Mapping[str, Callable[[], object]], rounds: int
) -> dict[str, list[float]]:
    """Run every contender once a round and return the wall seconds of each of its runs.

    Parameters
    ----------
    contenders : mapping of str to callable
        What to time; each is called once before the first round, uncounted.
    rounds : int
        Counted runs of each.
    """
    seconds: dict[str, list[float]] = {name: [] for name in contenders}
    for counted in [False] + [True] * rounds:
        for name, contender in contenders.items():
            begin = time.perf_counter()
            contender()
            if counted:
                seconds[name].append(time.perf_counter() - begin)
    return seconds


def print_table(title: str, seconds: Mapping[str, list[float]], base: str) -> None:
    """Print median seconds and the median of the ratios to ``base`` taken round by round."""
    print(f"\n{title}")
    print(f"  {'':<28} {'median s':>9} {'speed-up':>9}   (min - max over rounds)")
    for name, own in seconds.items():
        ratios = [theirs / mine for theirs, mine in zip(seconds[base], own, strict=True)]
        print(
            f"  {name:<28} {statistics.median(own):>9.3f} {statistics.median(ratios):>8.2f}x"
            f"   ({min(ratios):.2f} - {max(ratios):.2f})"
        )
