"""The private names of scikit-learn that distsearch uses, so that a move is mended in one place."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from sklearn.metrics import get_scorer
from sklearn.utils._metadata_requests import _routing_enabled as routing_enabled
from sklearn.utils._param_validation import (
    HasMethods,
    Interval,
    StrOptions,
    validate_parameter_constraints,
)
from sklearn.utils._set_output import _get_output_config
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import _check_method_params as rows_of_params

from distsearch.errors import InvalidInputError

__all__ = [
    "HasMethods",
    "Interval",
    "StrOptions",
    "available_when",
    "available_where",
    "check_parameters",
    "output_container",
    "response_methods",
    "routing_enabled",
    "rows_of_params",
    "validate_parameter_constraints",
]

Method = TypeVar("Method", bound=Callable[..., Any])


def available_when(inner: Callable[[Any], Any], method: str) -> Callable[[Method], Method]:
    """Make a method exist only where the wrapped estimator has it.

    Parameters
    ----------
    inner : callable
        Returns the wrapped estimator, given the wrapping one.
    method : str
        The name that the wrapped estimator must have.
    """

    def check(self: Any) -> bool:
        getattr(inner(self), method)  # its AttributeError says what is missing
        return True

    decorate: Callable[[Method], Method] = available_if(check)
    return decorate


def available_where(check: Callable[[Any], bool]) -> Callable[[Method], Method]:
    """Make a method exist only where a check does not raise AttributeError.

    Parameters
    ----------
    check : callable
        Given the estimator; its AttributeError says what is missing.
    """
    decorate: Callable[[Method], Method] = available_if(check)
    return decorate


def check_parameters(estimator: Any) -> None:
    """Refuse parameters that the estimator's own constraints do not allow.

    Parameters
    ----------
    estimator : estimator
        One without ``_parameter_constraints`` is not checked.

    Raises
    ------
    InvalidInputError
        With the parameter, its value and what is allowed.
    """
    if isinstance(estimator, type) or not getattr(estimator, "_parameter_constraints", None):
        return
    try:
        estimator._validate_params()
    except ValueError as error:
        raise InvalidInputError(str(error)) from None


def response_methods(metric: str) -> tuple[str, ...]:
    """Return the methods of an estimator any of which a metric, given by name, can work on."""
    methods: str | tuple[str, ...] = getattr(get_scorer(metric), "_response_method", "predict")
    return (methods,) if isinstance(methods, str) else tuple(methods)


def output_container(transformer: Any, method: str = "transform") -> str:
    """Return what `set_output` or the configuration asks for, such as "default" or "pandas"."""
    return str(_get_output_config(method, transformer)["dense"])
