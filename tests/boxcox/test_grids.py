import itertools

import numpy as np
import pytest
from boxcox.reference_program import scaled_to_one_two, training_accuracy
from hypothesis import given
from hypothesis import strategies as st
from search.toys import drive, steps
from sklearn.naive_bayes import GaussianNB

from distsearch.boxcox import MLE, DiagonalGrid, FullGrid, IterativeGrid, SphericalGrid
from distsearch.errors import InvalidInputError

GRID = [-5.0, -4.0, -3.0, -2.0, -1.0, 0.0, 1.0, 2.0, 3.0, 4.0, 5.0]


class TestFullGrid:
    def test_order(self):
        _, _, asked = drive(FullGrid(gridsize=3, bounds=(-1, 1)), steps(9), [0, 0])
        assert asked.tolist() == [
            [-1, -1], [-1, 0], [-1, 1], [0, -1], [0, 0], [0, 1], [1, -1], [1, 0], [1, 1],
        ]  # fmt: skip

    @given(st.integers(1, 30), st.integers(0, 255))
    def test_first_maximum(self, levels, salt):
        score = steps(levels, salt)
        best, value, asked = drive(FullGrid(gridsize=5), score, [0, 0])
        points = itertools.product([-5.0, -2.5, 0.0, 2.5, 5.0], repeat=2)
        scores = [score(point) for point in points]
        assert value == max(scores)
        np.testing.assert_array_equal(best, asked[scores.index(max(scores))])

    def test_all_scores_may_be_negative(self):
        best, value, _ = drive(FullGrid(), lambda point: -abs(point[0] - 3) - 1, [0])
        assert (best.tolist(), value) == ([3.0], -1.0)

    def test_larger_than_a_batch(self):
        strategy = FullGrid(gridsize=11)
        best, _, asked = drive(strategy, lambda point: float(point @ [1, 2, 3, -1]), [0] * 4)
        assert len(asked) == len(np.unique(asked, axis=0)) == 11**4 == strategy.planned(4)
        assert best.tolist() == [5, 5, 5, -5]

    def test_guard(self):
        with pytest.raises(InvalidInputError, match=r"11\^6 candidates; at most 1,000,000"):
            FullGrid().begin(np.zeros(6), np.random.SeedSequence(0))
        with pytest.raises(InvalidInputError, match=r"3\^2 .* at most 8 "):
            FullGrid(3, max_candidates=8).begin(np.zeros(2), np.random.SeedSequence(0))
        drive(FullGrid(3, max_candidates=9), steps(2), [0, 0])


class TestSphericalGrid:
    @given(st.integers(1, 6), st.integers(0, 255))
    def test_first_maximum(self, levels, salt):
        score = steps(levels, salt)
        best, value, asked = drive(SphericalGrid(), score, [9, 9, 9])
        assert asked.tolist() == [[lam] * 3 for lam in GRID]
        scores = [score([lam] * 3) for lam in GRID]
        assert value == max(scores)
        assert best.tolist() == [GRID[scores.index(max(scores))]] * 3


def diagonal_by_hand(score, p):
    joined = [1.0] * p
    for j in range(p):
        best = score([1.0] * p)
        for lam in GRID:
            trial = [1.0] * p
            trial[j] = lam
            if score(trial) > best:
                best, joined[j] = score(trial), lam
    return joined, score(joined)


class TestDiagonalGrid:
    @given(st.integers(1, 20), st.integers(0, 255), st.integers(1, 4))
    def test_each_column_on_its_own(self, levels, salt, p):
        score = steps(levels, salt)
        best, value, asked = drive(DiagonalGrid(), score, [9.0] * p)
        assert (best.tolist(), value) == diagonal_by_hand(score, p)
        assert asked[0].tolist() == [1.0] * p
        assert asked[-1].tolist() == best.tolist()
        assert len(asked) == 11 * p + 2

    def test_a_tie_keeps_lambda_one(self):
        best, _, _ = drive(DiagonalGrid(), lambda point: float(point[0] == 4), [0, 0])
        assert best.tolist() == [4.0, 1.0]

    def test_the_joined_vector_is_the_answer_even_where_it_is_worse(self):
        def score(point):
            moved = [lam != 1.0 for lam in point]
            return [0.5, 0.5 + 0.1 * (max(map(abs, point)) == 3), 0.2][sum(moved)]

        best, value, _ = drive(DiagonalGrid(), score, [0, 0])
        assert (best.tolist(), value) == ([-3.0, -3.0], 0.2)

    def test_many_columns_in_several_batches(self):
        weights = np.linspace(-1, 1, 300)
        best, _, _ = drive(DiagonalGrid(), lambda point: float(point @ weights), np.zeros(300))
        np.testing.assert_array_equal(best, np.where(weights < 0, -5.0, 5.0))

    def test_on_real_data(self, breast):
        X, y = breast
        score = training_accuracy(scaled_to_one_two(X), y, GaussianNB())
        best, value, _ = drive(DiagonalGrid(), score, np.zeros(X.shape[1]))
        assert (best.tolist(), value) == diagonal_by_hand(score, X.shape[1])
        assert value > score(np.ones(X.shape[1]))


def test_mle_is_the_start_within_bounds():
    best, value, asked = drive(MLE(), lambda point: 0.25, [-35.0, 0.1, 99.0])
    assert (best.tolist(), value, len(asked)) == ([-20.0, 0.1, 20.0], 0.25, 1)


@pytest.mark.parametrize("kind", [FullGrid, SphericalGrid, DiagonalGrid, IterativeGrid])
@pytest.mark.parametrize(
    ("parameters", "words"),
    [
        ({"gridsize": 0}, "'gridsize' parameter"),
        ({"gridsize": 2.5}, "'gridsize' parameter"),
        ({"bounds": (5, -5)}, "two finite numbers, the smaller first"),
        ({"bounds": (1, 1)}, "two finite numbers"),
        ({"bounds": (0, np.inf)}, "two finite numbers"),
        ({"bounds": (0, 1, 2)}, "two finite numbers"),
        ({"bounds": ("a", "b")}, "two finite numbers"),
        ({"bounds": (-1j, 1)}, "two finite numbers"),
        ({"bounds": 5}, "'bounds' parameter"),
    ],
)
def test_parameters_are_checked(kind, parameters, words):
    with pytest.raises(ValueError, match=words) as caught:
        kind(**parameters).begin(np.zeros(1), np.random.SeedSequence(0))
    assert kind.__name__ in str(caught.value)


@pytest.mark.parametrize("name", ["epochs", "shift_epoch", "shuffle_epoch", "finer_epoch"])
@pytest.mark.parametrize("value", [0, -1, 1.5, "2"])
def test_epochs_are_checked(name, value):
    with pytest.raises(ValueError, match=f"'{name}' parameter of IterativeGrid"):
        IterativeGrid(**{name: value}).begin(np.zeros(1), np.random.SeedSequence(0))


def test_one_value_on_the_grid():
    best, _, asked = drive(SphericalGrid(gridsize=1), steps(3), [0.0])
    assert (best.tolist(), len(asked)) == ([-5.0], 1)
