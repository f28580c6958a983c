"""Many workers on one machine, whose units sleep, and what a unit costs the driver.

Efficiency is the time that the units take on all workers, each always busy, over the time that
they took. The peer is one Ray task a unit with twice as many in flight as there are workers.
"""

from __future__ import annotations

import argparse
import os
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import ray

from distsearch.backends import Backend, RayBackend, Unit, get_backend
from distsearch.backends._environment import environment, loopback_only, private_variables

_OBJECT_STORE = 100 * 2**20


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add this table's options."""
    parser.add_argument(
        "--sleep", nargs="*", default=["32x0.05", "64x0.2"], metavar="WORKERSxSECONDS",
        help="simulated clusters and the length of their units",
    )  # fmt: skip
    parser.add_argument("--seconds", type=float, default=20.0, help="ideal length of each run")
    parser.add_argument("--units", nargs="*", type=int, default=[1_000, 10_000, 100_000])
    parser.add_argument("--rounds", type=int, default=3, help="counted runs of each contender")


def nap(unit: Unit, _: Any) -> int:
    """Sleep, and name the worker."""
    time.sleep(unit.payload)
    return os.getpid()


def nothing(unit: Unit, _: Any) -> int:
    """Return at once."""
    return int(unit.payload)


@contextmanager
def many_workers(workers: int) -> Iterator[RayBackend]:
    """Start a private Ray with so many logical CPUs, and wait for a worker on each."""
    with environment(private_variables()), loopback_only(ray._private.ray_constants):
        ray.init(
            address="local", num_cpus=workers, include_dashboard=False, logging_level="ERROR",
            log_to_driver=False, object_store_memory=_OBJECT_STORE,
        )  # fmt: skip
    try:
        with RayBackend() as backend:
            seen: set[int] = set()
            while len(seen) < workers:
                seen |= {each.value for each in backend.run(nap, [Unit(0.3)] * 3 * workers)}
            yield backend
    finally:
        ray.shutdown()


def by_single_tasks(seconds: float, units: int, workers: int) -> None:
    """Run a Ray task for each unit."""
    task = ray.remote(num_cpus=1, max_retries=0)(nap)
    unit = Unit(seconds)
    running: list[Any] = []
    for _ in range(units):
        if len(running) >= 2 * workers:
            _, running = ray.wait(running, num_returns=1)
        running.append(task.remote(unit, None))
    ray.get(running)


def print_efficiency(workers: int, seconds: float, ideal: float, rounds: int) -> None:
    """Print how well so many workers are kept busy."""
    units = int(ideal * workers / seconds)
    with many_workers(workers) as backend:
        contenders: dict[str, Callable[[], object]] = {
            "distsearch": lambda: list(backend.run(nap, [Unit(seconds)] * units)),
            "one Ray task a unit": lambda: by_single_tasks(seconds, units, workers),
        }
        print(f"\n{units:,} units that sleep {seconds * 1e3:g} ms, {workers} workers on Ray")
        print(f"  {'':<28} {'efficiency':>11}   {'CPU ms of the driver a unit':>28}")
        for name, contender in contenders.items():
            shares, costs = [], []
            for _ in range(rounds):
                begin, busy = time.perf_counter(), time.process_time()
                contender()
                took = time.perf_counter() - begin
                shares.append(units * seconds / workers / took)
                costs.append((time.process_time() - busy) / units * 1e3)
            listed = " ".join(f"{share:.1%}" for share in shares)
            print(f"  {name:<28} {listed:>11}   {min(costs):>28.3f}")


def print_driver_cost(backend: Backend, counts: list[int]) -> None:
    """Print what a tiny unit costs the driver, for more and more of them."""
    list(backend.run(nothing, [Unit(n) for n in range(2_000)]))
    print(f"\nCPU of the driver for units that do nothing, {backend.name}:{backend.workers}")
    print(f"  {'units':>12} {'seconds':>10} {'CPU ms a unit':>14}")
    for number in counts:
        begin, busy = time.perf_counter(), time.process_time()
        for outcome in backend.run(nothing, [Unit(n) for n in range(number)]):
            outcome.unwrap()
        wall, cost = time.perf_counter() - begin, time.process_time() - busy
        print(f"  {number:>12,} {wall:>10.2f} {cost / number * 1e3:>14.4f}")


def run(options: argparse.Namespace) -> None:
    """Print the efficiency of simulated clusters, then the cost of units to the driver."""
    for each in options.sleep:
        workers, _, seconds = each.partition("x")
        print_efficiency(int(workers), float(seconds), options.seconds, options.rounds)
    for name in ("ray:2", "processes:2"):
        with get_backend(name) as backend:
            print_driver_cost(backend, options.units)
