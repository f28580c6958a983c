"""From where a row lands to a class: distances, Gaussians, thresholds."""

import numpy as np
import pytest
from odd import reference
from odd.data import blobs, in_range
from scipy.special import logsumexp
from sklearn.base import clone

from distsearch._thresholds import best_threshold
from distsearch.errors import InvalidInputError
from distsearch.odd import ODDClassifier
from distsearch.odd._discriminants import by_distance, by_gaussians, evidence

ACTIVATIONS = ["linear", "tanh"]


def fitted(n_classes=3, **how):
    X, y = blobs(3, counts=(25, 18, 30, 12)[:n_classes], apart=0.8)
    return X, y, ODDClassifier(random_state=0, max_iter=40, n_restarts=0, **how).fit(X, y)


def distances(odd, X):
    return np.linalg.norm(odd.transform(X)[:, None] - odd.centers_, axis=2)


# Case OD-05: a point on a centre, at equal distances, on all centres.
@pytest.mark.parametrize(
    ("away", "expected"),
    [
        ((1, 2, 3), (0.416666666667, 0.333333333333, 0.25)),
        ((0, 5), (1.0, 0.0)),
        ((2, 2), (0.5, 0.5)),
        ((0, 0, 0), (0.333333333333, 0.333333333333, 0.333333333333)),
        ((1e-320, 1e-320), (0.5, 0.5)),
    ],
)
def test_memberships_of_distances(away, expected):
    found = by_distance(np.zeros((1, 1)), np.array(away, dtype=float)[:, None])
    np.testing.assert_allclose(found[0], expected, atol=1e-12)
    np.testing.assert_allclose(found[0], reference.memberships(away), atol=1e-12)


@pytest.mark.parametrize("activation", ACTIVATIONS)
@pytest.mark.parametrize("n_classes", [2, 3, 4])
def test_distance_gives_the_papers_probabilities_and_the_nearest_centre(activation, n_classes):
    X, _, odd = fitted(n_classes, activation=activation, discriminant="distance")
    D = distances(odd, X)
    expected = [reference.memberships(row) for row in D]
    found = odd.predict_proba(X)
    np.testing.assert_allclose(found, expected, atol=1e-12)
    np.testing.assert_allclose(found.sum(axis=1), 1.0, atol=1e-12)
    assert found.max() <= 1 / (n_classes - 1)
    np.testing.assert_array_equal(odd.predict(X), D.argmin(axis=1))
    scores = odd.decision_function(X)
    if n_classes == 2:
        np.testing.assert_allclose(scores, found[:, 1] - found[:, 0], atol=1e-12)
    else:
        np.testing.assert_allclose(scores, found, atol=1e-12)


@pytest.mark.parametrize("activation", ACTIVATIONS)
@pytest.mark.parametrize("n_classes", [2, 3, 4])
@pytest.mark.parametrize("class_weight", [None, "balanced"])
def test_gaussian_gives_posterior_probabilities(activation, n_classes, class_weight):
    p = n_classes - 1  # a further component of a linear transform is zero
    X, y, odd = fitted(n_classes, n_components=p, activation=activation, class_weight=class_weight)
    weight = np.bincount(y)
    priors = weight / len(y) if class_weight is None else np.full(n_classes, 1 / n_classes)
    np.testing.assert_allclose(odd.priors_, priors, atol=1e-12)
    expected = reference.posteriors(
        odd.transform(X), odd.centers_, odd.covariances_, weight, priors
    )
    found = odd.predict_proba(X)
    np.testing.assert_allclose(found, expected, rtol=1e-7, atol=1e-12)
    np.testing.assert_array_equal(odd.predict(X), expected.argmax(axis=1))
    scores = odd.decision_function(X)
    safe = (found > 1e-6) & (found < 1 - 1e-6)
    odds = np.log(np.where(safe, found, 0.5) / np.where(safe, 1 - found, 0.5))
    if n_classes == 2:
        np.testing.assert_allclose(scores[safe[:, 1]], odds[safe[:, 1], 1], rtol=1e-6)
    else:
        np.testing.assert_allclose(scores[safe], odds[safe], rtol=1e-6, atol=1e-9)


def test_useless_components_change_no_probability():
    X, y, narrow = fitted(3, n_components=2, shrinkage=0.1)
    for p in (3, 6):
        wide = clone(narrow).set_params(n_components=p).fit(X, y)
        np.testing.assert_allclose(wide.predict_proba(X), narrow.predict_proba(X), atol=1e-6)


@pytest.mark.parametrize("how", [{}, {"discriminant": "distance"}], ids=["gaussian", "distance"])
@pytest.mark.parametrize("activation", ACTIVATIONS)
@pytest.mark.parametrize("n_classes", [2, 3])
def test_probabilities_add_up_however_far_the_row(activation, n_classes, how):
    X, _, odd = fitted(n_classes, activation=activation, **how)
    far = np.vstack([X * size for size in (1.0, 1e5, 1e100, 1e200, 1e300)])
    found, logs = odd.predict_proba(far), odd.predict_log_proba(far)
    np.testing.assert_allclose(found.sum(axis=1), 1.0, atol=1e-12)
    np.testing.assert_allclose(np.exp(logs), found, atol=1e-12)
    np.testing.assert_allclose(logsumexp(logs, axis=1), 0.0, atol=1e-12)
    assert not np.isnan(odd.decision_function(far)).any()
    assert set(odd.predict(far)) <= set(odd.classes_)


def test_evidence_keeps_its_digits_near_certainty():
    logs = np.array([[0.0, -50.0], [-800.0, 0.0], [np.log(0.5)] * 2])
    expected = [[50.0, -50.0], [-800.0, 800.0], [0.0, 0.0]]
    np.testing.assert_allclose(evidence(logs), expected, rtol=1e-12, atol=1e-12)


def test_a_component_without_spread_is_certain_where_centres_differ():
    Y = np.array([[0.0, 0.0], [1.0, 0.0], [1.0, 3.0]])
    centers, still = np.array([[0.0, 0.0], [1.0, 0.0]]), np.zeros((2, 2, 2))
    found = np.exp(by_gaussians(Y, centers, still, np.array([3.0, 3.0]), np.full(2, 0.5)))
    np.testing.assert_allclose(found, [[1, 0], [0, 1], [0, 1]], atol=1e-12)


# Case OD-11: the threshold lies between two scores and is never infinite.
def test_the_threshold_is_the_middle_between_two_scores():
    own = np.array([False, False, True, True])
    scores = np.array([0.1, 0.4, 0.6, 0.8])
    cut = best_threshold(scores, own)
    assert cut == pytest.approx(0.5)
    assert reference.balanced_accuracy(scores > cut, own) == reference.best_cut(scores, own) == 1
    alternating = np.array([False, True, False, True])
    assert np.isfinite(best_threshold(np.full(4, 0.5), alternating))


@pytest.mark.parametrize("discriminant", ["distance", "gaussian"])
@pytest.mark.parametrize("activation", ACTIVATIONS)
@pytest.mark.parametrize("n_classes", [2, 3, 4])
def test_balanced_thresholds_are_the_best_of_all_middles(discriminant, activation, n_classes):
    how = {"activation": activation, "discriminant": discriminant}
    X, y, plain = fitted(n_classes, **how)
    assert plain.thresholds_ is None
    odd = clone(plain).set_params(threshold="balanced").fit(X, y)
    assert odd.thresholds_.shape == (n_classes,)
    assert np.isfinite(odd.thresholds_).all()
    scores, claims = plain.decision_function(X), odd.decision_function(X) > 0
    if n_classes == 2:
        scores, claims = scores[:, None], claims[:, None]
    for k in range(scores.shape[1]):
        own = y == odd.classes_[k if n_classes > 2 else 1]
        best = reference.best_cut(scores[:, k], own)
        assert reference.balanced_accuracy(claims[:, k], own) == pytest.approx(best, abs=1e-12)
    # What a threshold decides, it leaves the probabilities.
    np.testing.assert_array_equal(odd.predict_proba(X), plain.predict_proba(X))
    over = odd.decision_function(X)
    expected = (over > 0).astype(int) if n_classes == 2 else over.argmax(axis=1)
    np.testing.assert_array_equal(odd.predict(X), expected)


def test_weights_count_as_repetition_for_thresholds_too():
    X, y = blobs(3, counts=(25, 18, 30), apart=0.1)
    weight = np.random.default_rng(0).integers(1, 9, len(X))
    rows = np.repeat(np.arange(len(X)), weight)
    how = {"threshold": "balanced", "discriminant": "distance", "shrinkage": 0.0}
    weighted = ODDClassifier(**how).fit(X, y, sample_weight=weight)
    repeated = ODDClassifier(**how).fit(X[rows], y[rows])
    np.testing.assert_allclose(weighted.thresholds_, repeated.thresholds_, atol=1e-9)
    np.testing.assert_allclose(weighted.priors_, repeated.priors_, atol=1e-12)
    np.testing.assert_allclose(weighted.predict_proba(X), repeated.predict_proba(X), atol=1e-9)


def test_class_weight_multiplies_the_prior():
    X, y = blobs()
    odd = ODDClassifier(class_weight={0: 2.0, 1: 0.5, 2: 3.0}).fit(X, y)
    expected = np.array([12 * 2.0, 9 * 0.5, 20 * 3.0])
    np.testing.assert_allclose(odd.priors_, expected / expected.sum(), rtol=1e-12)
    for wrong in ({0: -1.0}, {0: 0.0}, {0: np.inf}):
        with pytest.raises(InvalidInputError, match="class_weight must have a finite number above"):
            ODDClassifier(class_weight=wrong).fit(X, y)


def test_the_papers_measure_by_hand():
    claims = np.array([[1, 0], [1, 1], [0, 1], [0, 0]], dtype=bool)
    y = np.array([0, 0, 1, 1])  # (1 + 1) / 2 and (1/2 + 1/2) / 2
    assert reference.one_against_rest(claims, y) == pytest.approx((1.0 + 0.5) / 2)


def test_rows_are_scaled_by_the_training_range_before_they_land():
    X, y, odd = fitted(3)
    other = clone(odd).fit(in_range(X) * 3 - 7, y)
    np.testing.assert_allclose(
        odd.predict_proba(X), other.predict_proba(in_range(X) * 3 - 7), atol=1e-8
    )
