"""The tables of the CBB paper from stores of the study ``cbb`` or ``cbb_pooled``.

Usage: ``python jobs/cbb_tables.py STORE ... [--figure FILE.svg]``. Scores of every set and method;
how often CBB wins, beside the paper's counts; tests over sets and ranks; types of clusters and
numbers of functions beside the paper's; and AdaBoost beside Weka's. Each method stands there with
its default, with the parameters that each training part chose ("nested"), and with those that are
best on the test folds ("best"), which is how the paper chose. Stores may hold parts of the study.
"""

from __future__ import annotations

import argparse
import sys
import textwrap
from collections import Counter
from collections.abc import Sequence
from importlib import import_module
from itertools import combinations
from pathlib import Path

import pandas as pd
from cbb_study import (
    CHOICES,
    DIGITS,
    LEARNERS,
    LEVEL,
    METHODS,
    TYPES,
    Published,
    Study,
    group,
    groups,
    labels_of,
    means_of,
    offered,
    read_numbers,
    read_study,
    type_shares,
    wins,
)

from distsearch.cli._console import columns
from distsearch.errors import DistsearchError, InvalidInputError
from distsearch.sweep.compare import (
    average_ranks,
    critical_difference,
    friedman,
    nemenyi,
    wilcoxon_signed_rank,
)

PAPERS = Path(__file__).parent / "papers"
SHORT = {"AdaBoost": "AB", "PruneBoost": "PB", "BrownBoost": "BB", "nested": "n"}
SETS = 20  # of the paper
NEAR = 3.5  # points


def show_scores(study: Study, metric: str) -> None:
    """Print the scores of each learner."""
    for learner in LEARNERS:
        methods = {
            name if choice == "default" else f"{name} {choice}": labels
            for choice in CHOICES
            for name, labels in group(study, learner, choice).items()
            if choice == "default" or name != "AdaBoost"
        }
        if learner == "tree":
            methods |= group(study, learner, "variants")
        if methods:
            table = means_of(study, methods).dropna(how="all")
            complete = table.dropna()
            table.loc[f"mean of {len(complete)}"] = complete.mean()
            table.columns = [_short(name) for name in table.columns]
            print(f"\n{metric} in %, {learner}; n nested, best on the test folds\n")
            _print("data", table)


def show_wins(study: Study, published: Published) -> None:
    """Print how often CBB wins, with the paper's counts."""
    rows = []
    for learner in LEARNERS:
        for choice in CHOICES:
            methods = group(study, learner, choice)
            for other in (name for name in methods if name != "CBB" and "CBB" in methods):
                n = Counter(wins(study, methods["CBB"], methods[other]))
                ours = [
                    f"{n[q]} ({n[f'significant {q}']}, {n[f'corrected {q}']})"
                    for q in ("wins", "losses")
                ]
                paper = _published_wins(published, learner, other)
                rows.append([learner, choice, other, *ours, str(n["ties"]), *paper])
    print(f"\nCBB against others, sets won and lost; in brackets with p <= {LEVEL} by the paired "
          "t-test, and by the corrected one\n")  # fmt: skip
    header = ["learner", "parameters", "against", "won", "lost", "ties"]
    print(columns([*header, "paper: won", "lost", "ties"], rows, 3))


def _published_wins(published: Published, learner: str, other: str) -> list[str]:
    """Return the paper's wins, losses and ties of CBB, empty where there are none."""
    if (learner, "", other, "wins") not in published:
        return ["", "", ""]
    won, lost = (int(published[learner, "", other, q]) for q in ("wins", "losses"))
    sure, opposite = (
        int(published[learner, "", other, f"significant {q}"]) for q in ("wins", "losses")
    )
    return [f"{won} ({sure})", f"{lost} ({opposite})", str(SETS - won - lost)]


def show_tests(study: Study) -> None:
    """Print average ranks, and Wilcoxon's test of each pair over the data sets."""
    for title, methods in groups(study):
        table = means_of(study, methods).dropna().round(DIGITS)
        if len(table) < 2:
            continue
        ranks = average_ranks(table)
        apart = critical_difference(table.shape[1], len(table))
        print(f"\n{title}: {len(table)} sets, Friedman p = {friedman(table)[1]:.3g}, critical "
              f"difference {apart:.2f}; p of Wilcoxon's signed-rank test\n")  # fmt: skip
        p = {(a, b): f"{wilcoxon_signed_rank(table[a] - table[b]):.3f}"
             for a, b in combinations(methods, 2)}  # fmt: skip
        rows = [
            [name, f"{table[name].mean():.2f}", f"{rank:.2f}",
             *(p.get((name, other), p.get((other, name), "")) for other in methods)]
            for name, rank in zip(methods, ranks, strict=True)
        ]  # fmt: skip
        print(columns(["", "mean", "rank", *methods], rows))


def show_types(study: Study, published: Published) -> None:
    """Print the percentages of types of clusters, and half the distance to the paper's."""
    for learner in LEARNERS:
        rows = []
        for data in study.means.index:
            paper = [published.get((learner, data, "CBB", kind)) for kind in TYPES]
            theirs = [each for each in paper if each is not None]
            row = [data, "/".join(f"{each:.0f}" for each in theirs)]
            for choice in CHOICES:
                labels = labels_of(study, learner, "CBB", choice)
                total, ours = type_shares(offered(study, labels, data))
                both = zip(ours, theirs, strict=True) if ours and theirs else []
                distance = sum(abs(a - b) for a, b in both) / 2
                row += ["/".join(f"{each:.0f}" for each in ours), str(total or ""),
                        f"{distance:.0f}" if ours and theirs else ""]  # fmt: skip
            if any(row[2:]):
                rows.append(row)
        if rows:
            print(f"\nClusters in % of each type, {learner}: {'/'.join(TYPES)}, how many there "
                  "are, and half the sum of the distances to the paper's\n")  # fmt: skip
            header = [name for choice in CHOICES for name in (choice, "n", "off")]
            print(columns(["data", "paper", *header], rows))


def show_functions(study: Study, published: Published) -> None:
    """Print the mean numbers of functions over the data sets."""
    rows = []
    for learner in LEARNERS:
        for choice in CHOICES:
            row = [learner, choice]
            for method in METHODS:
                labels = labels_of(study, learner, method, choice)
                kept = (offered(study, labels, data) for data in labels)
                own = [pd.Series([each["functions"] for each in some]).mean()
                       for some in kept if some]  # fmt: skip
                row.append(f"{pd.Series(own).mean():.2f}" if own else "")
            paper = (published.get((learner, "", each, "functions")) for each in METHODS)
            if any(row[2:]):
                rows.append([*row, *(f"{each:.2f}" for each in paper if each is not None)])
    if rows:
        print("\nMean numbers of functions over the sets\n")
        print(
            columns(["learner", "parameters", *METHODS, "paper: AdaBoost", "BrownBoost"], rows, 2)
        )


def show_weka(study: Study, path: Path) -> None:
    """Print AdaBoost's accuracy beside Weka's."""
    table = pd.read_csv(path).set_index(["data", "estimator"])["mean"]
    weka = table.unstack("estimator").reindex(table.index.unique("data"))  # noqa: PD010
    print(f"\nAdaBoost's accuracy in %, beside Weka's; * more than {NEAR} points apart\n")
    apart = {
        str(name): (study.means[name] - weka[name]).dropna().round(DIGITS)
        for name in weka
        if name in study.means and study.means[name].notna().any()
    }
    rows = []
    for data in map(str, weka.index):
        row = [data]
        for name, gaps in apart.items():
            ours, gap = "", ""
            if data in gaps:
                difference = gaps[data]
                ours = f"{float(weka[name][data] + difference):.2f}"
                gap = f"{difference:+.2f}{' *' if abs(difference) > NEAR else '  '}"
            row += [ours, f"{float(weka[name][data]):.2f}", gap]
        rows.append(row)
    header = [part for name in apart for part in (name.removeprefix("AdaBoost "), "Weka", "")]
    print(columns(["data", *header], rows))
    for name, each in apart.items():
        near = int((each.abs() <= NEAR).sum())
        print(f"{name}: {near} of {len(each)} sets within {NEAR} points; "
              f"mean difference {each.mean():+.2f}")  # fmt: skip


def _short(name: str) -> str:
    for word, short in SHORT.items():
        name = name.replace(word, short)
    return name


def _print(corner: str, table: pd.DataFrame) -> None:
    rows = [[str(label), *("" if pd.isna(each) else f"{each:.2f}" for each in row)]
            for label, row in table.iterrows()]  # fmt: skip
    print(columns([corner, *map(str, table.columns)], rows))


def draw(study: Study, path: Path) -> None:
    """Draw a critical-difference diagram for each group of methods.

    Raises
    ------
    InvalidInputError
        When what draws is not installed, or there is nothing to draw.
    """
    try:
        figure = import_module("matplotlib.figure").Figure(layout="constrained")
        diagram = import_module("scikit_posthocs").critical_difference_diagram
    except ImportError:
        raise InvalidInputError(
            "A figure needs matplotlib and scikit-posthocs. Install them with "
            "`pip install matplotlib scikit-posthocs`, or leave --figure out."
        ) from None
    tables = [(title, means_of(study, methods).dropna()) for title, methods in groups(study)]
    tables = [(title, table.round(DIGITS)) for title, table in tables if len(table) > 1]
    if not tables:
        raise InvalidInputError("There is nothing to draw yet: no two data sets are complete.")
    figure.set_size_inches(7, 2.2 * len(tables))
    axes = figure.subplots(len(tables), squeeze=False)
    for axis, (title, table) in zip(axes[:, 0], tables, strict=True):
        names = list(table)
        diagram(
            dict(zip(names, average_ranks(table), strict=True)),
            pd.DataFrame(nemenyi(table), names, names),
            ax=axis,
        )
        apart = critical_difference(len(names), len(table))
        axis.set_title(f"{title}: {len(table)} sets, critical difference {apart:.2f}")
    try:
        figure.savefig(path)
    except (OSError, ValueError) as error:
        raise InvalidInputError(f"The figure cannot be written to {path}: {error}.") from None


def main(arguments: Sequence[str] | None = None) -> None:
    """Print the tables of the stores that the command line names."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("stores", nargs="+", type=Path, metavar="STORE", help="files of results")
    parser.add_argument("--metric", default="accuracy", help="accuracy or balanced_accuracy")
    parser.add_argument("--figure", type=Path, metavar="FILE", help="draw into this file too")
    options = parser.parse_args(arguments)
    try:
        study = read_study(options.stores, options.metric)
        published = read_numbers(PAPERS / "cbb_published.csv")
        show_scores(study, options.metric)
        show_wins(study, published)
        show_tests(study)
        show_types(study, published)
        show_functions(study, published)
        if options.metric == "accuracy":
            show_weka(study, PAPERS / "cbb_weka.csv")
        lacking = [f"{label} {number:,}" for label, number in study.missing.items()]
        if lacking:
            text = f"Units without scores, which leave their set out: {', '.join(lacking)}"
            print(f"\n{textwrap.fill(text, 100)}")
        if options.figure is not None:
            draw(study, options.figure)
    except DistsearchError as error:
        sys.exit(f"Error: {error}")


if __name__ == "__main__":
    main()
