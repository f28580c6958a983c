"""What a setting is a setting of: an estimator or a method, and which parameters it has."""

from __future__ import annotations

import math
from collections.abc import Collection, Hashable, Mapping
from typing import Any, Protocol

from sklearn.base import is_classifier, is_regressor

from distsearch._sklearn import validate_parameter_constraints
from distsearch._wording import quoted
from distsearch.errors import DistsearchError, InvalidInputError
from distsearch.registry import SHORT_NAMES, make_estimator
from distsearch.sweep._methods import check_method, get_method

__all__ = ["EstimatorSubject", "MethodSubject", "Subject"]


class Subject(Protocol):
    """An estimator or a method.

    Its checks return what is wrong, or None.
    """

    @property
    def defaults(self) -> Mapping[str, Any]:
        """The parameters with their defaults."""

    def default(self, key: str) -> Any:
        """Return the default of a parameter."""

    def check_key(self, key: str) -> str | None:
        """Check that there is a parameter of that name."""

    def takes(self, key: str, value: Any) -> bool | None:
        """Say whether a parameter is declared to take a value; None if nothing is declared."""

    def check_value(self, key: str, value: Any) -> str | None:
        """Check a value by itself."""

    def check_together(self, params: Mapping[str, Any]) -> str | None:
        """Check the parameters of a setting, each of which is right by itself."""


class EstimatorSubject:
    """An estimator of the registry.

    Parameters
    ----------
    name : str
        Its name.
    trust : collection of str
        Modules that may be imported for it.

    Raises
    ------
    InvalidInputError
        There is no such estimator, or it cannot be made.
    """

    def __init__(self, name: str, trust: Collection[str]) -> None:
        self._name, self._trust = name, trust
        self.estimator = self._make({})
        cls = type(self.estimator)
        if name not in SHORT_NAMES and ":" not in name:
            # Names of classes are looked up in all of scikit-learn, which takes a while each time.
            self._name, self._trust = f"{cls.__module__}:{cls.__name__}", (cls.__module__,)
        self.defaults: dict[str, Any] = self.estimator.get_params(deep=False)
        self._constraints: Mapping[str, Any] = getattr(cls, "_parameter_constraints", None) or {}

    @property
    def kind(self) -> str:
        """What it is: "a classifier", "a regressor" or "neither of them"."""
        if is_classifier(self.estimator):
            return "a classifier"
        return "a regressor" if is_regressor(self.estimator) else "neither of them"

    def _make(self, params: Mapping[str, Any]) -> Any:
        try:
            return make_estimator(self._name, params, trust=self._trust)
        except DistsearchError:
            raise
        except Exception as error:  # whatever code from elsewhere raises
            raise InvalidInputError(
                f"{self._name} cannot be made: {type(error).__name__}: {error}."
            ) from error

    def default(self, key: str) -> Any:
        """Return the default of a parameter."""
        return self.defaults[key]

    def check_key(self, key: str) -> str | None:
        """Check that there is a parameter of that name."""
        return None if key in self.defaults else self._refusal({key: None})

    def takes(self, key: str, value: Any) -> bool | None:
        """Say whether a parameter is declared to take a value; None if nothing is declared."""
        if key not in self._constraints:
            return None
        try:
            validate_parameter_constraints(self._constraints, {key: value}, self._name)
        except ValueError:
            return False
        return True

    def check_value(self, key: str, value: Any) -> str | None:
        """Check a value by itself."""
        return None if self.takes(key, value) else self._refusal({key: value})

    def check_together(self, params: Mapping[str, Any]) -> str | None:
        """Check values that are allowed, but perhaps not with each other."""
        return self._refusal(params)

    def _refusal(self, params: Mapping[str, Any]) -> str | None:
        try:
            self._make(params)
        except DistsearchError as error:
            return str(error)
        return None


class MethodSubject:
    """A method.

    Parameters
    ----------
    name : str
        Its name.
    estimator : estimator
        One that it is to work around.

    Raises
    ------
    UnknownNameError
        There is no such method.
    """

    def __init__(self, name: str, estimator: Any) -> None:
        self._name, self._estimator = name, estimator
        self._method = get_method(name)
        self.defaults: Mapping[str, Any] = self._method.parameters
        self._checked: dict[Hashable, str | None] = {}

    def default(self, key: str) -> Any:
        """Return the default of a parameter."""
        stem = key.rpartition("_")[0]
        return self.defaults.get(key, self.defaults.get(f"{stem}_*"))

    def check_key(self, key: str) -> str | None:
        """Check that there is a parameter of that name."""
        return None if self._method.knows(key) else self._refusal({key: None})

    def takes(self, key: str, value: Any) -> bool | None:
        """Leave texts for whole numbers, such as cv = 'resubstitution', to `check_together`."""
        text = isinstance(value, str) and type(self.default(key)) is int
        return False if text else None

    def check_value(self, key: str, value: Any) -> str | None:
        """Check that numbers are finite; what else a value may be depends on others."""
        if not isinstance(self.default(key), float):
            return None
        numbers = value if isinstance(value, list) and value else [value]
        if all(type(each) in {int, float} and math.isfinite(each) for each in numbers):
            return None
        allowed = "a finite number" if "_" in key else "a finite number or a list of them"
        return f"{key} must be {allowed}. Got {quoted(value)} instead."

    def check_together(self, params: Mapping[str, Any]) -> str | None:
        """Check the parameters of a setting."""
        # A table can have a hundred thousand rows of λ, each as good as any other.
        kind = tuple(
            (key, type(value) if self._is_lambda(key) else repr(value))
            for key, value in params.items()
        )
        if kind not in self._checked:
            self._checked[kind] = self._refusal(params)
        return self._checked[kind]

    def _is_lambda(self, key: str) -> bool:
        return key not in self.defaults and isinstance(self.default(key), float)

    def _refusal(self, params: Mapping[str, Any]) -> str | None:
        try:
            check_method(self._name, params, self._estimator)
        except DistsearchError as error:
            return str(error)
        return None
