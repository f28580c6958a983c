import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from odd.data import blobs
from scipy import sparse

from distsearch.odd._moments import Frame, Moments, moments_of


def assert_same(one, other, rtol=1e-12):
    np.testing.assert_allclose(one.weight, other.weight, rtol=rtol)
    scale = np.abs(other.mean).max()
    np.testing.assert_allclose(one.mean, other.mean, rtol=rtol, atol=rtol * scale)
    scale = np.abs(other.scatter).max()
    np.testing.assert_allclose(one.scatter, other.scatter, rtol=rtol, atol=rtol * scale)
    np.testing.assert_array_equal(one.low, other.low)
    np.testing.assert_array_equal(one.high, other.high)


def test_mean_and_covariance_of_each_class():
    X, y = blobs()
    moments = moments_of(X, y, 3)
    for k in range(3):
        np.testing.assert_allclose(moments.mean[k], X[y == k].mean(axis=0), rtol=1e-13)
        for ddof in (0, 1):
            expected = np.cov(X[y == k], rowvar=False, ddof=ddof)
            np.testing.assert_allclose(moments.covariance(ddof)[k], expected, rtol=1e-11)
    np.testing.assert_array_equal(moments.low, X.min(axis=0))


def test_one_row_and_none_have_no_covariance():
    X, y = blobs(counts=(1, 5))
    moments = moments_of(X, y, 3)
    assert np.abs(moments.covariance(1)[[0, 2]]).max() == 0
    assert moments.weight.tolist() == [1, 5, 0]


def test_weights_count_as_repetition():
    X, y = blobs()
    weight = np.random.default_rng(0).integers(0, 4, len(X))
    weight[:3] = 1
    rows = np.repeat(np.arange(len(X)), weight)
    repeated = moments_of(X[rows], y[rows], 3)
    weighted = moments_of(X, y, 3, weight.astype(float))
    np.testing.assert_allclose(weighted.covariance(), repeated.covariance(), rtol=1e-11)


@pytest.mark.parametrize("offset", [0.0, 1e6, -1e9])
def test_moments_add_up_far_from_the_origin(offset):
    X, y = blobs(counts=(40, 30, 50))
    order = np.random.default_rng(0).permutation(len(X))
    X, y = np.round(X[order] * 2**10) / 2**10 + offset, y[order]
    frame = Frame.around(X.min(axis=0), X.max(axis=0))
    whole = moments_of(X, y, 3, frame=frame)
    parts = [moments_of(X[i::4], y[i::4], 3, frame=frame) for i in range(4)]
    assert_same(parts[0] + parts[1] + parts[2] + parts[3], whole)
    assert_same((parts[3] + parts[1]) + (parts[0] + parts[2]), whole)
    # Each part in a frame of its own, as batches have it.
    own = [
        moments_of(
            X[i::4], y[i::4], 3, frame=Frame.around(X[i::4].min(axis=0), X[i::4].max(axis=0))
        )
        for i in range(4)
    ]
    total = own[0] + own[1] + own[2] + own[3]
    assert_same(total.in_frame(frame), whole)
    exact = np.stack([np.cov(X[y == k] - offset, rowvar=False) for k in range(3)])
    raw = total.in_frame(Frame.identity(4)).covariance()
    np.testing.assert_allclose(raw, exact, atol=1e-12 * np.abs(exact).max() + 1e-22 * offset**2)


@settings(max_examples=25, deadline=None)
@given(st.integers(0, 2**16), st.lists(st.integers(1, 40), min_size=1, max_size=5))
def test_any_division_of_the_rows_gives_the_same(seed, cuts):
    X, y = blobs(seed)
    order = np.random.default_rng(seed).permutation(len(X))
    blocks = [b for b in np.split(order, sorted({c for c in cuts if c < len(X)})) if len(b)]
    total = moments_of(X[blocks[0]], y[blocks[0]], 3)
    for block in blocks[1:]:
        total = total + moments_of(X[block], y[block], 3)
    assert_same(total, moments_of(X, y, 3), rtol=1e-10)


def test_sparse_rows_are_rows():
    X = sparse.random_array((60, 8), density=0.3, rng=np.random.default_rng(0), format="csr")
    y = np.arange(60) % 3
    weight = np.random.default_rng(1).uniform(0.5, 2.0, 60)
    assert_same(moments_of(X, y, 3, weight), moments_of(X.toarray(), y, 3, weight))


def test_classes_take_their_places_among_others():
    X, y = blobs(counts=(5, 6))
    moments = moments_of(X, y, 2).among(4, np.array([3, 1]))
    assert moments.weight.tolist() == [0, 6, 0, 5]
    np.testing.assert_array_equal(moments.mean[3], moments_of(X, y, 2).mean[0])


def test_another_scale():
    X, y = blobs()
    kept = np.array([0, 2, 3])
    center, scale = np.array([1.0, -2.0, 0.5]), np.array([3.0, 0.1, 1.0])
    frame = Frame.around(X.min(axis=0), X.max(axis=0))
    found = moments_of(X, y, 3, frame=frame).rescaled(center, scale, kept)
    expected = moments_of((X[:, kept] - center) * scale, y, 3)
    np.testing.assert_allclose(found.mean, expected.mean, rtol=1e-11)
    np.testing.assert_allclose(found.scatter, expected.scatter, rtol=1e-11, atol=1e-12)


def test_plain_arrays_and_back():
    moments = moments_of(*blobs(), 3)
    state = moments.state()
    assert all(isinstance(each, np.ndarray) for each in state.values())
    assert_same(Moments.from_state(state), moments, rtol=0)


@pytest.mark.parametrize("size", [1e-310, 1e-200, 1.0, 1e307])
def test_no_size_of_numbers_overflows(size):
    X, y = blobs()
    X = X * size / np.abs(X).max()
    frame = Frame.around(X.min(axis=0), X.max(axis=0))
    scatter = moments_of(X, y, 3, frame=frame).scatter
    assert np.isfinite(scatter).all()
    assert scatter.max() > 0
