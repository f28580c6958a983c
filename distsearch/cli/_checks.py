"""Everything that can be known to be wrong before any work starts."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from distsearch._wording import did_you_mean
from distsearch.errors import DataError, InvalidInputError, UnknownNameError

__all__ = [
    "check_missing",
    "check_output",
    "check_scoring_name",
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

    from distsearch.boxcox import STRATEGIES

    strategy: Any = STRATEGIES[name]()
    given = {key: value for key, value in options.items() if value is not None}
    for key in given:
        if key not in strategy.get_params(deep=False):
            users = [each for each, make in STRATEGIES.items() if key in vars(make())]
            raise InvalidInputError(
                f"--{key.replace('_', '-')} has no effect on the strategy {name!r}; it belongs to "
                f"{' and '.join(users)}. Leave it out, or choose another --strategy."
            )
    strategy.set_params(**given)
    try:
        clone(strategy).begin(np.ones(n_features), np.random.SeedSequence(0))
    except ValueError as error:  # scikit-learn's, about a parameter
        raise InvalidInputError(str(error)) from None
    return strategy


def check_missing(counts: Mapping[str, int], rows: int, source: str, remedy: str) -> None:
    """Refuse missing values where nothing is to be done about them."""
    if not counts:
        return
    shown = [f"{name!r} {count}" for name, count in list(counts.items())[:10]]
    if len(counts) > 10:
        shown.append(f"{len(counts) - 10} more columns")
    raise DataError(f"{source}: values are missing in {rows} rows: {', '.join(shown)}. {remedy}")


def check_output(path: Path | None, option: str, *inputs: str) -> None:
    """Refuse a file that could not be written at the end, or must not be.

    Parameters
    ----------
    path : Path or None
        The file; None where there is none.
    option : str
        What it was given as.
    *inputs : str
        Files that are read and would be lost.
    """
    if path is None:
        return
    if "RAY_JOB_CONFIG_JSON_ENV_VAR" in os.environ and not path.is_absolute():
        raise InvalidInputError(
            f"{option} {path} must be an absolute path inside a Ray job: the job runs in a "
            f"temporary copy of its folder, which is deleted afterwards."
        )
    folder = path.resolve().parent
    if path.is_dir():
        raise InvalidInputError(f"{option} {path} is a folder; name a file in it.")
    if not folder.is_dir():
        raise InvalidInputError(f"{option} {path}: there is no folder {folder}; make it first.")
    if not os.access(folder, os.W_OK):
        raise InvalidInputError(f"{option} {path}: the folder {folder} is not writable.")
    for each in inputs:
        if path.exists() and Path(each).exists() and path.samefile(each):
            raise InvalidInputError(f"{option} {path} would overwrite what is read from it.")
