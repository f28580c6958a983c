"""Criteria for the number of clusters, by hand and by slow loops."""

from itertools import combinations
from math import log, pi

import numpy as np
import pytest
from boosting.data import overlapping
from sklearn.cluster import KMeans

from distsearch.boosting._bic import CRITERIA, bic
from distsearch.boosting._clustering import scatters_of

NUMBERS = [0, 0.2, 0.5, 0.9, 10.1, 10.4, 10.6, 11.1, 20, 20.3, 20.7, 21.2]

# Case CB-12: the exact optimum of each k, Σ of squares, n ln SSE + k ln n, n ln(SSE/n) + k ln n.
TABLE = {
    2: (201.8, 68.6571, 38.8383),
    3: (1.8, 14.5082, -15.3107),
    4: (1.16, 11.7207, -18.0982),
    5: (0.756667, 9.0785, -20.7403),
    6: (0.396667, 3.8135, -26.0053),
    7: (0.271667, 1.7562, -28.0627),
    8: (0.165, -1.7425, -31.5613),
    9: (0.085, -7.2171, -37.036),
    10: (0.04, -13.7774, -43.5963),
}


def best_split(k):
    """Sizes and sums of squares of the best k intervals of the twelve numbers."""
    best = None
    for cuts in combinations(range(1, 12), k - 1):
        parts = np.split(np.array(NUMBERS), cuts)
        scatters = [((part - part.mean()) ** 2).sum() for part in parts]
        if best is None or sum(scatters) < sum(best[1]):
            best = [len(part) for part in parts], scatters
    return np.array(best[0], float), np.array(best[1])


@pytest.mark.parametrize("k", TABLE)
def test_the_table_of_twelve_numbers(k):
    sizes, scatters = best_split(k)
    total, pooled, variance = TABLE[k]
    assert scatters.sum() == pytest.approx(total, abs=1e-6)
    assert bic("pooled", 1, sizes, scatters) == pytest.approx(pooled, abs=1e-4)
    assert bic("pooled-variance", 1, sizes, scatters) == pytest.approx(variance, abs=1e-4)


def test_the_printed_form_takes_as_many_clusters_as_it_may():
    assert min(TABLE, key=lambda k: bic("pooled", 1, *best_split(k))) == 10


def clusters_of(seed=0, k=4, n_rows=60):
    X, _ = overlapping(seed, n_rows, 3)
    return X, KMeans(k, n_init=1, random_state=0).fit(X).labels_


@pytest.mark.parametrize("seed", range(3))
def test_against_slow_loops(seed):
    X, labels = clusters_of(seed)
    n, k = len(X), 4
    variance = scatter = sse = 0.0
    for c in range(k):
        members = X[labels == c]
        squares = sum(((row - members.mean(axis=0)) ** 2).sum() for row in members)
        n_c = len(members)
        variance += n_c * log(squares / n_c) + k * log(n_c)
        scatter += n_c * log(squares) + k * log(n_c)
        sse += squares
    found = scatters_of(X, np.ones(n), labels)
    assert bic("variance", 3, *found) == pytest.approx(variance)
    assert bic("scatter", 3, *found) == pytest.approx(scatter)
    assert bic("pooled", 3, *found) == pytest.approx(n * log(sse) + k * log(n))
    assert bic("pooled-variance", 3, *found) == pytest.approx(n * log(sse / n) + k * log(n))


@pytest.mark.parametrize("seed", range(3))
def test_x_means_against_pelleg_and_moore(seed):
    # Cluster by cluster, as other programs write it; there the largest is the best.
    X, labels = clusters_of(seed)
    (n, m), k = X.shape, 4
    parts = [X[labels == c] for c in range(k)]
    sigma = sum(((part - part.mean(axis=0)) ** 2).sum() for part in parts) / (n - k)
    p = (k - 1) + m * k + 1
    scores = [
        len(part) * log(len(part))
        - len(part) * log(n)
        - len(part) * log(2 * pi) / 2
        - len(part) * m * log(sigma) / 2
        - (len(part) - k) / 2
        for part in parts
    ]
    expected = sum(scores) - p / 2 * log(n)
    assert bic("x-means", m, *scatters_of(X, np.ones(n), labels)) == pytest.approx(-expected)


@pytest.mark.parametrize("criterion", CRITERIA)
def test_clusters_without_scatter_have_a_value(criterion):
    with np.errstate(all="raise"):
        assert np.isfinite(bic(criterion, 2, np.array([3.0, 1.0]), np.array([0.0, 0.0])))
        assert np.isfinite(bic(criterion, 2, np.array([1.0]), np.array([0.0])))


@pytest.mark.parametrize("criterion", CRITERIA)
def test_the_order_of_clusters_does_not_matter(criterion):
    sizes, scatters = np.array([5.0, 9.0, 2.0]), np.array([0.3, 2.0, 0.1])
    one, other = bic(criterion, 3, sizes, scatters), bic(criterion, 3, sizes[::-1], scatters[::-1])
    assert one == pytest.approx(other)


def test_scatters_count_weights():
    X, labels = clusters_of()
    weight = np.random.default_rng(0).integers(1, 4, len(X))
    one = scatters_of(X, weight.astype(float), labels)
    other = scatters_of(np.repeat(X, weight, 0), np.ones(weight.sum()), np.repeat(labels, weight))
    np.testing.assert_allclose(one, other)
    assert one[0].sum() == weight.sum()


def test_scatters_skip_clusters_without_rows():
    sizes, scatters = scatters_of(np.array([[0.0], [2.0], [5.0]]), np.ones(3), np.array([4, 4, 9]))
    np.testing.assert_allclose(sizes, [2, 1])
    np.testing.assert_allclose(scatters, [2, 0])
