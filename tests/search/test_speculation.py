"""Scoring ahead changes how long a search takes, and nothing else."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from search.toys import Toy, steps

from distsearch.backends import SerialBackend
from distsearch.boxcox import DiagonalGrid, IterativeGrid
from distsearch.errors import SearchFailedError
from distsearch.search import search
from distsearch.search._foresight import Foresight

SEED = np.random.SeedSequence(3)


class Wide(SerialBackend):
    """Pretends to have many workers; units complete in an order of its own."""

    def __init__(self, workers, order=lambda outcomes: outcomes):
        self.workers = workers
        self.order = order
        self.runs = []
        self.taken = 0

    def run(self, fn, units, shared=None, *, fail_fast=False):
        self.runs.append([unit.payload for unit in units])
        for outcome in self.order(list(super().run(fn, units, shared, fail_fast=fail_fast))):
            self.taken += 1
            yield outcome


def shuffled(outcomes):
    return [outcomes[k] for k in np.random.default_rng(len(outcomes)).permutation(len(outcomes))]


def run(strategy, function, backend, *, start=(0.0, 0.0, 0.0), speculate=True, **choices):
    toy = Toy(function, **choices)
    return search(strategy, toy, backend, start=np.array(start), seed=SEED, speculate=speculate)


def facts(strategy, function, backend, **choices):
    """Return everything that a search says."""
    result = run(strategy, function, backend, **choices)
    table = {name: column.tolist() for name, column in result.history.table().items()}
    return (
        repr(table), result.history.candidates.tolist(), result.best.tolist(), result.best_score,
        result.n_evaluations,
    )  # fmt: skip


STRATEGIES = [
    IterativeGrid(5, (-2, 2), epochs=3),
    IterativeGrid(4, (-2, 2), epochs=6, shift_epoch=2, shuffle_epoch=1),
    IterativeGrid(5, (-3, 2), epochs=5, finer_epoch=2, shuffle_epoch=2),
    IterativeGrid(5, (-2, 2), epochs=4, shift_epoch=3, finer_epoch=1, semantics="reference"),
    DiagonalGrid(5, (-2, 2)),
]


class TestSameSearch:
    @pytest.mark.parametrize("strategy", STRATEGIES, ids=str)
    @pytest.mark.parametrize("workers", [2, 7, 16, 1000])
    @pytest.mark.parametrize("levels", [2, 5, 100])
    def test_whatever_the_number_of_workers(self, strategy, workers, levels):
        score = steps(levels)
        expected = facts(strategy, lambda point, part: score(point), SerialBackend(), n_parts=2)
        for order in (list, shuffled, lambda outcomes: outcomes[::-1]):
            backend = Wide(workers, order)
            assert expected == facts(strategy, lambda point, part: score(point), backend, n_parts=2)

    @settings(max_examples=40, deadline=None)
    @given(
        seed=st.integers(0, 255), workers=st.integers(1, 60), levels=st.integers(2, 30),
        rows=st.integers(1, 5), parts=st.integers(1, 3), number=st.integers(0, 3),
    )  # fmt: skip
    def test_however_the_work_is_cut(self, seed, workers, levels, rows, parts, number):
        score = steps(levels, seed)

        def function(point, part):
            return score(point) + part

        cut = {"n_parts": 3, "candidates_per_unit": rows, "parts_per_unit": parts}
        expected = facts(STRATEGIES[number], function, SerialBackend(), **cut)
        assert facts(STRATEGIES[number], function, Wide(workers, shuffled), **cut) == expected

    def test_failures_are_those_of_the_candidates_asked_for(self):
        def function(point, part):
            if point[1] == 2.0:
                raise ArithmeticError("no score")
            return -abs(point).sum()

        here, there = SerialBackend(), Wide(100)
        for backend in (here, there):
            with pytest.warns(UserWarning, match=r"2 of 21 candidates failed"):
                run(IterativeGrid(5, (-2, 2), epochs=2), function, backend, start=(1.0, 1.0, 1.0))

    def test_an_error_ends_the_search_only_when_its_candidate_is_asked_for(self):
        def function(point, part):
            if point[2] == 2.0 and point[0] == 0.0:
                raise ArithmeticError("no score")
            return point[0]

        toy = Toy(function)
        found = search(
            IterativeGrid(5, (-2, 2), epochs=1), toy, Wide(100), start=np.zeros(3), seed=SEED,
            error_score="raise",
        )  # fmt: skip
        assert found.best.tolist() == [2.0, 0.0, 0.0]
        with pytest.raises(ArithmeticError):
            search(
                IterativeGrid(5, (-2, 2), epochs=1), Toy(lambda point, part: 1 / float(point[2])),
                Wide(100), start=np.ones(3), seed=SEED, error_score="raise",
            )  # fmt: skip

    def test_all_failing_is_told_as_ever(self):
        def function(point, part):
            raise ArithmeticError("no score")

        with pytest.raises(SearchFailedError, match="Not one of 11 candidates"):
            run(IterativeGrid(5, (-2, 2), epochs=1), function, Wide(100), start=(0.5, 0.5, 0.5))


class TestWorkers:
    def test_free_ones_score_the_next_directions(self):
        backend = Wide(12)
        run(IterativeGrid(5, (-2, 2), epochs=1), lambda point, part: 0.0, backend)
        # The start and its three directions; the value that is there already is known.
        assert [len(units) for units in backend.runs] == [12, 1]

    def test_what_was_scored_ahead_is_not_scored_again(self):
        backend = Wide(1000)
        result = run(IterativeGrid(5, (-2, 2), epochs=1), lambda point, part: 0.0, backend)
        assert backend.taken == sum(map(len, backend.runs)) == result.n_evaluations == 13

    def test_what_a_better_point_makes_pointless_is_given_up(self):
        backend = Wide(1000)
        result = run(IterativeGrid(3, (-1, 1), epochs=1), lambda point, part: point[0], backend)
        assert result.n_evaluations == 7
        first, second = backend.runs
        assert [points[0].tolist() for points, _ in second] == [
            [1.0, -1.0, 0.0], [1.0, 1.0, 0.0], [1.0, 0.0, -1.0], [1.0, 0.0, 1.0],
        ]  # fmt: skip
        assert len(first) == 7
        assert backend.taken == 3 + 4

    def test_without_free_ones_nothing_is_scored_ahead(self):
        for backend, speculate in ((Wide(1), True), (Wide(1000), False)):
            run(
                IterativeGrid(5, (-2, 2), epochs=1), lambda point, part: 0.0, backend,
                speculate=speculate,
            )  # fmt: skip
            assert [len(units) for units in backend.runs] == [1, 4, 4, 4]


class TestForesight:
    @pytest.mark.parametrize("strategy", STRATEGIES, ids=str)
    def test_foretells_what_is_asked_when_nothing_changes(self, strategy):
        strategy.begin(np.array([0.3, 0.1, -0.2]), SEED)
        foretold = [
            batch.candidates.tolist() for batch in Foresight(strategy).after(strategy.ask())
        ]
        asked = []
        while not strategy.done:
            asked.append(strategy.ask().candidates.tolist())
            strategy.tell(np.full(len(asked[-1]), -np.inf))
        assert asked[1:] == foretold

    def test_looks_no_further_than_asked(self):
        strategy = IterativeGrid(5, (-2, 2), epochs=1)
        strategy.begin(np.zeros(3), SEED)
        before = strategy.ask()
        next(Foresight(strategy).after(before))
        assert strategy.ask() is before
