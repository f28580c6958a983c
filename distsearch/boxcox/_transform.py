"""The Box-Cox map of one column, its inverse, and the scaling to [1, 2] before it.

References
----------
Box, G. E. P. and Cox, D. R. (1964). An analysis of transformations. Journal of the Royal
Statistical Society B 26(2), 211-252.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import special

__all__ = ["box_cox", "inverse_box_cox", "scale_to_range", "unscale_from_range"]

Floats = NDArray[np.floating[Any]]

_LOG_BELOW = 1e-19
"""|λ| below which SciPy's map is the plain logarithm, so that its inverse must be too."""


def _head_room(dtype: np.dtype[Any]) -> float:
    """Return the largest power of e that still leaves room to be squared and summed."""
    return float(np.log(np.finfo(dtype).max)) / 3.0


def box_cox(x: Floats, lam: float) -> Floats:
    """Map positive values by the Box-Cox transform; finite for every finite input.

    Parameters
    ----------
    x : ndarray
        Values; in the search they lie in [1, 2]. NaN stays NaN.
    lam : float
        λ of the map.

    Returns
    -------
    ndarray
        ``log(x)`` for λ = 0, else ``expm1(λ log x) / λ``, computed in double precision, in the
        dtype of ``x``. Values so far outside that the power would leave the range of the dtype
        (zero and negative values among them) are treated as the nearest that does not.

    Notes
    -----
    Through ``expm1`` the map is exact near λ = 0, where ``(x**λ - 1) / λ`` loses every digit.
    """
    limit = _head_room(x.dtype)
    lowest, highest = np.exp(-limit), np.exp(limit)
    if abs(lam) > 1.0:
        lowest, highest = np.exp(-limit / abs(lam)), np.exp(limit / abs(lam))
    values = x.astype(np.float64, copy=False)
    # Unlike nanmin, fmin says nothing when all there is is NaN.
    if values.size and not (
        np.fmin.reduce(values, axis=None) >= lowest and np.fmax.reduce(values, axis=None) <= highest
    ):
        values = np.clip(values, lowest, highest)
    mapped: Floats = special.boxcox(values, lam).astype(x.dtype, copy=False)
    return mapped


def inverse_box_cox(z: Floats, lam: float) -> Floats:
    """Undo `box_cox`.

    Parameters
    ----------
    z : ndarray
        Mapped values. Values that no positive number maps to are treated as the nearest that
        one does.
    lam : float
        λ of the map.
    """
    limit = _head_room(z.dtype)
    logs = z.astype(np.float64, copy=False)
    if abs(lam) >= _LOG_BELOW:
        with np.errstate(over="ignore", divide="ignore"):
            powers = np.clip(logs * lam, -1.0, np.expm1(limit))
            logs = np.log1p(powers) / lam
    values: Floats = np.exp(np.clip(logs, -limit, limit)).astype(z.dtype, copy=False)
    return values


def scale_to_range(x: Floats, low: float, high: float) -> Floats:
    """Map the range [low, high] of a column linearly onto [1, 2].

    The difference is taken before the division, so that a column with a small spread around a
    large value keeps its digits; the range may be as large as the dtype holds. Values too far
    outside it become infinite, which `box_cox` brings back.
    """
    with np.errstate(over="ignore"):
        if np.isfinite(high - low):
            scaled: Floats = 1.0 + (x - low) / (high - low)
        else:
            half = high / 2.0 - low / 2.0
            scaled = 1.0 + (x / 2.0 - low / 2.0) / half
    return scaled


def unscale_from_range(scaled: Floats, low: float, high: float) -> Floats:
    """Undo `scale_to_range`."""
    share = scaled - 1.0
    values: Floats = low * (1.0 - share) + high * share
    return values
