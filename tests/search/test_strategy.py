import copy
import pickle

import numpy as np
import pytest
from search.toys import Points, Toy, Walk, drive, steps
from sklearn.base import clone

from distsearch.backends import SerialBackend
from distsearch.boxcox import DiagonalGrid, FullGrid, IterativeGrid, SphericalGrid
from distsearch.search import Batch, Strategy, search

SEED = np.random.SeedSequence(3)
ALL = [
    Walk(),
    FullGrid(gridsize=3),
    SphericalGrid(),
    DiagonalGrid(),
    IterativeGrid(gridsize=5, epochs=5, shift_epoch=2, shuffle_epoch=1, finer_epoch=1),
    IterativeGrid(gridsize=5, epochs=5, shift_epoch=2, shuffle_epoch=1, semantics="reference"),
]


@pytest.fixture(params=ALL, ids=lambda s: type(s).__name__)
def strategy(request):
    return clone(request.param)


class TestMisuse:
    def test_ask_before_begin(self):
        with pytest.raises(RuntimeError, match=r"call begin\(\) first"):
            Walk().ask()

    def test_tell_before_begin(self):
        with pytest.raises(RuntimeError, match=r"call begin\(\) first"):
            Walk().tell(np.zeros(2))

    def test_ask_after_the_end(self):
        strategy = Points([[[1.0]]])
        drive(strategy, steps(3), [0.0])
        with pytest.raises(RuntimeError, match=r"stop at `done`"):
            strategy.ask()

    @pytest.mark.parametrize("scores", [[1.0], [1.0, 2.0, 3.0], [[1.0, 2.0]], 1.0])
    def test_tell_another_number_of_scores(self, scores):
        strategy = Walk()
        strategy.begin(np.zeros(1), SEED)
        with pytest.raises(RuntimeError, match=r"has 2 candidates"):
            strategy.tell(scores)
        strategy.tell([1.0, 2.0])  # and nothing is lost by it

    def test_not_begun_is_done(self):
        assert Walk().done


def test_ask_repeats_itself_until_told(strategy):
    strategy.begin(np.zeros(3), SEED)
    np.testing.assert_array_equal(strategy.ask().candidates, strategy.ask().candidates)


def test_nan_counts_as_the_worst():
    strategy = Points([[[1.0], [2.0], [3.0]]])
    strategy.begin(np.zeros(1), SEED)
    strategy.tell([np.nan, -7.0, np.nan])
    assert (strategy.best[0].tolist(), strategy.best[1]) == ([2.0], -7.0)


def test_the_first_of_equal_scores_is_kept():
    best, score, _ = drive(Points([[[1.0], [2.0]], [[3.0]]]), lambda point: 0.5, [0.0])
    assert (best.tolist(), score) == ([1.0], 0.5)


@pytest.mark.parametrize(
    "travel", [copy.copy, copy.deepcopy, lambda s: pickle.loads(pickle.dumps(s))]
)
@pytest.mark.parametrize("rounds", [0, 1, 5])
def test_a_copy_in_mid_search_continues_with_the_same_bits(strategy, travel, rounds):
    score = steps(7)
    strategy.begin(np.array([0.3, -1.0, 2.0]), SEED)
    for _ in range(rounds):
        if not strategy.done:
            strategy.tell([score(point) for point in strategy.ask().candidates])
    other = travel(strategy)
    assert other is not strategy
    while not strategy.done:
        batch, same = strategy.ask(), other.ask()
        np.testing.assert_array_equal(batch.candidates, same.candidates)
        np.testing.assert_array_equal(batch.coordinates, same.coordinates)
        assert batch.epoch == same.epoch
        scores = [score(point) for point in batch.candidates]
        strategy.tell(scores)
        other.tell(scores)
    assert other.done
    np.testing.assert_array_equal(strategy.best[0], other.best[0])
    assert strategy.best[1] == other.best[1]


def test_a_copy_does_not_follow_its_original(strategy):
    strategy.begin(np.zeros(3), SEED)
    other = copy.copy(strategy)
    first = other.ask().candidates.copy()
    strategy.tell(np.arange(len(first), dtype=float))
    np.testing.assert_array_equal(other.ask().candidates, first)


def test_begin_forgets_the_search_before(strategy):
    first = drive(strategy, steps(7), np.zeros(3))
    drive(strategy, steps(3), np.ones(3), seed=9)
    again = drive(strategy, steps(7), np.zeros(3))
    for one, other in zip(first, again, strict=True):
        np.testing.assert_array_equal(one, other)


def test_the_start_is_not_changed(strategy):
    start = np.array([9.0, 0.0, 1.0])
    drive(strategy, steps(7), start)
    assert start.tolist() == [9.0, 0.0, 1.0]


def test_clone_is_a_fresh_strategy_with_the_same_parameters(strategy):
    drive(strategy, steps(7), np.zeros(3))
    fresh = clone(strategy)
    assert fresh.done
    assert fresh.get_params() == strategy.get_params()
    assert vars(fresh).keys() == fresh.get_params().keys()


def test_parameters_can_be_set():
    strategy = IterativeGrid().set_params(epochs=9, gridsize=3)
    assert (strategy.epochs, strategy.gridsize) == (9, 3)
    with pytest.raises(ValueError, match="epoch"):
        strategy.set_params(epoch=1)


@pytest.mark.parametrize("p", [1, 2, 4])
def test_no_more_candidates_than_planned(strategy, p):
    for salt in range(5):
        _, _, asked = drive(strategy, steps(50, salt), np.zeros(p))
        assert 0 < len(asked) <= strategy.planned(p)


def test_speaks_the_protocol(strategy):
    assert isinstance(strategy, Strategy)  # begun or not
    assert not isinstance(object(), Strategy)


class TestBatch:
    def test_of_whole_points(self):
        batch = Batch.of([[1, 2], [3, 4]], epoch=5)
        assert batch.candidates.tolist() == [[1.0, 2.0], [3.0, 4.0]]
        assert (batch.epoch, batch.coordinates.tolist()) == (5, [-1, -1])
        assert Batch.of(np.array([1.0, 2.0])).candidates.shape == (1, 2)

    def test_along_a_coordinate(self):
        point = np.array([7.0, 8.0])
        batch = Batch.along(point, 1, np.array([0.0, 1.0, 2.0]), epoch=2)
        assert batch.candidates.tolist() == [[7, 0], [7, 1], [7, 2]]
        assert (batch.epoch, batch.coordinates.tolist()) == (2, [1, 1, 1])
        assert point.tolist() == [7.0, 8.0]


def test_a_batch_keeps_its_points():
    point = np.array([1.0, 2.0])
    batch = Batch.of(point)
    point[0] = 9.0
    assert batch.candidates.tolist() == [[1.0, 2.0]]


@pytest.mark.parametrize("semantics", ["product", "reference"])
def test_the_history_keeps_the_start(semantics):
    strategy = IterativeGrid(3, (-1, 1), epochs=2, semantics=semantics)
    start = np.array([0.5, 0.25])
    result = search(
        strategy, Toy(lambda point, part: point.sum()), SerialBackend(), start=start,
        seed=np.random.SeedSequence(0),
    )  # fmt: skip
    assert result.best.tolist() == [1.0, 1.0]
    first = result.history.candidates[0]
    assert first[1] == 0.25
    assert first[0] == (0.5 if semantics == "product" else -1.0)
