import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import balanced_accuracy_score

from distsearch._thresholds import best_threshold


def balanced(scores, positive, threshold):
    return balanced_accuracy_score(positive, scores > threshold)


@given(
    st.lists(st.tuples(st.integers(0, 9), st.booleans()), min_size=2, max_size=30).filter(
        lambda rows: len({hit for _, hit in rows}) == 2
    )
)
def test_no_threshold_is_better_than_the_best(rows):
    scores, positive = (np.array(column) for column in zip(*rows, strict=True))
    found = best_threshold(scores.astype(float), positive)
    tried = [balanced(scores, positive, cut) for cut in np.arange(-0.5, 10.0, 0.5)]
    assert balanced(scores, positive, found) == pytest.approx(max(tried))


def test_the_threshold_lies_half_way_between_the_classes():
    assert best_threshold(np.array([1.0, 2.0, 6.0, 9.0]), np.array([0, 0, 1, 1]) == 1) == 4.0


def test_the_lowest_of_equally_good_thresholds_wins():
    # Above 1.5 or above 2.5: one mistake of two in one class each.
    scores, positive = np.array([1.0, 2.0, 3.0, 4.0]), np.array([0, 1, 0, 1]) == 1
    assert best_threshold(scores, positive) == 1.5


def test_a_threshold_is_a_number_even_where_scores_tell_nothing():
    # Case OD-11.
    scores = np.full(4, 0.5)
    assert np.isfinite(best_threshold(scores, np.array([0, 1, 0, 1]) == 1))
    assert best_threshold(np.array([0.1, 0.4, 0.6, 0.8]), np.array([0, 0, 1, 1]) == 1) == 0.5


def test_no_row_or_every_row_may_be_claimed():
    scores = np.array([1.0, 2.0, 3.0])
    assert not (scores > best_threshold(scores, np.zeros(3, dtype=bool))).any()
    assert (scores > best_threshold(scores, np.ones(3, dtype=bool))).all()


def test_weights_count_as_repetition():
    rng = np.random.default_rng(0)
    for _ in range(50):
        scores, hits = rng.integers(0, 6, 12).astype(float), rng.random(12) < 0.5
        weight = rng.integers(1, 4, 12)
        repeated = best_threshold(np.repeat(scores, weight), np.repeat(hits, weight))
        assert best_threshold(scores, hits, weight.astype(float)) == repeated


NEIGHBOURS = [1.0, 1.0 + 2**-52, 1.0 + 2**-51, 5e-324, 0.0, -5e-324]
ENDS = [np.inf, -np.inf, np.finfo(float).max, -np.finfo(float).max, np.nan]


@given(
    st.lists(
        st.tuples(st.sampled_from([*NEIGHBOURS, *ENDS, -3.0]), st.booleans()),
        min_size=1,
        max_size=8,
    )
)
def test_thresholds_are_finite_and_the_best_of_all_numbers(rows):
    scores, positive = np.array([s for s, _ in rows]), np.array([hit for _, hit in rows])
    found = best_threshold(scores, positive)
    assert np.isfinite(found)

    def quality(threshold):
        claimed = scores > threshold
        parts = [claimed[positive], ~claimed[~positive]]
        return sum(part.mean() for part in parts if len(part))

    # Each score as a threshold divides it from those above; below the lowest all are claimed.
    lowest = np.finfo(float).min
    tried = [quality(cut) for cut in (*scores, lowest, -4.0) if np.isfinite(cut)]
    assert quality(found) >= max(tried) - 1e-12


@pytest.mark.parametrize("lower", [1.0, 1.0 + 2**-52, -1.0 - 2**-52, 0.0, -5e-324, 5e-324])
def test_numbers_that_follow_each_other_are_divided(lower):
    upper = np.nextafter(lower, np.inf)
    assert lower <= best_threshold(np.array([lower, upper]), np.array([False, True])) < upper


def test_a_row_without_weight_is_no_row():
    scores, positive = np.array([1.0, 2.0, 3.0]), np.array([False, False, True])
    assert best_threshold(scores, positive, np.array([1.0, 0.0, 1.0])) == 2.0
