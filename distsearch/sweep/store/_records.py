"""What a store keeps, as values: a study, its runs and the results of its units."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

__all__ = ["DataRecord", "Result", "RunRecord", "SettingRecord", "StudyRecord", "UnitRecord"]


@dataclass(frozen=True, slots=True)
class DataRecord:
    """A data set of a study: its label, the hash of its content, and facts for people.

    Parameters
    ----------
    label : str
        Its name in the study.
    hash : str
        Names its content.
    source : str
        Where it came from.
    rows, features : int
        Its size.
    classes : int or None
        The number of classes; None for numbers.
    test_to_train : float or None
        Rows of a test part by rows of its training part, the mean over the splits.
    """

    label: str
    hash: str
    source: str
    rows: int
    features: int
    classes: int | None
    test_to_train: float | None = None


@dataclass(frozen=True, slots=True)
class SettingRecord:
    """An estimator or a method with one value for each parameter.

    Parameters
    ----------
    kind : {"estimator", "method"}
        Which of the two.
    label : str
        Its name in the study, unique within its kind on each data set.
    entry : str
        The entry of the study that it is a setting of.
    name : str
        Its name in the registry.
    params : mapping of str to object
        The parameters given, as plain JSON values.
    varied : mapping of str to object
        Those of them that differ between the settings of the entry.
    """

    kind: Literal["estimator", "method"]
    label: str
    entry: str
    name: str
    params: Mapping[str, Any] = field(default_factory=dict)
    varied: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class UnitRecord:
    """One unit of a study: an estimator with a method on one split of a data set.

    Parameters
    ----------
    position : int
        Its place in the study, from 0.
    hash : str
        Names everything that its result depends on; the same in every study.
    data, estimator, method : str
        Labels.
    repeat, fold : int
        The split, each from 0.
    """

    position: int
    hash: str
    data: str
    estimator: str
    method: str
    repeat: int
    fold: int


@dataclass(frozen=True, slots=True)
class StudyRecord:
    """A study as planned, complete enough to read its results without its file."""

    name: str
    title: str
    seed: int
    scorers: tuple[str, ...]
    baseline: str | None
    data: tuple[DataRecord, ...]
    settings: tuple[SettingRecord, ...]
    units: tuple[UnitRecord, ...]

    def labels(self, kind: Literal["estimator", "method"]) -> list[str]:
        """Return the labels of the estimators, or of the methods, in the study's order.

        Each is there once, though settings for different data sets may have one label.
        """
        return list(dict.fromkeys(each.label for each in self.settings if each.kind == kind))


@dataclass(frozen=True, slots=True)
class RunRecord:
    """The manifest of a run.

    Parameters
    ----------
    command : str
        The command line, or what called the library.
    spec : str
        The text of the study file.
    backend : str
        Where units ran, and on how many workers.
    versions : mapping of str to str
        Python's and the packages'.
    platform : mapping of str to object
        The machine.
    """

    command: str
    spec: str
    backend: str
    versions: Mapping[str, str]
    platform: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Result:
    """What became of a unit.

    Parameters
    ----------
    hash : str
        The unit's.
    scores : mapping of str to float
        A value a metric, NaN where it is undefined; empty for a failed unit.
    facts : mapping of str to object
        What the fitted model says of itself, as plain JSON values; not dependent on time.
    error_type, error, traceback : str
        Why it failed; all empty where it did not.
    fit_seconds, predict_seconds : float
        Wall time of the fit and of the predictions.
    attempts : int
        How many times it was handed to a worker.
    """

    hash: str
    scores: Mapping[str, float] = field(default_factory=dict)
    facts: Mapping[str, Any] = field(default_factory=dict)
    error_type: str = ""
    error: str = ""
    traceback: str = ""
    fit_seconds: float = 0.0
    predict_seconds: float = 0.0
    attempts: int = 1

    @property
    def failed(self) -> bool:
        """Whether there is no score."""
        return bool(self.error_type)
