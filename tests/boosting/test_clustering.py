"""How many clusters, which, and where new rows belong."""

import numpy as np
import pytest
from boosting.data import overlapping, same
from scipy.spatial.distance import cdist
from sklearn.cluster import (
    DBSCAN,
    HDBSCAN,
    AgglomerativeClustering,
    FeatureAgglomeration,
    KMeans,
    SpectralClustering,
)
from sklearn.datasets import make_blobs
from sklearn.linear_model import Ridge
from sklearn.mixture import GaussianMixture
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from distsearch.backends import open_backend
from distsearch.boosting._bic import CRITERIA, bic
from distsearch.boosting._clustering import (
    cluster_by,
    cluster_by_groups,
    cluster_by_k_means,
    scatters_of,
)
from distsearch.errors import InvalidInputError

SEED = np.random.SeedSequence(0)


def three_blobs(n_rows=90):
    return make_blobs(n_rows, centers=[[0, 0], [1, 0], [0, 1]], cluster_std=0.05, random_state=0)


def by_k_means(Z, weight=None, numbers=(2, 10), criterion="variance", n_init=5, seed=SEED):
    weight = np.ones(len(Z)) if weight is None else weight
    with open_backend("serial") as backend:
        return cluster_by_k_means(
            Z, weight, numbers, criterion=criterion, n_init=n_init, seed=seed, backend=backend
        )


def as_sets(labels):
    return {frozenset(np.flatnonzero(labels == label)) for label in np.unique(labels)}


@pytest.mark.parametrize("criterion", ["variance", "x-means"])
def test_three_blobs(criterion):
    Z, y = three_blobs()
    found = by_k_means(Z, criterion=criterion, numbers=(2, 6))
    assert len(found.names) == 3
    assert as_sets(found.labels) == as_sets(y)
    assert sorted(found.bic) == [2, 3, 4, 5, 6]
    assert min(found.bic, key=found.bic.get) == 3


@pytest.mark.parametrize("criterion", CRITERIA)
def test_the_criterion_is_that_of_the_clusters(criterion):
    Z, _ = overlapping(0, 60)
    found = by_k_means(Z, criterion=criterion, numbers=(2, 5))
    k = len(found.names)
    assert found.bic[k] == pytest.approx(
        bic(criterion, 3, *scatters_of(Z, np.ones(60), found.labels))
    )
    assert found.bic[k] == min(found.bic.values())


def test_new_rows_belong_to_the_nearest_centre():
    Z, _ = overlapping(0, 60)
    found = by_k_means(Z, numbers=(4, 4))
    new, _ = overlapping(1, 40)
    centres = found.locator.cluster_centers_
    same(found.names[cdist(new, centres).argmin(axis=1)], found.locator.predict(new))
    same(found.labels, cdist(Z, centres).argmin(axis=1))
    for c in range(4):
        np.testing.assert_allclose(centres[c], Z[found.labels == c].mean(axis=0))


def test_never_more_clusters_than_places():
    Z = np.array([[0.0], [0.0], [1.0], [1.0], [3.0]])
    found = by_k_means(Z)
    assert sorted(found.bic) == [2, 3]
    assert sorted(by_k_means(Z, numbers=(7, 9)).bic) == [3]
    assert by_k_means(np.zeros((4, 1))).labels.tolist() == [0, 0, 0, 0]


def test_each_number_has_its_own_seed():
    Z, _ = overlapping(0, 80)
    few, many = by_k_means(Z, numbers=(2, 4), n_init=1), by_k_means(Z, numbers=(3, 6), n_init=1)
    for k in (3, 4):
        assert few.bic[k] == many.bic[k]
    other = by_k_means(Z, numbers=(2, 6), n_init=1, seed=np.random.SeedSequence(1))
    assert any(other.bic[k] != many.bic[k] for k in (3, 4, 5, 6))


def test_weights_are_repetitions():
    Z, _ = three_blobs(60)
    weight = np.random.default_rng(0).integers(1, 4, 60).astype(float)
    found = by_k_means(Z, weight, numbers=(3, 3))
    centres = np.array([
        np.average(Z[found.labels == c], axis=0, weights=weight[found.labels == c])
        for c in range(3)
    ])  # fmt: skip
    np.testing.assert_allclose(found.locator.cluster_centers_, centres)


@pytest.mark.parametrize(
    "clusterer", [KMeans(3, n_init=5), GaussianMixture(3, n_init=3)], ids=["k-means", "mixture"]
)
def test_clusterers_that_predict(clusterer):
    Z, y = three_blobs()
    found = cluster_by(Z, np.ones(len(Z)), clusterer, SEED)
    assert as_sets(found.labels) == as_sets(y)
    same(found.names[found.labels], found.locator.predict(Z))
    assert not hasattr(clusterer, "n_iter_")
    again = cluster_by(Z, np.ones(len(Z)), clusterer, SEED)
    same(again.labels, found.labels)
    assert found.locator.random_state is not None


@pytest.mark.parametrize(
    "clusterer",
    [
        AgglomerativeClustering(3),
        DBSCAN(0.2),
        HDBSCAN(min_cluster_size=5, copy=True),
        SpectralClustering(3, random_state=0),
    ],
    ids=lambda each: type(each).__name__,
)
def test_clusterers_that_do_not_predict(clusterer):
    Z, y = three_blobs()
    found = cluster_by(Z, np.ones(len(Z)), clusterer, SEED)
    labels = found.names[found.labels]
    for c in np.unique(labels[labels >= 0]):
        assert len(set(y[labels == c])) == 1
    new = three_blobs(30)[0]
    nearest = cdist(new, Z).argmin(axis=1)
    same(found.locator.predict(new), labels[nearest])


def test_noise_is_a_cluster():
    Z = np.vstack([three_blobs()[0], [[5.0, 5.0], [9.0, 9.0]]])
    found = cluster_by(Z, np.ones(len(Z)), DBSCAN(0.2), SEED)
    assert found.names.tolist() == [-1, 0, 1, 2]
    assert found.labels[-2:].tolist() == [0, 0]
    assert found.locator.predict([[7.0, 7.1]]).tolist() == [-1]


def test_groups():
    Z = np.array([[0.0], [1.0], [10.0], [11.0]])
    found = cluster_by_groups(Z, np.array(["q", "q", "p", "q"]))
    assert found.names.tolist() == ["p", "q"]
    assert found.labels.tolist() == [1, 1, 0, 1]
    assert found.locator.predict([[9.0], [10.9], [-5.0]]).tolist() == ["p", "q", "q"]
    assert found.bic == {}


def test_what_is_no_clusterer():
    class Nothing(KMeans):
        predict = property()

        def fit(self, X, y=None, sample_weight=None):
            return self

    with pytest.raises(
        InvalidInputError, match=r"clusterer of rows with labels_ or predict\. Got Nothing"
    ):
        cluster_by(three_blobs()[0], np.ones(90), Nothing(), SEED)


@pytest.mark.parametrize("given", [KMeans, GaussianNB(), Ridge(), FeatureAgglomeration()])
def test_what_clusters_no_rows(given):
    with pytest.raises(InvalidInputError, match=r"must be 'k-means', 'x-means' or a clusterer"):
        cluster_by(three_blobs()[0], np.ones(90), given, SEED)


def test_a_pipeline_clusters():
    Z = three_blobs()[0]
    found = cluster_by(Z, np.ones(90), make_pipeline(StandardScaler(), KMeans(3, n_init=5)), SEED)
    assert sorted(np.bincount(found.labels)) == [30, 30, 30]
