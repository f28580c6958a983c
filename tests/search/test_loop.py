import warnings

import numpy as np
import pytest
from search.toys import Points, Toy, Walk, slow_square

from distsearch.backends import SerialBackend, get_backend
from distsearch.boxcox import DiagonalGrid, FullGrid, IterativeGrid
from distsearch.errors import DistsearchWarning, SearchFailedError
from distsearch.search import Memo, Progress, reporting, search

SEED = np.random.SeedSequence(11)


def run(strategy, function, *, start=(0.0,), backend=None, **choices):
    toy = function if isinstance(function, Toy) else Toy(function)
    options = {key: choices.pop(key) for key in ("memo", "error_score", "label") if key in choices}
    for key, value in choices.items():
        setattr(toy, key, value)
    backend = backend or SerialBackend()
    return search(strategy, toy, backend, start=np.array(start), seed=SEED, **options)


def refuse(*values):
    """Return an objective that raises at some values and is their negative square elsewhere."""

    def function(point, part):
        if point[0] in values:
            raise ArithmeticError(f"no score at {point[0]:g}")
        return -(point[0] ** 2)

    return function


class TestScores:
    def test_the_mean_over_the_parts(self):
        result = run(Points([[[2.0], [3.0]]]), lambda point, part: point[0] * part, n_parts=4)
        assert result.best_score == 3 * (0 + 1 + 2 + 3) / 4
        assert result.best.tolist() == [3.0]

    @pytest.mark.parametrize(("rows", "parts"), [(1, 1), (2, 3), (5, 2), (99, 99)])
    def test_however_the_work_is_cut(self, rows, parts):
        result = run(
            Points([np.arange(7.0)[:, np.newaxis]]),
            lambda point, part: 10 * point[0] + part**2,
            n_parts=5,
            candidates_per_unit=rows,
            parts_per_unit=parts,
        )
        table = result.history.table()
        np.testing.assert_array_equal(table["score"], 10 * np.arange(7) + 6)

    def test_scores_keep_the_order_of_the_batch(self):
        points = [[3.0], [1.0], [2.0], [1.0], [3.0]]
        result = run(Points([points]), lambda point, part: point[0])
        np.testing.assert_array_equal(result.history.table()["score"], [3, 1, 2, 1, 3])

    def test_the_same_bits_in_processes(self):
        here = run(Walk(5), slow_square, start=(3.0, -2.0), n_parts=2)
        with get_backend("processes:2") as backend:
            there = run(Walk(5), slow_square, start=(3.0, -2.0), n_parts=2, backend=backend)
        np.testing.assert_array_equal(here.best, there.best)
        assert here.best_score == there.best_score
        for name, column in here.history.table().items():
            np.testing.assert_array_equal(column, there.history.table()[name])

    def test_global_randomness_depends_on_the_candidate_alone(self):
        def noise(point, part):
            return np.random.rand()

        points = [[1.0], [2.0], [3.0]]
        first = run(Points([points]), noise, n_parts=2).history.table()["score"]
        second = run(Points([points[1:], points[::-1]]), noise, n_parts=2).history.table()["score"]
        assert second[:2].tolist() == first[1:].tolist()
        assert second[2:].tolist() == first[::-1].tolist()
        assert len(set(first)) == 3


class TestFailures:
    def test_nan_never_wins(self):
        with pytest.warns(DistsearchWarning, match=r"2 of 3 candidates failed"):
            result = run(
                Points([[[1.0], [2.0], [3.0]]]),
                lambda point, part: -9.0 if point[0] == 2 else np.nan,
            )
        assert (result.best.tolist(), result.best_score) == ([2.0], -9.0)
        table = result.history.table()
        np.testing.assert_array_equal(table["score"], [np.nan, -9, np.nan])
        np.testing.assert_array_equal(table["best_score"], [np.nan, -9, -9])

    def test_nan_in_one_part_is_no_score(self):
        with pytest.warns(DistsearchWarning, match=r"1 of 2"):
            result = run(
                Points([[[1.0], [2.0]]]),
                lambda point, part: np.nan if (point[0], part) == (2, 1) else point[0],
                n_parts=3,
            )
        assert result.best.tolist() == [1.0]

    def test_an_error_is_no_score_and_is_tallied(self):
        with pytest.warns(DistsearchWarning, match=r"1 of 2 .*1 × ArithmeticError"):
            result = run(Points([[[0.0], [5.0]]]), refuse(0.0))
        assert result.best.tolist() == [5.0]

    def test_all_fail(self):
        with pytest.raises(SearchFailedError) as caught:
            run(Points([[[1.0], [2.0], [3.0]]]), refuse(1.0, 2.0, 3.0))
        assert str(caught.value).startswith(
            "Not one of 3 candidates could be scored; their fits failed with 3 × ArithmeticError."
        )
        cause = caught.value.__cause__
        assert isinstance(cause, ArithmeticError)
        assert str(cause) == "no score at 1"
        assert "in function" in str(cause.__cause__)  # where it was raised, a text by now

    def test_all_are_nan(self):
        with pytest.raises(SearchFailedError, match=r"2 candidates scored NaN: the metric"):
            run(Points([[[1.0], [2.0]]]), lambda point, part: np.nan)

    def test_gives_up_when_the_first_ten_fail(self):
        seen = []
        points = [[[float(i)]] for i in range(50)]
        with (
            reporting(seen.append),
            pytest.raises(SearchFailedError, match="Not one of 10 candidates"),
        ):
            run(Points(points), refuse(*range(50)))

    def test_does_not_give_up_after_one_success(self):
        points = [[[float(i)]] for i in range(50)]
        with pytest.warns(DistsearchWarning, match="49 of 50"):
            result = run(Points(points), refuse(*range(1, 50)))
        assert result.best.tolist() == [0.0]

    def test_raise(self):
        with pytest.raises(ArithmeticError, match="no score at 2"):
            run(Points([[[1.0], [2.0], [3.0]]]), refuse(2.0), error_score="raise")

    def test_a_number(self):
        with pytest.warns(DistsearchWarning, match="1 of 3"):
            result = run(Points([[[1.0], [2.0], [3.0]]]), refuse(2.0), error_score=-5.0)
        np.testing.assert_array_equal(result.history.table()["score"], [-1, -5, -9])

    def test_the_answer_itself_failed(self):
        def pairs_fail(point, part):
            if np.sum(point != 1.0) > 1:
                raise ArithmeticError("two at once")
            return float(np.abs(point - 1).sum())

        with pytest.raises(SearchFailedError, match=r"DiagonalGrid returned a point .*1 × Arith"):
            run(DiagonalGrid(3), pairs_fail, start=(0.0, 0.0))

    def test_bad_parameters_of_a_strategy_are_named(self):
        with pytest.raises(ValueError, match="'shift_epoch' parameter of IterativeGrid"):
            run(IterativeGrid(shift_epoch=0), slow_square)


class TestEnd:
    @pytest.mark.parametrize(("maximum", "asked"), [(np.inf, 6), (-1.0, 4), (-4.0, 2)])
    def test_at_the_maximum(self, maximum, asked):
        batches = [[[3.0], [2.0]], [[-1.0], [5.0]], [[0.0], [1.0]]]
        result = run(Points(batches), refuse(), maximum=maximum)
        assert len(result.history) == asked == result.n_evaluations

    def test_infinity_ends_a_search_too(self):
        result = run(Points([[[1.0]], [[2.0]]]), lambda point, part: np.inf)
        assert (len(result.history), result.best_score) == (1, np.inf)

    def test_no_dimensions(self):
        result = run(FullGrid(), lambda point, part: 0.5, start=())
        assert (result.best.tolist(), result.best_score) == ([], 0.5)
        np.testing.assert_array_equal(result.history.table()["value"], [np.nan])


class TestMemory:
    def test_a_candidate_is_scored_once(self):
        points = [[[1.0], [2.0], [1.0]], [[2.0], [3.0]], [[3.0], [1.0]]]
        result = run(Points(points), lambda point, part: np.random.rand())
        table = result.history.table()
        assert result.n_evaluations == 3
        assert table["from_memo"].tolist() == [False] * 3 + [True, False, True, True]
        for value in (1.0, 2.0, 3.0):
            same = table["score"][result.history.candidates[:, 0] == value]
            assert len(set(same)) == 1

    def test_zero_has_no_sign(self):
        result = run(Points([[[0.0], [-0.0]], [[-0.0]]]), lambda point, part: np.random.rand())
        assert result.n_evaluations == 1
        assert len(set(result.history.table()["score"])) == 1

    def test_a_failed_candidate_is_tried_once(self):
        with pytest.warns(DistsearchWarning, match="1 of 2"):
            result = run(Points([[[1.0], [2.0]], [[1.0]]]), refuse(1.0), error_score=-7.0)
        assert result.n_evaluations == 2
        assert result.history.table()["score"].tolist() == [-7.0, -4.0, -7.0]

    def test_every_distinct_candidate_of_a_real_search(self):
        result = run(
            IterativeGrid(5, epochs=6, semantics="reference"), slow_square, start=(0.3, 0.7)
        )
        distinct = np.unique(result.history.candidates, axis=0)
        assert result.n_evaluations == len(distinct) < len(result.history) == 60

    def test_a_given_memo_is_used_and_filled(self):
        memo = Memo()
        memo.put(np.array([1.0]), 100.0)
        result = run(Points([[[1.0], [2.0]]]), refuse(), memo=memo)
        assert (result.best_score, result.n_evaluations) == (100.0, 1)
        assert memo.get(np.array([2.0])) == -4.0


def noisy(point, part):
    warnings.warn(f"part {part} did not converge", RuntimeWarning, stacklevel=1)
    return 0.0


def test_warnings_of_the_objective_become_one():
    with pytest.warns(DistsearchWarning) as caught:
        run(Points([[[1.0], [2.0]], [[3.0]]]), noisy, n_parts=2)
    (warning,) = caught
    text = str(warning.message)
    assert "while 3 candidates were scored" in text
    assert "3 × part 0 did not converge" in text
    assert "3 × part 1 did not converge" in text


def test_progress_is_told_after_each_candidate_and_at_the_end():
    heard = []
    with reporting(heard.append):
        run(Points([[[3.0], [2.0]], [[1.0]], [[9.0]]]), refuse(), label="toy")
    assert heard == [
        Progress("toy", 1, 4, -4.0),  # in the order of their values
        Progress("toy", 2, 4, -4.0),
        Progress("toy", 3, 4, -1.0),
        Progress("toy", 4, 4, -1.0),
        Progress("toy", 4, 4, -1.0, finished=True),
    ]
