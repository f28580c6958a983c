"""Everything that can be known to be wrong before any work starts."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from distsearch._wording import count, did_you_mean
from distsearch.errors import DataError, InvalidInputError, UnknownNameError
from distsearch.tables import check_writable

__all__ = [
    "check_missing",
    "check_outputs",
    "check_scoring_name",
    "make_splitter",
    "make_strategy",
    "parse_folds",
]


def parse_folds(text: str) -> int | str:
    """Return a number of folds, or "resubstitution"."""
    if text == "resubstitution":
        return text
    if text.isdecimal() and int(text) >= 2:
        return int(text)
    raise InvalidInputError(
        f"--cv must be a number of folds, 2 or more, or 'resubstitution'. Got {text!r} instead."
    )


def make_splitter(folds: int | str, seed: int, *, classifier: bool) -> Any:
    """Return what divides the rows into folds, drawn at random: many files are sorted.

    Parameters
    ----------
    folds : int or str
        From `parse_folds`.
    seed : int
        Seed of the draw.
    classifier : bool
        Whether each fold gets its share of every class.
    """
    from sklearn.model_selection import KFold, StratifiedKFold

    if isinstance(folds, str):
        return folds
    return (StratifiedKFold if classifier else KFold)(folds, shuffle=True, random_state=seed)


def check_scoring_name(name: str | None) -> None:
    """Refuse a metric that scikit-learn does not have."""
    from sklearn.metrics import get_scorer_names

    if name is not None and name not in get_scorer_names():
        raise UnknownNameError(
            f"scikit-learn has no metric {name!r}.{did_you_mean(name, get_scorer_names())} "
            f"All of them are listed by sklearn.metrics.get_scorer_names()."
        )


def make_strategy(name: str, options: Mapping[str, Any], n_features: int) -> Any:
    """Make a strategy from the options that were given, and try it on so many features.

    Parameters
    ----------
    name : str
        Its name.
    options : mapping of str to object
        Parameters by name; None where the option was not given.
    n_features : int
        How many features will be searched at most.
    """
    import numpy as np
    from sklearn.base import clone

    from distsearch.boxcox import make_strategy as make

    strategy = make(name, {key: value for key, value in options.items() if value is not None})
    try:
        clone(strategy).begin(np.ones(n_features), np.random.SeedSequence(0))
    except ValueError as error:  # scikit-learn's, about a parameter
        raise InvalidInputError(str(error)) from None
    return strategy


def check_missing(counts: Mapping[str, int], rows: int, source: str, remedy: str) -> None:
    """Refuse missing values where nothing is to be done about them."""
    if not counts:
        return
    shown = [f"{name!r} {times}" for name, times in list(counts.items())[:10]]
    if len(counts) > 10:
        shown.append(f"{len(counts) - 10} more columns")
    where = f"{count(len(counts), 'column')} of {count(rows, 'row')}"
    raise DataError(f"{source}: values are missing in {where}: {', '.join(shown)}. {remedy}")


def check_outputs(files: Mapping[str, Path | None], *inputs: str | Path) -> None:
    """Refuse files that could not be written at the end, or must not be.

    Parameters
    ----------
    files : mapping of str to Path or None
        The files, by the option that each was given as; None where there is none.
    *inputs : str or Path
        Files that are read and would be lost.
    """
    seen: dict[Path, str] = {}
    for option, path in files.items():
        if path is None:
            continue
        _check_output(path, option, inputs)
        final = path.resolve()
        if final in seen:
            raise InvalidInputError(
                f"{option} {path} and {seen[final]} are one file. Name another for one of them."
            )
        seen[final] = option


def _check_output(path: Path, option: str, inputs: Iterable[str | Path]) -> None:
    if "RAY_JOB_CONFIG_JSON_ENV_VAR" in os.environ and not path.is_absolute():
        raise InvalidInputError(
            f"{option} {path} must be an absolute path inside a Ray job: the job runs in a "
            f"temporary copy of its folder, which is deleted afterwards."
        )
    try:
        check_writable(path)
    except DataError as error:
        raise InvalidInputError(f"{option}: {error}") from None
    for each in inputs:
        if path.exists() and Path(each).exists() and path.samefile(each):
            raise InvalidInputError(f"{option} {path} would overwrite what is read from it.")
