"""The same units on every backend, beside joblib's own processes and one Ray task a unit."""

from __future__ import annotations

import argparse
import os
import statistics
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import ray
from joblib import Parallel, delayed
from sklearn.datasets import make_classification
from sklearn.neighbors import KNeighborsClassifier
from sklearn.preprocessing import StandardScaler

from benchmarks.measure import print_table, seconds_in_turns
from distsearch.backends import Backend, Unit, get_backend

Data = tuple[np.ndarray[Any, Any], np.ndarray[Any, Any]]


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add this table's options."""
    parser.add_argument("--units", type=int, default=2000, help="units in each run")
    parser.add_argument("--workers", type=int, default=2, help="workers of each backend")
    parser.add_argument("--rounds", type=int, default=5, help="counted runs of each contender")


def knn_fit(unit: Unit, data: Data) -> float:
    """Score a nearest-neighbour classifier on its training rows: about 3 ms."""
    X, y = data
    Z = StandardScaler().fit_transform(X * (1.0 + unit.payload * 1e-9))
    return float((KNeighborsClassifier().fit(Z, y).predict(Z) == y).mean())


def tiny(unit: Unit, _: Data) -> int:
    """Do a fixed sum: about 0.1 ms."""
    return sum(n * n for n in range(1_500 + unit.payload % 2))


def load_data() -> tuple[str, Data]:
    """Return sonar where the data folder has it, else synthetic data of its shape."""
    folder = os.environ.get("DISTSEARCH_DATA")
    if folder:
        frame = pd.read_csv(Path(folder) / "sonar.csv")
        return "sonar", (frame.iloc[:, :-1].to_numpy(), frame.iloc[:, -1].to_numpy())
    return "synthetic 208 x 60", make_classification(208, 60, n_informative=20, random_state=0)


def on_backend(backend: Backend, fn: Any, units: list[Unit], data: Data) -> list[Any]:
    """Run the units and put their values in order."""
    values: list[Any] = [None] * len(units)
    with backend.share(data) as shared:
        for outcome in backend.run(fn, units, shared):
            values[outcome.index] = outcome.unwrap()
    return values


def run(options: argparse.Namespace) -> None:
    """Print one table for units of about 3 ms and one for units of 0.1 ms."""
    name, data = load_data()
    units = [Unit(n) for n in range(options.units)]
    one_task = ray.remote(num_cpus=1)(lambda fn, unit, held: fn(unit, held))
    with (
        get_backend("serial") as serial,
        get_backend(f"processes:{options.workers}") as processes,
        get_backend(f"ray:{options.workers}") as on_ray,
        Parallel(n_jobs=options.workers) as parallel,
    ):
        for title, fn in (
            (f"k-nearest neighbours on {name}", knn_fit),
            ("a sum of about 0.1 ms", tiny),
        ):

            def task_each(fn: Any = fn) -> list[Any]:
                held, function = ray.put(data), ray.put(fn)
                return list(ray.get([one_task.remote(function, unit, held) for unit in units]))

            contenders = {
                "serial": lambda fn=fn: on_backend(serial, fn, units, data),
                "processes": lambda fn=fn: on_backend(processes, fn, units, data),
                "ray": lambda fn=fn: on_backend(on_ray, fn, units, data),
                "joblib Parallel (loky)": lambda fn=fn: list(
                    parallel(delayed(fn)(unit, data) for unit in units)
                ),
                "Ray, one task a unit": task_each,
            }
            answers = {label: contender() for label, contender in contenders.items()}
            if any(answer != answers["serial"] for answer in answers.values()):
                raise SystemExit(f"the contenders disagree on {title}")
            seconds = seconds_in_turns(contenders, options.rounds)
            each = statistics.median(seconds["serial"]) / options.units * 1e3
            work = f"{options.units:,} units, {title}, {each:.2f} ms each"
            heading = f"{work}, {options.workers} workers"
            print_table(heading, seconds, "serial")
