import numpy as np
import pytest
from boxcox.reference_program import scaled_to_one_two
from scipy import special
from sklearn.preprocessing import PowerTransformer

from distsearch.boxcox import BoxCoxTransformer
from distsearch.boxcox._mle import mle_lambdas

BIG = [21480113, 21960870, 22105332, 21733905, 22391064,
       21850777, 22048219, 22690401, 21612488, 22277950]  # fmt: skip


def column(values):
    return np.array(values, dtype=float)[:, np.newaxis]


def profile_likelihood(x, lam):
    """Return the log-likelihood of Box and Cox (1964), up to a constant."""
    mapped = special.boxcox(x, lam)
    return -len(x) / 2 * np.log(mapped.var()) + (lam - 1) * np.log(x).sum()


def test_a_small_spread_around_a_large_value():
    transformer = BoxCoxTransformer().fit(column(BIG))
    assert transformer.lambdas_[0] == pytest.approx(0.09866, abs=2e-3)
    mapped = transformer.transform(column(BIG))
    assert len(np.unique(mapped)) == 10
    assert np.isfinite(mapped).all()


def test_nearly_equal_columns_have_nearly_equal_lambdas():
    (first,) = BoxCoxTransformer().fit(column([201, 240, 330, 395])).lambdas_
    (second,) = BoxCoxTransformer().fit(column([201, 240, 330, 396])).lambdas_
    assert first == pytest.approx(-0.00099, abs=2e-3)
    assert second == pytest.approx(-0.01763, abs=2e-3)
    assert abs(first - second) < 0.03


@pytest.mark.parametrize(("ones", "lam"), [(5, 0.0), (1, -14.4204), (9, 14.4204)])
def test_two_values(ones, lam):
    dummy = column([1.0] * ones + [0.0] * (10 - ones))
    assert BoxCoxTransformer().fit(dummy).lambdas_[0] == pytest.approx(lam, abs=1e-3)


def test_maximises_the_likelihood(blobs):
    scaled = scaled_to_one_two(blobs[0])
    grid = np.arange(-15, 15, 0.001)
    for x, lam in zip(scaled.T, mle_lambdas(scaled), strict=True):
        highest = grid[np.argmax([profile_likelihood(x, value) for value in grid])]
        assert lam == pytest.approx(highest, abs=2e-3)


def test_agrees_with_power_transformer(blobs):
    scaled = scaled_to_one_two(blobs[0])
    theirs = PowerTransformer(method="box-cox").fit(scaled)
    ours = BoxCoxTransformer().fit(scaled)
    np.testing.assert_allclose(ours.lambdas_, theirs.lambdas_, rtol=1e-6)
    np.testing.assert_allclose(ours.transform(scaled), theirs.transform(scaled), rtol=1e-6)


def test_nan_is_left_out():
    x = np.array([1.0, 1.1, 1.2, 1.5, 2.0])
    with_gaps = np.insert(x, [0, 3, 5], np.nan)
    np.testing.assert_array_equal(mle_lambdas(with_gaps[:, None]), mle_lambdas(x[:, None]))


@pytest.mark.parametrize("values", [[1.0, 1.0, 1.0], [np.nan, np.nan], [1.5, np.nan]])
def test_columns_without_a_likelihood(values):
    assert mle_lambdas(column(values)).tolist() == [1.0]


def test_estimates_are_bounded_in_the_transformer():
    x = np.r_[np.linspace(1, 1.001, 30), 2.0][:, np.newaxis]
    assert mle_lambdas(x)[0] < -20
    assert BoxCoxTransformer().fit(x).lambdas_.tolist() == [-20.0]
