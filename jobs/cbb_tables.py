"""The tables of the CBB paper from stores of the study ``cbb``.

Usage: ``python jobs/cbb_tables.py STORE ... [--figure FILE.svg]``. Scores of every set and method;
how often CBB wins, beside the paper's counts; tests over sets and ranks; types of clusters and
numbers of functions beside the paper's; and AdaBoost beside Weka's. Each method stands there with
its default, with the parameters that each training part chose ("nested"), and with those that are
best on the test folds ("best"), which is how the paper chose. Stores may hold parts of the study.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib import import_module
from itertools import combinations
from pathlib import Path
from typing import Any

import pandas as pd

from distsearch.cli._console import columns
from distsearch.errors import DistsearchError, InvalidInputError
from distsearch.sweep.compare import (
    average_ranks,
    corrected_t_test,
    critical_difference,
    friedman,
    nemenyi,
    paired_t_test,
    wilcoxon_signed_rank,
)
from distsearch.sweep.store import StoreReader

STUDY = "cbb"
PAPERS = Path(__file__).parent / "papers"
LEARNERS = ("tree", "svm", "mlp", "rbf")
METHODS = ("AdaBoost", "CBB", "PruneBoost", "BrownBoost", "AdaBoost_KL")
CHOICES = ("default", "nested", "best")
"""Who chooses the parameters: nobody, each training part, or the test folds."""

DEFAULTS = {"PruneBoost": "PruneBoost 0.1", "BrownBoost": "BrownBoost c0.5",
            "AdaBoost_KL": "AdaBoost_KL 0.5"}  # fmt: skip
VARIANTS = ("AdaBoost", "AdaBoost 50", "CBB", "CBB nested", "CBB out-of-fold", "CBB pooled",
            "CBB pooled nested", "AdaBoost_KL nested")  # fmt: skip
TYPES = ("HES", "HEP", "HOS", "HOP")
LEVEL = 0.1  # the paper's
NEAR = 3.5  # points
DIGITS = 10  # what differs beyond is rounding, and a tie

Published = Mapping[tuple[str, str, str, str], float]
"""The paper's numbers by learner, data set (or ""), method and quantity."""

Labels = Mapping[str, str]
"""The estimator that stands for a method on each data set."""


@dataclass(frozen=True)
class Study:
    """What is known of a study.

    Parameters
    ----------
    scores : DataFrame
        In percent, a row a split (data, repeat, fold), a column an estimator.
    means : DataFrame
        Their means, a row a data set; NaN where a split lacks its score.
    models : DataFrame
        What the models of each split offered, as `scores` is.
    missing : dict of str to int
        How many units of an estimator have no score.
    folds : int
        Of the splits.
    """

    scores: pd.DataFrame
    means: pd.DataFrame
    models: pd.DataFrame
    missing: Mapping[str, int]
    folds: int


def read_study(stores: Sequence[Path], metric: str = "accuracy") -> Study:
    """Read the study from some stores; what one lacks another may have.

    Parameters
    ----------
    stores : sequence of Path
        Files of results.
    metric : str
        One of the study's.

    Raises
    ------
    InvalidInputError
        When the study is not there, or has no such metric.
    """
    readers = [StoreReader(path) for path in stores]
    planned = [each.study(STUDY) for each in readers if STUDY in each.studies()]
    if not planned:
        raise InvalidInputError(
            f"No study in {', '.join(map(str, stores))} is called {STUDY}. Use a store of "
            f"papers/cbb.toml."
        )
    scorers = planned[0].scorers
    if metric not in scorers:
        raise InvalidInputError(
            f"metric must be one of {', '.join(scorers)}. Got {metric!r} instead."
        )
    frames = [each.results(study) for study in planned for each in readers]
    units = pd.concat(frames, ignore_index=True)
    units["done"] = units["state"] == "done"
    units = units.sort_values("done", ascending=False, kind="stable").drop_duplicates(
        ["data", "estimator", "repeat", "fold"]
    )
    units["score"] = 100 * units[metric].astype(float).where(units["done"])
    units["model"] = [json.loads(each).get("model") for each in units["facts"]]
    split = ["data", "repeat", "fold"]
    scores, models = (units.pivot(index=split, columns="estimator", values=name)
                      for name in ("score", "model"))  # fmt: skip
    order = [each.label for each in planned[0].data]
    means = scores.groupby(level="data").agg(lambda one: one.mean(skipna=False)).reindex(order)
    missing = Counter(units.loc[~units["done"], "estimator"])
    return Study(scores, means, models, missing, int(units["fold"].max()) + 1)


def read_numbers(path: Path) -> Published:
    """Read the paper's numbers."""
    table = pd.read_csv(path, keep_default_na=False)
    keys = table[["learner", "data", "method", "quantity"]].itertuples(index=False, name=None)
    return dict(zip(keys, table["value"].astype(float), strict=True))


def candidates(study: Study, learner: str, method: str, choice: str) -> list[str]:
    """Return the estimators that a choice of a method's parameters is among."""
    every = list(map(str, study.means.columns))
    if method == "AdaBoost":  # has none
        wanted = [f"AdaBoost {learner}"]
    elif choice == "default":
        wanted = [f"{DEFAULTS.get(method, method)} {learner}"]
    elif choice == "nested":
        wanted = [f"{method} nested {learner}"]
    else:
        setting = rf"{method} (grid {learner}\b.*|c?[\d.]+ {learner})"
        wanted = [label for label in every if re.fullmatch(setting, label)]
    return wanted if len(wanted) > 1 or wanted[:1] in [[each] for each in every] else []


def labels_of(study: Study, learner: str, method: str, choice: str) -> Labels:
    """Return the estimator that is best on each data set, where all are complete."""
    some = study.means[candidates(study, learner, method, choice)].dropna().round(DIGITS)
    return dict(some.idxmax(axis=1)) if some.size else {}


def means_of(study: Study, methods: Mapping[str, Labels]) -> pd.DataFrame:
    """Return a row a data set and a column a method, NaN where there is nothing."""
    return pd.DataFrame(
        {
            name: {data: study.means.at[data, labels[data]] for data in labels}
            for name, labels in methods.items()
        },
        index=study.means.index,
        columns=list(methods),
        dtype=float,
    )


def group(study: Study, learner: str, choice: str) -> dict[str, Labels]:
    """Return the five methods with parameters of one choice, as far as they are there."""
    if choice == "variants":
        every = {name: f"{name} {learner}" for name in VARIANTS}
        made = {
            name: dict.fromkeys(study.means.index[study.means[label].notna()], label)
            for name, label in every.items() if label in study.means
        }  # fmt: skip
    else:
        made = {method: labels_of(study, learner, method, choice) for method in METHODS}
    return {name: labels for name, labels in made.items() if labels}


def groups(study: Study) -> Iterator[tuple[str, dict[str, Labels]]]:
    """Yield what competes with each other, under its title."""
    for learner in LEARNERS:
        for choice in (*CHOICES, *(["variants"] if learner == "tree" else [])):
            methods = group(study, learner, choice)
            if len(methods) > 1 and set(methods) != {"AdaBoost"}:
                yield f"{learner}, {choice}", methods


def wins(study: Study, ours: Labels, theirs: Labels) -> dict[str, int]:
    """Count wins, losses and ties over data sets, and which are significant by two t-tests."""
    tally: Counter[str] = Counter()
    for data in (each for each in study.means.index if each in ours and each in theirs):
        apart = study.scores.loc[data, ours[data]] - study.scores.loc[data, theirs[data]]
        apart = apart.round(DIGITS).to_numpy()
        gain = round(float(apart.mean()), DIGITS)
        result = "wins" if gain > 0 else "losses" if gain < 0 else "ties"
        tally[result] += 1
        tally[f"significant {result}"] += paired_t_test(apart)[1] <= LEVEL
        tally[f"corrected {result}"] += corrected_t_test(apart, 1 / (study.folds - 1))[1] <= LEVEL
    return dict(tally)


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
            short = {"AdaBoost": "AB", "PruneBoost": "PB", "BrownBoost": "BB", "nested": "n"}
            table.columns = [_short(name, short) for name in table.columns]
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
                theirs = {q: published.get((learner, "", other, q)) for q in ("wins", "losses")}
                significant = [published.get((learner, "", other, f"significant {q}"))
                               for q in theirs]  # fmt: skip
                paper = [f"{a:.0f} ({b:.0f})" if a is not None and b is not None else ""
                         for a, b in zip(theirs.values(), significant, strict=True)]  # fmt: skip
                rows.append([
                    learner, choice, other,
                    *(f"{n[q]} ({n[f'significant {q}']}, {n[f'corrected {q}']})" for q in theirs),
                    str(n["ties"]), *paper,
                    f"{20 - sum(v or 0 for v in theirs.values()):.0f}" if paper[0] else "",
                ])  # fmt: skip
    print(f"\nCBB against others, sets won and lost; in brackets with p <= {LEVEL} by the paired "
          "t-test, and by the corrected one\n")  # fmt: skip
    header = ["learner", "parameters", "against", "won", "lost", "ties"]
    print(columns([*header, "paper: won", "lost", "ties"], rows, 3))


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
             for a, b in combinations(table, 2)}  # fmt: skip
        rows = [
            [name, f"{table[name].mean():.2f}", f"{rank:.2f}",
             *(p.get((name, other), p.get((other, name), "")) for other in table)]
            for name, rank in zip(table, ranks, strict=True)
        ]  # fmt: skip
        print(columns(["", "mean", "rank", *map(str, table)], rows))


def offered(study: Study, labels: Labels, data: str) -> list[dict[str, Any]]:
    """Return what the models of a method offered on a data set, a dict a split."""
    kept = study.models.loc[data, labels[data]] if data in labels else []
    return [each for each in kept if isinstance(each, dict)]


def type_shares(models: Sequence[Mapping[str, Any]]) -> tuple[int, list[float]]:
    """Return the number of clusters over all splits, and the percentage of each type."""
    tally: Counter[str] = Counter()
    for each in models:
        tally.update(each["types"])
    total = tally.total()
    return total, [100 * tally[kind] / total for kind in TYPES] if total else []


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
    weka = pd.read_csv(path).pivot(index="data", columns="estimator", values="mean")
    print(f"\nAdaBoost's accuracy in %, beside Weka's; * more than {NEAR} points apart\n")
    rows = []
    names = [name for name in weka if name in study.means]
    apart = {name: (study.means[name] - weka[name]).dropna() for name in names}
    for data in weka.index:
        row = [str(data)]
        for name in names:
            has = data in apart[name]
            difference = round(apart[name].get(data, 0.0), DIGITS)
            row += [f"{study.means.at[data, name]:.2f}" if has else "",
                    f"{weka.at[data, name]:.2f}",
                    f"{difference:+.2f}{' *'[abs(difference) > NEAR]}" if has else ""]  # fmt: skip
        rows.append(row)
    header = [part for name in names for part in (name.removeprefix("AdaBoost "), "Weka", "")]
    print(columns(["data", *header], rows))
    for name, each in apart.items():
        near = int((each.round(DIGITS).abs() <= NEAR).sum())
        print(f"{name}: {near} of {len(each)} sets within {NEAR} points; "
              f"mean difference {each.mean():+.2f}")  # fmt: skip


def _short(name: str, words: Mapping[str, str]) -> str:
    for word, short in words.items():
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
    for axis, (title, table) in zip(figure.subplots(len(tables), squeeze=False)[:, 0], tables):
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
            print(f"\nUnits without scores, which leave a set out: {', '.join(lacking)}")
        if options.figure is not None:
            draw(study, options.figure)
    except DistsearchError as error:
        sys.exit(f"Error: {error}")


if __name__ == "__main__":
    main()
