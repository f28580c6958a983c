"""Tables 2 and 3 of the Box-Cox paper from a store of the study ``papers/boxcox_2d.toml``.

Usage: ``python jobs/boxcox_2d.py STORE``. For every set and classifier: the accuracy without the
map, the best pair of λ, and what one λ for both features or two λ found one by one would have
gained; beside them the figures of another program. The best pair is chosen on the folds that its
accuracy is of, as in the paper, so the gains are optimistic.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator, Mapping, Sequence
from fnmatch import fnmatchcase
from pathlib import Path

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from distsearch.boxcox import GridSummary, summarize_grid
from distsearch.cli._console import columns
from distsearch.errors import DataError, DistsearchError, InvalidInputError
from distsearch.sweep.store import StoreReader, StudyRecord

PUBLISHED = Path(__file__).parent / "papers" / "boxcox_2d_summary.csv"
FIGURES = ("base", "best", "full", "spherical", "diagonal")
DRAWS = "random [0-9]"
"""The sets that Table 3 is the mean of."""

Cell = tuple[str, str]
"""A data set and an estimator."""


def grid_of(study: StudyRecord) -> tuple[NDArray[np.float64], list[str]]:
    """Return the λ of the grid, and the methods of its pairs with the second λ fastest."""
    pairs = {
        (each.params.get("lambda_1"), each.params.get("lambda_2")): each.label
        for each in study.settings
        if each.kind == "method" and each.name == "boxcox-map"
    }
    grid = sorted({first for first, _ in pairs if first is not None})
    wanted = [(first, second) for first in grid for second in grid]
    if not pairs or set(pairs) != set(wanted):
        raise InvalidInputError(
            f"The study {study.name!r} has no full grid of lambda_1 and lambda_2 in methods named "
            f"boxcox-map. Use a store of papers/boxcox_2d.toml."
        )
    return np.array(grid, dtype=float), [pairs[pair] for pair in wanted]


def summaries(
    study: StudyRecord, results: pd.DataFrame
) -> tuple[dict[Cell, GridSummary], dict[Cell, int]]:
    """Summarise what is complete, in the study's order.

    Parameters
    ----------
    study : StudyRecord
        The study; its baseline is the method without the map.
    results : pandas.DataFrame
        A row for each planned unit.

    Returns
    -------
    complete : dict
        The summary of a data set and an estimator, accuracies in percent.
    incomplete : dict
        How many units of the others have no accuracy.
    """
    grid, methods = grid_of(study)
    if study.baseline not in study.labels("method") or "accuracy" not in study.scorers:
        raise InvalidInputError(
            f"The study {study.name!r} has no accuracy of a baseline without the map. "
            f"Use a store of papers/boxcox_2d.toml."
        )
    used = results[results["method"].isin([study.baseline, *methods])]
    scores = 100 * used["accuracy"].where(used["state"] == "done").astype(float)
    keys = [used["data"], used["estimator"], used["method"]]
    means = scores.groupby(keys, sort=False).mean().to_dict()
    missing = scores.isna().groupby(keys[:2], sort=False).sum()
    complete, incomplete = {}, {}
    for cell in missing.index:
        if missing[cell]:
            incomplete[cell] = int(missing[cell])
            continue
        table = np.reshape([means[*cell, method] for method in methods], (len(grid), len(grid)))
        complete[cell] = summarize_grid(table, means[*cell, study.baseline], grid)
    return complete, incomplete


def read_published(path: Path) -> dict[Cell, dict[str, float]]:
    """Read figures of other programs: a row a data set and an estimator."""
    wanted = ["data", "estimator", *FIGURES, "argmax_1", "argmax_2"]
    try:
        frame = pd.read_csv(path)
    except (OSError, ValueError) as error:
        raise DataError(f"{path} cannot be read: {error}.") from None
    lacking = [name for name in wanted if name not in frame.columns]
    if lacking:
        raise DataError(
            f"{path} lacks the columns {', '.join(lacking)}. It needs {', '.join(wanted)}."
        )
    return {
        (row["data"], row["estimator"]): {name: float(row[name]) for name in wanted[2:]}
        for row in frame.to_dict("records")
    }


def mean_gains(complete: Mapping[Cell, GridSummary]) -> pd.DataFrame:
    """Return the mean figures of each classifier over the draws of the random set."""
    rows = [
        {"estimator": estimator, **{name: getattr(summary, name) for name in FIGURES}}
        for (data, estimator), summary in complete.items()
        if fnmatchcase(data, DRAWS)
    ]
    frame = pd.DataFrame(rows, columns=["estimator", *FIGURES])
    groups = frame.groupby("estimator", sort=False)
    means = groups.mean()
    means.insert(0, "sets", groups.size())
    return means


def lines(
    complete: Mapping[Cell, GridSummary], published: Mapping[Cell, Mapping[str, float]]
) -> Iterator[tuple[str, ...]]:
    """Yield the rows of Table 2: ours, the published where there are any, and the difference."""
    for (data, estimator), summary in complete.items():
        ours = [getattr(summary, name) for name in FIGURES]
        yield (data, estimator, "here", *_figures(ours), _pair(*summary.argmax))
        theirs = published.get((data, estimator))
        if theirs is None:
            continue
        values = [theirs[name] for name in FIGURES]
        pair = (theirs["argmax_1"], theirs["argmax_2"])
        yield ("", "", "published", *_figures(values), _pair(*pair))
        away = [_points(a - b) for a, b in zip(ours, values, strict=True)]
        yield ("", "", "difference", *away, "same" if summary.argmax == pair else "another")


def _figures(values: Sequence[float]) -> list[str]:
    return [f"{value:.2f}" for value in values[:2]] + [_points(value) for value in values[2:]]


def _points(value: float) -> str:
    return f"{round(value, 2) + 0.0:+.2f}"  # no -0.00


def _pair(first: float, second: float) -> str:
    return f"({first:g}, {second:g})"


def show(
    study: StudyRecord, results: pd.DataFrame, published: Mapping[Cell, Mapping[str, float]]
) -> None:
    """Print both tables, and what is left out."""
    complete, incomplete = summaries(study, results)
    print("Accuracy in %, gains over the base in points; the λ of the best pair\n")
    header = ["data", "estimator", "", *FIGURES, "λ"]
    print(columns(header, list(lines(complete, published)), 3))
    means = mean_gains(complete)
    if len(means):
        print("\nMeans over the random sets 0 to 9\n")
        rows = [
            [str(name), str(int(row["sets"])), *_figures([row[each] for each in FIGURES])]
            for name, row in means.iterrows()
        ]
        print(columns(["estimator", "sets", *FIGURES], rows))
    if incomplete:
        print("\nLeft out; so many of their units have no accuracy yet:")
    for data in dict.fromkeys(data for data, _ in incomplete):
        parts = [f"{e} {number:,}" for (d, e), number in incomplete.items() if d == data]
        print(f"  {data}: {', '.join(parts)}")


def main(arguments: Sequence[str] | None = None) -> None:
    """Print the tables of the store that the command line names."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("store", type=Path, metavar="STORE", help="file of results")
    parser.add_argument(
        "--published", type=Path, default=PUBLISHED, metavar="FILE",
        help="figures to compare with (default: papers/boxcox_2d_summary.csv)",
    )  # fmt: skip
    options = parser.parse_args(arguments)
    try:
        reader = StoreReader(options.store)
        study = reader.study(None)
        show(study, reader.results(study), read_published(options.published))
    except DistsearchError as error:
        sys.exit(f"Error: {error}")


if __name__ == "__main__":
    main()
