"""X-means: clusters that are split while a criterion gets better."""

import numpy as np
import pytest
from boosting.data import overlapping, same
from sklearn.datasets import make_blobs

from distsearch.boosting import XMeans
from distsearch.boosting._bic import bic
from distsearch.boosting._clustering import scatters_of

CENTRES = [[0, 0], [8, 0], [0, 8], [8, 8], [16, 4]]


def blobs(k, n_rows=200, seed=0):
    return make_blobs(n_rows, centers=CENTRES[:k], cluster_std=0.6, random_state=seed)


@pytest.mark.parametrize("k", [2, 3, 4])
@pytest.mark.parametrize("seed", range(3))
def test_finds_the_number_of_blobs(seed, k):
    X, y = blobs(k, seed=seed)
    found = XMeans(2, 10, random_state=seed).fit(X)
    assert len(found.k_means_.cluster_centers_) == k
    pairs = set(zip(found.labels_.tolist(), y.tolist(), strict=True))
    assert len(pairs) == k
    assert min(found.bic_, key=found.bic_.get) == k


def test_the_criterion_is_that_of_the_labels():
    X, _ = blobs(4)
    found = XMeans(random_state=0).fit(X)
    value = bic("x-means", 2, *scatters_of(X, np.ones(len(X)), found.labels_))
    assert found.bic_[len(np.unique(found.labels_))] == pytest.approx(value)
    assert value == pytest.approx(min(found.bic_.values()))


def test_rows_belong_to_the_nearest_centre():
    X, _ = blobs(3)
    found = XMeans(random_state=0).fit(X)
    same(found.predict(X), found.labels_)
    distances = ((X[:, None] - found.k_means_.cluster_centers_) ** 2).sum(axis=2)
    same(found.labels_, distances.argmin(axis=1))


def test_one_cloud_stays_whole():
    X = np.random.default_rng(0).normal(size=(150, 2))
    assert len(np.unique(XMeans(1, random_state=0).fit(X).labels_)) == 1


def test_bounds():
    X, _ = blobs(5)
    assert len(XMeans(2, 3, random_state=0).fit(X).k_means_.cluster_centers_) <= 3
    assert set(XMeans(7, 9, random_state=0).fit(X).bic_) <= {7, 8, 9}
    assert list(XMeans(4, 4, random_state=0).fit(X).bic_) == [4]


def test_few_places():
    for X in ([[0.0], [0.0], [1.0]], [[2.0]] * 4, [[1.0], [2.0], [3.0]]):
        labels = XMeans(2, 10, random_state=0).fit(X).labels_
        assert len(np.unique(labels)) <= len(np.unique(X))


def test_weights_are_repetitions():
    X, _ = blobs(3, 60)
    weight = np.random.default_rng(0).integers(1, 4, 60)
    one = XMeans(random_state=0).fit(X, sample_weight=weight)
    other = XMeans(random_state=0).fit(np.repeat(X, weight, axis=0))
    np.testing.assert_allclose(
        np.sort(one.k_means_.cluster_centers_, axis=0),
        np.sort(other.k_means_.cluster_centers_, axis=0),
    )
    assert min(one.bic_.values()) == pytest.approx(min(other.bic_.values()))


def test_rows_without_weight_are_not_there():
    X, _ = blobs(3, 60)
    weight = (np.arange(60) % 2).astype(float)
    one = XMeans(random_state=0).fit(X, sample_weight=weight)
    other = XMeans(random_state=0).fit(X[1::2])
    same(one.labels_[1::2], other.labels_)
    same(one.predict(X), one.labels_)
    apart = XMeans(random_state=0).fit([[0.0], [5.0], [9.0]], sample_weight=[0, 1, 0])
    assert apart.labels_.tolist() == [0, 0, 0]


def test_the_same_seed_gives_the_same_clusters():
    X, _ = overlapping(0, 80, 4)
    one, other = (XMeans(random_state=3).fit(X) for _ in range(2))
    same(one.labels_, other.labels_)
    assert one.bic_ == other.bic_


@pytest.mark.parametrize("how", [{"min_clusters": 0}, {"max_clusters": 0}, {"n_init": 0}])
def test_parameters_that_are_refused(how):
    with pytest.raises(ValueError, match=f"'{next(iter(how))}' parameter of XMeans"):
        XMeans(**how).fit([[0.0], [1.0]])
