"""What a study file says, as values: checked, with every path resolved and every table read."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from itertools import product
from math import prod
from pathlib import Path
from typing import Any, Literal

from distsearch.tables import ReadOptions

__all__ = ["Data", "Limits", "Protocol", "Setting", "Spec", "Tuning"]


@dataclass(frozen=True, kw_only=True)
class Data:
    """One data set of a study.

    Parameters
    ----------
    label : str
        What the study calls it.
    source : str
        The absolute path of a file, or a name in the catalogue.
    target : str or None
        The column to learn; None where the catalogue knows it.
    positive : object
        The class, or classes, that become label 1; None to keep the labels.
    columns : tuple of str or None
        The features; None for every column but the target and the groups.
    ignore : tuple of str
        Columns that are not to be used.
    groups : str or None
        The column that says which rows belong together; no feature.
    splits : Path or None
        A CSV file of given splits: one line a row of the data, one column a split, with ``train``,
        ``test`` or nothing in it.
    options : ReadOptions
        How the file is read, with the columns that are declared categorical.
    categories : {"target", "one-hot"}
        What becomes of categorical columns, those declared and those of text in which nothing is a
        number: ordered target statistics, learned within each training part, or zeros and ones. A
        missing value is a category of its own.
    impute : {"error", "median", "mean", "most_frequent"}
        What to do about missing numbers, within each training part.
    missing_target : {"error", "drop"}
        What to do about rows without a target.
    dtype : {"float64", "float32"}
        The type that numbers are cast to before anything else.
    scale : (float, float) or None
        Scale each numeric feature of the *whole* data set to this range before it is split, as
        some papers do; this leaks the range of the test rows.
    random_state : int or None
        Seed of a generated data set of the catalogue; None for its usual one.
    protocol : Protocol or None
        How its rows are split; None for the study's protocol.
    place : str
        Where the study file says so, for messages, such as ``study.toml:12``.
    """

    label: str
    source: str
    target: str | None = None
    positive: Any = None
    columns: tuple[str, ...] | None = None
    ignore: tuple[str, ...] = ()
    groups: str | None = None
    splits: Path | None = None
    options: ReadOptions = field(default_factory=ReadOptions)
    categories: Literal["target", "one-hot"] = "target"
    impute: Literal["error", "median", "mean", "most_frequent"] = "error"
    missing_target: Literal["error", "drop"] = "error"
    dtype: Literal["float64", "float32"] = "float64"
    scale: tuple[float, float] | None = None
    random_state: int | None = None
    protocol: Protocol | None = None
    place: str = ""


@dataclass(frozen=True, kw_only=True)
class Tuning:
    """Parameters that each unit chooses by cross-validation over its training rows.

    Parameters
    ----------
    grid : mapping of str to tuple of object
        The values to choose from, by parameter; ``part__name`` is that of a nested estimator.
    folds : int
        Folds of the cross-validation.
    """

    grid: Mapping[str, tuple[Any, ...]]
    folds: int = 3

    def combinations(self) -> list[dict[str, Any]]:
        """Return every combination of values in the grid's order, the last parameter fastest."""
        return [dict(zip(self.grid, each, strict=True)) for each in product(*self.grid.values())]

    @property
    def n_fits(self) -> int:
        """How often a model is fitted: on each fold with each combination, then on all rows."""
        return prod(map(len, self.grid.values())) * self.folds + 1

    def described(self) -> dict[str, Any]:
        """Return it as plain values, with the order of parameters, which decides between ties."""
        return {"grid": [[key, list(each)] for key, each in self.grid.items()], "cv": self.folds}


@dataclass(frozen=True, kw_only=True)
class Setting:
    """An estimator or a method with one value for each of its parameters.

    Parameters
    ----------
    label : str
        What the study calls it; unique among the estimators, or among the methods, of each data
        set.
    entry : str
        The label of the entry that it is a setting of; equal to ``label`` for its only setting.
    name : str
        The name in the registry of estimators, or of methods.
    params : mapping of str to object
        The parameters given; the others keep their defaults. Plain values: numbers, text, truth
        values, and lists of these.
    varied : mapping of str to object
        Those of ``params`` that differ between the settings of the entry.
    data : tuple of str
        Patterns of labels of data sets that it is used on, as in file names.
    tuning : Tuning or None
        Further parameters of an estimator, which each unit chooses; None for none.
    place : str
        Where the study says so, for messages, such as ``settings.csv:3``.
    """

    label: str
    entry: str
    name: str
    params: Mapping[str, Any] = field(default_factory=dict)
    varied: Mapping[str, Any] = field(default_factory=dict)
    data: tuple[str, ...] = ("*",)
    tuning: Tuning | None = None
    place: str = ""

    def is_for(self, data: str) -> bool:
        """Say whether it is used on the data set with that label."""
        return any(fnmatchcase(data, pattern) for pattern in self.data)


@dataclass(frozen=True, kw_only=True)
class Protocol:
    """How rows are split into training and test parts.

    Parameters
    ----------
    kind : {"k-fold", "hold-out", "group-k-fold", "given"}
        Repeated stratified k-fold; repeated stratified hold-out; repeated stratified k-fold that
        keeps groups together; splits from a file for each data set.
    folds : int
        Folds of a k-fold.
    repeats : int
        How often the split is drawn anew.
    test_size : float
        Share of the rows in the test part of a hold-out.
    train_rows : mapping of str to int, or None
        How many rows of each class a hold-out trains on, by the text of its label.
    """

    kind: Literal["k-fold", "hold-out", "group-k-fold", "given"] = "k-fold"
    folds: int = 10
    repeats: int = 1
    test_size: float = 0.25
    train_rows: Mapping[str, int] | None = None


@dataclass(frozen=True, kw_only=True)
class Limits:
    """When to give up.

    Parameters
    ----------
    unit_seconds : float or None
        Time for a unit; a longer one fails.
    unit_gib : float or None
        Memory that a unit may take, in GiB; None where that is to be estimated.
    failures : int or None
        How many units may fail before the run stops; None for any number.
    """

    unit_seconds: float | None = None
    unit_gib: float | None = None
    failures: int | None = None


@dataclass(frozen=True, kw_only=True)
class Spec:
    """A study: data sets × estimators × methods × splits, and what to measure.

    Parameters
    ----------
    study : str
        Its short name, under which a store keeps it.
    title : str
        A line about it.
    seed : int
        Seed of the splits and of every unit.
    data : tuple of Data
        The data sets.
    estimators : tuple of Setting
        The estimators.
    methods : tuple of Setting
        What is done around an estimator.
    protocol : Protocol
        How rows are split.
    scorers : tuple of str
        Names of the metrics.
    limits : Limits
        When to give up.
    baseline : str or None
        Label of the method, or estimator, that the others are compared with.
    trust : tuple of str
        Modules that may be imported for estimators.
    path : Path
        The study file.
    text : str
        Its text.
    files : tuple of Path
        Every other file that it refers to: tables of settings, data and splits.
    written : mapping of str to Path
        The same files by their paths as the study file writes them.
    """

    study: str
    title: str = ""
    seed: int = 0
    data: tuple[Data, ...]
    estimators: tuple[Setting, ...]
    methods: tuple[Setting, ...]
    protocol: Protocol = field(default_factory=Protocol)
    scorers: tuple[str, ...] = ("accuracy",)
    limits: Limits = field(default_factory=Limits)
    baseline: str | None = None
    trust: tuple[str, ...] = ()
    path: Path
    text: str = ""
    files: tuple[Path, ...] = ()
    written: Mapping[str, Path] = field(default_factory=dict)
