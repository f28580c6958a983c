"""Timing contenders fairly: in turns, so that a machine whose speed drifts favours none."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable, Mapping
from math import ceil

__all__ = ["print_table", "seconds_in_turns"]


def seconds_in_turns(
    contenders: Mapping[str, Callable[[], object]],
    rounds: int,
    *,
    clock: Callable[[], float] = time.perf_counter,
    at_least: float = 0.0,
) -> dict[str, list[float]]:
    """Run every contender in each round and return the seconds of one call in each.

    Parameters
    ----------
    contenders : mapping of str to callable
        What to time; each is called before the first round, uncounted.
    rounds : int
        Counted rounds.
    clock : callable, optional
        Returns seconds; those on the wall by default.
    at_least : float, optional
        Seconds that a contender is to take in a round: what is quick is called many times.
    """

    def timed(contender: Callable[[], object], calls: int) -> float:
        begin = clock()
        for _ in range(calls):
            contender()
        return (clock() - begin) / calls

    calls = {}
    for name, contender in contenders.items():
        contender()
        quick = at_least > 0.0
        calls[name] = ceil(at_least / max(timed(contender, 1), 1e-7)) if quick else 1
    seconds: dict[str, list[float]] = {name: [] for name in contenders}
    for _ in range(rounds):
        for name, contender in contenders.items():
            seconds[name].append(timed(contender, calls[name]))
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
