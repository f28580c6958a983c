"""Ordered target statistics beside category_encoders' CatBoostEncoder: time, memory and values.

Both encode the training rows of the same frame. Seconds are those of the processor, on one thread;
memory is what a process of its own takes at most on top of its data.
"""

from __future__ import annotations

import argparse
import gc
import os
import statistics
import time
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ProcessPoolExecutor
from contextlib import ExitStack
from dataclasses import dataclass
from functools import partial
from importlib import import_module
from multiprocessing import get_context
from pathlib import Path
from typing import Any
from unittest.mock import patch

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from benchmarks.measure import print_table, seconds_in_turns
from distsearch.backends import get_backend
from distsearch.encoding import OrderedTargetEncoder, _passes

Data = tuple[pd.DataFrame, "pd.Series[Any]"]
Floats = NDArray[np.float64]

N_CLASSES = 10
MEMORY_GOAL = 0.6


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add this table's options."""
    parser.add_argument("--rows", type=int, default=1_000_000, help="rows of integer codes")
    parser.add_argument("--text-rows", type=int, default=10_000_000, help="rows of text")
    parser.add_argument("--shard-rows", type=int, default=10_000_000, help="rows cut into shards")
    parser.add_argument("--few", type=int, default=100, help="categories of the first rows")
    parser.add_argument("--many", type=int, default=1_000_000, help="categories of the others")
    parser.add_argument("--rounds", type=int, default=5, help="counted runs of each contender")
    parser.add_argument(
        "--backends", nargs="*", default=["processes:2", "ray:2"], help="where shards are encoded"
    )
    parser.add_argument("--only", default="", help="leave out rows whose name lacks this text")


@dataclass(frozen=True)
class Contest:
    """One row of the table.

    Parameters
    ----------
    name : str
        What is encoded.
    make : callable
        Returns the frame and its target.
    goal : float or None
        How many times as fast ours is to be.
    rtol : float
        How near to each other the values must be.
    continuous : bool
        Whether the target is a number rather than a label.
    """

    name: str
    make: Callable[[], Data]
    goal: float | None = None
    rtol: float = 1e-12
    continuous: bool = False


def contests(options: argparse.Namespace) -> Iterator[Contest]:
    """Yield the rows of the table; real tables only where there is a folder of them."""
    n, few, many = options.rows, options.few, options.many
    sizes = ((few, 10.0, 12.0), (many, 20.0, 60.0))
    for k, goal, _ in sizes:
        yield Contest(f"codes, {k:,} categories", partial(make_codes, n, k), goal)
    for k, _, goal in sizes:
        make = partial(make_codes, n, k, N_CLASSES)
        yield Contest(f"codes, {k:,}, {N_CLASSES} classes", make, goal)
    for k, _, _ in sizes:
        make = partial(make_codes, n, k, None)
        yield Contest(f"codes, {k:,}, float target", make, rtol=1e-9, continuous=True)
    make = partial(make_text, options.text_rows, few)
    yield Contest(f"text, {options.text_rows:,} rows", make, 4.0)
    folder = os.environ.get("DISTSEARCH_DATA")
    if not folder:
        print("No real tables: DISTSEARCH_DATA names no folder with mushroom.csv")
        return
    for table in ("mushroom", "adult_train"):
        for which in ("all", "text"):
            make = partial(read_table, str(Path(folder) / f"{table}.csv"), which)
            yield Contest(f"{table}, {which} columns", make, 5.0)


def make_codes(n_rows: int, n_categories: int, n_classes: int | None = 2) -> Data:
    """Return a column of whole numbers, and labels or, without classes, floats."""
    rng = np.random.default_rng(0)
    X = pd.DataFrame({"code": rng.integers(0, n_categories, n_rows)})
    if n_classes is None:
        return X, pd.Series(rng.normal(100.0, 20.0, n_rows))
    return X, pd.Series(rng.integers(0, n_classes, n_rows))


def make_text(n_rows: int, n_categories: int) -> Data:
    """Return a column of text, in pandas' own type for it, and two labels."""
    rng = np.random.default_rng(0)
    names = pd.Series([f"category {k}" for k in range(n_categories)])
    text = names.take(rng.integers(0, n_categories, n_rows)).reset_index(drop=True)
    return pd.DataFrame({"text": text}), pd.Series(rng.integers(0, 2, n_rows))


def read_table(path: str, which: str) -> Data:
    """Return a real table, all of its columns or those of text, and its target as 0 and 1."""
    X = pd.read_csv(path)
    y = X.pop("target")
    if which == "text":
        X = X.select_dtypes(exclude="number")
    return X, (y == y.max()).astype(int)


def ours(X: pd.DataFrame, y: pd.Series[Any], continuous: bool) -> tuple[Any, Floats]:
    """Return an encoder and the values of the training rows."""
    encoder = OrderedTargetEncoder("all", target_type="continuous" if continuous else "auto")
    return encoder, encoder.fit_transform(X, y)


def theirs(X: pd.DataFrame, y: pd.Series[Any], continuous: bool) -> tuple[Any, list[pd.DataFrame]]:
    """Return the peer's encoders, one for each class if there are several, and their frames."""
    targets = (
        [y] if continuous or y.nunique() <= 2 else [(y == k).astype(int) for k in np.unique(y)]
    )
    make = import_module("category_encoders").CatBoostEncoder
    encoders = [make(cols=list(X.columns)) for _ in targets]
    frames = [each.fit_transform(X, own) for each, own in zip(encoders, targets, strict=True)]
    return encoders, frames


CONTENDERS: Mapping[str, Callable[[pd.DataFrame, pd.Series[Any], bool], Any]] = {
    "ours": ours,
    "theirs": theirs,
}


def check_agreement(contest: Contest, X: pd.DataFrame, y: pd.Series[Any]) -> None:
    """Compare training values, and later ones of categories that the peer follows the formula for.

    Raises
    ------
    SystemExit
        When they differ.
    """
    encoder, trained = ours(X, y, contest.continuous)
    encoders, frames = theirs(X, y, contest.continuous)
    later = encoder.transform(X)
    # A category seen once gets the prior there, and a missing one has a policy of its own.
    often = np.column_stack([X[c].map(X[c].value_counts()).gt(1) & X[c].notna() for c in X])
    for k, (peer, frame) in enumerate(zip(encoders, frames, strict=True)):
        for what, mine, other, rows in (
            ("training", trained, frame, np.ones_like(often)),
            ("later", later, peer.transform(X), often),
        ):
            found, expected = mine[:, k :: len(frames)][rows], other.to_numpy(dtype=float)[rows]
            if not np.allclose(found, expected, rtol=contest.rtol, atol=0.0):
                worst = np.abs(found / expected - 1).max()
                raise SystemExit(f"{contest.name}: {what} values differ, by {worst:.1e}")


def cpu_seconds(contest: Contest, X: pd.DataFrame, y: pd.Series[Any], rounds: int) -> Any:
    """Run both in turns, and return the seconds of each run by contender."""
    seconds: dict[str, list[float]] = {name: [] for name in CONTENDERS}
    for _ in range(rounds):
        for name, contender in CONTENDERS.items():
            gc.collect()
            begin = time.process_time()
            contender(X, y, contest.continuous)
            seconds[name].append(time.process_time() - begin)
    return seconds


def _status(field: str) -> float:
    with open("/proc/self/status", encoding="ascii") as status:
        return next(int(line.split()[1]) for line in status if line.startswith(field)) / 1024


def extra_memory(contest: Contest, name: str) -> float:
    """Return by how many MiB this process grew at most while a contender ran in it."""
    few_X, few_y = make_codes(100, 3)
    CONTENDERS[name](few_X, few_y, contest.continuous)  # loads what is loaded when it is used
    X, y = contest.make()
    gc.collect()
    with open("/proc/self/clear_refs", "w", encoding="ascii") as peak:
        peak.write("5")
    before = _status("VmRSS:")
    CONTENDERS[name](X, y, contest.continuous)
    return _status("VmHWM:") - before


def in_a_new_process(contest: Contest, name: str) -> float:
    """Measure memory where nothing has been let go of that could be used again."""
    with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as fresh:
        return fresh.submit(extra_memory, contest, name).result()


def compare(contest: Contest, rounds: int) -> str:
    """Return the line of a contest."""
    X, y = contest.make()
    check_agreement(contest, X, y)
    seconds = cpu_seconds(contest, X, y, rounds)
    del X, y
    memory = {name: in_a_new_process(contest, name) for name in CONTENDERS}
    ratios = [b / a for a, b in zip(seconds["ours"], seconds["theirs"], strict=True)]
    median = {name: statistics.median(each) for name, each in seconds.items()}
    ratio, share = statistics.median(ratios), memory["ours"] / max(memory["theirs"], 1e-9)
    goal = "-" if contest.goal is None else f"{contest.goal:.0f}x {_met(ratio >= contest.goal)}"
    spread = f"({min(ratios):.1f} - {max(ratios):.1f})"
    return (
        f"  {contest.name:<34} {median['ours']:>9.4f} {median['theirs']:>9.4f} {ratio:>8.1f}x"
        f" {spread:>17} {goal:>11} {memory['ours']:>9.1f} {memory['theirs']:>9.1f}"
        f" {share:>7.0%} {_met(share <= MEMORY_GOAL)}"
    )


def _met(reached: bool) -> str:
    return "met" if reached else "missed"


def run_on_backends(n_rows: int, n_categories: int, backends: list[str], rounds: int) -> None:
    """Print the seconds of one piece here and of shards on workers, which give the same bits."""
    X, y = make_codes(n_rows, n_categories)
    later = pd.DataFrame({"code": np.arange(n_categories)})
    answers: dict[str, bytes] = {}

    def encode(name: str, backend: Any) -> None:
        encoder = OrderedTargetEncoder("all", backend=backend)
        answers[name] = encoder.fit_transform(X, y).tobytes() + encoder.transform(later).tobytes()
        if answers[name] != answers["one piece"]:
            raise SystemExit(f"{name} gives other bits than one piece")

    contenders = {"one piece": partial(encode, "one piece", "serial")}
    # By itself the encoder does not send what is encoded as fast here.
    with ExitStack() as stack, patch.object(_passes, "_SMALLEST_JOB", 1):
        for name in backends:
            backend = stack.enter_context(get_backend(name))
            contenders[f"shards on {name}"] = partial(encode, f"shards on {name}", backend)
        seconds = seconds_in_turns(contenders, rounds)
    print_table(
        f"{n_rows:,} rows, {n_categories:,} categories, in shards: the same bits; wall seconds",
        seconds, "one piece",
    )  # fmt: skip


def run(options: argparse.Namespace) -> None:
    """Print the table of contests, and that of shards."""
    try:
        peer = import_module("category_encoders")
    except ImportError:
        raise SystemExit(
            "This table compares with category_encoders, which is not installed. Install it with "
            "`pip install category_encoders==2.11.2`."
        ) from None
    print(
        f"\nfit_transform beside category_encoders {peer.__version__}, {options.rows:,} rows of "
        f"codes, medians of {options.rounds} rounds in turns; both found the same values\n"
        f"  {'':<34} {'CPU s':>9} {'theirs':>9} {'ratio':>9} {'(min - max)':>17} {'goal':>11}"
        f" {'MiB more':>9} {'theirs':>9} {'share':>7} goal {MEMORY_GOAL:.0%}"
    )
    for contest in contests(options):
        if options.only in contest.name:
            print(compare(contest, options.rounds), flush=True)
    if options.only in "shards":
        run_on_backends(options.shard_rows, options.few, options.backends, options.rounds)
