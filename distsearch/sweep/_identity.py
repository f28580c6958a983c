"""Names for units that depend on what determines their results, and on nothing else.

A unit is its data, its split, its estimator and its method with their parameters, what the
estimator tunes, the seed and the version of this package. Labels, the study, the metrics and the
backend are no part of it, so that the same unit in two studies is the same unit.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from typing import Any

import numpy as np

from distsearch._version import __version__

__all__ = ["describe_estimator", "unit_hash", "unit_seed"]


def describe_estimator(estimator: Any) -> dict[str, Any]:
    """Return an estimator's class and the parameters that differ from the class's defaults.

    ``knn`` and ``KNeighborsClassifier`` are thus one, and so are a default that is given and one
    that is not. Private modules, which move between versions, are left out of the class's name.
    """
    cls = type(estimator)
    defaults = cls().get_params(deep=False)
    changed = {
        name: value
        for name, value in estimator.get_params(deep=False).items()
        if not _same(value, defaults[name])
    }
    return {"class": f"{cls.__module__.partition('.')[0]}.{cls.__qualname__}", "params": changed}


def _same(one: Any, other: Any) -> bool:
    return type(one) is type(other) and repr(one) == repr(other)


def unit_hash(
    *,
    data: str,
    split: str,
    estimator: Mapping[str, Any],
    method: str,
    params: Mapping[str, Any],
    impute: str | None,
    seed: int,
    encoding: str | None = None,
    tuning: Mapping[str, Any] | None = None,
) -> str:
    """Return the name of a unit.

    Parameters
    ----------
    data, split : str
        Hashes of the content of the data, and of the rows of the split.
    estimator : mapping
        From `describe_estimator`.
    method : str
        The method's name.
    params : mapping of str to object
        The method's parameters.
    impute : str or None
        How missing values are filled.
    seed : int
        The study's.
    encoding : str, optional
        What becomes of categorical columns; no part of the name of a unit without such columns.
    tuning : mapping, optional
        From `Tuning.described`; no part of the name of a unit that tunes nothing.
    """
    whole = {
        "version": __version__,
        "data": data,
        "split": split,
        "estimator": estimator,
        "method": [method, params],
        "impute": impute,
        "seed": seed,
        **({} if encoding is None else {"categories": encoding}),
        **({} if tuning is None else {"tune": tuning}),
    }
    text = json.dumps(whole, sort_keys=True, default=_plain)
    return hashlib.sha256(text.encode()).hexdigest()[:32]


def _plain(value: Any) -> Any:
    return value.item() if hasattr(value, "item") else repr(value)


def unit_seed(seed: int, unit: str) -> np.random.SeedSequence:
    """Return the seed of a unit, from the study's seed and the unit's hash."""
    return np.random.SeedSequence(seed, spawn_key=(int(unit, 16),))
