import tracemalloc

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from odd import reference
from odd.data import blobs, groups

from distsearch.odd._activations import Linear, Tanh
from distsearch.odd._criterion import ActivationCriterion, LinearCriterion
from distsearch.odd._moments import moments_of
from distsearch.odd._shrinkage import shrink

FACTOR = np.array([0.5, 2.0, 1.0])
SHARE = np.array([0.0, 0.3, 0.7])


def linear(X, y, p, ddof=1, share=None, weight=None, **how):
    moments = moments_of(X, y, y.max() + 1, weight)
    share = np.zeros(y.max() + 1) if share is None else share
    return LinearCriterion(
        moments.mean, shrink(moments.covariance(ddof), share, X.shape[1]), p, **how
    )


def through(X, y, p, activation, **how):
    return ActivationCriterion(X, y, y.max() + 1, p, activation, **how)


@pytest.mark.parametrize("p", [1, 2, 3, 4])
@pytest.mark.parametrize(
    "how", [{}, {"gamma": 0.3, "exponent": 0.2, "class_factor": FACTOR}], ids=["plain", "all"]
)
@pytest.mark.parametrize("ddof", [0, 1])
def test_linear_value_is_that_of_projected_rows(p, how, ddof):
    X, y = blobs()
    M = np.random.default_rng(p).normal(size=(4, p))
    by_text = {("factor" if name == "class_factor" else name): v for name, v in how.items()}
    expected = reference.linear_omega(groups(X, y), M, ddof=ddof, shrinkage=SHARE, **by_text)
    criterion = linear(X, y, p, ddof, SHARE, **how)
    assert np.exp(criterion.value(M)) == pytest.approx(expected, rel=1e-12)
    assert np.exp(criterion.values(M[None])[0]) == pytest.approx(expected, rel=1e-12)
    assert np.exp(criterion.value_and_gradient(M)[0]) == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize("p", [1, 2, 4])
@pytest.mark.parametrize("ddof", [0, 1])
def test_tanh_value_is_that_of_projected_rows(p, ddof):
    X, y = blobs()
    W = np.random.default_rng(p).normal(size=(5, p)) * 0.4
    projected = [np.tanh(G @ W[:-1] + W[-1]) for G in groups(X, y)]
    expected = reference.omega(
        projected, gamma=0.7, exponent=0.4, factor=FACTOR, ddof=ddof, shrinkage=SHARE
    )
    criterion = through(
        X, y, p, Tanh(), gamma=0.7, exponent=0.4, class_factor=FACTOR, ddof=ddof, shrinkage=SHARE
    )
    assert np.exp(criterion.values(W[None])[0]) == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize("p", [1, 2, 3, 5])
@pytest.mark.parametrize("share", [None, SHARE])
def test_linear_gradient_agrees_with_differences(p, share):
    X, y = blobs()
    weight = np.random.default_rng(1).uniform(0.2, 3.0, len(X))
    M = np.random.default_rng(p).normal(size=(4, p))
    criterion = linear(X, y, p, share=share, weight=weight, gamma=0.6, class_factor=FACTOR)
    for pair, value in (
        (criterion.value_and_gradient, criterion.value),
        (criterion.shape_value_and_gradient, criterion.shape_value),
    ):
        expected = reference.central_differences(value, M)
        np.testing.assert_allclose(pair(M)[1], expected, atol=1e-8 * np.abs(expected).max())


@pytest.mark.parametrize("p", [1, 2, 3, 5])
@pytest.mark.parametrize("activation", [Tanh(), Linear()], ids=["tanh", "linear"])
@pytest.mark.parametrize("share", [None, SHARE])
def test_activation_gradient_agrees_with_differences(p, activation, share):
    X, y = blobs()
    weight = np.random.default_rng(1).uniform(0.2, 3.0, len(X))
    W = np.random.default_rng(p).normal(size=(5, p)) * 0.3
    criterion = through(
        X, y, p, activation, weight=weight, gamma=0.6, class_factor=FACTOR, shrinkage=share
    )
    expected = reference.central_differences(lambda W: criterion.values(W[None])[0], W)
    value, gradient = criterion.value_and_gradient(W)
    assert value == pytest.approx(criterion.values(W[None])[0], rel=1e-13)
    np.testing.assert_allclose(gradient, expected, atol=2e-8 * np.abs(expected).max())


def test_weights_count_as_repetition():
    X, y = blobs()
    weight = np.random.default_rng(0).integers(1, 4, len(X))
    W = np.random.default_rng(1).normal(size=(5, 2)) * 0.4
    rows = np.repeat(np.arange(len(X)), weight)
    projected = [np.tanh(G @ W[:-1] + W[-1]) for G in groups(X[rows], y[rows])]
    weighted = through(X, y, 2, Tanh(), weight=weight.astype(float)).values(W[None])
    assert np.exp(weighted[0]) == pytest.approx(reference.omega(projected), rel=1e-12)
    M = W[:-1]
    expected = reference.linear_omega(groups(X[rows], y[rows]), M)
    found = linear(X, y, 2, weight=weight.astype(float)).value(M)
    assert np.exp(found) == pytest.approx(expected, rel=1e-12)


def test_a_population_is_each_of_it():
    X, y = blobs()
    criterion = linear(X, y, 3)
    population = np.random.default_rng(0).normal(size=(50, 4, 3))
    one_by_one = [criterion.value(M) for M in population]
    np.testing.assert_allclose(criterion.values(population), one_by_one, rtol=1e-12)
    shapes = [criterion.shape_value(M) for M in population]
    np.testing.assert_allclose(criterion.shape_values(population), shapes, rtol=1e-12)


# Case OD-01: a class of one row.
X01 = np.array([[0.0, 0.0], [1.0, 0.0], [0.0, 2.0], [4.0, 4.0]])
Y01 = np.array([0, 0, 0, 1])
M01, R01 = np.array([[1.0, 0.5], [-0.5, 1.0]]), np.array([0.25, -0.25])


@pytest.mark.parametrize(("exponent", "expected"), [(0.5, 1.1964643616), (1.0, 0.5083172205)])
def test_a_class_of_one_row_has_no_spread(exponent, expected):
    assert np.exp(linear(X01, Y01, 2, exponent=exponent).value(M01)) == pytest.approx(expected)
    W = np.vstack([M01, R01])
    found = through(X01, Y01, 2, Linear(), exponent=exponent).values(W[None])[0]
    assert np.exp(found) == pytest.approx(expected)
    gamma = 1e-12  # the spread alone, of the first class
    alone = np.exp(linear(X01, Y01, 2, gamma=gamma, exponent=1e-12).value(M01))
    assert alone == pytest.approx(1.8162078931, rel=1e-9)


def test_centres_that_meet_are_infinitely_bad():
    X = np.array([[0.0, 0.0], [1.0, 1.0], [0.0, 0.0], [1.0, 1.0]])
    y = np.array([0, 0, 1, 1])
    M = np.ones((2, 2))
    criterion = linear(X, y, 2)
    assert criterion.value(M) == np.inf
    assert criterion.values(np.stack([M, np.zeros((2, 2))])).tolist() == [np.inf, np.inf]
    value, gradient = criterion.value_and_gradient(M)
    assert (value, gradient.tolist()) == (np.inf, [[0, 0], [0, 0]])
    W = np.ones((3, 2))
    value, gradient = through(X, y, 2, Tanh()).value_and_gradient(W)
    assert (value, np.abs(gradient).max()) == (np.inf, 0)
    huge = linear(*blobs(), 2)
    assert huge.shape_value(np.full((4, 2), 1e200)) == np.inf
    assert huge.values(np.full((1, 4, 2), 1e200)).tolist() == [np.inf]
    assert huge.value_and_gradient(np.full((4, 2), 1e200))[0] == np.inf


def test_many_distances_do_not_overflow():
    X, y = blobs(counts=(4,) * 12, apart=1e9)
    M = np.random.default_rng(0).normal(size=(4, 3)) * 1e3
    criterion = linear(X, y, 3)  # 66 distances of about 1e12
    distances = [
        np.linalg.norm((a.mean(axis=0) - b.mean(axis=0)) @ M)
        for i, a in enumerate(groups(X, y))
        for b in groups(X, y)[:i]
    ]
    assert np.log10(distances).sum() > 308
    spreads = sum(reference.spread(M.T @ reference.covariance(G) @ M) for G in groups(X, y))
    expected = np.log(1 + spreads) - np.mean(np.log(distances))
    assert criterion.value(M) == pytest.approx(expected, rel=1e-12)
    assert criterion.value_and_gradient(M)[0] == pytest.approx(expected, rel=1e-12)


seeds = st.integers(0, 2**16)


@settings(max_examples=30, deadline=None)
@given(seeds, st.integers(1, 4))
def test_turning_the_components_changes_nothing(seed, p):
    rng = np.random.default_rng(seed)
    criterion = linear(*blobs(seed), p)
    M = rng.normal(size=(4, p))
    Q = np.linalg.qr(rng.normal(size=(p, p)))[0]
    assert criterion.value(M @ Q) == pytest.approx(criterion.value(M), abs=1e-10)


@settings(max_examples=30, deadline=None)
@given(seeds)
def test_the_bias_of_a_linear_transform_changes_nothing(seed):
    rng = np.random.default_rng(seed)
    criterion = through(*blobs(seed), 2, Linear())
    W = rng.normal(size=(5, 2))
    moved = W + np.vstack([np.zeros((4, 2)), rng.normal(size=(1, 2))])
    assert criterion.values(moved[None]) == pytest.approx(criterion.values(W[None]), abs=1e-10)
    assert np.abs(criterion.value_and_gradient(W)[1][-1]).max() < 1e-10


@settings(max_examples=30, deadline=None)
@given(seeds)
def test_signs_and_order_of_tanh_components_change_nothing(seed):
    rng = np.random.default_rng(seed)
    criterion = through(*blobs(seed), 3, Tanh())
    W = rng.normal(size=(5, 3)) * 0.3
    other = W[:, rng.permutation(3)] * rng.choice([-1.0, 1.0], 3)
    assert criterion.values(other[None]) == pytest.approx(criterion.values(W[None]), abs=1e-10)


@settings(max_examples=30, deadline=None)
@given(seeds, st.floats(0.1, 1.8), st.floats(0.01, 10.0))
def test_the_best_scale_is_the_best_and_its_value_follows_from_the_shape(seed, degree, gamma):
    criterion = linear(*blobs(seed), 2, gamma=gamma, exponent=degree / 3)
    M = np.random.default_rng(seed).normal(size=(4, 2))
    best = criterion.value(criterion.scale(M))
    for factor in (0.5, 0.99, 1.01, 3.0):
        assert best < criterion.value(factor * criterion.scale(M))
    assert best == pytest.approx(criterion.best_value(criterion.shape_value(M)), abs=1e-10)
    # V = γq / (2 - q) there, by the derivative of (γ + s²V) / s^q.
    spreads = [
        reference.spread(np.atleast_2d(np.cov(G @ criterion.scale(M), rowvar=False)))
        for G in groups(*blobs(seed))
    ]
    assert sum(spreads) == pytest.approx(gamma * degree / (2 - degree), rel=1e-9)


@settings(max_examples=30, deadline=None)
@given(seeds)
def test_the_shape_is_the_same_in_all_coordinates(seed):
    rng = np.random.default_rng(seed)
    X, y = blobs(seed)
    A = rng.normal(size=(4, 4)) + 3 * np.eye(4)
    M = rng.normal(size=(4, 2))
    moved = linear(X @ A + rng.normal(size=4), y, 2)
    there = np.linalg.solve(A, M)
    assert moved.shape_value(there) == pytest.approx(linear(X, y, 2).shape_value(M), abs=1e-8)


def test_many_classes_take_little_memory():
    # A matrix of the 1,770 pairs of 60 classes has 25 MB, and 1.5 GB if each component has one.
    X, y = blobs(counts=(4,) * 60, n_features=5)
    M = np.random.default_rng(0).normal(size=(5, 60))
    tracemalloc.start()
    criterion = linear(X, y, 60)
    found = [criterion.value(M), criterion.values(M[None])[0], criterion.value_and_gradient(M)[0]]
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 100e6
    np.testing.assert_allclose(np.exp(found), reference.linear_omega(groups(X, y), M), rtol=1e-11)
