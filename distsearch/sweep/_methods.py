"""What a study can do around an estimator, by name.

=============== =============================================================
Name            The model that is fitted
=============== =============================================================
``plain``       the estimator on the features as they are
``standardize`` the estimator on features of mean 0 and variance 1
``boxcox``      `BoxCoxSearchCV` around the estimator
``boxcox-map``  the estimator on features mapped by given λ and standardised
=============== =============================================================

What a method does to the features without looking at the target or at the estimator is its
*preparation*: a unit that shares it with the unit before need not do it again.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from sklearn.base import clone, is_classifier
from sklearn.model_selection import KFold, StratifiedKFold
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, StandardScaler

from distsearch._scoring import make_scorer
from distsearch._wording import did_you_mean
from distsearch.backends import Backend
from distsearch.boxcox import BoxCoxSearchCV, BoxCoxTransformer, box_cox, make_strategy
from distsearch.errors import InvalidInputError, UnknownNameError

__all__ = ["METHODS", "Method", "check_method", "get_method", "n_fits"]


def _no_preparation(params: Mapping[str, Any]) -> Any:
    del params


def _scaler(params: Mapping[str, Any]) -> Any:
    del params
    return StandardScaler()


def _as_it_is(estimator: Any, params: Mapping[str, Any], seed: int, backend: Any) -> Any:
    del params, seed, backend
    return estimator


def _one_fit(params: Mapping[str, Any], n_features: int) -> int:
    del params, n_features
    return 1


@dataclass(frozen=True)
class Method:
    """What is done around an estimator.

    Parameters
    ----------
    summary : str
        One line about it.
    parameters : mapping of str to object
        Its parameters with their defaults. A name that ends in ``_*`` stands for names that end in
        a number from 1.
    prepare : callable
        Returns the transformer of its preparation, given its parameters; None for none.
    make : callable
        Returns the model to fit on prepared features, given the estimator, the parameters, a seed
        and the backend for what the model fans out.
    fits : callable
        Returns about how often the estimator is fitted on all training rows for one model, given
        the parameters and the number of features.
    fans_out : bool
        Whether the model hands work of its own to the backend.
    """

    summary: str
    parameters: Mapping[str, Any] = field(default_factory=dict)
    prepare: Callable[[Mapping[str, Any]], Any] = _no_preparation
    make: Callable[[Any, Mapping[str, Any], int, str | Backend], Any] = _as_it_is
    fits: Callable[[Mapping[str, Any], int], int] = _one_fit
    fans_out: bool = False

    def knows(self, name: str) -> bool:
        """Say whether it has a parameter of that name."""
        stem, _, number = name.rpartition("_")
        return name in self.parameters or (f"{stem}_*" in self.parameters and number.isdecimal())


_STRATEGY_DEFAULTS: dict[str, Any] = {
    "gridsize": 11,
    "bounds": (-5.0, 5.0),
    "epochs": 4,
    "shift_epoch": None,
    "shuffle_epoch": None,
    "finer_epoch": None,
    "semantics": "product",
    "max_candidates": 1_000_000,
}
_SEARCH_DEFAULTS: dict[str, Any] = {
    "strategy": "iterative",
    "scoring": None,
    "cv": 5,
    "out_of_range": "clip",
    "random_state": None,
}


def _strategy(params: Mapping[str, Any]) -> Any:
    given = {key: value for key, value in params.items() if key in _STRATEGY_DEFAULTS}
    return make_strategy(params.get("strategy", "iterative"), given)


def _search(estimator: Any, params: Mapping[str, Any], seed: int, backend: str | Backend) -> Any:
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
        random_state=params.get("random_state", seed),
        backend=backend,
    )


def _search_fits(params: Mapping[str, Any], n_features: int) -> int:
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
            "lambda_1, lambda_2, ..., one for each feature."
        )
    if not numbered:
        return params["lambdas"]
    if [place for place, _ in numbered] != list(range(1, len(numbered) + 1)):
        raise InvalidInputError(
            f"lambda_1, lambda_2, ... must be numbered from 1 without a gap. "
            f"Got {', '.join(f'lambda_{place}' for place, _ in numbered)} instead."
        )
    return [value for _, value in numbered]


def _prepare_map(params: Mapping[str, Any]) -> Any:
    lambdas = _lambdas(params)
    if params.get("rescale", True):
        return BoxCoxTransformer(lambdas, out_of_range=params.get("out_of_range", "clip"))
    return make_pipeline(
        FunctionTransformer(_map_positive, kw_args={"lambdas": lambdas}), StandardScaler()
    )


def _map_positive(X: Any, lambdas: Any) -> Any:
    X = np.asarray(X)
    lambdas = np.broadcast_to(np.asarray(lambdas, dtype=float), X.shape[1])
    columns = [box_cox(X[:, j], float(lam)) for j, lam in enumerate(lambdas)]
    return np.column_stack(columns)


METHODS: dict[str, Method] = {
    "plain": Method("The estimator on the features as they are"),
    "standardize": Method(
        "The estimator on features of mean 0 and variance 1",
        prepare=_scaler,
    ),
    "boxcox": Method(
        "The Box-Cox search around the estimator",
        {**_SEARCH_DEFAULTS, **_STRATEGY_DEFAULTS},
        make=_search,
        fits=_search_fits,
        fans_out=True,
    ),
    "boxcox-map": Method(
        "The estimator on features mapped by given λ and standardised",
        {"lambdas": 1.0, "lambda_*": 1.0, "rescale": True, "out_of_range": "clip"},
        prepare=_prepare_map,
    ),
}
"""The methods by name."""


def get_method(name: str) -> Method:
    """Return the method of that name.

    Raises
    ------
    UnknownNameError
        When there is none.
    """
    if name not in METHODS:
        raise UnknownNameError(
            f"There is no method {name!r}.{did_you_mean(name, METHODS)} "
            f"Methods are {', '.join(METHODS)}."
        )
    return METHODS[name]


def check_method(name: str, params: Mapping[str, Any], estimator: Any) -> None:
    """Refuse a method whose parameters cannot work around that estimator.

    Parameters
    ----------
    name : str
        The method's.
    params : mapping of str to object
        The parameters given.
    estimator : estimator
        An unfitted one.

    Raises
    ------
    InvalidInputError
        With the parameter, its value and what is allowed.
    """
    method = get_method(name)
    for key in params:
        if not method.knows(key):
            raise UnknownNameError(
                f"The method {name!r} has no parameter {key!r}."
                f"{did_you_mean(key, method.parameters)} "
                + (
                    f"Its parameters are {', '.join(method.parameters)}."
                    if method.parameters
                    else "It has none."
                )
            )
    try:
        method.prepare(params)
        model = method.make(clone(estimator), params, 0, "serial")
        if isinstance(model, BoxCoxSearchCV):
            model._validate_params()
            make_scorer(estimator, model.scoring)
            clone(model.strategy).begin(np.ones(2), np.random.SeedSequence(0))
    except InvalidInputError:
        raise
    except (ValueError, TypeError) as error:  # scikit-learn's, about a parameter
        raise InvalidInputError(str(error)) from None


def n_fits(name: str, params: Mapping[str, Any], n_features: int) -> int:
    """Return about how often a method fits its estimator for one model."""
    return get_method(name).fits(params, n_features)
