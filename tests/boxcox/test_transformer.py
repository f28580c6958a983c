import warnings

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import skops.io
from boxcox.reference_program import scaled_to_one_two
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy import special
from sklearn.base import clone
from sklearn.naive_bayes import GaussianNB
from sklearn.preprocessing import StandardScaler

from distsearch.boxcox import BoxCoxSearchCV, BoxCoxTransformer
from distsearch.errors import DistsearchWarning, InvalidInputError


def by_hand(X, lambdas):
    return StandardScaler().fit_transform(special.boxcox(scaled_to_one_two(X), lambdas))


def test_scales_maps_and_standardises(blobs):
    X, _ = blobs
    lambdas = [-1.0, 0.0, 2.5]
    transformer = BoxCoxTransformer(lambdas)
    np.testing.assert_allclose(transformer.fit_transform(X), by_hand(X, lambdas), atol=1e-12)
    assert transformer.lambdas_.tolist() == lambdas


def test_without_standardising(blobs):
    X, _ = blobs
    plain = BoxCoxTransformer(0.0, standardize=False).fit(X)
    np.testing.assert_allclose(plain.transform(X), np.log(scaled_to_one_two(X)), atol=1e-14)
    assert plain.scaler_ is None


def test_lambda_one_is_the_identity_after_standardising(blobs):
    X, _ = blobs
    mapped = BoxCoxTransformer(1).fit_transform(X)
    np.testing.assert_allclose(mapped, StandardScaler().fit_transform(X), atol=1e-9)


class TestGivenLambdas:
    def test_one_for_all(self, blobs):
        assert BoxCoxTransformer(-2).fit(blobs[0]).lambdas_.tolist() == [-2.0] * 3

    def test_an_estimator_searches_them(self, blobs):
        X, y = blobs
        search = BoxCoxSearchCV(GaussianNB(), "spherical", cv="resubstitution")
        transformer = BoxCoxTransformer(search).fit(X, y)
        assert transformer.lambdas_.tolist() == clone(search).fit(X, y).lambdas_.tolist()
        assert not hasattr(search, "lambdas_")

    @pytest.mark.parametrize("lambdas", [[1.0, 2.0], [[1.0, 2.0, 3.0]], [1.0, np.nan, 2.0]])
    def test_of_the_wrong_number(self, blobs, lambdas):
        with pytest.raises(InvalidInputError, match=r"one finite number or 3 of them"):
            BoxCoxTransformer(lambdas).fit(blobs[0])

    def test_the_parameter_is_not_changed(self, blobs):
        lambdas = np.array([3.0, 3.0, 3.0])
        X = blobs[0].copy()
        X[:, 1] = 7.0
        assert BoxCoxTransformer(lambdas).fit(X).lambdas_.tolist() == [3.0, 1.0, 3.0]
        assert lambdas.tolist() == [3.0, 3.0, 3.0]


class TestColumnsThatCannotBeMapped:
    X = np.array([[7.0, np.nan, 1.0], [7.0, np.nan, 2.0], [7.0, np.nan, 4.0]])

    def test_are_passed_through(self):
        plain = BoxCoxTransformer(0, standardize=False).fit(self.X)
        assert plain.skipped_features_.tolist() == [0, 1]
        assert plain.lambdas_.tolist() == [1.0, 1.0, 0.0]
        np.testing.assert_array_equal(plain.transform(self.X)[:, :2], self.X[:, :2])

    def test_become_zero_and_nan_when_standardised(self):
        mapped = BoxCoxTransformer().fit_transform(self.X)
        assert mapped[:, 0].tolist() == [0.0] * 3
        assert np.isnan(mapped[:, 1]).all()

    def test_come_back(self):
        transformer = BoxCoxTransformer().fit(self.X)
        back = transformer.inverse_transform(transformer.transform(self.X))
        np.testing.assert_allclose(back, self.X, rtol=1e-12)

    def test_a_constant_that_no_sum_can_hold(self):
        X = np.array([[1.5e308, 1.0], [1.5e308, 2.0], [1.5e308, 4.0]])
        assert BoxCoxTransformer().fit_transform(X)[:, 0].tolist() == [0.0] * 3

    def test_a_new_value_of_a_constant_column(self):
        clipped = BoxCoxTransformer().fit(self.X).transform([[9.0, 5.0, 2.0]])
        assert clipped[0, 0] == 0.0
        mapped = BoxCoxTransformer(out_of_range="extrapolate").fit(self.X)
        assert mapped.transform([[9.0, 5.0, 2.0]])[0, 0] == 2.0

    def test_an_outlier_that_blurs_its_column_is_named(self):
        X = np.c_[np.r_[np.arange(1, 10), 1e20], np.arange(10.0)]
        with pytest.warns(DistsearchWarning, match=r"lost most.*: x0\. Clip") as caught:
            transformer = BoxCoxTransformer(standardize=False).fit(X)
        assert len(caught) == 1
        np.testing.assert_array_equal(transformer.data_max_, [1e20, 9])


class TestOutOfRange:
    X = np.array([[0.0], [1.0], [2.0], [4.0]])
    NEW = np.array([[-1.0], [0.5], [9.0], [np.nan]])

    def test_clip(self):
        transformer = BoxCoxTransformer(2).fit(self.X)
        clipped = np.array([[0.0], [0.5], [4.0], [np.nan]])
        np.testing.assert_array_equal(
            transformer.transform(self.NEW), transformer.transform(clipped)
        )

    def test_extrapolate(self):
        transformer = BoxCoxTransformer(
            2, standardize=False, out_of_range="extrapolate"
        ).fit(self.X)  # fmt: skip
        scaled = np.array([0.75, 1.125, 3.25, np.nan])
        np.testing.assert_allclose(transformer.transform(self.NEW)[:, 0], (scaled**2 - 1) / 2)

    @pytest.mark.parametrize("dtype", [np.float64, np.float32])
    def test_extrapolate_a_constant_to_the_other_end_of_the_numbers(self, dtype):
        largest = np.finfo(dtype).max
        constant = np.full((3, 1), largest, dtype=dtype)
        transformer = BoxCoxTransformer(out_of_range="extrapolate").fit(constant)
        assert transformer.transform(-constant).tolist() == [[-largest]] * 3

    def test_extrapolate_where_there_is_no_power(self):
        transformer = BoxCoxTransformer(-1, out_of_range="extrapolate").fit(self.X)
        mapped = transformer.transform([[-4.0], [-1e300], [0.0]])[:, 0]
        assert np.isfinite(mapped).all()
        assert mapped[1] <= mapped[0] < mapped[2]

    def test_error_names_the_feature_the_number_and_the_first_row(self):
        table = pd.DataFrame({"size": self.X[:, 0], "age": [1.0, 2.0, 3.0, 5.0]})
        transformer = BoxCoxTransformer(out_of_range="error").fit(table)
        new = pd.DataFrame({"size": [1.0, 9.0, -1.0], "age": [2.0, 2.0, 2.0]})
        with pytest.raises(InvalidInputError, match=r"'size' has 2 values .*\[0, 4\].*9.* row 1"):
            transformer.transform(new)
        np.testing.assert_array_equal(transformer.count_out_of_range(new), [2, 0])

    def test_error_accepts_what_is_inside(self):
        transformer = BoxCoxTransformer(out_of_range="error").fit(self.X)
        assert transformer.transform([[0.0], [np.nan], [4.0]]).shape == (3, 1)

    def test_count(self):
        assert BoxCoxTransformer().fit(self.X).count_out_of_range(self.NEW).tolist() == [2]


@pytest.mark.parametrize("mode", ["clip", "extrapolate", "error"])
def test_one_row_is_mapped_as_among_others(blobs, mode):
    X, _ = blobs
    transformer = BoxCoxTransformer(out_of_range=mode).fit(X)
    together = transformer.transform(X)
    for row in (0, 17, 59):
        np.testing.assert_array_equal(transformer.transform(X[row : row + 1])[0], together[row])


def test_one_row_of_nothing_but_nan(blobs):
    transformer = BoxCoxTransformer().fit(blobs[0])
    assert np.isnan(transformer.transform([[np.nan] * 3])).all()


NUMBERS = st.floats(allow_nan=False, allow_infinity=False, min_value=0)


@given(
    arrays(np.float64, (4, 2), elements=NUMBERS),
    arrays(np.float64, (2, 2), elements=NUMBERS),
    st.sampled_from(["clip", "extrapolate"]),
    st.sampled_from(["mle", -5.0, 0.0, 3.0]),
)
def test_finite_whatever_it_is_given(X, new, mode, lambdas):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DistsearchWarning)  # of lost resolution
        transformer = BoxCoxTransformer(lambdas, out_of_range=mode).fit(X)
    assert np.isfinite(transformer.transform(X)).all()
    searched = np.setdiff1d([0, 1], transformer.skipped_features_)
    assert np.isfinite(transformer.transform(new)[:, searched]).all()


@pytest.mark.filterwarnings("ignore:Columns lost:distsearch.errors.DistsearchWarning")
@given(arrays(np.float64, (6, 1), elements=st.floats(-1e6, 1e6), unique=True), st.floats(-5, 5))
def test_inverse(X, lam):
    transformer = BoxCoxTransformer(lam).fit(X)
    back = transformer.inverse_transform(transformer.transform(X))
    np.testing.assert_allclose(back, X, rtol=0, atol=1e-9 * np.ptp(X) + 1e-9)


def test_inverse_of_what_no_value_maps_to(blobs):
    transformer = BoxCoxTransformer(-3.0).fit(blobs[0])
    assert not np.isnan(transformer.inverse_transform([[100.0, -100.0, 1e300]])).any()


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_dtype(blobs, dtype):
    X = blobs[0].astype(dtype)
    transformer = BoxCoxTransformer().fit(X)
    assert transformer.transform(X).dtype == dtype
    assert transformer.inverse_transform(X).dtype == dtype


def test_integers_are_numbers():
    X = np.array([[1], [2], [4], [8]])
    np.testing.assert_array_equal(
        BoxCoxTransformer().fit_transform(X), BoxCoxTransformer().fit_transform(X * 1.0)
    )


class TestTables:
    @pytest.mark.parametrize("make", [pd.DataFrame, pl.DataFrame, pa.table])
    def test_input(self, blobs, make):
        X, _ = blobs
        table = make(dict(zip("abc", X.T, strict=True)))
        transformer = BoxCoxTransformer().fit(table)
        assert transformer.feature_names_in_.tolist() == ["a", "b", "c"]
        np.testing.assert_array_equal(
            transformer.transform(table), BoxCoxTransformer().fit_transform(X)
        )

    @pytest.mark.parametrize(
        ("library", "kind"), [("pandas", pd.DataFrame), ("polars", pl.DataFrame)]
    )
    def test_output(self, blobs, library, kind):
        X, _ = blobs
        table = pd.DataFrame(X, columns=["a", "b", "c"], index=np.arange(60) + 5)
        transformer = BoxCoxTransformer().set_output(transform=library).fit(table)
        mapped = transformer.transform(table)
        assert isinstance(mapped, kind)
        assert list(mapped.columns) == transformer.get_feature_names_out().tolist()
        np.testing.assert_array_equal(mapped.to_numpy(), BoxCoxTransformer().fit_transform(X))

    def test_missing_values_of_nullable_columns(self):
        table = pd.DataFrame({"a": pd.array([1, 2, None, 4], dtype="Int64")})
        mapped = BoxCoxTransformer().fit_transform(table)
        assert np.isnan(mapped[:, 0]).tolist() == [False, False, True, False]


def test_read_only_arrays(blobs):
    X = blobs[0].copy()
    X.flags.writeable = False
    transformer = BoxCoxTransformer().fit(X)
    mapped = transformer.transform(X)
    np.testing.assert_array_equal(mapped, BoxCoxTransformer().fit_transform(blobs[0]))
    mapped.flags.writeable = False
    np.testing.assert_allclose(transformer.inverse_transform(mapped), X)


@pytest.mark.parametrize(
    "parameters",
    [{}, {"lambdas": [0.0, 1.0, 2.0]}, {"standardize": False}, {"out_of_range": "error"}],
)
def test_skops(blobs, parameters):
    transformer = BoxCoxTransformer(**parameters).fit(blobs[0])
    data = skops.io.dumps(transformer)
    strangers = skops.io.get_untrusted_types(data=data)
    assert all(name.startswith("distsearch.") for name in strangers)
    again = skops.io.loads(data, trusted=strangers)
    np.testing.assert_array_equal(again.transform(blobs[0]), transformer.transform(blobs[0]))


def test_searched_lambdas_refuse_nan_as_the_search_does(blobs):
    X, y = blobs
    transformer = BoxCoxTransformer(BoxCoxSearchCV(GaussianNB(), "spherical")).fit(X, y)
    with pytest.raises(ValueError, match="NaN"):
        transformer.transform([[np.nan, 1.0, 1.0]])
