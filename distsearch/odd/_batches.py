"""What is kept of rows that come in batches or shards: moments, as plain arrays."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from distsearch._wording import listed
from distsearch.errors import InvalidInputError
from distsearch.odd._moments import Moments

__all__ = [
    "Packed",
    "check_alike",
    "combine",
    "moments_kept_by",
    "pack",
    "unpack",
]

Packed = dict[str, Any]


def pack(classes: NDArray[Any], moments: Moments, centred: bool) -> Packed:
    """Return moments as plain arrays, for estimators hold nothing else.

    Parameters
    ----------
    classes : ndarray of shape (n_classes,)
        The labels.
    moments : Moments
        Of their rows.
    centred : bool
        Whether columns are to be centred; False if any rows were sparse.
    """
    return {"classes": classes, "centred": centred, **moments.state()}


def unpack(packed: Packed) -> tuple[NDArray[Any], Moments, bool]:
    """Return what was packed."""
    state = {name: each for name, each in packed.items() if name not in {"classes", "centred"}}
    return packed["classes"], Moments.from_state(state), packed["centred"]


def combine(one: Packed | None, other: Packed) -> Packed:
    """Return the moments of the rows of both.

    Raises
    ------
    InvalidInputError
        When labels are numbers in one and text in the other.
    """
    if one is None:
        return other
    known, so_far, was_centred = unpack(one)
    classes, moments, centred = unpack(other)
    if (known.dtype.kind in "OUS") != (classes.dtype.kind in "OUS"):
        raise InvalidInputError(
            f"Labels must be numbers in all batches, or text in all. Got {listed(classes, 3)} "
            f"after {listed(known, 3)}."
        )
    every = np.unique(np.concatenate([known, classes]))
    total = so_far.among(len(every), np.searchsorted(every, known)) + moments.among(
        len(every), np.searchsorted(every, classes)
    )
    return pack(every, total, was_centred and centred)


def moments_kept_by(estimator: Any) -> Packed | None:
    """Return the moments that an estimator keeps; None if it has seen no rows.

    Raises
    ------
    InvalidInputError
        When it was fitted in a way that keeps none.
    """
    packed: Packed | None = getattr(estimator, "_moments", None)
    if packed is None and hasattr(estimator, "components_"):
        raise InvalidInputError(
            "An estimator keeps what further rows can be added to unless it was fitted by fit "
            "through another activation, with pca, or on fewer rows than features. Begin a new one "
            "with partial_fit."
        )
    return packed


def check_alike(first: Any, other: Any) -> None:
    """Refuse estimators that do not have the same features.

    Parameters
    ----------
    first, other : estimator
        Fitted.

    Raises
    ------
    InvalidInputError
        With both numbers or names.
    """
    ours, theirs = (getattr(each, "feature_names_in_", None) for each in (first, other))
    same_names = np.array_equal([] if ours is None else ours, [] if theirs is None else theirs)
    if first.n_features_in_ != other.n_features_in_ or not same_names:
        raise InvalidInputError(
            f"merge takes estimators of the same features in the same order. Got "
            f"{first.n_features_in_} ({_some(ours)}) and {other.n_features_in_} ({_some(theirs)}) "
            f"instead."
        )


def _some(names: Any) -> str:
    return "without names" if names is None else listed(names, 5)
