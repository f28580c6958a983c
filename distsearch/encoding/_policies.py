"""What becomes of values that are missing or were not seen in training."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from distsearch._wording import count, listed
from distsearch.encoding._categories import Codes, Column, as_objects, is_missing
from distsearch.errors import InvalidInputError

__all__ = ["Fixed", "Policies", "set_fixed"]


Fixed: TypeAlias = list[tuple[str, NDArray[np.bool_]]]
"""Policies, and which categories they are for, the missing one last."""


@dataclass(frozen=True, slots=True)
class Policies:
    """The two policies: "prior", "own", "nan" or "error".

    Parameters
    ----------
    unknown : str
        For categories that training had not.
    missing : str
        For missing values. With "own" they are a category, and unknown where training had none.
    """

    unknown: str
    missing: str

    def check_training(self, columns: list[Column], names: list[str]) -> None:
        """Refuse missing values in training rows where that is the policy."""
        if self.missing == "error":
            for column, name in zip(columns, names, strict=True):
                _refuse_missing(is_missing(column), name)

    def set_training(
        self, values: NDArray[np.float64], column: Column, prior: NDArray[np.float64]
    ) -> None:
        """Set the values of the training rows where one column is missing."""
        if self.missing in {"prior", "nan"}:
            rows = is_missing(column)
            values[rows] = prior if self.missing == "prior" else np.nan

    def replacements(
        self, codes: Codes, categories: NDArray[Any], places: Codes, has_missing: bool, name: str
    ) -> Fixed:
        """Return which categories, the missing one last, get which fixed value.

        Parameters
        ----------
        codes : ndarray of int of shape (n,)
            The rows' places among the categories; -1 for missing.
        categories : ndarray of shape (n_categories,)
            The column's categories.
        places : ndarray of int of shape (n_categories,)
            Their places among those of training; -1 for unknown ones.
        has_missing : bool
            Whether training had missing values.
        name : str
            The column's name.

        Raises
        ------
        InvalidInputError
            Where there are any, and the policy is "error".
        """
        if self.missing == "error":
            _refuse_missing(codes < 0, name)
        missing_is_unknown = self.missing == "own" and not has_missing
        unknown = np.append(places < 0, missing_is_unknown)
        if self.unknown == "error" and unknown.any():
            _refuse_unknown(codes, categories, unknown, name)
        missing = np.zeros(len(unknown), dtype=bool)
        missing[-1] = not missing_is_unknown
        return [(self.unknown, unknown), (self.missing, missing)]


def set_fixed(
    values: NDArray[np.float64],
    replacements: Fixed,
    prior: NDArray[np.float64],
    codes: Codes | None = None,
) -> None:
    """Write the fixed values of the policies into values by category, or by row with `codes`."""
    for policy, chosen in replacements:
        if policy in {"prior", "nan"} and chosen.any():
            rows = chosen if codes is None else chosen[codes]
            values[rows] = prior if policy == "prior" else np.nan


def _refuse_missing(missing: Any, name: str) -> None:
    rows = np.flatnonzero(np.asarray(missing))
    if len(rows):
        raise InvalidInputError(
            f"Column {name!r} has {count(len(rows), 'missing value')}, the first in row {rows[0]}. "
            f"Fill them in, or set handle_missing to 'own', 'prior' or 'nan'."
        )


def _refuse_unknown(
    codes: Codes, categories: NDArray[Any], unknown: NDArray[np.bool_], name: str
) -> None:
    rows = np.flatnonzero(unknown[codes])
    if len(rows):
        found = pd.unique(codes[rows])
        known = as_objects(categories)
        values = ["a missing value" if code < 0 else known[code] for code in found.tolist()]
        raise InvalidInputError(
            f"Column {name!r} has {count(len(rows), 'row')} with categories that training had not: "
            f"{listed(values, 5)}, the first in row {rows[0]}. Correct them, or set handle_unknown "
            f"to 'prior', 'own' or 'nan'."
        )
