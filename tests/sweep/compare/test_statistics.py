"""Tests of differences against SciPy, full enumeration and numbers worked by hand."""

import itertools
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from distsearch.errors import InvalidInputError
from distsearch.sweep.compare import (
    corrected_t_test,
    holm,
    paired_t_test,
    wilcoxon_signed_rank,
)

DIFFERENCES = st.lists(st.floats(-10, 10).map(lambda x: round(x, 3)), min_size=2, max_size=20)
PROBABILITIES = st.lists(st.floats(0, 1), min_size=1, max_size=20)


@settings(deadline=None, max_examples=50)
@given(DIFFERENCES)
def test_the_paired_test_is_scipys(differences):
    if np.std(differences) < 1e-9:
        return
    expected = stats.ttest_1samp(differences, 0)
    t, p = paired_t_test(differences)
    assert t == pytest.approx(expected.statistic, rel=1e-9, abs=1e-12)
    assert p == pytest.approx(expected.pvalue, rel=1e-9, abs=1e-12)


def test_a_corrected_test_by_hand():
    # mean 3, var 2.5, J = 5, ratio 1/4: t = 3 / sqrt((0.2 + 0.25) * 2.5) = 2.828427, df 4. With 4
    # degrees of freedom p = 1 - (3 x / 2 - x^3 / 2) for x = t / sqrt(t^2 + 4) = sqrt(2/3).
    t, p = corrected_t_test([1, 2, 3, 4, 5], 0.25)
    x = math.sqrt(2 / 3)
    assert t == pytest.approx(2 * math.sqrt(2))
    assert p == pytest.approx(1 - (1.5 * x - 0.5 * x**3))


def test_a_corrected_test_of_two_differences_by_hand():
    # mean 2, var 2, ratio 1/9: t = 2 / sqrt((1/2 + 1/9) * 2) = 6 / sqrt(11); df 1 is Cauchy's.
    t, p = corrected_t_test([1, 3], 1 / 9)
    assert t == pytest.approx(6 / math.sqrt(11))
    assert p == pytest.approx(1 - 2 * math.atan(t) / math.pi)


@settings(deadline=None, max_examples=50)
@given(DIFFERENCES, st.floats(0.01, 2))
def test_the_correction_never_makes_a_difference_surer(differences, ratio):
    plain, corrected = paired_t_test(differences), corrected_t_test(differences, ratio)
    assert corrected[1] >= plain[1] - 1e-12
    shrunk = math.sqrt((1 / len(differences)) / (1 / len(differences) + ratio))
    if math.isfinite(plain[0]):
        assert corrected[0] == pytest.approx(plain[0] * shrunk)


@pytest.mark.parametrize("test", [paired_t_test, lambda d: corrected_t_test(d, 0.1)])
def test_equal_differences(test):
    assert test([0.0] * 4) == (0.0, 1.0)
    assert test([0.1] * 10) == (math.inf, 0.0)
    assert test([-0.1] * 10) == (-math.inf, 0.0)


@pytest.mark.parametrize("test", [paired_t_test, lambda d: corrected_t_test(d, 0.1)])
@pytest.mark.parametrize("differences", [[], [1.0]])
def test_too_few_differences(test, differences):
    assert all(math.isnan(value) for value in test(differences))


@pytest.mark.parametrize("test", [paired_t_test, wilcoxon_signed_rank])
@pytest.mark.parametrize("differences", [[1.0, math.nan], [1.0, math.inf], [[1.0], [2.0]], 1.0])
def test_differences_that_are_none(test, differences):
    with pytest.raises(InvalidInputError, match="row of finite numbers"):
        test(differences)


@pytest.mark.parametrize("ratio", [0, -0.1, math.nan, math.inf])
def test_a_ratio_that_cannot_be(ratio):
    with pytest.raises(InvalidInputError, match="test_to_train_ratio"):
        corrected_t_test([1, 2], ratio)


def _by_enumeration(differences):
    """Every sign of every rank, in full."""
    ranks = stats.rankdata(np.abs(differences))
    ranks = ranks[np.asarray(differences) != 0]
    signs = np.array(list(itertools.product([0, 1], repeat=len(ranks))))
    seen = ranks[np.asarray(differences)[np.asarray(differences) != 0] > 0].sum()
    apart = np.abs(signs @ ranks - ranks.sum() / 2)
    return np.mean(apart >= abs(seen - ranks.sum() / 2) - 1e-9)


@settings(deadline=None, max_examples=50)
@given(st.lists(st.integers(-4, 4), min_size=1, max_size=10))
def test_wilcoxon_with_ties_and_zeros_is_the_full_enumeration(differences):
    assert wilcoxon_signed_rank(differences) == pytest.approx(_by_enumeration(differences))


@settings(deadline=None, max_examples=50)
@given(st.lists(st.integers(1, 1000), min_size=1, max_size=30, unique=True), st.randoms())
def test_wilcoxon_without_ties_is_scipys_exact_test(sizes, random):
    differences = [size * random.choice([-1, 1]) for size in sizes]
    expected = stats.wilcoxon(differences, method="exact").pvalue
    assert wilcoxon_signed_rank(differences) == pytest.approx(expected, abs=1e-12)


def test_wilcoxon_of_many_is_scipys_approximation():
    differences = np.random.default_rng(0).integers(-20, 26, 200)
    expected = stats.wilcoxon(
        differences.astype(float), zero_method="pratt", method="asymptotic", correction=False
    ).pvalue
    assert wilcoxon_signed_rank(differences) == pytest.approx(expected, rel=1e-9)


def test_wilcoxon_at_the_border_of_exact_and_approximate():
    differences = np.arange(1.0, 51.0) * np.where(np.arange(50) % 3, 1, -1)
    exact = wilcoxon_signed_rank(differences)
    assert exact == pytest.approx(stats.wilcoxon(differences, method="exact").pvalue)
    assert exact == pytest.approx(stats.wilcoxon(differences, method="asymptotic").pvalue, rel=0.05)


def test_wilcoxon_by_hand():
    # All five of one sign: 2 of the 32 ways are as far from the middle.
    assert wilcoxon_signed_rank([1, 2, 3, 4, 5]) == 2 / 32
    assert wilcoxon_signed_rank([0, 0, 0]) == 1
    assert wilcoxon_signed_rank([0.5]) == 1
    assert math.isnan(wilcoxon_signed_rank([]))


def test_holm_by_hand():
    # Sorted 0.01, 0.02, 0.03, 0.5: times 4, 3, 2, 1 is 0.04, 0.06, 0.06, 0.5.
    assert holm([0.03, 0.01, 0.5, 0.02]) == pytest.approx([0.06, 0.04, 0.5, 0.06])
    assert holm([0.03, math.nan, 0.02]) == pytest.approx([0.04, math.nan, 0.04], nan_ok=True)
    assert holm([]).tolist() == []
    assert np.isnan(holm([math.nan])).all()


@settings(deadline=None, max_examples=50)
@given(PROBABILITIES)
def test_holm_lies_between_the_raw_values_and_bonferroni(p_values):
    raw, adjusted = np.array(p_values), holm(p_values)
    assert (adjusted >= raw).all()
    assert (adjusted <= np.minimum(1, raw * len(raw))).all()
    order = np.argsort(raw, kind="stable")
    assert (np.diff(adjusted[order]) >= 0).all()


@settings(deadline=None, max_examples=50)
@given(PROBABILITIES, st.randoms())
def test_holm_does_not_depend_on_the_order(p_values, random):
    places = list(range(len(p_values)))
    random.shuffle(places)
    shuffled = holm([p_values[place] for place in places])
    assert shuffled.tolist() == holm(p_values)[places].tolist()


@settings(deadline=None, max_examples=50)
@given(PROBABILITIES)
def test_holm_rejects_what_the_procedure_rejects(p_values):
    # Step by step at a level: the smallest against α / m, the next against α / (m - 1), until one
    # is too large.
    adjusted = holm(p_values)
    for alpha in (0.01, 0.05, 0.1, 0.5):
        rejected = set()
        for left, place in enumerate(np.argsort(p_values, kind="stable")):
            if p_values[place] * (len(p_values) - left) > alpha:
                break
            rejected.add(int(place))
        assert set(np.flatnonzero(adjusted <= alpha).tolist()) == rejected


@pytest.mark.parametrize("p_values", [[1.1], [-0.1, 0.5], [[0.1]]])
def test_holm_refuses_what_is_no_probability(p_values):
    with pytest.raises(InvalidInputError, match="from 0 to 1"):
        holm(p_values)
