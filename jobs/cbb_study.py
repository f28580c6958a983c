"""The CBB studies as their tables need them: scores, choices of parameters, wins."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

import pandas as pd

from distsearch.errors import InvalidInputError
from distsearch.sweep.compare import corrected_t_test, paired_t_test
from distsearch.sweep.store import StoreReader

STUDIES = ("cbb", "cbb_pooled")
LEARNERS = ("tree", "svm", "mlp", "rbf")
METHODS = ("AdaBoost", "CBB", "PruneBoost", "BrownBoost", "AdaBoost_KL")
CHOICES = ("default", "nested", "best")
"""Who chooses the parameters: nobody, each training part, or the test folds."""

DEFAULTS = {
    "PruneBoost": "PruneBoost 0.1",
    "BrownBoost": "BrownBoost c0.5",
    "AdaBoost_KL": "AdaBoost_KL 0.5",
}
VARIANTS = (
    "AdaBoost", "AdaBoost 50", "CBB", "CBB nested", "CBB out-of-fold", "CBB pooled",
    "CBB pooled nested", "AdaBoost_KL nested",
)  # fmt: skip
TYPES = ("HES", "HEP", "HOS", "HOP")
LEVEL = 0.1  # the paper's
DIGITS = 10  # what differs beyond is rounding, and a tie

Published = Mapping[tuple[str, str, str, str], float]
"""The paper's numbers by learner, data set (or ""), method and quantity."""

Labels = Mapping[str, str]
"""The estimator that stands for a method on each data set."""


@dataclass(frozen=True, eq=False)
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
    known = {name for each in readers for name in each.studies()}
    names = [name for name in STUDIES if name in known]
    if len(names) != 1:
        raise InvalidInputError(
            f"The stores must be of one study, {' or '.join(STUDIES)}. Got "
            f"{', '.join(sorted(known)) or 'none'} in {', '.join(map(str, stores))}. Use stores of "
            f"papers/cbb.toml or papers/cbb_pooled.toml."
        )
    planned = [each.study(names[0]) for each in readers if names[0] in each.studies()]
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
    units = units.set_index(["data", "repeat", "fold", "estimator"])
    scores, models = (units[name].unstack("estimator") for name in ("score", "model"))  # noqa: PD010
    order = [each.label for each in planned[0].data]
    by_data = scores.groupby(level="data")
    means = by_data.mean().where(by_data.count().eq(by_data.size(), axis=0)).reindex(order)
    folds = int(units.index.get_level_values("fold").max()) + 1
    missing = Counter(units.index.get_level_values("estimator")[~units["done"]])
    return Study(scores, means, models, missing, folds)


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


@lru_cache(maxsize=256)
def labels_of(study: Study, learner: str, method: str, choice: str) -> Labels:
    """Return the estimator that is best on each data set, where all are complete."""
    some = study.means[candidates(study, learner, method, choice)].dropna().round(DIGITS)
    winners = some.idxmax(axis=1).items() if some.size else ()
    return {str(data): str(label) for data, label in winners}


def means_of(study: Study, methods: Mapping[str, Labels]) -> pd.DataFrame:
    """Return a row a data set and a column a method, NaN where there is nothing."""
    return pd.DataFrame(
        {
            name: {data: study.means.loc[data, labels[data]] for data in labels}
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
        made: dict[str, Labels] = {
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


def offered(study: Study, labels: Labels, data: str) -> list[dict[str, Any]]:
    """Return what the models of a method offered on a data set, a dict a split."""
    if data not in labels:
        return []
    kept = study.models.xs(data, level="data")[labels[data]]
    return [each for each in kept if isinstance(each, dict)]


def type_shares(models: Sequence[Mapping[str, Any]]) -> tuple[int, list[float]]:
    """Return the number of clusters over all splits, and the percentage of each type."""
    tally: Counter[str] = Counter()
    for each in models:
        tally.update(each["types"])
    total = tally.total()
    return total, [100 * tally[kind] / total for kind in TYPES] if total else []
