"""Rank tests against SciPy, scikit-posthocs, a published example and numbers worked by hand."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy import stats

from distsearch.errors import InvalidInputError
from distsearch.sweep.compare import (
    average_ranks,
    critical_difference,
    friedman,
    iman_davenport,
    nemenyi,
)

# Demšar (2006), table 6: AUC of C4.5, C4.5+m, C4.5+cf and C4.5+m+cf on 14 data sets.
DEMSAR = np.array(
    [
        [0.763, 0.768, 0.771, 0.798],
        [0.599, 0.591, 0.590, 0.569],
        [0.954, 0.971, 0.968, 0.967],
        [0.628, 0.661, 0.654, 0.657],
        [0.882, 0.888, 0.886, 0.898],
        [0.936, 0.931, 0.916, 0.931],
        [0.661, 0.668, 0.609, 0.685],
        [0.583, 0.583, 0.563, 0.625],
        [0.775, 0.838, 0.866, 0.875],
        [1.000, 1.000, 1.000, 1.000],
        [0.940, 0.962, 0.965, 0.962],
        [0.619, 0.666, 0.614, 0.669],
        [0.972, 0.981, 0.975, 0.975],
        [0.957, 0.978, 0.946, 0.970],
    ]
)
SCORES = st.tuples(st.integers(2, 8), st.integers(3, 6)).flatmap(
    lambda shape: arrays(float, shape, elements=st.integers(0, 6).map(float))
)


def test_ranks_of_the_published_example():
    ranks = average_ranks(DEMSAR)
    # The paper prints 3.143, 2.000, 2.893 and 1.964: its last two share the ranks of one data set
    # on which the AUC it prints do not tie.
    assert ranks[:2] == pytest.approx([3.143, 2.000], abs=5e-4)
    assert ranks[2:] == pytest.approx([2.893 + 0.5 / 14, 1.964 - 0.5 / 14], abs=1e-3)


def test_the_published_statistics():
    # χ² = 9.28 from the printed ranks, F = 3.69, and critical differences at both levels.
    printed = np.array([3.143, 2.000, 2.893, 1.964])
    chi2 = 12 * 14 / (4 * 5) * ((printed**2).sum() - 4 * 5**2 / 4)
    assert chi2 == pytest.approx(9.28, abs=0.01)
    assert iman_davenport(9.28, 14, 4)[0] == pytest.approx(3.69, abs=0.005)
    assert critical_difference(4, 14, 0.05) == pytest.approx(1.25, abs=0.005)
    assert critical_difference(4, 14, 0.10) == pytest.approx(1.12, abs=0.005)


def test_the_published_verdicts():
    # At 0.05 no two differ; at 0.10 plain C4.5 is worse than C4.5+m and C4.5+m+cf.
    p_values = nemenyi(DEMSAR)
    assert p_values.min() > 0.05
    assert {tuple(pair) for pair in np.argwhere(np.triu(p_values < 0.10))} == {(0, 1), (0, 3)}


@pytest.mark.parametrize(
    ("k", "alpha", "q"),
    [
        (2, 0.05, 1.960),
        (3, 0.05, 2.343),
        (4, 0.05, 2.569),
        (5, 0.05, 2.728),
        (10, 0.05, 3.164),
        (2, 0.10, 1.645),
        (4, 0.10, 2.291),
        (10, 0.10, 2.920),
    ],
)
def test_the_published_critical_values(k, alpha, q):
    n = 7
    expected = q * math.sqrt(k * (k + 1) / (6 * n))
    assert critical_difference(k, n, alpha) == pytest.approx(expected, rel=1e-3)


def test_friedman_by_hand():
    # Ranks 1 2 3 thrice: N = 3, k = 3, χ² = 12 * 3 / 12 * (1 + 4 + 9 - 12) = 6, p = exp(-3).
    chi2, p = friedman([[3, 2, 1], [9, 8, 7], [0.3, 0.2, 0.1]])
    assert (chi2, p) == pytest.approx((6, math.exp(-3)))
    assert iman_davenport(chi2, 3, 3) == (math.inf, 0.0)


def test_iman_davenport_by_hand():
    # χ² = 2, N = 4, k = 3: F = 3 * 2 / (8 - 2) = 1 on 2 and 6 degrees of freedom, where
    # P(F > x) = (1 + x / 3)^-3.
    assert iman_davenport(2, 4, 3) == pytest.approx((1, 27 / 64))
    assert all(math.isnan(value) for value in iman_davenport(2, 1, 3))


@settings(deadline=None, max_examples=50)
@given(SCORES)
def test_friedman_is_scipys(scores):
    chi2, p = friedman(scores)
    if (np.ptp(scores, axis=1) == 0).all():
        assert (chi2, p) == (0, 1)
        return
    expected = stats.friedmanchisquare(*scores.T)
    assert chi2 == pytest.approx(expected.statistic, abs=1e-9)
    assert p == pytest.approx(expected.pvalue, abs=1e-9)


def test_friedman_of_two_is_a_sign_test():
    # Without ties χ² is ((wins - losses)² / N).
    chi2, p = friedman([[2, 1], [2, 1], [2, 1], [1, 2], [2, 1]])
    assert chi2 == pytest.approx(9 / 5)
    assert p == pytest.approx(stats.chi2.sf(9 / 5, 1))


@settings(deadline=None, max_examples=50)
@given(SCORES)
def test_nemenyi_is_that_of_scikit_posthocs(scores):
    posthocs = pytest.importorskip("scikit_posthocs")
    expected = posthocs.posthoc_nemenyi_friedman(scores).to_numpy()
    assert nemenyi(scores) == pytest.approx(expected, abs=1e-9)


@pytest.mark.parametrize("k", [2, 3, 30, 121])
def test_nemenyi_is_scipys_studentized_range(k):
    scores = np.random.default_rng(k).normal(size=(3, k))
    ranks = average_ranks(scores)
    for j in range(1, k, 1 + k // 5):
        q = abs(ranks[0] - ranks[j]) / math.sqrt(k * (k + 1) / 36)
        expected = stats.studentized_range.sf(q, k, np.inf)
        assert nemenyi(scores)[0, j] == pytest.approx(expected, abs=1e-9)


@settings(deadline=None, max_examples=50)
@given(SCORES, st.sampled_from([0.01, 0.05, 0.1]))
def test_ranks_apart_by_more_than_the_critical_difference_have_a_smaller_p(scores, alpha):
    n, k = scores.shape
    ranks = average_ranks(scores)
    apart = np.abs(ranks[:, None] - ranks) - critical_difference(k, n, alpha)
    clear = np.abs(apart) > 1e-6
    assert ((nemenyi(scores) < alpha) == (apart > 0))[clear].all()


@settings(deadline=None, max_examples=50)
@given(SCORES)
def test_laws_of_ranks(scores):
    k = scores.shape[1]
    ranks = average_ranks(scores)
    assert ranks.sum() == pytest.approx(k * (k + 1) / 2)
    assert (ranks >= 1).all()
    assert (ranks <= k).all()
    assert average_ranks(-scores) == pytest.approx(k + 1 - ranks)
    p_values = nemenyi(scores)
    assert (p_values == p_values.T).all()
    assert (p_values.diagonal() == 1).all()


@settings(deadline=None, max_examples=50)
@given(SCORES, st.randoms())
def test_order_does_not_matter(scores, random):
    rows, columns = list(range(scores.shape[0])), list(range(scores.shape[1]))
    random.shuffle(rows)
    random.shuffle(columns)
    shuffled = scores[rows][:, columns]
    assert average_ranks(shuffled) == pytest.approx(average_ranks(scores)[columns])
    assert friedman(shuffled) == pytest.approx(friedman(scores))
    assert nemenyi(shuffled) == pytest.approx(nemenyi(scores)[columns][:, columns])


@pytest.mark.parametrize("test", [average_ranks, friedman, nemenyi])
@pytest.mark.parametrize("scores", [[1.0, 2.0], [[1.0, math.nan]], np.ones((0, 3))])
def test_scores_that_are_no_table(test, scores):
    with pytest.raises(InvalidInputError, match="scores must"):
        test(scores)


@pytest.mark.parametrize(("k", "n", "alpha"), [(1, 3, 0.05), (2, 0, 0.05), (2, 3, 1.0)])
def test_no_critical_difference(k, n, alpha):
    with pytest.raises(InvalidInputError, match="critical difference"):
        critical_difference(k, n, alpha)
