"""Which columns are encoded, what orders the rows, and what the outputs are called."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from distsearch._warn import warn_caller
from distsearch._wording import count, listed
from distsearch.encoding._categories import Column
from distsearch.encoding._columns import Columns, find_column, is_category
from distsearch.encoding._names import name_outputs
from distsearch.errors import InvalidInputError

__all__ = ["Features", "choose_features"]


@dataclass(frozen=True)
class Features:
    """The columns of a table as an encoder sees them.

    Parameters
    ----------
    n : int
        How many there are.
    names : tuple of str or None
        Their names, if they have any.
    encoded : tuple of int
        Positions of those that are encoded.
    ordered_by : int or None
        Position of the one that orders the training rows.
    """

    n: int
    names: tuple[str, ...] | None
    encoded: tuple[int, ...]
    ordered_by: int | None

    @property
    def known_names(self) -> tuple[str, ...]:
        """The names, or ``x0``, ``x1``, … where there are none."""
        return self.names or tuple(f"x{j}" for j in range(self.n))

    @property
    def encoded_names(self) -> list[str]:
        """Names of the encoded columns."""
        return [self.known_names[j] for j in self.encoded]

    def take_encoded(self, table: Columns) -> list[Column]:
        """Return the encoded columns of a table."""
        return [table[j] for j in self.encoded]

    def name_outputs(
        self, labels: Sequence[Any] | None, names: Sequence[str] | None = None
    ) -> list[list[str]]:
        """Name the outputs of each column, see `name_outputs`."""
        return name_outputs(names or self.known_names, self.encoded, labels)

    def check_same(self, other: Features) -> None:
        """Refuse an encoder of other columns.

        Raises
        ------
        InvalidInputError
            When the two differ.
        """
        if (self.n, self.names, self.encoded) != (other.n, other.names, other.encoded):
            raise InvalidInputError(
                f"Encoders belong together when they were fitted on the same columns. These encode "
                f"{listed(self.encoded_names, 10)} of {count(self.n, 'column')} and "
                f"{listed(other.encoded_names, 10)} of {count(other.n, 'column')}. If their types "
                f"differ from one part of the rows to the next, name the columns to encode."
            )


def choose_features(
    table: Columns, names: Sequence[str] | None, columns: Any, order: Any
) -> Features:
    """Find the columns to encode and the one to order by.

    Parameters
    ----------
    table : Columns
        The training rows.
    names : sequence of str or None
        Names of the columns.
    columns : "categorical", "all" or sequence of str or int
        Which to encode.
    order : "given", "random", or str or int
        What orders the rows.

    Raises
    ------
    UnknownNameError
        For a column that is not there.
    """
    n = len(table.columns)
    by = None
    if not (isinstance(order, str) and order in {"given", "random"}):
        by = find_column(order, names, n, "order")
    if isinstance(columns, str):
        every = columns == "all"
        chosen = [j for j in range(n) if j != by and (every or is_category(table[j]))]
        if not chosen:
            warn_caller(
                "None of the columns is categorical, so nothing is encoded. Name the columns to "
                "encode, or use columns='all'."
            )
    else:
        chosen = sorted({find_column(each, names, n, "columns") for each in columns})
    return Features(n, None if names is None else tuple(names), tuple(chosen), by)
