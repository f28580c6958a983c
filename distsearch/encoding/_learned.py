"""What an encoder has learned: exact totals, from which every value follows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from distsearch._wording import listed, quoted
from distsearch.encoding._exact import Grid
from distsearch.encoding._target import MOST_CLASSES, Target, TargetType, check_labels
from distsearch.encoding._totals import Formula, Totals, add_up
from distsearch.errors import InvalidInputError

__all__ = ["Learned"]


@dataclass(frozen=True, eq=False, slots=True)
class Learned:
    """Totals of some rows.

    Parameters
    ----------
    target_type : {"auto", "binary", "continuous", "multiclass"}
        What the user calls the target.
    labels : ndarray of shape (n_labels,) or None
        The labels seen, sorted; None for numbers.
    overall : Totals
        Of all rows, without categories.
    columns : tuple of Totals
        Of each encoded column.
    n_rows : int
        How many rows there were.
    """

    target_type: str
    labels: NDArray[Any] | None
    overall: Totals
    columns: tuple[Totals, ...]
    n_rows: int

    @classmethod
    def of(cls, target_type: str, target: Target, columns: Sequence[Totals]) -> Learned:
        """Put together what was learned of rows with that target."""
        return cls(target_type, target.classes, add_up(target), tuple(columns), len(target))

    def __add__(self, other: Learned) -> Learned:
        """Return what all rows of both add up to."""
        labels = self._labels_with(other.labels)
        return Learned(
            self.target_type,
            labels,
            self.overall.with_classes(self.labels, labels)
            + other.overall.with_classes(other.labels, labels),
            tuple(
                one.with_classes(self.labels, labels) + two.with_classes(other.labels, labels)
                for one, two in zip(self.columns, other.columns, strict=True)
            ),
            self.n_rows + other.n_rows,
        )

    def _labels_with(self, more: NDArray[Any] | None) -> NDArray[Any] | None:
        if self.labels is None or more is None:
            if self.labels is not more:
                raise InvalidInputError(
                    "The targets of some rows are labels and those of others are numbers. Say "
                    "which they are: target_type='continuous' for numbers."
                )
            return None
        try:
            if _group(self.labels) != _group(more):
                raise TypeError
            labels = np.union1d(self.labels, more)
        except TypeError:
            raise InvalidInputError(
                f"The labels of the target are of mixed kinds: {listed(self.labels, 3)} and "
                f"{listed(more, 3)}. Make them all text or all numbers."
            ) from None
        check_labels(labels, self.target_type)
        many = len(labels) > MOST_CLASSES and labels.dtype.kind in "iuf"
        if many and self.target_type == "auto":
            raise InvalidInputError(
                f"The target has {len(labels)} distinct whole numbers so far, too many to be taken "
                f"for labels. Set target_type to 'continuous' or 'multiclass'."
            )
        return labels

    @property
    def kind(self) -> TargetType:
        """What the target is."""
        if self.labels is None:
            return "continuous"
        classes = self.classes
        assert classes is not None
        return "binary" if len(classes) <= 2 and self.target_type != "multiclass" else "multiclass"

    @property
    def classes(self) -> NDArray[Any] | None:
        """The classes: the labels seen, and the other one where only a 0 or a 1 was."""
        if self._lacks_zero_or_one():
            assert self.labels is not None
            return np.array([0, 1]).astype(self.labels.dtype)
        return self.labels

    def _lacks_zero_or_one(self) -> bool:
        labels = self.labels
        return (
            labels is not None
            and self.target_type != "multiclass"
            and len(labels) == 1
            and labels.dtype.kind in "biuf"
            and labels[0] in {0, 1}
        )

    def with_columns(self, columns: Sequence[Totals]) -> Learned:
        """Return the same with the totals of the encoded columns."""
        return replace(self, columns=tuple(columns))

    def before(self, labels: NDArray[Any] | None) -> tuple[Totals, ...]:
        """Return the totals of the columns with room for more labels.

        Raises
        ------
        InvalidInputError
            When the labels learned are not all among them.
        """
        known = None if labels is None else labels.tolist()
        own = None if self.labels is None else self.labels.tolist()
        if (own is None) != (known is None) or not set(own or ()) <= set(known or ()):
            raise InvalidInputError(
                "The earlier rows are not among those that the encoder was fitted on: their "
                "targets differ. Merge the earlier encoder into it first."
            )
        return tuple(totals.with_classes(self.labels, labels) for totals in self.columns)

    def is_ready(self, drop: Any) -> bool:
        """Say whether an encoding can follow, rather than wait for more classes."""
        classes = self.classes
        if classes is None:
            return True
        waits = self.kind == "multiclass" and not _is_known(drop)
        return len(classes) > 1 and not (waits and drop not in classes.tolist())

    def place(self, target: Target) -> Target:
        """Return a target with places among the labels learned.

        Raises
        ------
        InvalidInputError
            For a label that is not among them.
        """
        if (self.labels is None) != (target.classes is None):
            raise InvalidInputError(
                f"The encoder was fitted on a {self.kind} target. Got one of another type."
            )
        if target.classes is None or self.labels is None:
            return target
        new = [label for label in target.classes.tolist() if label not in self.labels.tolist()]
        if new:
            raise InvalidInputError(
                f"The target has labels that the encoder was not fitted on: {listed(new, 5)}. It "
                f"knows {listed(self.labels, 10)}."
            )
        return target.with_classes(self.labels)

    def formula(self, smoothing: float, prior: Any, drop: Any = None) -> Formula:
        """Return the formula of the encoding.

        Parameters
        ----------
        smoothing : float
            Rows of the prior that every category is given.
        prior : "mean" or float
            The prior.
        drop : label, "first" or None
            The class to leave out.

        Raises
        ------
        InvalidInputError
            For a target of one class, or when the class to leave out is none.
        """
        outputs = self._outputs(drop)
        if isinstance(prior, str):
            means = Formula(np.zeros(len(outputs)), 0.0, outputs).table(self.overall)[0]
        else:
            means = np.full(len(outputs), float(prior))
        with np.errstate(over="ignore"):
            finite = bool(np.isfinite(means * smoothing).all())
        if not finite:
            raise InvalidInputError(
                f"The prior ({quoted(float(means[0]))}) times the smoothing ({smoothing}) is no "
                f"finite number. Scale the target, or smooth less."
            )
        return Formula(means, float(smoothing), outputs)

    def _outputs(self, drop: Any) -> tuple[int, ...]:
        if self.labels is None:
            return (0,)
        if len(self.labels) == 1:
            if not self._lacks_zero_or_one():
                raise InvalidInputError(
                    f"The target has one class, {quoted(self.labels[0])}; an encoding needs two or "
                    f"more. Choose another target or other rows."
                )
            return (-1,) if self.labels[0] == 1 else (0,)
        if self.kind == "binary":
            return (0,)
        left_out = self.dropped(drop)
        return tuple(k - 1 for k in range(len(self.labels)) if k != left_out)

    def dropped(self, drop: Any) -> int | None:
        """Return the place of the class that is left out."""
        if drop is None or self.kind != "multiclass":
            return None
        assert self.labels is not None
        places = [k for k, label in enumerate(self.labels.tolist()) if label == drop]
        if places:
            return places[0]
        if isinstance(drop, str) and drop == "first":
            return 0
        raise InvalidInputError(
            f"drop must be None, 'first' or a class. Got {quoted(drop)} instead; the classes are "
            f"{listed(self.labels, 10)}."
        )

    def to_plain(self) -> dict[str, Any]:
        """Return the same as dictionaries of arrays and numbers, which any file format takes."""
        return {
            "target_type": self.target_type,
            "labels": self.labels,
            "overall": _plain(self.overall),
            "columns": [_plain(totals) for totals in self.columns],
            "n_rows": self.n_rows,
        }

    @classmethod
    def from_plain(cls, plain: dict[str, Any]) -> Learned:
        """Return what `to_plain` was made from."""
        columns = tuple(_totals(each) for each in plain["columns"])
        return cls(**{**plain, "overall": _totals(plain["overall"]), "columns": columns})


def _is_known(drop: Any) -> bool:
    return drop is None or (isinstance(drop, str) and drop == "first")


def _group(labels: NDArray[Any]) -> str:
    """Return what labels have to have in common to be compared."""
    return "number" if labels.dtype.kind in "biuf" else labels.dtype.kind


def _plain(totals: Totals) -> dict[str, Any]:
    return {
        "categories": _plain_categories(totals.categories),
        "weight": totals.weight,
        "sums": totals.sums,
        "weight_grid": [totals.weight_grid.low, totals.weight_grid.size],
        "sum_grid": [totals.sum_grid.low, totals.sum_grid.size],
    }


def _plain_categories(categories: NDArray[Any]) -> Any:
    """Return times and spans of time that are objects as numbers, which any file format takes."""
    if categories.dtype.kind != "O":
        return categories
    if not any(isinstance(category, (pd.Timestamp, pd.Timedelta)) for category in categories):
        return categories
    return [_plain_category(category) for category in categories]


def _plain_category(category: Any) -> Any:
    if isinstance(category, pd.Timestamp):
        zoned = category.tzinfo is not None
        utc = category.tz_convert("UTC").tz_localize(None) if zoned else category
        return {"zone" if zoned else "time": utc.to_datetime64()}
    return {"span": category.to_timedelta64()} if isinstance(category, pd.Timedelta) else category


def _category(plain: Any) -> Any:
    if not isinstance(plain, dict):
        return plain
    (kind, value), *_ = plain.items()
    if kind == "span":
        return pd.Timedelta(value)
    return pd.Timestamp(value, tz="UTC" if kind == "zone" else None)


def _totals(plain: dict[str, Any]) -> Totals:
    categories = plain["categories"]
    if isinstance(categories, list):
        restored = np.empty(len(categories), dtype=object)
        restored[:] = [_category(each) for each in categories]
        categories = restored
    grids: dict[str, Any] = {name: Grid(*plain[name]) for name in ("weight_grid", "sum_grid")}
    return Totals(**{**plain, **grids, "categories": categories})
