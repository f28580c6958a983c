import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from distsearch.boxcox import summarize_grid
from distsearch.errors import InvalidInputError

GRID = np.arange(-5.0, 6.0)


def slowly(means, base, grid):
    """The rules of Algorithm 1, pair by pair."""
    n, grid = len(grid), [float(value) for value in grid]
    one = grid.index(1.0)
    best, argmax = -np.inf, None
    for i, j in itertools.product(range(n), range(n)):
        if means[i][j] > best:
            best, argmax = means[i][j], (grid[i], grid[j])
    spherical, same = -np.inf, None
    for i in range(n):
        if means[i][i] > spherical:
            spherical, same = means[i][i], grid[i]
    rows = [i for i in range(n) if means[i][one] == max(means[k][one] for k in range(n))]
    columns = [j for j in range(n) if means[one][j] == max(means[one])]
    diagonal, pair = -np.inf, None
    for i in rows:
        for j in columns:
            if means[i][j] > diagonal:
                diagonal, pair = means[i][j], (grid[i], grid[j])
    return (
        best, argmax, best - base, spherical - base, same, diagonal - base, pair,
    )  # fmt: skip


def quickly(means, base, grid):
    found = summarize_grid(means, base, grid)
    assert found.base == base
    return (
        found.best, found.argmax, found.full, found.spherical, found.spherical_lambda,
        found.diagonal, found.diagonal_lambdas,
    )  # fmt: skip


# Few levels make many ties.
@given(arrays(float, (11, 11), elements=st.integers(0, 4)), st.integers(0, 4))
def test_the_rules_pair_by_pair(means, base):
    assert quickly(means, base, GRID) == slowly(means.tolist(), base, GRID)


@given(st.integers(1, 5), st.data())
def test_any_grid_with_one_in_it(n, data):
    place = data.draw(st.integers(0, n - 1))
    grid = np.arange(n) * 0.5 + 1.0 - 0.5 * place
    means = data.draw(arrays(float, (n, n), elements=st.integers(-3, 3)))
    assert quickly(means, 0, grid) == slowly(means.tolist(), 0, grid)


@given(arrays(float, (11, 11), elements=st.integers(0, 100)))
def test_the_full_grid_is_never_worse_than_the_shorter_searches(means):
    found = summarize_grid(means, 50.0, GRID)
    assert found.full >= max(found.spherical, found.diagonal)
    # Both see λ = 1 for both features.
    assert found.spherical >= means[6, 6] - 50


def test_a_grid_without_any_difference():
    found = summarize_grid(np.full((11, 11), 80.0), 80.0, GRID)
    assert found.argmax == found.diagonal_lambdas == (-5, -5)
    assert (found.full, found.spherical, found.diagonal) == (0, 0, 0)


def test_the_second_coordinate_is_the_faster_one():
    means = np.zeros((11, 11))
    means[2, 9] = means[3, 0] = 7.0
    found = summarize_grid(means, 1.0, GRID)
    assert (found.best, found.argmax, found.full) == (7, (-3, 4), 6)


def test_joined_maxima_may_be_worse_than_nothing():
    means = np.full((11, 11), 60.0)
    means[2, 6], means[6, 9], means[2, 9] = 61.0, 62.0, 55.0
    found = summarize_grid(means, 60.0, GRID)
    assert (found.diagonal_lambdas, found.diagonal) == ((-3, 4), -5)
    assert (found.argmax, found.full) == ((1, 4), 2)


def test_among_tied_maxima_the_best_pair_is_joined():
    means = np.zeros((11, 11))
    means[[0, 4], 6] = 1.0
    means[6, [1, 8]] = 1.0
    means[0, 1], means[0, 8], means[4, 1], means[4, 8] = 0.2, 0.4, 0.7, 0.7
    found = summarize_grid(means, 0.0, GRID)
    assert (found.diagonal_lambdas, found.diagonal) == ((-1, -4), 0.7)


def test_sums_in_another_order_are_ties():
    folds = np.array([0.1, 0.2, 0.3])
    forth, back = folds.sum(), folds[::-1].sum()
    assert forth != back
    means = np.zeros((11, 11))
    means[0, 5], means[8, 8] = min(forth, back), max(forth, back)
    assert summarize_grid(means, 0.0, GRID).argmax == (-5, 0)


@pytest.mark.parametrize(
    ("means", "base", "grid", "words"),
    [
        (np.zeros((3, 3)), 0.0, [-1, 0, 2], r"1 among them.*Got \[-1\.0, 0\.0, 2\.0\] instead"),
        (np.zeros((3, 3)), 0.0, [2, 1, 0], "ascending"),
        (np.zeros((3, 3)), 0.0, [[1, 2, 3]], "ascending"),
        (np.zeros((3, 2)), 0.0, [0, 1, 2], r"each of the 3 λ .* shape \(3, 2\)"),
        ([[0, np.nan], [0, np.nan]], 0.0, [0, 1], "2 of the 4 means is not"),
        (np.zeros((2, 2)), np.nan, [0, 1], "but base is not"),
    ],
)
def test_what_cannot_be_summarised(means, base, grid, words):
    with pytest.raises(InvalidInputError, match=words):
        summarize_grid(means, base, grid)
