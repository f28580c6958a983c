"""Columns of new rows beside what was learned of them."""

from __future__ import annotations

import zlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from distsearch.encoding._categories import Codes, Column, factorize, locate
from distsearch.encoding._policies import Fixed, Policies
from distsearch.encoding._totals import Totals

__all__ = ["Located", "fingerprint", "locate_columns"]


@dataclass(frozen=True, eq=False, slots=True)
class Located:
    """A column of new rows beside what was learned of it.

    Parameters
    ----------
    name : str
        The column.
    codes : ndarray of int of shape (n_rows,)
        Places of the rows among its own categories; -1 for missing.
    places : ndarray of int of shape (n_categories,)
        Places of these among the categories learned; -1 for unknown.
    totals : Totals
        What was learned of these.
    """

    name: str
    codes: Codes
    places: Codes
    totals: Totals

    def fixed(self, policies: Policies) -> Fixed:
        """Return which of its categories get fixed values, see `Policies.replacements`."""
        has_missing = bool(self.totals.weight[-1].any())
        return policies.replacements(
            self.codes, self.totals.categories, self.places, has_missing, self.name
        )


def locate_columns(
    columns: Sequence[Column],
    names: Sequence[str],
    learned: Sequence[Totals],
    indexes: Sequence[pd.Index],
) -> Iterator[Located]:
    """Yield how each column relates to what was learned of it.

    Parameters
    ----------
    columns : sequence of ndarray or Series
        The columns of new rows.
    names : sequence of str
        Their names.
    learned : sequence of Totals
        What was learned of each.
    indexes : sequence of pandas.Index
        The categories learned, from `Totals.index`.
    """
    for column, name, totals, index in zip(columns, names, learned, indexes, strict=True):
        codes, categories = factorize(column, name)
        places = locate(index, categories)
        yield Located(name, codes, places, totals.take(places, categories))


def fingerprint(columns: Iterator[Located]) -> list[int]:
    """Return a number for each column by which the same rows can be told again."""
    return [zlib.crc32(np.append(located.places, -2)[located.codes].data) for located in columns]
