"""Gaussian units under a logistic regression."""

import os
import pickle
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import norm
from sklearn.datasets import load_breast_cancer, load_iris, make_blobs
from sklearn.linear_model import LogisticRegression
from sklearn.mixture import GaussianMixture
from sklearn.model_selection import RepeatedStratifiedKFold, cross_val_score
from sklearn.utils.estimator_checks import parametrize_with_checks

from distsearch.boosting import RBFNetworkClassifier

WEKA = {
    "sonar": 72.12, "wdbc": 94.20, "pima": 75.39, "bupa": 65.80, "ionosphere": 90.31,
    "spect": 80.52,
}  # fmt: skip
"""Accuracy of Weka 3.6.14's RBFNetwork, 10 folds."""


def units_by_hand(model, Z):
    """A unit's share of a mixture's density, one at a time."""
    densities = np.array([
        [
            share * np.prod([norm.pdf(z[j], center[j], spread[j]) for j in range(len(z))])
            for center, spread, share in zip(
                model.centers_, model.spreads_, model.shares_, strict=True
            )
        ]
        for z in Z
    ])  # fmt: skip
    return densities / densities.sum(axis=1, keepdims=True)


def test_units_follow_the_definition():
    X, y = load_iris(return_X_y=True)
    model = RBFNetworkClassifier().fit(X, y)
    Z = (X - X.mean(axis=0)) / X.std(axis=0)
    units = units_by_hand(model, Z)
    regression = LogisticRegression(C=0.5e8, max_iter=10_000, tol=1e-8).fit(units, y)
    np.testing.assert_allclose(model.predict_proba(X), regression.predict_proba(units), atol=1e-3)
    assert model.shares_.sum() == pytest.approx(1)


def test_units_are_the_posterior_of_a_mixture():
    X, y = load_breast_cancer(return_X_y=True)
    X = X[:, :5]
    model = RBFNetworkClassifier(n_centers=3).fit(X, y)
    mixture = GaussianMixture(len(model.centers_), covariance_type="diag")
    mixture.weights_, mixture.means_ = model.shares_, model.centers_
    mixture.covariances_ = model.spreads_**2
    mixture.precisions_cholesky_ = 1 / model.spreads_
    Z = model.scaler_.transform(X)
    np.testing.assert_allclose(model._units(Z), mixture.predict_proba(Z), atol=1e-12)


def test_clusters_that_are_plain_to_see():
    rng = np.random.default_rng(0)
    places = np.array([[-9, -9], [9, 9], [-9, 9], [9, -9]])
    X = np.repeat(places, [10, 20, 30, 40], axis=0) + rng.normal(size=(100, 2)) * [2, 0.01]
    y = np.repeat(["a", "a", "b", "b"], [10, 20, 30, 40])
    model = RBFNetworkClassifier(random_state=3).fit(X, y)
    own = sorted(model.centers_.tolist())
    Z = model.scaler_.transform(X)
    parts = [Z[:10], Z[10:30], Z[30:60], Z[60:]]
    np.testing.assert_allclose(own, sorted(part.mean(axis=0).tolist() for part in parts))
    by_center = {tuple(np.round(c, 6)): i for i, c in enumerate(model.centers_)}
    for part, size, of_class in zip(parts, (10, 20, 30, 40), (30, 30, 70, 70), strict=True):
        unit = by_center[tuple(np.round(part.mean(axis=0), 6))]
        members = Z[:30] if of_class == 30 else Z[30:]
        # Too narrow in the second column, so that it has the spread of the class there.
        assert model.spreads_[unit, 0] == pytest.approx(part[:, 0].std())
        assert model.spreads_[unit, 1] == pytest.approx(members[:, 1].std())
        assert model.shares_[unit] == pytest.approx((size + 1) / (of_class + 2) * of_class / 100)
    assert model.score(X, y) == 1


def test_exclusive_or():
    X = np.array([[0, 0], [1, 1], [0, 1], [1, 0]] * 10, dtype=float)
    y = np.array([0, 0, 1, 1] * 10)
    assert RBFNetworkClassifier().fit(X, y).score(X, y) == 1


def test_fewer_distinct_rows_than_centers():
    X = np.array([[0.0], [0.0], [0.0], [5.0], [6.0], [7.0]])
    model = RBFNetworkClassifier(n_centers=4).fit(X, list("aaabbb"))
    assert len(model.centers_) == 1 + 3
    assert model.predict([[0.1], [6.1]]).tolist() == ["a", "b"]
    assert (model.spreads_ >= 0.1).all()


@pytest.mark.filterwarnings("error")
def test_rows_that_hardly_differ():
    X = np.array([[0.0], [1e-12], [2e-12], [1.0], [1.0 + 1e-12], [1.0 - 1e-12]])
    model = RBFNetworkClassifier(n_centers=3).fit(X, [0, 0, 0, 1, 1, 1])
    assert model.predict(X).tolist() == [0, 0, 0, 1, 1, 1]


def test_far_from_all_units():
    X, y = make_blobs(40, centers=2, random_state=0)
    model = RBFNetworkClassifier().fit(X, y)
    probabilities = model.predict_proba(X + 1e6)
    assert np.isfinite(probabilities).all()
    np.testing.assert_allclose(probabilities.sum(axis=1), 1)


@pytest.mark.parametrize("name", WEKA)
def test_as_accurate_as_wekas(name):
    folder = os.environ.get("DISTSEARCH_DATA")
    if not folder:
        pytest.skip("DISTSEARCH_DATA does not name the folder of real data")
    frame = pd.read_csv(Path(folder) / f"{name}.csv")
    y = frame.pop("target").to_numpy()
    X = frame.fillna(frame.mean()).to_numpy(float)
    folds = RepeatedStratifiedKFold(n_splits=10, n_repeats=2, random_state=0)
    accuracy = cross_val_score(RBFNetworkClassifier(), X, y, cv=folds).mean()
    assert 100 * accuracy == pytest.approx(WEKA[name], abs=4)


@settings(max_examples=10, deadline=None)
@given(st.integers(0, 10**6), st.integers(2, 3), st.integers(1, 4))
def test_affine_columns_and_names_of_labels_do_not_matter(seed, n_classes, n_centers):
    rng = np.random.default_rng(seed)
    X, y = rng.normal(size=(40, 3)), np.arange(40) % n_classes
    scale, shift = 2.0 ** rng.integers(-5, 5, 3), rng.integers(-4, 4, 3)
    model = RBFNetworkClassifier(n_centers=n_centers)
    plain = model.fit(X, y).predict_proba(X)
    moved = model.fit(X * scale + shift, np.array(["p", "q", "r"])[y])
    np.testing.assert_allclose(moved.predict_proba(X * scale + shift), plain, atol=1e-3)


def test_the_same_in_every_fit():
    X, y = load_iris(return_X_y=True)
    first, second = (RBFNetworkClassifier().fit(X, y) for _ in range(2))
    np.testing.assert_array_equal(first.predict_proba(X), second.predict_proba(X))
    again = pickle.loads(pickle.dumps(first))
    np.testing.assert_array_equal(first.predict_proba(X), again.predict_proba(X))


@pytest.mark.parametrize(
    "wrong", [{"n_centers": 0}, {"min_std": 0}, {"ridge": 0}, {"random_state": "x"}]
)
def test_parameters_are_checked(wrong):
    (name,) = wrong
    with pytest.raises(ValueError, match=f"'{name}' parameter of RBFNetworkClassifier"):
        RBFNetworkClassifier(**wrong).fit([[0.0], [1.0]], [0, 1])


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.SkipTestWarning")
@parametrize_with_checks([RBFNetworkClassifier()])
def test_scikit_learns_own_checks(estimator, check):
    check(estimator)
