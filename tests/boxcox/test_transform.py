import numpy as np
import pytest
from boxcox.reference_program import scaled_to_one_two
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy import special

from distsearch.boxcox import box_cox, inverse_box_cox
from distsearch.boxcox._transform import scale_to_range, unscale_from_range

LAMBDAS = st.floats(allow_nan=False, allow_infinity=False)
X = np.array([1.0, 1.25, 1.5, 2.0])


def vectors(dtype=np.float64, **limits):
    width = np.dtype(dtype).itemsize * 8
    elements = st.floats(width=width, allow_nan=False, allow_infinity=False, **limits)
    return arrays(dtype, st.integers(1, 8), elements=elements)


@pytest.mark.parametrize(
    ("lam", "exact"),
    [
        # computed with 50 digits
        (
            5.551115123125783e-17,
            [0.0, 0.22314355131420976, 0.4054651081081644, 0.6931471805599453],
        ),
        (-1e-12, [0.0, 0.22314355131418487, 0.4054651081080822, 0.693147180559705]),
        (1e-10, [0.0, 0.2231435513166994, 0.4054651081163845, 0.693147180583968]),
        (1e-6, [0.0, 0.22314357621073386, 0.40546519030915246, 0.6931474207865078]),
    ],
)
def test_exact_near_zero(lam, exact):
    np.testing.assert_allclose(box_cox(X, lam), exact, rtol=1e-12, atol=0)


@pytest.mark.parametrize(
    ("lam", "formula"),
    [
        (0.0, np.log(X)),
        (1.0, X - 1),
        (2.0, (X * X - 1) / 2),
        (-1.0, 1 - 1 / X),
        (0.5, 2 * (np.sqrt(X) - 1)),
        (-0.0, np.log(X)),
    ],
)
def test_by_hand(lam, formula):
    np.testing.assert_allclose(box_cox(X, lam), formula, rtol=1e-14)


@given(vectors(min_value=1, max_value=2), st.floats(-50, 50))
def test_is_scipys_map_where_that_is_finite(x, lam):
    np.testing.assert_array_equal(box_cox(x, lam), special.boxcox(x, lam))


@given(vectors(), LAMBDAS)
def test_finite_for_every_finite_input(x, lam):
    assert np.isfinite(box_cox(x, lam)).all()
    assert np.isfinite(inverse_box_cox(x, lam)).all()


@given(vectors(np.float32), st.floats(-100, 100))
def test_float32_stays_float32_and_finite(x, lam):
    for mapped in (box_cox(x, lam), inverse_box_cox(x, lam)):
        assert mapped.dtype == np.float32
        assert np.isfinite(mapped).all()


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_leaves_room_for_a_variance(dtype):
    x = np.array([1e-30, 1.0, 1e30], dtype=dtype)
    for lam in (-20.0, 20.0):
        assert np.isfinite(box_cox(x, lam).std())


@given(st.floats(0.8, 3.5), st.floats(1e-6, 1), st.floats(-20, 20))
def test_strictly_increasing(x, step, lam):
    low, high = box_cox(np.array([x, x + step]), lam)
    assert low < high


@given(vectors(), LAMBDAS)
def test_never_decreasing(x, lam):
    mapped = box_cox(np.sort(x), lam)
    assert (np.diff(mapped) >= -1e-12 * np.abs(mapped[1:])).all()


@given(vectors(min_value=0.8, max_value=3.5), st.floats(-6, 6))
def test_inverse(x, lam):
    np.testing.assert_allclose(inverse_box_cox(box_cox(x, lam), lam), x, rtol=1e-11)


@given(vectors(min_value=1, max_value=2), st.floats(-1e-15, 1e-15))
def test_inverse_at_the_smallest_lambdas(x, lam):
    np.testing.assert_allclose(inverse_box_cox(box_cox(x, lam), lam), x, rtol=1e-14)


@pytest.mark.parametrize("lam", [-2.0, 0.0, 0.5, 1.0])
@pytest.mark.parametrize("x", [[np.nan], [1.0, np.nan, 2.0], [np.nan, 1e300, -1e300]])
def test_nan_passes_and_nothing_else_becomes_nan(lam, x):
    for function in (box_cox, inverse_box_cox):
        np.testing.assert_array_equal(np.isnan(function(np.array(x), lam)), np.isnan(x))


def test_empty():
    assert box_cox(np.empty(0), 2.0).shape == (0,)


def test_the_input_is_left_alone():
    x = np.array([-1.0, 0.0, 5.0])
    x.flags.writeable = False
    box_cox(x, -3.0)
    inverse_box_cox(x, -3.0)
    np.testing.assert_array_equal(x, [-1.0, 0.0, 5.0])


class TestScaling:
    @given(arrays(np.float64, 6, elements=st.floats(-1e6, 1e6), unique=True))
    def test_is_a_min_max_scaling(self, x):
        ours = scale_to_range(x, x.min(), x.max())
        np.testing.assert_allclose(ours, scaled_to_one_two(x[:, np.newaxis])[:, 0], atol=1e-6)
        assert (ours.min(), ours.max()) == (1.0, 2.0)

    @given(arrays(np.float64, 4, elements=st.floats(allow_nan=False, allow_infinity=False)))
    def test_any_range_becomes_one_to_two(self, x):
        if x.min() == x.max():
            return
        scaled = scale_to_range(x, x.min(), x.max())
        assert (scaled.min(), scaled.max()) == (1.0, 2.0)

    def test_ranges_beyond_the_largest_number(self):
        x = np.array([-1e308, -0.5e308, 0.0, 1e308])
        np.testing.assert_allclose(scale_to_range(x, x[0], x[-1]), [1, 1.25, 1.5, 2])

    def test_subnormal_ranges(self):
        x = np.array([0.0, 5e-324, 1e-323])
        np.testing.assert_allclose(scale_to_range(x, x[0], x[-1]), [1, 1.5, 2])

    def test_small_steps_on_a_large_value_stay_apart(self):
        x = 1e9 + np.arange(50) * 2.0**-23
        assert len(np.unique(x)) == 50
        np.testing.assert_allclose(scale_to_range(x, x[0], x[-1]), 1 + np.arange(50) / 49)

    def test_far_outside_is_still_mapped_to_a_number(self):
        far = np.array([-1.7e308, 1.7e308])
        assert np.isfinite(box_cox(scale_to_range(far, 0.0, 1e-300), 2.0)).all()

    def test_float32_stays_float32(self):
        x = np.array([1, 2, 4], dtype=np.float32)
        assert scale_to_range(x, x.min(), x.max()).dtype == np.float32

    @given(arrays(np.float64, 4, elements=st.floats(-1e300, 1e300), unique=True))
    def test_unscaling(self, x):
        low, high = x.min(), x.max()
        back = unscale_from_range(scale_to_range(x, low, high), low, high)
        np.testing.assert_allclose(back, x, rtol=0, atol=1e-15 * 4 * max(abs(low), abs(high)))
