"""Boosting without the rows where labels overlap."""

import os
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.datasets import load_breast_cancer, load_iris, make_blobs
from sklearn.naive_bayes import GaussianNB
from sklearn.utils.estimator_checks import parametrize_with_checks

from distsearch.boosting import PruneBoostClassifier, ResamplingAdaBoostClassifier
from distsearch.boosting._pruning import (
    LabelClusters,
    cluster_labels,
    distances_between,
    troublesome,
    whitening,
)
from distsearch.boosting._reading import read_training
from distsearch.boosting._space import ClusterSpace

SEED = np.random.SeedSequence(0)


def overlapping(seed=0, n_rows=120, n_classes=2, n_features=3):
    return make_blobs(n_rows, n_features, centers=n_classes, cluster_std=4.0, random_state=seed)


def votes(model, X):
    return model.decision_function(X), model.estimator_votes_, model.estimator_errors_


def assert_same_votes(one, other, X):
    for a, b in zip(votes(one, X), votes(other, X), strict=True):
        np.testing.assert_array_equal(a, b)
    assert one.stopped_ == other.stopped_


def pruned_by_hand(X, y, labels, threshold, relative):
    """Rows in clusters with another label's cluster nearby, pair by pair; no row is twice in X."""
    Z = (X - X.min(axis=0)) / np.where(np.ptp(X, axis=0) > 0, np.ptp(X, axis=0), 1)
    classes, covariance = np.unique(y), np.zeros((Z.shape[1], Z.shape[1]))
    for label in classes:
        own = Z[y == label]
        for row in own:
            covariance += np.outer(row - own.mean(axis=0), row - own.mean(axis=0))
    inverse = np.linalg.pinv(covariance / (len(y) - len(classes)), rcond=1e-10, hermitian=True)
    clusters = [
        (label, np.flatnonzero((y == label) & (labels == cluster)))
        for label in classes
        for cluster in np.unique(labels[y == label])
    ]
    distances = {}
    for i, (label, members) in enumerate(clusters):
        for j, (other, others) in enumerate(clusters):
            if label != other:
                apart = Z[members].mean(axis=0) - Z[others].mean(axis=0)
                distances[i, j] = np.sqrt(max(apart @ inverse @ apart, 0))
    unit = max(distances.values()) if relative else 1.0
    dropped = {
        row
        for (i, j), distance in distances.items()
        if distance / unit < threshold
        for row in clusters[i][1].tolist()
    }
    if any(set(np.flatnonzero(y == label).tolist()) <= dropped for label in classes):
        return []
    return sorted(dropped)


def labels_of(model, X, y):
    """The clusters of a fitted model, in the order in which rows were given."""
    rows = read_training(GaussianNB(), GaussianNB(), X, y)
    Z = ClusterSpace().fit(rows.X, rows.weight).transform(rows.X)
    seed = np.random.SeedSequence(model.random_state)
    found = cluster_labels(Z, rows.codes, rows.weight, model.n_clusters, seed)
    return found.labels[rows.places]


@settings(max_examples=15, deadline=None)
@given(
    st.integers(0, 10**6), st.integers(2, 3), st.integers(1, 25), st.floats(0.02, 0.6),
    st.booleans(),
)  # fmt: skip
@pytest.mark.filterwarnings("ignore:Nothing was left out")
def test_rows_left_out_follow_the_definition(seed, n_classes, n_clusters, threshold, relative):
    X, y = overlapping(seed, 40, n_classes)
    model = PruneBoostClassifier(
        GaussianNB(), 1, n_clusters=n_clusters, threshold=threshold if relative else 4 * threshold,
        unit="relative" if relative else "mahalanobis", random_state=seed,
    ).fit(X, y)  # fmt: skip
    labels = labels_of(model, X, y)
    expected = pruned_by_hand(X, y, labels, model.threshold, relative)
    assert model.pruned_.tolist() == expected
    assert model.n_clusters_ == len({*zip(y.tolist(), labels.tolist(), strict=True)})


def test_then_the_rest_is_boosted():
    X, y = overlapping()
    model = PruneBoostClassifier(threshold=0.1, random_state=4).fit(X, y)
    assert 0 < len(model.pruned_) < len(y)
    left = np.delete(np.arange(len(y)), model.pruned_)
    assert_same_votes(model, ResamplingAdaBoostClassifier(random_state=4).fit(X[left], y[left]), X)


@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("estimator", ["tree", "stump", GaussianNB()], ids=str)
def test_without_a_threshold_it_is_adaboost(estimator, n_classes):
    X, y = overlapping(n_classes=n_classes)
    how = {"learning_rate": 0.7, "first_on_all": True, "random_state": 2}
    model = PruneBoostClassifier(estimator, threshold=0.0, **how).fit(X, y)
    assert len(model.pruned_) == 0
    assert_same_votes(model, ResamplingAdaBoostClassifier(estimator, **how).fit(X, y), X)


def test_plain_to_see():
    rng = np.random.default_rng(0)
    places = np.array([[0, 0], [10, 0], [10.1, 0.1], [20, 0]])
    X = np.repeat(places, 25, axis=0) + 0.3 * rng.normal(size=(100, 2))
    y = np.repeat(["a", "a", "b", "b"], 25)
    model = PruneBoostClassifier(n_clusters=2, threshold=0.2, random_state=0).fit(X, y)
    assert model.pruned_.tolist() == list(range(25, 75))
    assert model.n_clusters_ == 4
    assert model.distance_range_[0] < 0.2 < model.distance_range_[1] == 1
    assert model.score(X[:25], y[:25]) == model.score(X[75:], y[75:]) == 1


def test_a_label_that_would_be_lost():
    X, y = overlapping()
    for model in (
        PruneBoostClassifier(n_clusters=1, threshold=2.0, random_state=0),
        PruneBoostClassifier(threshold=1.5, random_state=0),
    ):
        with pytest.warns(UserWarning, match=r"Nothing was left out.*give a smaller threshold"):
            model.fit(X, y)
        assert len(model.pruned_) == 0
        assert_same_votes(model, ResamplingAdaBoostClassifier(random_state=0).fit(X, y), X)
    # One label inside another, whose outer rows would be left.
    rng = np.random.default_rng(1)
    X = np.vstack([rng.normal(size=(80, 2)) * 4, rng.normal(size=(5, 2)) * 0.1])
    y = np.repeat([0, 1], [80, 5])
    with pytest.warns(UserWarning, match="Nothing was left out"):
        model = PruneBoostClassifier(threshold=0.25, random_state=0).fit(X, y)
    assert model.distance_range_[0] < 0.25
    assert (len(model.pruned_), model.classes_.tolist()) == (0, [0, 1])


def test_duplicates_and_collinear_columns():
    points = np.array([[0.0], [1.0], [2.0], [10.0], [11.0], [12.0]])
    X = np.hstack([points, 2 * points]).repeat(2, axis=0)
    y = np.repeat([0, 1], 6)
    model = PruneBoostClassifier(n_clusters=20, random_state=0).fit(X, y)
    assert model.n_clusters_ == 6
    assert np.isfinite(model.distance_range_).all()
    one = PruneBoostClassifier(n_clusters=20, unit="mahalanobis", random_state=0).fit(X, y)
    # Each column has a pooled variance of (2 + 2) * 2 / (12 - 2); nearest are 2 and 10.
    assert one.distance_range_ == pytest.approx((8 / np.sqrt(0.8), 12 / np.sqrt(0.8)))
    assert model.score(X, y) == 1


def test_one_row_of_each_label():
    model = PruneBoostClassifier(random_state=0).fit([[0.0], [1.0]], [0, 1])
    assert len(model.pruned_) == 0
    assert np.isfinite(model.distance_range_).all()


@pytest.mark.filterwarnings("error")
def test_places_that_hardly_differ():
    rng = np.random.default_rng(0)
    X = np.repeat([[0.0, 1.0], [1.0, 0.0]], 20, axis=0) + 1e-10 * rng.normal(size=(40, 2))
    model = PruneBoostClassifier(random_state=0).fit(X, np.repeat([0, 1], 20))
    assert model.n_clusters_ <= 40
    constant = PruneBoostClassifier("stump", random_state=0).fit(np.ones((8, 2)), [0, 1] * 4)
    assert (constant.n_clusters_, len(constant.pruned_)) == (2, 0)


@settings(max_examples=6, deadline=None)
@given(st.integers(0, 10**6), st.sampled_from(["relative", "mahalanobis"]))
def test_affine_columns_and_order_do_not_matter(seed, unit):
    X, y = overlapping(seed)
    rng = np.random.default_rng(seed)
    threshold = {"relative": 0.12, "mahalanobis": 0.8}[unit]
    model = PruneBoostClassifier(threshold=threshold, unit=unit, random_state=1)
    plain = model.fit(X, y).pruned_.tolist()
    lowest, largest = model.distance_range_
    order = rng.permutation(len(y))
    shuffled = model.fit(X[order], y[order])
    assert sorted(order[shuffled.pruned_].tolist()) == plain
    assert shuffled.distance_range_ == (lowest, largest)
    # Positive factors keep the order of rows, and so the starts of k-means.
    moved = X * 2.0 ** rng.integers(-5, 5, X.shape[1])
    assert model.fit(moved, y).pruned_.tolist() == plain
    names = np.array(["first", "second"])
    assert model.fit(X, names[y]).pruned_.tolist() == plain


def test_weights_that_are_whole_are_repetitions():
    X, y = overlapping()
    weight = np.random.default_rng(0).integers(0, 4, len(y))
    again = np.repeat(np.arange(len(y)), weight)
    model = PruneBoostClassifier(random_state=0)
    weighted = model.fit(X, y, weight).pruned_
    scores = model.decision_function(X)
    assert 0 < len(weighted)
    assert (weight[weighted] > 0).all()
    model.fit(X[again], y[again])
    assert np.unique(again[model.pruned_]).tolist() == weighted.tolist()
    np.testing.assert_array_equal(model.decision_function(X), scores)


def test_scaled_weights_leave_out_the_same_rows():
    X, y = overlapping()
    weight = np.random.default_rng(0).random(len(y)) + 0.1
    model = PruneBoostClassifier(random_state=0)
    assert len(model.fit(X, y, weight).pruned_)
    assert model.pruned_.tolist() == model.fit(X, y, 4 * weight).pruned_.tolist()


def test_a_larger_threshold_leaves_out_more():
    X, y = load_breast_cancer(return_X_y=True)
    before: set[int] = set()
    for threshold in (0.05, 0.1, 0.12, 0.15):
        model = PruneBoostClassifier("stump", threshold=threshold, random_state=0).fit(X, y)
        left_out = set(model.pruned_.tolist())
        assert before <= left_out
        before = left_out
    assert before


def test_three_labels():
    X, y = load_iris(return_X_y=True)
    model = PruneBoostClassifier(threshold=0.1, random_state=0).fit(X, y)
    # The first label is far from the two that overlap.
    assert len(model.pruned_)
    assert (y[model.pruned_] > 0).all()
    assert model.decision_function(X).shape == (150, 3)
    assert model.score(X, y) > 0.9


def test_categories_and_missing_values():
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"size": rng.normal(size=80), "color": rng.choice(["red", "blue"], 80)})
    y = np.where((frame["color"] == "red") & (frame["size"] > 0), "yes", "no")
    frame.loc[::7, "size"] = np.nan
    frame.loc[::9, "color"] = None

    class Colors(GaussianNB):
        def _numbers(self, X):
            return np.column_stack([X["size"].fillna(0), X["color"] == "red"])

        def fit(self, X, y):
            return super().fit(self._numbers(X), y)

        def predict(self, X):
            return super().predict(self._numbers(X))

    model = PruneBoostClassifier(Colors(), random_state=0).fit(frame, y)
    assert np.isfinite(model.distance_range_).all()
    assert model.score(frame, y) > 0.7


def test_pairs_and_clusters_of_all_rows():
    X, y = overlapping()
    mixed = PruneBoostClassifier(clustering="all-rows", random_state=0).fit(X, y)
    assert mixed.n_clusters_ == 20
    everything = PruneBoostClassifier(
        clustering="all-rows", pairing="all", threshold=0.2, random_state=0
    ).fit(X, y)
    some = everything.set_params(pairing="different-labels").fit(X, y)
    assert some.n_clusters_ == 20
    alike = PruneBoostClassifier(pairing="all", unit="mahalanobis", random_state=0).fit(X, y)
    apart = PruneBoostClassifier(unit="mahalanobis", random_state=0).fit(X, y)
    assert alike.distance_range_[0] <= apart.distance_range_[0]
    lonely = PruneBoostClassifier(clustering="all-rows", n_clusters=1, random_state=0).fit(X, y)
    assert np.isnan(lonely.distance_range_).all()
    assert len(lonely.pruned_) == 0


def test_distances_pair_by_pair():
    centers = np.array([[0.0, 0.0], [3.0, 4.0], [0.0, 1.0]])
    clusters = LabelClusters(np.arange(3), np.array([0, 0, 1]), centers)
    apart = distances_between(clusters, np.eye(2), alike=False)
    np.testing.assert_allclose(
        apart, [[np.inf, np.inf, 1], [np.inf, np.inf, np.sqrt(18)], [1, np.sqrt(18), np.inf]]
    )
    both = distances_between(clusters, np.eye(2), alike=True)
    np.testing.assert_allclose(both[0], [np.inf, 5, 1])
    assert troublesome(apart, 1.0).tolist() == [False, False, False]
    assert troublesome(apart, 1.01).tolist() == [True, False, True]


def test_whitened_rows_have_no_covariance():
    X, y = overlapping()
    Z = X @ whitening(X, y, np.ones(len(y)))
    pooled = sum((np.sum(y == k) - 1) * np.cov(Z[y == k].T) for k in (0, 1)) / (len(y) - 2)
    np.testing.assert_allclose(pooled, np.eye(3), atol=1e-10)
    assert whitening(np.zeros((4, 2)), np.array([0, 0, 1, 1]), np.ones(4)).shape == (2, 0)


def test_each_label_has_a_seed_of_its_own():
    X, y = overlapping(n_classes=3)
    everything = cluster_labels(X, y, np.ones(len(y)), 5, SEED)
    changed = np.where((y == 2)[:, None], X[::-1], X)
    again = cluster_labels(changed, y, np.ones(len(y)), 5, SEED)
    np.testing.assert_array_equal(again.labels[y < 2], everything.labels[y < 2])
    np.testing.assert_array_equal(again.codes, everything.codes)


@pytest.mark.parametrize("name", ["mammography", "pima"])
def test_shares_on_real_data(name):
    folder = os.environ.get("DISTSEARCH_DATA")
    if not folder:
        pytest.skip("DISTSEARCH_DATA does not name the folder of real data")
    frame = pd.read_csv(Path(folder) / f"{name}.csv")
    frame = frame.dropna()
    y = frame.pop("target")
    raw = PruneBoostClassifier("stump", threshold=0.3, unit="mahalanobis", random_state=0)
    # In raw units something is dropped of mammography only.
    assert bool(len(raw.fit(frame, y).pruned_)) == (name == "mammography")
    relative = PruneBoostClassifier("stump", random_state=0).fit(frame, y)
    assert 0.02 < len(relative.pruned_) / len(y) < 0.71


@pytest.mark.parametrize(
    "wrong",
    [
        {"n_clusters": 0}, {"threshold": -0.1}, {"unit": "euclid"}, {"pairing": "none"},
        {"clustering": "both"}, {"learning_rate": 0}, {"rule": "M2"},
    ],
)  # fmt: skip
def test_parameters_are_checked(wrong):
    (name,) = wrong
    with pytest.raises(ValueError, match=f"'{name}' parameter of PruneBoostClassifier"):
        PruneBoostClassifier(**wrong).fit([[0.0], [1.0]], [0, 1])


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.SkipTestWarning")
@parametrize_with_checks([PruneBoostClassifier(n_estimators=3, random_state=0)])
def test_scikit_learns_own_checks(estimator, check):
    check(estimator)
