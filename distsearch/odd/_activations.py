"""The function g in F(x) = g(xM + r), with its derivative."""

from __future__ import annotations

from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from distsearch.errors import InvalidInputError

__all__ = ["Activation", "Linear", "Tanh", "get_activation"]

Floats = NDArray[np.float64]


class Activation(Protocol):
    """An elementwise function, smooth enough for gradients."""

    def value(self, z: Floats) -> Floats:
        """Return g(z)."""

    def derivative(self, z: Floats, y: Floats) -> Floats:
        """Return g'(z), given z and y = g(z)."""


class Linear:
    """g(z) = z."""

    is_odd = True

    def value(self, z: Floats) -> Floats:
        """Return g(z)."""
        return z

    def derivative(self, z: Floats, y: Floats) -> Floats:
        """Return g'(z)."""
        del y
        return np.ones_like(z)


class Tanh:
    """g(z) = tanh z."""

    is_odd = True

    def value(self, z: Floats) -> Floats:
        """Return g(z)."""
        return np.tanh(z)

    def derivative(self, z: Floats, y: Floats) -> Floats:
        """Return g'(z)."""
        del z
        return 1.0 - y * y


_NAMED: dict[str, type[Any]] = {"linear": Linear, "tanh": Tanh}


def get_activation(activation: Any) -> Activation:
    """Return the activation of that name, or the object itself.

    Raises
    ------
    InvalidInputError
        When its values or derivatives have another shape than what they are of.
    """
    if isinstance(activation, str):
        named: Activation = _NAMED[activation]()
        return named
    z = np.linspace(-1.0, 1.0, 6).reshape(3, 2)
    y = np.asarray(activation.value(z))
    if y.shape != z.shape or np.shape(activation.derivative(z, y)) != z.shape:
        raise InvalidInputError(
            f"activation must work elementwise: value(z) and derivative(z, y) must return arrays "
            f"of the shape of z. Got {np.shape(y)} and {np.shape(activation.derivative(z, y))} "
            f"for {z.shape} instead."
        )
    given: Activation = activation
    return given
