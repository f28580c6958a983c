"""The tables of the ODD paper from stores of the studies ``odd`` and ``odd_imbalance``.

Usage: ``python jobs/odd_tables.py STORE ... [--figure FILE.svg]``. Table 5 with the published
numbers; the same with thresholds for all, since the paper gives them to ODD and to the MLP only;
the paper's generalisation index with average ranks; and, for classes of unequal size, the balanced
accuracy by their sizes. Stores may hold parts of a study.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path

import pandas as pd

from distsearch.cli._console import columns
from distsearch.errors import DataError, DistsearchError, InvalidInputError
from distsearch.sweep.compare import average_ranks, read_published
from distsearch.sweep.spec import ON_TRAINING_ROWS
from distsearch.sweep.store import StoreReader

PUBLISHED = Path(__file__).parent / "papers" / "odd_published.csv"
STUDIES = ("odd", "odd_imbalance")
SETS = ("BC", "CG", "GC", "PR", "SD", "IR", "IW", "TF", "YD", "RW", "WQ", "HD")
"""The data sets of the paper."""

THRESHOLD = "balanced_accuracy_ovr"
PREDICTED = "balanced_accuracy_ovr_predicted"
SIGNED = "balanced_accuracy_ovr_signed"


@dataclass(frozen=True)
class Competitor:
    """A column of a table.

    Parameters
    ----------
    label : str
        Its heading.
    estimator : str
        Label of the estimator in the study.
    metric : str
        How it decides.
    """

    label: str
    estimator: str
    metric: str


PAPER = (
    Competitor("NBY", "NBY", PREDICTED),
    Competitor("SVM", "SVM", SIGNED),
    Competitor("LDA", "LDA", PREDICTED),
    Competitor("MLP", "MLP", THRESHOLD),
    Competitor("DTR", "DTR", PREDICTED),
    Competitor("KNN", "KNN", PREDICTED),
    Competitor("ODD_l", "ODD_l", THRESHOLD),
    Competitor("ODD_n", "ODD_n", THRESHOLD),
    Competitor("ODD_1", "ODD_1", THRESHOLD),
)
"""The columns of Table 5, each with the decision that the paper judges it by."""

THRESHOLDS = (
    Competitor("SVM", "SVM", SIGNED),
    Competitor("SVM thr", "SVM", THRESHOLD),
    Competitor("LDA", "LDA", PREDICTED),
    Competitor("LDA thr", "LDA", THRESHOLD),
    *(
        Competitor(f"{label}{short}", f"{label}{rest}", THRESHOLD)
        for label in ("ODD_l", "ODD_n", "ODD_1")
        for short, rest in (("", ""), (" gau", " gaussian"))
    ),
    Competitor("ODD def", "ODD default", THRESHOLD),
)
"""The same threshold for the linear classifiers, and Gaussian scores for ODD."""

IMBALANCE = (
    *(each for each in PAPER if each.label not in {"ODD_l", "ODD_n"}),
    Competitor("SVM thr", "SVM", THRESHOLD),
    Competitor("LDA thr", "LDA", THRESHOLD),
    Competitor("ODD_1 gau", "ODD_1 gaussian", THRESHOLD),
)

Missing = Mapping[tuple[str, str], int]
"""How many units of a data set and an estimator have no score."""


def read_results(stores: Sequence[Path]) -> dict[str, pd.DataFrame]:
    """Read the studies that are in some stores.

    Parameters
    ----------
    stores : sequence of Path
        Files of results; what one lacks another may have.

    Returns
    -------
    dict of str to pandas.DataFrame
        The results of each of the studies that is there, a row for each planned unit.

    Raises
    ------
    InvalidInputError
        When none is there.
    """
    readers = [StoreReader(path) for path in stores]
    found = {}
    for name in STUDIES:
        planned = [each.study(name) for each in readers if name in each.studies()]
        if planned:
            frames = [each.results(study) for study in planned for each in readers]
            results = pd.concat(frames, ignore_index=True)
            results["done"] = results["state"] == "done"
            results = results.sort_values("done", ascending=False, kind="stable")
            results = results.drop_duplicates("hash").sort_index(kind="stable")
            found[name] = results
    if not found:
        raise InvalidInputError(
            f"No study in {', '.join(map(str, stores))} is called {' or '.join(STUDIES)}. Use a "
            f"store of papers/odd.toml or papers/odd_imbalance.toml."
        )
    return found


def means(results: pd.DataFrame) -> tuple[pd.DataFrame, Missing]:
    """Return the mean over the splits of what is complete.

    Parameters
    ----------
    results : pandas.DataFrame
        A row for each planned unit.

    Returns
    -------
    complete : pandas.DataFrame
        In percent, indexed by data set and estimator, a column a metric.
    missing : dict
        How many units of the others have no scores.
    """
    metrics = [name for name in results.columns if name.endswith((THRESHOLD, PREDICTED, SIGNED))]
    if not metrics:
        raise InvalidInputError(
            f"The study has no metric {THRESHOLD}. Use a store of papers/odd.toml or "
            f"papers/odd_imbalance.toml."
        )
    scores = 100 * results[metrics].astype(float).where(results["state"] == "done")
    groups = scores.groupby([results["data"], results["estimator"]], sort=False)
    table = groups.mean().where(groups.count().eq(groups.size(), axis=0))
    lacking = groups.size() - groups.count().max(axis=1)
    missing = lacking[lacking > 0]
    return table[lacking == 0], dict(zip(missing.index, missing.tolist(), strict=True))


def scores_of(
    complete: pd.DataFrame, competitors: Sequence[Competitor], *, training: bool = False
) -> pd.DataFrame:
    """Return a row a data set and a column a competitor, NaN where there is nothing.

    Parameters
    ----------
    complete : pandas.DataFrame
        As `means` returns it.
    competitors : sequence of Competitor
        The columns.
    training : bool
        Whether the scores are those of the training rows.
    """
    prefix = ON_TRAINING_ROWS if training else ""
    rows = complete.index.get_level_values("data").unique()
    table = pd.DataFrame(index=rows)
    for each in competitors:
        own = complete[complete.index.get_level_values("estimator") == each.estimator]
        column = own.droplevel("estimator").get(prefix + each.metric)
        table[each.label] = float("nan") if column is None else column.reindex(rows)
    return table


def published_numbers(path: Path) -> dict[tuple[str, bool], dict[str, float]]:
    """Read the paper's numbers.

    Returns
    -------
    dict of tuple to dict
        The number of each column, by data set and whether it is of the training rows.

    Raises
    ------
    DataError
        When they cannot be read, or are of a metric that the paper does not judge by.
    """
    judged = {each.label: each.metric for each in PAPER}
    metrics = set(judged.values())
    values = read_published(
        path,
        {
            "data": SETS,
            "estimator": list(judged),
            "method": ["range"],
            "metric": [*metrics, *(ON_TRAINING_ROWS + each for each in metrics)],
        },
    )
    numbers: dict[tuple[str, bool], dict[str, float]] = {}
    for each in values:
        if each.metric.removeprefix(ON_TRAINING_ROWS) != judged[each.estimator]:
            raise DataError(
                f"{path} has {each.estimator!r} by {each.metric!r}, and the paper judges it by "
                f"{judged[each.estimator]!r}."
            )
        cell = (each.data, each.metric.startswith(ON_TRAINING_ROWS))
        numbers.setdefault(cell, {})[each.estimator] = each.mean
    return numbers


def table_5(
    complete: pd.DataFrame, published: Mapping[tuple[str, bool], Mapping[str, float]]
) -> Iterator[tuple[str, ...]]:
    """Yield the rows of Table 5: ours, the published where they survive, and the difference."""
    for training in (True, False):
        ours = scores_of(complete, PAPER, training=training)
        for data, row in ours.iterrows():
            theirs = pd.Series(published.get((str(data), training), {}), ours.columns, dtype=float)
            yield (str(data), "train" if training else "test", "here", *_figures(row))
            if theirs.notna().any():
                yield ("", "", "published", *_figures(theirs))
                yield ("", "", "difference", *_figures(row - theirs, "+.2f"))


def _figures(values: pd.Series[float], form: str = ".2f") -> list[str]:
    # Rounded first, and no -0.00.
    return ["" if pd.isna(each) else f"{round(each, 2) + 0.0:{form}}" for each in values]


def generalisation(complete: pd.DataFrame, competitors: Sequence[Competitor]) -> pd.DataFrame:
    """Return (test / train) · test, the paper's equation 9, of the sets that all have."""
    test = scores_of(complete, competitors)
    train = scores_of(complete, competitors, training=True)
    return (test / train * test).dropna()


def ranks(index: pd.DataFrame) -> pd.Series[float]:
    """Return each competitor's average rank, the best first."""
    found = pd.Series(average_ranks(index.to_numpy()), index.columns)
    return found.sort_values(kind="stable")


def show_study(
    results: pd.DataFrame, published: Mapping[tuple[str, bool], Mapping[str, float]]
) -> None:
    """Print Table 5, the same with thresholds for all, and the generalisation index."""
    complete, missing = means(results)
    print("Table 5: one class against the rest, balanced accuracy in %, mean over the classes\n")
    print(columns(["data", "", "", *(each.label for each in PAPER)],
                  list(table_5(complete, published)), 3))  # fmt: skip
    print("\nTest rows; (thr) with the threshold that ODD has, (gau) with Gaussian scores\n")
    _print_frame("data", scores_of(complete, THRESHOLDS))
    for title, competitors in (("the paper's decisions", PAPER), ("thresholds", THRESHOLDS)):
        index = generalisation(complete, competitors)
        print(f"\n(test / train) · test and its average rank, with {title}\n")
        if index.empty:
            print("No data set is complete.")
            continue
        index.loc["rank"] = ranks(index)
        _print_frame("data", index)
    _print_missing(missing)
    present = set(results["data"])
    absent = [name for name in SETS if name not in present]
    if absent:
        print(f"\nData sets of the paper that the study has not: {', '.join(absent)}")


def by_ratio(results: pd.DataFrame) -> tuple[pd.DataFrame, Missing]:
    """Return a row a competitor and a column a ratio of classes, and what is missing."""
    complete, missing = means(results)
    return scores_of(complete, IMBALANCE).T.dropna(how="all"), missing


def show_imbalance(results: pd.DataFrame) -> None:
    """Print the balanced accuracy by the sizes of the classes."""
    table, missing = by_ratio(results)
    print("\nBalanced accuracy in % by the rows of each class that train\n")
    _print_frame("", table)
    _print_missing(missing)


def _print_frame(corner: str, table: pd.DataFrame) -> None:
    rows = [[str(label), *_figures(row)] for label, row in table.iterrows()]
    print(columns([corner, *map(str, table.columns)], rows))


def _print_missing(missing: Missing) -> None:
    if missing:
        print("\nLeft out; so many of their units have no scores yet:")
    for data in dict.fromkeys(data for data, _ in missing):
        parts = [f"{label} {n:,}" for (name, label), n in missing.items() if name == data]
        print(f"  {data}: {', '.join(parts)}")


def draw(studies: Mapping[str, pd.DataFrame], path: Path) -> None:
    """Draw the average ranks as bars, and the balanced accuracy by class sizes as curves.

    Raises
    ------
    InvalidInputError
        When matplotlib is not installed, or there is nothing to draw.
    """
    try:
        figure = import_module("matplotlib.figure").Figure(layout="constrained")
    except ImportError:
        raise InvalidInputError(
            "A figure needs matplotlib, which is not installed. Install it with "
            "`pip install 'distsearch[plot]'`, or leave --figure out."
        ) from None
    bars, curves = [], pd.DataFrame()
    if "odd" in studies:
        complete, _ = means(studies["odd"])
        indices = [generalisation(complete, each) for each in (PAPER, THRESHOLDS)]
        bars = [ranks(index) for index in indices if len(index)]
    if "odd_imbalance" in studies:
        curves, _ = by_ratio(studies["odd_imbalance"])
    n_panels = len(bars) + (not curves.empty)
    if not n_panels:
        raise InvalidInputError("There is nothing to draw yet: no data set is complete.")
    figure.set_size_inches(5 * n_panels, 4)
    axes = list(figure.subplots(1, n_panels, squeeze=False)[0])
    for axis, each in zip(axes, bars, strict=False):
        axis.barh(list(each.index[::-1]), each.to_numpy()[::-1])
        axis.set_xlabel("average rank of (test / train) · test")
    if not curves.empty:
        for label, row in curves.iterrows():
            axes[-1].plot(list(row.index), row.to_numpy(), marker="o", label=label)
        axes[-1].set(xlabel="training rows of each class", ylabel="balanced accuracy, %")
        axes[-1].legend(fontsize="small", loc="center left", bbox_to_anchor=(1.0, 0.5))
    try:
        figure.savefig(path)
    except (OSError, ValueError) as error:
        raise InvalidInputError(f"The figure cannot be written to {path}: {error}.") from None


def main(arguments: Sequence[str] | None = None) -> None:
    """Print the tables of the stores that the command line names."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("stores", nargs="+", type=Path, metavar="STORE", help="files of results")
    parser.add_argument("--figure", type=Path, metavar="FILE", help="draw into this file too")
    parser.add_argument(
        "--published", type=Path, default=PUBLISHED, metavar="FILE",
        help="figures to compare with (default: papers/odd_published.csv)",
    )  # fmt: skip
    options = parser.parse_args(arguments)
    try:
        studies = read_results(options.stores)
        if "odd" in studies:
            show_study(studies["odd"], published_numbers(options.published))
        if "odd_imbalance" in studies:
            show_imbalance(studies["odd_imbalance"])
        if options.figure is not None:
            draw(studies, options.figure)
    except DistsearchError as error:
        sys.exit(f"Error: {error}")


if __name__ == "__main__":
    main()
