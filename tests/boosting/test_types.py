"""Types of clusters, at and around the borders."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from distsearch.boosting._types import TYPES, census_of, minority_share, type_of


@pytest.mark.parametrize(
    ("size", "minority", "wrong", "delta1", "delta2", "expected"),
    [
        # Table 1: homogeneous below δ2, prospering from 1 - δ1 on.
        (10, 0, 0, 0.2, 0.3, "HOP"),
        (10, 2, 2, 0.2, 0.3, "HOP"),
        (10, 2, 3, 0.2, 0.3, "HOS"),
        (10, 3, 2, 0.2, 0.3, "HEP"),
        (10, 3, 3, 0.2, 0.3, "HES"),
        # Right on 9 of 10 is exactly 1 - 0.1, where 1 - 0.1 and 9/10 are rounded.
        (10, 0, 1, 0.1, 0.3, "HOP"),
        (10, 0, 2, 0.1, 0.3, "HOS"),
        (100, 0, 30, 0.3, 0.3, "HOP"),  # 1 - 0.3 = 0.7 = 70/100
        (100, 0, 31, 0.3, 0.3, "HOS"),
        (20, 0, 3, 0.15, 0.3, "HOP"),
        (40, 0, 6, 0.15, 0.3, "HOP"),
        # A minority of exactly δ2 is heterogeneous.
        (10, 3, 0, 0.2, 0.3, "HEP"),
        (30, 9, 0, 0.2, 0.3, "HEP"),
        (30, 8, 0, 0.2, 0.3, "HOP"),
        (20, 7, 0, 0.2, 0.35, "HEP"),
        (1000, 349, 0, 0.2, 0.35, "HOP"),
        # The ends of the ranges.
        (10, 0, 0, 0.0, 0.0, "HEP"),
        (10, 0, 1, 0.0, 1.0, "HOS"),
        (10, 9, 10, 1.0, 1.0, "HOP"),
    ],
)
def test_types_by_counts(size, minority, wrong, delta1, delta2, expected):
    assert type_of(size, minority, wrong, delta1, delta2) == expected
    assert expected in TYPES


@given(
    st.integers(1, 400), st.integers(0, 400), st.integers(0, 400), st.integers(0, 20),
    st.integers(0, 20),
)  # fmt: skip
def test_types_are_those_of_exact_numbers(size, minority, wrong, d1, d2):
    minority, wrong = min(minority, size - 1), min(wrong, size)
    kind = type_of(size, minority, wrong, d1 / 20, d2 / 20)
    prospering = Fraction(size - wrong, size) >= 1 - Fraction(d1, 20)
    homogeneous = Fraction(minority, size) < Fraction(d2, 20)
    assert kind == ("HO" if homogeneous else "HE") + ("P" if prospering else "S")


@given(
    st.integers(1, 50),
    st.floats(0, 1),
    st.floats(0, 1),
    st.lists(st.floats(0, 1), min_size=4, max_size=4),
)
def test_types_are_monotone(size, minority, wrong, deltas):
    counts = size, round(minority * (size - 1)), round(wrong * size)
    (low1, high1), (low2, high2) = sorted(deltas[:2]), sorted(deltas[2:])
    low, high = type_of(*counts, low1, low2), type_of(*counts, high1, high2)
    assert (low[2], high[2]) != ("P", "S")
    assert (low[:2], high[:2]) != ("HO", "HE")


def test_types_take_numbers_of_numpy_and_shares_of_weights():
    assert type_of(np.float64(10), np.float64(3), np.float64(1), np.float64(0.1), 0.3) == "HEP"
    assert type_of(2.5, 0.5, 0.25, 0.1, 0.3) == "HOP"
    tenths = sum([0.1] * 3)  # 0.30000000000000004
    assert type_of(1.0, tenths, tenths, 0.3, 0.3) == "HEP"
    assert type_of(10, 0, 10, True, 1) == "HOP"
    assert type_of(10, 3, 1, np.float32(0.1), np.float32(0.3)) == "HEP"


def test_a_census_counts_weights():
    clusters = np.array([0, 0, 0, 1, 1, 3])
    codes = np.array([0, 1, 1, 2, 0, 2])
    weight = np.array([1.0, 2.0, 3.0, 4.0, 4.0, 5.0])
    wrong = np.array([True, False, True, False, True, False])
    census = census_of(clusters, 4, codes, 3, weight, wrong)
    assert census.size.tolist() == [6, 8, 0, 5]
    assert census.minority.tolist() == [1, 4, 0, 0]
    assert census.wrong.tolist() == [4, 4, 0, 0]
    assert census.majority.tolist() == [1, 0, 0, 2]


def test_minority_share():
    assert minority_share(np.array([0, 1, 1, 2]), np.array([1.0, 2.0, 3.0, 2.0])) == 0.375
