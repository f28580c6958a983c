"""Types of clusters (Table 1): what the labels of their rows and the initial function say."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["TYPES", "Census", "census_of", "minority_share", "type_of"]

Codes = NDArray[np.intp]
Floats = NDArray[np.float64]

TYPES = ("HES", "HEP", "HOS", "HOP")
"""Heterogeneous or homogeneous, struggling or prospering."""


@dataclass(frozen=True, eq=False)
class Census:
    """Counts of rows by cluster, all weighted.

    Parameters
    ----------
    size : ndarray of shape (n_clusters,)
        Rows.
    minority : ndarray of shape (n_clusters,)
        Rows that have another label than most of their cluster.
    wrong : ndarray of shape (n_clusters,)
        Rows that the initial function gets wrong.
    majority : ndarray of int of shape (n_clusters,)
        The label that most rows have, of equal ones the first.
    """

    size: Floats
    minority: Floats
    wrong: Floats
    majority: Codes


def census_of(
    clusters: Codes, n_clusters: int, codes: Codes, n_classes: int, weight: Floats, wrong: Any
) -> Census:
    """Count the rows of each cluster.

    Parameters
    ----------
    clusters : ndarray of int of shape (n_rows,)
        The cluster of each row.
    n_clusters, n_classes : int
        How many there are.
    codes : ndarray of int of shape (n_rows,)
        Labels.
    weight : ndarray of shape (n_rows,)
        As how many rows each counts.
    wrong : ndarray of bool of shape (n_rows,)
        Whether the initial function gets a row wrong.
    """
    table = np.zeros((n_clusters, n_classes))
    np.add.at(table, (clusters, codes), weight)
    size = table.sum(axis=1)
    mistakes = np.bincount(clusters, weights=weight * wrong, minlength=n_clusters)
    return Census(
        size=size,
        minority=size - table.max(axis=1),
        wrong=mistakes.astype(np.float64),
        majority=table.argmax(axis=1),
    )


def type_of(size: float, minority: float, wrong: float, delta1: float, delta2: float) -> str:
    """Return the type of a cluster, decided by counts.

    Prospering when at least 1 - δ1 of its rows are right, homogeneous when fewer than δ2 belong to
    another class than most; both δ are the decimal numbers that they are written as.

    Parameters
    ----------
    size, minority, wrong : float
        Rows, rows of other classes than most, and rows that the initial function gets wrong.
    delta1, delta2 : float
        δ1 and δ2.

    Examples
    --------
    >>> type_of(10, 3, 2, 0.2, 0.3), type_of(10, 2, 3, 0.2, 0.3)
    ('HEP', 'HOS')
    """
    rows = _exact(size)
    prospering = _exact(wrong) <= Fraction(str(delta1 + 0)) * rows
    homogeneous = _exact(minority) < Fraction(str(delta2 + 0)) * rows
    return ("HO" if homogeneous else "HE") + ("P" if prospering else "S")


def _exact(total: float) -> Fraction:
    """Return a sum of weights without the rounding of its last digits; counts are as they are."""
    return Fraction(total).limit_denominator(10**9)


def minority_share(codes: Codes, weight: Floats) -> float:
    """Return the share of the rows that belong to another class than most."""
    counts = np.bincount(codes, weights=weight)
    return float(1 - counts.max() / counts.sum())
