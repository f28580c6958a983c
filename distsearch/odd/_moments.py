"""What a linear fit needs of the rows: weight, mean and scatter of each class.

They are exact to add up, so rows may come in batches, in shards or in blocks on many workers.
Numbers are kept in a *frame*, an origin and a power of two for each column, so that neither a
large offset nor a huge value costs digits.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

__all__ = ["Frame", "Moments", "column_range", "is_sparse", "moments_of"]

Floats = NDArray[np.float64]


def is_sparse(X: Any) -> bool:
    """Say whether rows are a sparse array."""
    return bool(sparse.issparse(X))


@dataclass(frozen=True, eq=False)
class Frame:
    """Coordinates (x - origin) / unit of the columns.

    Parameters
    ----------
    origin, unit : ndarray of shape (n_features,)
        Units are powers of two.
    """

    origin: Floats
    unit: Floats

    @classmethod
    def identity(cls, n_features: int) -> Self:
        """Return the frame in which numbers stay as they are."""
        return cls(np.zeros(n_features), np.ones(n_features))

    @classmethod
    def around(cls, low: Floats, high: Floats, *, centred: bool = True) -> Self:
        """Return the frame in which this range is about [-1, 1].

        Parameters
        ----------
        low, high : ndarray of shape (n_features,)
            The range of each column.
        centred : bool
            Whether its middle becomes 0; sparse columns keep their own.
        """
        half = high / 2 - low / 2 if centred else np.maximum(np.abs(low), np.abs(high))
        _, exponent = np.frexp(half)
        # A subnormal unit would overflow when divided by, and 2**1024 is no number.
        unit = np.ldexp(1.0, np.where(half > 0, np.clip(exponent, -1020, 1023), 0))
        return cls(low / 2 + high / 2 if centred else np.zeros(len(low)), unit)

    def place(self, X: Any) -> Any:
        """Return rows in these coordinates; sparse ones only where the origin is 0."""
        if is_sparse(X):
            return X.multiply(1.0 / self.unit).tocsr()
        return (X - self.origin) / self.unit


@dataclass(frozen=True, eq=False)
class Moments:
    """Sums over the rows of each class.

    Parameters
    ----------
    weight : ndarray of shape (n_classes,)
        Total weight of its rows; their number where they have no weights.
    mean : ndarray of shape (n_classes, n_features)
        Its mean, in the frame's coordinates; 0 for a class without rows.
    scatter : ndarray of shape (n_classes, n_features, n_features)
        Σ w (x - mean)ᵀ(x - mean) over its rows, in the frame's coordinates.
    low, high : ndarray of shape (n_features,)
        Range of each column over all rows, as given.
    frame : Frame
        The coordinates.
    """

    weight: Floats
    mean: Floats
    scatter: Floats
    low: Floats
    high: Floats
    frame: Frame

    def state(self) -> dict[str, Any]:
        """Return plain arrays, from which `from_state` makes the same moments."""
        own = {name: value for name, value in vars(self).items() if name != "frame"}
        return {**own, "origin": self.frame.origin, "unit": self.frame.unit}

    @classmethod
    def from_state(cls, state: dict[str, Any]) -> Self:
        """Return the moments that `state` was of."""
        own = {name: value for name, value in state.items() if name not in {"origin", "unit"}}
        return cls(**own, frame=Frame(state["origin"], state["unit"]))

    def __add__(self, other: Moments) -> Moments:
        """Return the moments of the rows of both (the pairwise formula of Chan et al. 1983)."""
        other = other.in_frame(self.frame)
        weight = self.weight + other.weight
        share = np.divide(other.weight, weight, out=np.zeros_like(weight), where=weight > 0)
        step = other.mean - self.mean
        mean = self.mean + share[:, None] * step
        between = (self.weight * share)[:, None, None] * (step[:, :, None] * step[:, None, :])
        return Moments(
            weight,
            mean,
            self.scatter + other.scatter + between,
            np.minimum(self.low, other.low),
            np.maximum(self.high, other.high),
            self.frame,
        )

    def in_frame(self, frame: Frame) -> Moments:
        """Return the same moments in other coordinates."""
        if frame is self.frame:
            return self
        factor = self.frame.unit / frame.unit
        shift = (self.frame.origin - frame.origin) / frame.unit
        return replace(self._mapped(factor, shift), frame=frame)

    def rescaled(self, center: Floats, scale: Floats, kept: NDArray[np.intp]) -> Moments:
        """Return the moments of (x - center) · scale of the columns that are kept.

        Parameters
        ----------
        center, scale : ndarray of shape (n_kept,)
            The map.
        kept : ndarray of int of shape (n_kept,)
            The columns.
        """
        ours = Moments(
            self.weight,
            self.mean[:, kept],
            self.scatter[:, kept[:, None], kept],
            (self.low[kept] - center) * scale,
            (self.high[kept] - center) * scale,
            Frame.identity(len(kept)),
        )
        unit, origin = self.frame.unit[kept], self.frame.origin[kept]
        return ours._mapped(unit * scale, (origin - center) * scale)

    def among(self, n_classes: int, places: NDArray[np.intp]) -> Moments:
        """Return the moments with their classes at `places` among `n_classes`."""
        n_features = self.mean.shape[1]
        weight, mean = np.zeros(n_classes), np.zeros((n_classes, n_features))
        scatter = np.zeros((n_classes, n_features, n_features))
        weight[places], mean[places], scatter[places] = self.weight, self.mean, self.scatter
        return replace(self, weight=weight, mean=mean, scatter=scatter)

    def covariance(self, ddof: int = 1) -> Floats:
        """Return the covariance of each class, 0 for one whose weight is not above `ddof`.

        Parameters
        ----------
        ddof : {0, 1}
            What is taken off the weight in the divisor.
        """
        divisor = self.weight - ddof
        factor = np.divide(1.0, divisor, out=np.zeros_like(divisor), where=divisor > 0)
        covariance: Floats = self.scatter * factor[:, None, None]
        return covariance

    def _mapped(self, factor: Floats, shift: Floats) -> Moments:
        present = (self.weight > 0)[:, None]
        return replace(
            self,
            mean=np.where(present, self.mean * factor + shift, 0.0),
            scatter=self.scatter * factor[:, None] * factor,
        )


def moments_of(
    X: Any,
    codes: NDArray[np.intp],
    n_classes: int,
    weight: Floats | None = None,
    frame: Frame | None = None,
) -> Moments:
    """Add up the rows of each class.

    Parameters
    ----------
    X : ndarray or sparse array of shape (n_samples, n_features)
        Finite rows.
    codes : ndarray of int of shape (n_samples,)
        The class of each row.
    n_classes : int
        Number of classes; one may have no row.
    weight : ndarray of shape (n_samples,), optional
        How often each row counts.
    frame : Frame, optional
        Coordinates to add up in; by default the numbers as they are.
    """
    low, high = column_range(X)
    frame = Frame.identity(X.shape[1]) if frame is None else frame
    of_class = _of_sparse if is_sparse(X) else _of_dense
    order = np.argsort(codes, kind="stable")
    starts = np.searchsorted(codes[order], np.arange(n_classes + 1))
    total, n_features = np.zeros(n_classes), X.shape[1]
    mean = np.zeros((n_classes, n_features))
    scatter = np.zeros((n_classes, n_features, n_features))
    for k in range(n_classes):
        rows = order[starts[k] : starts[k + 1]]
        if len(rows):
            w = np.ones(len(rows)) if weight is None else weight[rows]
            total[k], mean[k], scatter[k] = of_class(frame.place(X[rows]), w)
    return Moments(total, mean, scatter, low, high, frame)


def column_range(X: Any) -> tuple[Floats, Floats]:
    """Return the smallest and largest value of each column, zeros of a sparse one included."""
    if is_sparse(X):
        X = X.tocsc()
        return X.min(axis=0).toarray().ravel(), X.max(axis=0).toarray().ravel()
    return X.min(axis=0), X.max(axis=0)


def _of_dense(X: Floats, w: Floats) -> tuple[float, Floats, Floats]:
    total = float(w.sum())
    mean = w @ X / total
    X = X - mean
    rest = w @ X / total  # what rounding left of the mean
    X -= rest
    return total, mean + rest, (X * w[:, None]).T @ X


def _of_sparse(X: Any, w: Floats) -> tuple[float, Floats, Floats]:
    total = float(w.sum())
    mean = np.asarray(X.T @ w).ravel() / total
    raw = (X.T @ X.multiply(w[:, None])).toarray()
    return total, mean, raw - total * np.outer(mean, mean)
