"""From a study's file to its units: every one named, seeded and in the order of its table."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from os import PathLike
from typing import Any

from sklearn.base import is_classifier

from distsearch._wording import did_you_mean, joined
from distsearch.backends import Unit
from distsearch.errors import DistsearchError, InvalidInputError, SpecError
from distsearch.registry import make_estimator
from distsearch.sweep._data import StudyData, Task, load_data
from distsearch.sweep._identity import describe_estimator, unit_hash, unit_seed
from distsearch.sweep._methods import get_method, n_fits
from distsearch.sweep._scorers import lacking
from distsearch.sweep._tuning import lacking_rows
from distsearch.sweep._unit import Work, has_backend
from distsearch.sweep.spec import Setting, Spec, read_spec
from distsearch.sweep.store import DataRecord, SettingRecord, StudyRecord, UnitRecord

__all__ = ["Only", "Plan", "make_plan", "read_plan", "unit_name"]

_KINDS = ("data", "estimator", "method")


@dataclass(frozen=True)
class Only:
    """Which part of a study is to be run now.

    Parameters
    ----------
    patterns : mapping of str to tuple of str
        Patterns of labels, as in file names, for "data", "estimator" and "method"; a kind that is
        not there is not restricted.
    """

    patterns: Mapping[str, tuple[str, ...]]

    @classmethod
    def parse(cls, texts: Sequence[str]) -> Only:
        """Read texts such as ``data=sonar*`` and ``method=Base,MLE``.

        Raises
        ------
        InvalidInputError
            When one is something else.
        """
        patterns: dict[str, tuple[str, ...]] = {}
        for text in texts:
            kind, equals, given = text.partition("=")
            kind = kind.strip()
            found = tuple(each.strip() for each in given.split(",") if each.strip())
            if kind not in _KINDS or not equals or not found:
                raise InvalidInputError(
                    f"only must be data=, estimator= or method= with labels or patterns, such as "
                    f"'data=sonar*'. Got {text!r} instead.{did_you_mean(kind, _KINDS)}"
                )
            patterns[kind] = (*patterns.get(kind, ()), *found)
        return cls(patterns)

    def takes(self, unit: UnitRecord) -> bool:
        """Say whether a unit is part of it."""
        labels = {"data": unit.data, "estimator": unit.estimator, "method": unit.method}
        return all(
            any(fnmatchcase(labels[kind], pattern) for pattern in patterns)
            for kind, patterns in self.patterns.items()
        )

    def check(self, study: StudyRecord) -> None:
        """Refuse patterns that nothing in the study matches."""
        known = {
            "data": [each.label for each in study.data],
            "estimator": study.labels("estimator"),
            "method": study.labels("method"),
        }
        for kind, patterns in self.patterns.items():
            for pattern in patterns:
                if not any(fnmatchcase(label, pattern) for label in known[kind]):
                    raise InvalidInputError(
                        f"only: no {kind} is called {pattern!r}."
                        f"{did_you_mean(pattern, known[kind])} "
                        f"There are {joined(known[kind][:20])}."
                    )


_COPIES = 3
"""Tables of double precision that a unit holds at a time: its parts, prepared, and one within."""

_LITTLE = 256 * 2**20
"""Bytes that a worker has to spare anyway."""


@dataclass(frozen=True, eq=False)
class Plan:
    """A study, ready to run.

    Parameters
    ----------
    spec : Spec
        What the file says.
    study : StudyRecord
        What the store keeps, with the units in the order of the table.
    work : Work
        What the units share.
    places : tuple of (int, int, int, int)
        For each unit the places of its data set, split, estimator and method.
    """

    spec: Spec
    study: StudyRecord
    work: Work
    places: tuple[tuple[int, int, int, int], ...]

    def unit(self, position: int) -> Unit:
        """Return a unit as backends run it."""
        record = self.study.units[position]
        seed = unit_seed(self.spec.seed, record.hash)
        return Unit(self.places[position], seed, unit_name(record), self.memory(position))

    def memory(self, position: int) -> int:
        """Return how many bytes a unit may take besides the data; 0 where it matters little.

        What the study says, or an estimate: the rows of its two parts, once more prepared, and as
        much for the model.
        """
        given = self.spec.limits.unit_gib
        if given is not None:
            return int(given * 2**30)
        data, split, _, _ = self.places[position]
        table = self.work.data[data]
        rows = len(table.splits[split].train) + len(table.splits[split].test)
        taken = _COPIES * rows * table.X.shape[1] * 8
        return taken if taken >= _LITTLE else 0

    def fans_out(self, position: int) -> bool:
        """Say whether the model of a unit hands work of its own to the backend."""
        _, _, estimator, method = self.places[position]
        if self.work.tunings[estimator] is not None:
            return False  # many small models, each in place
        name, _ = self.work.methods[method]
        return get_method(name).fans_out or has_backend(self.work.estimators[estimator])

    def by_cost(self, positions: Sequence[int]) -> list[int]:
        """Return units with the dearest first, and those that share their rows side by side.

        No worker is then left with a long one at the end.
        """
        fits = self.fits()

        def key(position: int) -> tuple[float, int, int, int, int]:
            data, split, estimator, method = self.places[position]
            cost = float(self.work.data[data].X.size) * fits[data, estimator, method]
            return (-cost, data, method, split, estimator)

        return sorted(positions, key=key)

    def fits(self) -> dict[tuple[int, int, int], int]:
        """Return about how many fits on all training rows a unit costs.

        The keys are the places of data set, estimator and method.
        """
        return {
            (d, e, m): number * (1 if tuning is None else tuning.n_fits)
            for d, data in enumerate(self.work.data)
            for m, (name, params) in enumerate(self.work.methods)
            if self.spec.methods[m].is_for(data.label)
            for number in [n_fits(name, params, data.n_numeric)]
            for e, tuning in enumerate(self.work.tunings)
        }


def unit_name(unit: UnitRecord) -> str:
    """Return what to call a unit in messages."""
    split = f"repeat {unit.repeat}, fold {unit.fold}"
    return f"{unit.data}, {unit.estimator}, {unit.method}, {split}"


@dataclass(frozen=True)
class _Parts:
    """What the units of a study need, and what is wrong with it, each with its place."""

    estimators: tuple[Any, ...]
    data: tuple[StudyData, ...]
    problems: tuple[tuple[str, str], ...]


def read_plan(
    path: str | PathLike[str],
    *,
    trust: Collection[str] = (),
    files: Mapping[str, str | PathLike[str]] | None = None,
) -> Plan:
    """Read a study file, load its data and list its units.

    Parameters
    ----------
    path : str or path-like
        The study file.
    trust, files
        As in `read_spec`.

    Returns
    -------
    Plan

    Raises
    ------
    SpecError
        With everything that is wrong with the file and with the data sets.
    """
    seen: list[_Parts] = []

    def inspect(spec: Spec) -> tuple[tuple[str, str], ...]:
        seen.append(_gather(spec))
        return seen[-1].problems

    spec = read_spec(path, trust=trust, files=files, inspect=inspect)
    return _plan(spec, seen[-1])


def make_plan(spec: Spec) -> Plan:
    """Load a study's data and list its units.

    Parameters
    ----------
    spec : Spec
        The study.

    Returns
    -------
    Plan

    Raises
    ------
    SpecError
        With everything that is wrong with the data sets.
    """
    parts = _gather(spec)
    if parts.problems:
        raise SpecError(str(spec.path), [f"{place}: {text}" for place, text in parts.problems])
    return _plan(spec, parts)


def _gather(spec: Spec) -> _Parts:
    estimators = [
        make_estimator(each.name, each.params, trust=spec.trust) for each in spec.estimators
    ]
    task: Task = "classification" if is_classifier(estimators[0]) else "regression"
    problems = _lacking_methods(spec, estimators)
    loaded = []
    for each in spec.data:
        try:
            loaded.append(load_data(each, each.protocol or spec.protocol, spec.seed, task))
        except DistsearchError as error:
            problems.append((each.place, f"{each.label}: {error}"))
    problems += _lacking_rows(spec, loaded)
    return _Parts(tuple(estimators), tuple(loaded), tuple(problems))


def _lacking_methods(spec: Spec, estimators: Sequence[Any]) -> list[tuple[str, str]]:
    return [
        (
            setting.place or spec.path.name,
            f"{setting.label}: the metric {metric!r} needs {methods}, which {estimator!r} does not "
            f"have. Leave one of the two out, or give the estimator a parameter that makes a "
            f"difference.",
        )
        for setting, estimator in zip(spec.estimators, estimators, strict=True)
        for metric, methods in lacking(estimator, spec.scorers).items()
    ]


def _lacking_rows(spec: Spec, data: Sequence[StudyData]) -> list[tuple[str, str]]:
    return [
        (setting.place or spec.path.name, f"{setting.label}: {message}")
        for setting in spec.estimators
        for table in data
        if setting.tuning is not None and setting.is_for(table.label)
        for message in [lacking_rows(setting.tuning, table)]
        if message is not None
    ]


def _plan(spec: Spec, parts: _Parts) -> Plan:
    data = parts.data
    work = Work(
        data=data,
        estimators=parts.estimators,
        methods=tuple((each.name, dict(each.params)) for each in spec.methods),
        scorers=spec.scorers,
        unit_seconds=spec.limits.unit_seconds,
        tunings=tuple(each.tuning for each in spec.estimators),
    )
    places = tuple(
        (d, s, e, m)
        for d, table in enumerate(data)
        for e, estimator in enumerate(spec.estimators)
        for m, method in enumerate(spec.methods)
        if estimator.is_for(table.label) and method.is_for(table.label)
        for s in range(len(table.splits))
    )
    described = [describe_estimator(each) for each in parts.estimators]
    units = tuple(
        _record(spec, data, described, number, place) for number, place in enumerate(places)
    )
    return Plan(spec, _study(spec, data, units), work, places)


def _record(
    spec: Spec,
    data: Sequence[StudyData],
    described: Sequence[Mapping[str, Any]],
    number: int,
    place: tuple[int, int, int, int],
) -> UnitRecord:
    d, s, e, m = place
    table, estimator, method, split = (
        data[d],
        spec.estimators[e],
        spec.methods[m],
        data[d].splits[s],
    )
    tuning = estimator.tuning
    name = unit_hash(
        data=table.hash,
        split=split.hash,
        estimator=described[e],
        method=method.name,
        params=method.params,
        impute=table.impute,
        seed=spec.seed,
        encoding=table.encoding if table.categorical else None,
        tuning=None if tuning is None else tuning.described(),
    )
    return UnitRecord(
        number, name, table.label, estimator.label, method.label, split.repeat, split.fold
    )


def _study(spec: Spec, data: Sequence[StudyData], units: tuple[UnitRecord, ...]) -> StudyRecord:
    return StudyRecord(
        name=spec.study,
        title=spec.title,
        seed=spec.seed,
        scorers=spec.scorers,
        baseline=spec.baseline,
        data=tuple(
            DataRecord(
                each.label,
                each.hash,
                each.source,
                len(each.y),
                len(each.names),
                each.n_classes,
                each.test_to_train,
            )
            for each in data
        ),
        settings=tuple(
            _setting(kind, each)
            for kind, settings in (("estimator", spec.estimators), ("method", spec.methods))
            for each in settings
        ),
        units=units,
    )


def _setting(kind: Any, setting: Setting) -> SettingRecord:
    params = dict(setting.params)
    if setting.tuning is not None:
        params |= {"tune": setting.tuning.grid, "tune_cv": setting.tuning.folds}
    return SettingRecord(kind, setting.label, setting.entry, setting.name, params, setting.varied)
