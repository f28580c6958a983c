"""The Box-Cox search and the map by given λ, as methods of a study."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from sklearn.base import is_classifier
from sklearn.model_selection import KFold, StratifiedKFold
from sklearn.preprocessing import FunctionTransformer, StandardScaler

from distsearch._categorical import encode_first
from distsearch.backends import Backend
from distsearch.boxcox import BoxCoxSearchCV, BoxCoxTransformer, box_cox, make_strategy
from distsearch.errors import InvalidInputError
from distsearch.sweep._categories import Categories, chain, encoder_of

__all__ = [
    "MAP_DEFAULTS",
    "SEARCH_DEFAULTS",
    "STRATEGY_DEFAULTS",
    "make_search",
    "prepare_map",
    "prepare_search",
    "search_fits",
]

STRATEGY_DEFAULTS: dict[str, Any] = {
    "gridsize": 11,
    "bounds": (-5.0, 5.0),
    "epochs": 4,
    "shift_epoch": None,
    "shuffle_epoch": None,
    "finer_epoch": None,
    "semantics": "product",
    "max_candidates": 1_000_000,
}
SEARCH_DEFAULTS: dict[str, Any] = {
    "strategy": "iterative",
    "scoring": None,
    "cv": 5,
    "out_of_range": "clip",
    "random_state": None,
}
MAP_DEFAULTS: dict[str, Any] = {
    "lambdas": 1.0,
    "lambda_*": 1.0,
    "rescale": True,
    "out_of_range": "clip",
}


def _strategy(params: Mapping[str, Any]) -> Any:
    given = {key: value for key, value in params.items() if key in STRATEGY_DEFAULTS}
    return make_strategy(params.get("strategy", "iterative"), given)


def prepare_search(params: Mapping[str, Any], categories: Categories | None) -> Any:
    """Return what makes zeros and ones; what depends on the target is left to the fits."""
    del params
    if categories is not None and categories.learn_from_target:
        return None
    return encoder_of(categories)


def make_search(
    estimator: Any,
    params: Mapping[str, Any],
    seed: int,
    backend: str | Backend,
    categories: Categories | None,
) -> Any:
    """Return the search around an estimator; see `Method` for the parameters.

    Categories are passed on to the estimator, which encodes and standardises them in every fit.
    """
    passthrough = None
    if categories is not None and categories.learn_from_target:
        passthrough = list(categories.positions)
        estimator = encode_first(estimator, categories.encoder())
    cv = params.get("cv", 5)
    if isinstance(cv, int):  # drawn at random, for many files are sorted
        cv = (StratifiedKFold if is_classifier(estimator) else KFold)(
            cv, shuffle=True, random_state=seed
        )
    return BoxCoxSearchCV(
        estimator,
        _strategy(params),
        scoring=params.get("scoring"),
        cv=cv,
        out_of_range=params.get("out_of_range", "clip"),
        passthrough=passthrough,
        random_state=params.get("random_state", seed),
        backend=backend,
    )


def search_fits(params: Mapping[str, Any], n_features: int) -> int:
    """Return about how often the search fits its estimator."""
    cv = params.get("cv", 5)
    folds = cv if isinstance(cv, int) else 1
    return 1 + folds * int(_strategy(params).planned(n_features))


def _lambdas(params: Mapping[str, Any]) -> Any:
    """Return the λ, given as a list or one by one."""
    numbered = sorted(
        (int(name.rpartition("_")[2]), value)
        for name, value in params.items()
        if name.startswith("lambda_")
    )
    if ("lambdas" in params) == bool(numbered):
        raise InvalidInputError(
            "boxcox-map needs either lambdas (one number for all features, or a list) or "
            "lambda_1, lambda_2, ..., one for each feature that is not categorical."
        )
    if not numbered:
        return params["lambdas"]
    if [place for place, _ in numbered] != list(range(1, len(numbered) + 1)):
        raise InvalidInputError(
            f"lambda_1, lambda_2, ... must be numbered from 1 without a gap. "
            f"Got {', '.join(f'lambda_{place}' for place, _ in numbered)} instead."
        )
    return [value for _, value in numbered]


def prepare_map(params: Mapping[str, Any], categories: Categories | None) -> Any:
    """Return the map, then the encoder and a standardisation of what it makes of categories."""
    lambdas = _lambdas(params)
    passthrough = None
    if categories is not None:
        lambdas = _beside_categories(lambdas, categories)
        passthrough = list(categories.positions)
    if params.get("rescale", True):
        mapper: Any = BoxCoxTransformer(
            lambdas, out_of_range=params.get("out_of_range", "clip"), passthrough=passthrough
        )
        scaler = None if categories is None else StandardScaler()
    else:
        kept = {"lambdas": lambdas, "passthrough": passthrough}
        mapper, scaler = FunctionTransformer(_map_positive, kw_args=kept), StandardScaler()
    return chain(mapper, encoder_of(categories), scaler)


def _beside_categories(lambdas: Any, categories: Categories) -> list[float]:
    """Return one λ for each column, given those of the others; categorical columns have 1."""
    numeric = categories.numeric
    given = np.asarray(lambdas, dtype=np.float64)
    if given.shape not in {(), (len(numeric),)}:
        raise InvalidInputError(
            f"lambdas must be one finite number or {len(numeric)} of them, one for each feature "
            f"that is not categorical. Got {lambdas!r} instead."
        )
    every = np.ones(categories.n_features)
    every[numeric] = given
    return [float(lam) for lam in every]


def _map_positive(X: Any, lambdas: Any, passthrough: Any) -> Any:
    X = np.asarray(X)
    lambdas = np.broadcast_to(np.asarray(lambdas, dtype=float), X.shape[1])
    kept = set(passthrough or ())
    columns = [
        X[:, j] if j in kept else box_cox(X[:, j], float(lam)) for j, lam in enumerate(lambdas)
    ]
    return np.column_stack(columns)
