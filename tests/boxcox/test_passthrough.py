import numpy as np
import pandas as pd
import polars as pl
import pytest
import skops.io
from boxcox.reference_program import scaled_to_one_two
from boxcox.stubs import Recorder
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy import special
from sklearn import config_context
from sklearn.base import BaseEstimator, TransformerMixin, clone
from sklearn.compose import ColumnTransformer
from sklearn.model_selection import StratifiedKFold, cross_val_score
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler, TargetEncoder
from sklearn.utils.validation import validate_data

from distsearch.boxcox import BoxCoxSearchCV, BoxCoxTransformer, IterativeGrid, SphericalGrid
from distsearch.errors import DistsearchWarning, InvalidInputError, UnknownNameError


@pytest.fixture
def mixed(blobs):
    """The blobs, with codes of three categories and of sixty between them."""
    X, y = blobs
    codes = np.random.default_rng(0).integers(-2, 1, 60)
    return np.column_stack([codes, X[:, 0], X[:, 1], np.arange(60.0)[::-1], X[:, 2]]), y


PASSED, REST = [0, 3], [1, 2, 4]


class Numbers(TransformerMixin, BaseEstimator):
    """Hands on what it gets."""

    def fit(self, X, y=None):
        return self

    def transform(self, X):
        return validate_data(self, X, ensure_all_finite="allow-nan")

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        return tags


class TestTransformer:
    @pytest.mark.parametrize("lambdas", ["mle", -2.0, [9.0, -1.0, 0.0, 9.0, 2.5]])
    @pytest.mark.parametrize("standardize", [True, False])
    def test_the_others_are_mapped_as_without_them(self, mixed, lambdas, standardize):
        X, _ = mixed
        passing = BoxCoxTransformer(lambdas, standardize=standardize, passthrough=PASSED)
        inner = [lambdas[j] for j in REST] if isinstance(lambdas, list) else lambdas
        alone = BoxCoxTransformer(inner, standardize=standardize).fit(X[:, REST])
        mapped = passing.fit_transform(X)
        np.testing.assert_array_equal(mapped[:, PASSED], X[:, PASSED])
        np.testing.assert_allclose(mapped[:, REST], alone.transform(X[:, REST]), atol=1e-12)
        assert passing.lambdas_[PASSED].tolist() == [1.0, 1.0]
        np.testing.assert_array_equal(passing.lambdas_[REST], alone.lambdas_)
        assert passing.passthrough_features_.tolist() == PASSED

    @pytest.mark.parametrize("nothing", [None, (), [], np.array([])])
    def test_nothing_to_pass_changes_no_bit(self, blobs, nothing):
        X, _ = blobs
        plain = BoxCoxTransformer().fit(X)
        same = BoxCoxTransformer(passthrough=nothing).fit(X)
        np.testing.assert_array_equal(same.transform(X), plain.transform(X))
        assert same.passthrough_features_.tolist() == []

    @given(
        arrays(np.float64, (5, 1), elements=st.floats(allow_nan=True, allow_infinity=False)),
        arrays(np.float64, (5, 1), elements=st.floats(allow_nan=True, allow_infinity=False)),
        st.sampled_from(["clip", "extrapolate", "error"]),
        st.booleans(),
    )
    def test_the_very_floats_come_out_and_back(self, column, new, mode, standardize):
        known = np.array([[1.0], [2.0], [4.0], [8.0], [16.0]])
        mapper = BoxCoxTransformer(
            out_of_range=mode, standardize=standardize, passthrough=[1]
        ).fit(np.hstack([known, column]))  # fmt: skip
        given_ = np.hstack([known, new])
        mapped = mapper.transform(given_)
        assert mapped[:, 1].tobytes() == new.tobytes()
        assert mapper.inverse_transform(mapped)[:, 1].tobytes() == new.tobytes()
        assert mapper.count_out_of_range(given_).tolist() == [0, 0]

    def test_no_value_is_out_of_range(self, mixed):
        X, _ = mixed
        mapper = BoxCoxTransformer(out_of_range="error", passthrough=PASSED).fit(X)
        new = X.copy()
        new[:, PASSED] = [1e9, -1e9]
        np.testing.assert_array_equal(mapper.transform(new)[:, PASSED], new[:, PASSED])
        new[5, 1] = 1e9
        with pytest.raises(InvalidInputError, match=r"'x1' has 1 values outside.*row 5"):
            mapper.transform(new)

    def test_a_column_that_scaling_would_blur_is_no_matter(self):
        X = np.c_[np.r_[np.arange(1, 10), 1e20], np.arange(10.0)]
        mapper = BoxCoxTransformer(passthrough=[0])
        np.testing.assert_array_equal(mapper.fit_transform(X)[:, 0], X[:, 0])
        with pytest.warns(DistsearchWarning, match="lost most"):
            BoxCoxTransformer().fit(X)

    def test_constant_and_empty_columns(self):
        X = np.array([[7.0, np.nan, 7.0, 1.0], [7.0, np.nan, 7.0, 2.0], [7.0, np.nan, 7.0, 4.0]])
        mapper = BoxCoxTransformer(passthrough=[0, 1]).fit(X)
        assert mapper.skipped_features_.tolist() == [2]
        np.testing.assert_array_equal(mapper.transform(X)[:, :3], [[7.0, np.nan, 0.0]] * 3)
        np.testing.assert_allclose(mapper.inverse_transform(mapper.transform(X)), X, rtol=1e-12)

    def test_every_column(self, blobs):
        X, _ = blobs
        mapper = BoxCoxTransformer(passthrough=[0, 1, 2])
        np.testing.assert_array_equal(mapper.fit_transform(X), X)
        assert mapper.lambdas_.tolist() == [1.0] * 3

    @pytest.mark.parametrize("make", [pd.DataFrame, pl.DataFrame])
    def test_by_name(self, mixed, make):
        X, _ = mixed
        table = make(dict(zip("abcde", X.T, strict=True)))
        named = BoxCoxTransformer(passthrough=["d", "a"]).fit(table)
        numbered = BoxCoxTransformer(passthrough=PASSED).fit(X)
        np.testing.assert_array_equal(named.transform(table), numbered.transform(X))
        assert BoxCoxTransformer(passthrough=["d", 0, "a"]).fit(
            table
        ).passthrough_features_.tolist() == [0, 3]

    @pytest.mark.parametrize("library", ["pandas", "polars"])
    def test_whatever_kind_of_table_is_made_everywhere(self, mixed, library):
        X, _ = mixed
        expected = BoxCoxTransformer(passthrough=PASSED).fit_transform(X)
        with config_context(transform_output=library):
            mapped = BoxCoxTransformer(passthrough=PASSED).fit_transform(X)
        np.testing.assert_array_equal(mapped.to_numpy(), expected)

    @pytest.mark.parametrize("dtype", [np.float32, np.float64])
    def test_dtype_and_read_only_arrays(self, mixed, dtype):
        X = mixed[0].astype(dtype)
        X.flags.writeable = False
        mapper = BoxCoxTransformer(passthrough=PASSED).fit(X)
        mapped = mapper.transform(X)
        assert mapped.dtype == dtype
        mapped.flags.writeable = False
        back = mapper.inverse_transform(mapped)
        assert back.dtype == dtype
        np.testing.assert_array_equal(back[:, PASSED], X[:, PASSED])

    def test_clone_and_skops(self, mixed):
        X, _ = mixed
        mapper = clone(BoxCoxTransformer(passthrough=PASSED)).fit(X)
        assert mapper.get_params()["passthrough"] == PASSED
        data = skops.io.dumps(mapper)
        strangers = skops.io.get_untrusted_types(data=data)
        assert all(name.startswith("distsearch.") for name in strangers)
        again = skops.io.loads(data, trusted=strangers)
        np.testing.assert_array_equal(again.transform(X), mapper.transform(X))


@pytest.mark.parametrize(
    ("passthrough", "message"),
    [
        (["sice"], r"passthrough has 'sice', which is no feature.*0 to 1 and the names 'size' and "
                   r"'age'. Did you mean 'size'\?"),
        ([0, 2], "passthrough has 2, which is no feature"),
        ([-1], "passthrough has -1"),
        ([True, False], "passthrough has True"),
        ([0.0], r"passthrough has 0\.0"),
    ],
    ids=str,
)  # fmt: skip
@pytest.mark.parametrize(
    "make", [BoxCoxTransformer, lambda **how: BoxCoxSearchCV(Recorder(), **how)]
)
def test_what_is_no_feature_is_refused(make, passthrough, message):
    table = pd.DataFrame({"size": [1.0, 2.0, 3.0, 4.0], "age": [3.0, 1.0, 4.0, 1.5]})
    with pytest.raises(UnknownNameError, match=message) as caught:
        make(passthrough=passthrough).fit(table, [0, 1, 0, 1])
    assert len(str(caught.value).splitlines()) == 1


def test_names_of_data_without_names_are_refused(blobs):
    with pytest.raises(UnknownNameError, match=r"'x0', which .*0 to 2; the data have no names\."):
        BoxCoxTransformer(passthrough=["x0"]).fit(blobs[0])


@pytest.mark.parametrize("passthrough", ["size", 0])
def test_one_position_or_name_is_no_list(blobs, passthrough):
    with pytest.raises(ValueError, match="'passthrough' parameter"):
        BoxCoxTransformer(passthrough=passthrough).fit(blobs[0])


class Seen(Recorder):
    """Notes what every fit and prediction was given."""

    log: list = []  # noqa: RUF012

    def fit(self, X, y):
        Seen.log.append(X)
        return super().fit(X, y)

    def predict(self, X):
        Seen.log.append(X)
        return super().predict(X)


class TestSearch:
    def test_scores_are_cross_validation_with_the_raw_columns(self, mixed):
        X, y = mixed
        grid = np.linspace(-5, 5, 11)
        encode = ColumnTransformer(
            [("codes", OneHotEncoder(handle_unknown="ignore"), [0])], remainder="passthrough"
        )
        search = BoxCoxSearchCV(
            make_pipeline(encode, GaussianNB()), SphericalGrid(), cv=4, passthrough=PASSED,
            scoring="neg_log_loss",
        ).fit(X, y)  # fmt: skip
        means = []
        for lam in grid:
            mapped = X.copy()
            mapped[:, REST] = special.boxcox(scaled_to_one_two(X[:, REST]), lam)
            scale = ColumnTransformer(
                [("codes", "passthrough", [0]), ("scale", StandardScaler(), [1, 2]),
                 ("order", "passthrough", [3]), ("scale2", StandardScaler(), [4])]
            )  # fmt: skip
            model = make_pipeline(scale, clone(encode), GaussianNB())
            means.append(cross_val_score(model, mapped, y, cv=4, scoring="neg_log_loss").mean())
        np.testing.assert_allclose(search.search_history_["score"], means, rtol=1e-12)
        best = grid[np.argmax(means)]
        assert search.lambdas_.tolist() == [1.0, best, best, 1.0, best]
        assert search.searched_features_.tolist() == REST
        assert search.passthrough_features_.tolist() == PASSED
        assert (search.search_lambdas_[:, PASSED] == 1).all()

    def test_every_fit_and_prediction_gets_the_raw_columns(self, mixed):
        X, y = mixed
        Seen.log.clear()
        search = BoxCoxSearchCV(Seen(), SphericalGrid(3), cv=2, passthrough=PASSED).fit(X, y)
        by_hand = [
            rows for _ in range(3) for pair in StratifiedKFold(2).split(X, y) for rows in pair
        ]
        assert len(Seen.log) == 13
        for seen, rows in zip(Seen.log, [*by_hand, np.arange(60)], strict=True):
            np.testing.assert_array_equal(seen[:, PASSED], X[rows][:, PASSED])
        for trained in Seen.log[:12:2]:
            np.testing.assert_allclose(trained[:, REST].mean(axis=0), 0, atol=1e-12)
        search.predict(X[:7] * 100)
        np.testing.assert_array_equal(Seen.log[-1][:, PASSED], X[:7][:, PASSED] * 100)

    @pytest.mark.parametrize("nothing", [None, (), []])
    def test_nothing_to_pass_changes_no_bit(self, blobs, nothing):
        plain = BoxCoxSearchCV(GaussianNB(), IterativeGrid(3, epochs=1), cv=2).fit(*blobs)
        same = clone(plain).set_params(passthrough=nothing).fit(*blobs)
        np.testing.assert_array_equal(plain.search_history_["score"], same.search_history_["score"])
        np.testing.assert_array_equal(plain.predict_proba(blobs[0]), same.predict_proba(blobs[0]))

    def test_by_name_or_position_and_on_every_backend(self, mixed):
        X, y = mixed
        table = pd.DataFrame(X, columns=list("abcde"))
        search = BoxCoxSearchCV(GaussianNB(), SphericalGrid(3), cv=2, passthrough=PASSED)
        one = clone(search).fit(X, y)
        named = clone(search).set_params(passthrough=["a", "d"], backend="processes:2")
        other = named.fit(table, y)
        np.testing.assert_array_equal(one.predict_proba(X), other.predict_proba(table))
        np.testing.assert_array_equal(one.search_history_["score"], other.search_history_["score"])

    def test_missing_values_stay(self, mixed):
        X, y = mixed
        X = X.copy()
        X[::7, 0] = np.nan
        Seen.log.clear()
        model = make_pipeline(Numbers(), Seen())
        BoxCoxSearchCV(model, "mle", cv="resubstitution", passthrough=PASSED).fit(X, y)
        for seen in Seen.log:
            np.testing.assert_array_equal(seen[:, 0], X[:, 0])

    def test_no_feature_is_left_to_search(self, mixed):
        X, y = mixed
        for strategy in ("iterative", "spherical", "diagonal", "full", "mle"):
            search = BoxCoxSearchCV(
                GaussianNB(), strategy, cv=3, passthrough=range(5)
            ).fit(X, y)  # fmt: skip
            assert search.lambdas_.tolist() == [1.0] * 5
            expected = cross_val_score(GaussianNB(), X, y, cv=3).mean()
            assert search.best_score_ == pytest.approx(expected, abs=1e-12)
            np.testing.assert_array_equal(
                search.predict_proba(X), GaussianNB().fit(X, y).predict_proba(X)
            )

    def test_an_encoder_that_learns_from_the_target_learns_in_every_split(self):
        rng = np.random.default_rng(3)
        X = np.c_[np.arange(200.0), rng.normal(size=200)]
        y = rng.integers(0, 2, 200)
        encode = ColumnTransformer([("codes", TargetEncoder(), [0])], remainder="passthrough")
        search = BoxCoxSearchCV(
            make_pipeline(encode, GaussianNB()), "mle", cv=5, passthrough=[0], random_state=0
        ).fit(X, y)  # fmt: skip
        assert abs(search.best_score_ - 0.5) < 0.12

    def test_a_column_that_scaling_would_blur_is_no_matter(self, blobs):
        X, y = blobs
        X = np.c_[X, np.r_[np.arange(1, 60), 1e20]]
        search = BoxCoxSearchCV(Recorder(), "mle", cv=2, passthrough=[3]).fit(X, y)
        np.testing.assert_array_equal(search.best_estimator_[-1].X_[:, 3], X[:, 3])

    def test_a_checkpoint_of_another_choice_is_refused(self, mixed, tmp_path):
        search = BoxCoxSearchCV(
            GaussianNB(), "spherical", cv=2, random_state=0, checkpoint=tmp_path / "scores"
        )
        # The column is in [1, 2] already: it is the same whether it is scaled or not.
        X, y = mixed
        X = np.c_[X[:, 1:3], np.linspace(1, 2, 60)]
        clone(search).set_params(passthrough=[2]).fit(X, y)
        for other in (None, [0], [0, 2]):
            with pytest.raises(InvalidInputError, match="belongs to another search"):
                clone(search).set_params(passthrough=other).fit(X, y)
        again = clone(search).set_params(passthrough=[2]).fit(X, y)
        assert again.n_evaluations_ == 0
