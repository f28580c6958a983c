"""The strategies of the Box-Cox search by name."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from distsearch._wording import did_you_mean
from distsearch.boxcox._grids import MLE, DiagonalGrid, FullGrid, SphericalGrid
from distsearch.boxcox._iterative import IterativeGrid
from distsearch.errors import InvalidInputError, UnknownNameError
from distsearch.search import Strategy

__all__ = ["STRATEGIES", "make_strategy"]

STRATEGIES: dict[str, Callable[[], Strategy]] = {
    "iterative": IterativeGrid,
    "spherical": SphericalGrid,
    "diagonal": DiagonalGrid,
    "full": FullGrid,
    "mle": MLE,
}
"""The strategies by name."""


def make_strategy(name: str, params: Mapping[str, Any] | None = None) -> Any:
    """Make a strategy from its name and parameters.

    Parameters
    ----------
    name : str
        A key of `STRATEGIES`.
    params : mapping of str to object, optional
        Its parameters; the others keep their defaults. Their values are checked when a search
        begins.

    Raises
    ------
    UnknownNameError
        For another name.
    InvalidInputError
        For a parameter that the strategy does not have; the message names those that do.

    Examples
    --------
    >>> make_strategy("iterative", {"epochs": 2})
    IterativeGrid(epochs=2)
    """
    if not isinstance(name, str) or name not in STRATEGIES:
        raise UnknownNameError(
            f"strategy must be one of {', '.join(STRATEGIES)}. Got {name!r} instead."
            f"{did_you_mean(str(name), STRATEGIES)}"
        )
    strategy: Any = STRATEGIES[name]()
    for key in params or {}:
        if key not in strategy.get_params(deep=False):
            users = [each for each, make in STRATEGIES.items() if key in vars(make())]
            raise InvalidInputError(
                f"{key} has no effect on the strategy {name!r}; it belongs to "
                f"{' and '.join(users)}. Leave it out, or choose another strategy."
            )
    return strategy.set_params(**(params or {}))
