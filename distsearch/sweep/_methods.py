"""What a study can do around an estimator, by name.

=============== =============================================================
Name            The model that is fitted
=============== =============================================================
``plain``       the estimator on the features as they are
``standardize`` the estimator on features of mean 0 and variance 1
``range``       the estimator on features scaled to [-1, 1]
``boxcox``      `BoxCoxSearchCV` around the estimator
``boxcox-map``  the estimator on features mapped by given λ and standardised
=============== =============================================================

What a method does to the features of a training part without looking at the estimator is its
*preparation*: a unit that shares it with the unit before need not do it again.

Categorical columns become numbers in the preparation, from the whole training part. Only the search
trains on parts of that part: there, ordered target statistics are learned anew for each fit of the
estimator. λ are for the other features; but for ``plain``, what categories become is standardised.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.decomposition import PCA
from sklearn.preprocessing import MinMaxScaler, StandardScaler

from distsearch._scoring import make_scorer
from distsearch._wording import did_you_mean
from distsearch.backends import Backend
from distsearch.boxcox import BoxCoxSearchCV
from distsearch.errors import InvalidInputError, UnknownNameError
from distsearch.sweep._boxcox import (
    MAP_DEFAULTS,
    SEARCH_DEFAULTS,
    STRATEGY_DEFAULTS,
    make_search,
    prepare_map,
    prepare_search,
    search_fits,
)
from distsearch.sweep._categories import Categories, chain, encoder_of

__all__ = ["METHODS", "Method", "check_method", "get_method", "n_fits"]


def _encode(params: Mapping[str, Any], categories: Categories | None) -> Any:
    del params
    return encoder_of(categories)


def _standardize(params: Mapping[str, Any], categories: Categories | None) -> Any:
    del params
    return chain(encoder_of(categories), StandardScaler())


def _to_range(params: Mapping[str, Any], categories: Categories | None) -> Any:
    components = params.get("pca")
    whole = isinstance(components, int) and not isinstance(components, bool)
    if components is not None and not (whole and components >= 1):
        raise InvalidInputError(
            f"pca must be a number of components, 1 or more. Got {components!r} instead; leave it "
            f"out for no reduction."
        )
    reducer = None if components is None else PCA(components, svd_solver="covariance_eigh")
    return chain(encoder_of(categories), reducer, MinMaxScaler((-1.0, 1.0)))


def _as_it_is(
    estimator: Any, params: Mapping[str, Any], seed: int, backend: Any, categories: Any
) -> Any:
    del params, seed, backend, categories
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
        Returns the transformer of its preparation, given its parameters and the categorical
        columns, or None; None for none.
    make : callable
        Returns the model to fit on prepared features, given the estimator, the parameters, a seed,
        the backend for what the model fans out, and the categorical columns or None.
    fits : callable
        Returns about how often the estimator is fitted on all training rows for one model, given
        the parameters and the number of features that are not categorical.
    fans_out : bool
        Whether the model hands work of its own to the backend.
    """

    summary: str
    parameters: Mapping[str, Any] = field(default_factory=dict)
    prepare: Callable[[Mapping[str, Any], Categories | None], Any] = _encode
    make: Callable[[Any, Mapping[str, Any], int, str | Backend, Categories | None], Any] = _as_it_is
    fits: Callable[[Mapping[str, Any], int], int] = _one_fit
    fans_out: bool = False

    def knows(self, name: str) -> bool:
        """Say whether it has a parameter of that name."""
        stem, _, number = name.rpartition("_")
        return name in self.parameters or (f"{stem}_*" in self.parameters and number.isdecimal())


METHODS: dict[str, Method] = {
    "plain": Method("The estimator on the features as they are"),
    "standardize": Method(
        "The estimator on features of mean 0 and variance 1",
        prepare=_standardize,
    ),
    "range": Method(
        "The estimator on features scaled to [-1, 1] by the range of the training part",
        {"pca": None},
        prepare=_to_range,
    ),
    "boxcox": Method(
        "The Box-Cox search around the estimator",
        {**SEARCH_DEFAULTS, **STRATEGY_DEFAULTS},
        prepare=prepare_search,
        make=make_search,
        fits=search_fits,
        fans_out=True,
    ),
    "boxcox-map": Method(
        "The estimator on features mapped by given λ and standardised",
        MAP_DEFAULTS,
        prepare=prepare_map,
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
        method.prepare(params, None)
        model = method.make(clone(estimator), params, 0, "serial", None)
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
