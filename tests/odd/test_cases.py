"""Situations in which discriminants are known to go wrong, with the numbers worked out by hand."""

import numpy as np
import pytest
from odd.data import blobs
from sklearn.exceptions import NotFittedError

from distsearch.errors import InvalidInputError
from distsearch.odd import ODDClassifier
from distsearch.odd._activations import Tanh
from distsearch.odd._criterion import ActivationCriterion
from distsearch.odd._schedule import PaperSchedule

EVERY_WAY = [
    {},
    {"shrinkage": 0.0},
    {"discriminant": "distance"},
    {"threshold": "balanced"},
    {"n_components": 1},
    {"ddof": 0},
    {"activation": "tanh"},
    {"solver": PaperSchedule(iterations=20)},
    {"solver": PaperSchedule(large=0, es_iterations=30)},
]


@pytest.mark.parametrize("how", EVERY_WAY, ids=str)
def test_a_class_of_one_row(how):
    # Case OD-01; the values of Ω are in test_criterion.py.
    X = [[0.0, 0.0], [1.0, 0.0], [0.0, 2.0], [4.0, 4.0]]
    odd = ODDClassifier(random_state=0, **how).fit(X, list("AAAB"))
    assert np.isfinite(odd.criterion_)
    assert odd.predict(X).tolist() == list("AAAB")
    np.testing.assert_allclose(odd.predict_proba(X).sum(axis=1), 1.0)


@pytest.mark.parametrize("how", EVERY_WAY, ids=str)
def test_classes_of_the_same_points(how):
    # Case OD-03: contradictory duplicates.
    X, y = [[0.0, 0.0], [1.0, 1.0], [0.0, 0.0], [1.0, 1.0]], list("aabb")
    with pytest.raises(InvalidInputError, match="'a' and 'b'"):
        ODDClassifier(random_state=0, **how).fit(X, y)


def test_the_two_of_three_classes_with_the_same_mean_are_named():
    X, y = blobs()
    y = np.array(["one", "two", "three"])[y]
    X[y == "three"] += X[y == "one"].mean(axis=0) - X[y == "three"].mean(axis=0)
    with pytest.raises(InvalidInputError, match="'one' and 'three' have the same mean"):
        ODDClassifier().fit(X, y)
    early = ODDClassifier().partial_fit(X, y)  # more rows may set them apart
    with pytest.raises(NotFittedError, match="'one' and 'three' have the same mean"):
        early.predict(X)


# Case OD-05, one class; the memberships are in test_scores.py.
@pytest.mark.parametrize("how", EVERY_WAY, ids=str)
def test_one_class(how):
    with pytest.raises(InvalidInputError, match="two classes or more; the data have one class, 3"):
        ODDClassifier(**how).fit([[0.0], [1.0]], [3, 3])


def test_a_column_without_variance_is_left_out_of_training_and_of_rows_to_come():
    # Case OD-07.
    X, y = [[0, 7, 1], [10, 7, 3], [5, 7, 2], [4, 7, 1]], [0, 1, 0, 1]
    later = [[15, 9, -1], [5, 7, 2]]
    odd = ODDClassifier(random_state=0).fit(X, y)
    assert odd.kept_features_.tolist() == [0, 2]
    assert odd.n_features_in_ == 3
    assert odd.scalings_[1].tolist() == [0, 0]
    scaled = np.array([[2.0, -3.0], [0.0, 0.0]])  # outside [-1, 1] as it comes
    np.testing.assert_allclose(
        odd.transform(later), scaled @ odd.components_.T + odd.intercept_, atol=1e-12
    )
    moved = np.array(later, dtype=float)
    moved[:, 1] = -1e6
    np.testing.assert_array_equal(odd.predict_proba(moved), odd.predict_proba(later))
    with pytest.raises(ValueError, match="X has 2 features, but ODDClassifier is expecting 3"):
        odd.predict([[15, -1]])


def bad_rows(value):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(8, 4))
    X[3, 2] = value
    return X, [0, 1] * 4


@pytest.mark.parametrize(
    ("value", "kind"), [(np.inf, "infinity"), (-np.inf, "infinity"), (np.nan, "NaN")]
)
def test_a_value_that_is_no_number_is_named(value, kind):
    # Case OD-09.
    X, y = bad_rows(value)
    said = f"contains {kind}: column 'x2', row 3"
    with pytest.raises(InvalidInputError, match=said):
        ODDClassifier().fit(X, y)
    with pytest.raises(InvalidInputError, match=said):
        ODDClassifier().partial_fit(X, y)
    fine, _ = bad_rows(0.0)
    odd = ODDClassifier().fit(fine, y)
    for use in (odd.predict, odd.transform, odd.predict_proba, odd.decision_function):
        with pytest.raises(InvalidInputError, match=said):
            use(X)


@pytest.mark.parametrize("activation", ["linear", "tanh"])
@pytest.mark.parametrize("value", [1e308, -1.7e308])
def test_a_huge_value_is_a_value(value, activation):
    # Case OD-09: a finite result.
    X, y = bad_rows(value)
    odd = ODDClassifier(activation=activation, random_state=0).fit(X, y)
    assert np.isfinite(odd.criterion_)
    assert np.isfinite(odd.predict_proba(X)).all()
    usual = ODDClassifier(activation=activation, random_state=0).fit(*bad_rows(0.0))
    assert np.isfinite(usual.predict_proba(X)).all()


def test_any_size_of_numbers_gives_the_same_classes():
    X, y = blobs()
    expected = ODDClassifier().fit(X, y).predict_proba(X)
    for size in (1e-300, 1e-150, 1e150, 1e306):
        found = ODDClassifier().fit(X * size, y).predict_proba(X * size)
        np.testing.assert_allclose(found, expected, atol=1e-8)
    both_ends = X.copy()
    both_ends[0, 0], both_ends[20, 0] = 1.7e308, -1.7e308
    assert np.isfinite(ODDClassifier().fit(both_ends, y).predict_proba(both_ends)).all()


def test_a_far_offset_costs_few_digits():
    X, y = blobs()
    X = np.round(X * 2**10) / 2**10  # so that adding the offset is exact
    expected = ODDClassifier(shrinkage=0.0).fit(X, y)
    moved = ODDClassifier(shrinkage=0.0).fit(X + 1e9, y)
    assert moved.criterion_ == pytest.approx(expected.criterion_, rel=1e-9)
    np.testing.assert_allclose(moved.predict_proba(X + 1e9), expected.predict_proba(X), atol=1e-9)


def test_a_candidate_that_is_no_number_is_the_worst():
    # Case OD-09: "single NaN candidates in a population count as worst, not as best".
    X, y = blobs()
    criterion = ActivationCriterion(X, y, 3, 2, Tanh())
    population = np.random.default_rng(0).normal(size=(5, 5, 2))
    population[1, 0, 0], population[3] = np.nan, 0.0
    with np.errstate(invalid="ignore"):
        values = criterion.values(population)
    assert values[[1, 3]].tolist() == [np.inf, np.inf]
    assert np.isfinite(values[[0, 2, 4]]).all()


def test_rows_of_one_kind_in_every_class_are_too_few():
    with pytest.raises(InvalidInputError, match="more rows"):
        ODDClassifier().fit([[0.0, 0.0], [1.0, 1.0]], [0, 1])


@pytest.mark.parametrize("how", [{}, {"solver": PaperSchedule(iterations=5)}], ids=str)
def test_tanh_starts_from_a_linear_transform_which_needs_means_that_differ(how):
    x = np.linspace(-0.2, 0.2, 20)
    X, y = np.concatenate([x, x - 2, x + 2])[:, None], np.repeat([0, 1, 1], 20)
    with pytest.raises(InvalidInputError, match="0 and 1 have the same mean in every feature"):
        ODDClassifier(2, activation="tanh", **how).fit(X, y)
