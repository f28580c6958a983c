"""Policies for missing and unknown values, orders, noise, and the other parameters."""

import warnings

import numpy as np
import pandas as pd
import polars as pl
import pytest
from encoding.tables import assert_same_bits, make_large, quietly

from distsearch.encoding import OrderedTargetEncoder
from distsearch.errors import DistsearchWarning, InvalidInputError, UnknownNameError

POLICIES = ["prior", "own", "nan", "error"]
Y = [1, 0, 1, 1, 0, 0]
P = 0.5


def column(*values):
    return pd.DataFrame({"c": pd.Series(values, dtype=object)})


@pytest.mark.parametrize("missing", POLICIES)
@pytest.mark.parametrize("unknown", POLICIES)
@pytest.mark.parametrize("smoothing", [1.0, 0.0])
class TestPolicies:
    """Worked by hand; `own` is what the formula says."""

    WITH = ("a", None, "a", None, "b", None)
    WITHOUT = ("a", "b", "a", "a", "b", "b")

    def encoder(self, unknown, missing, smoothing):
        return OrderedTargetEncoder(
            handle_unknown=unknown, handle_missing=missing, smoothing=smoothing
        )

    def nothing(self, policy, smoothing):
        """The value of a category without rows."""
        if policy == "prior" or (policy == "own" and smoothing):
            return P
        return np.nan

    def test_training_with_missing_values(self, unknown, missing, smoothing):
        encoder = self.encoder(unknown, missing, smoothing)
        if missing == "error":
            with pytest.raises(InvalidInputError, match=r"'c' has 3 missing values.* row 1.*own"):
                encoder.fit(column(*self.WITH), Y)
            with pytest.raises(InvalidInputError, match="3 missing values"):
                quietly(encoder.fit_transform, column(*self.WITH), Y)
            return
        first = P if smoothing else np.nan
        a = smoothing
        own = [first, (0 + a * P) / (1 + a), (1 + a * P) / (2 + a)]
        expected = [first, own[0], (1 + a * P) / (1 + a), own[1], first, own[2]]
        if missing != "own":
            for row in (1, 3, 5):
                expected[row] = P if missing == "prior" else np.nan
        trained = quietly(encoder.fit_transform, column(*self.WITH), Y)
        np.testing.assert_allclose(trained.ravel(), expected, rtol=1e-15)
        again = quietly(encoder.transform, column(*self.WITH), Y)
        assert_same_bits(again, trained)
        own = {
            "own": (1 + a * P) / (3 + a), "prior": P, "nan": np.nan,
        }[missing]  # fmt: skip
        found = encoder.transform(column("a", None, pd.NA)).ravel()
        np.testing.assert_allclose(found, [(2 + a * P) / (2 + a), own, own], rtol=1e-15)

    def test_training_without(self, unknown, missing, smoothing):
        encoder = self.encoder(unknown, missing, smoothing).fit(column(*self.WITHOUT), Y)
        a = smoothing
        known = [(3 + a * P) / (3 + a), (0 + a * P) / (3 + a)]
        np.testing.assert_allclose(encoder.transform(column("a", "b")).ravel(), known, rtol=1e-15)
        if unknown == "error":
            with pytest.raises(
                InvalidInputError, match=r"'c' has 2 rows .*not: 'z' and 'y', .*row 1"
            ):
                encoder.transform(column("a", "z", "y"))
        else:
            found = encoder.transform(column("a", "z")).ravel()
            np.testing.assert_allclose(found, [known[0], self.nothing(unknown, smoothing)])
        policy = unknown if missing == "own" else missing
        if policy == "error":
            words = "a missing value" if missing == "own" else "1 missing value, the first in row 1"
            with pytest.raises(InvalidInputError, match=words):
                encoder.transform(column("a", None))
        else:
            found = encoder.transform(column("a", np.nan)).ravel()
            np.testing.assert_allclose(found, [known[0], self.nothing(policy, smoothing)])

    def test_training_rows_of_unknown_categories(self, unknown, missing, smoothing):
        """Rows given as training rows that were none."""
        encoder = self.encoder(unknown, missing, smoothing).fit(column(*self.WITHOUT), Y)
        if unknown == "error":
            with pytest.raises(InvalidInputError, match="'z'"):
                quietly(encoder.transform, column("a", "z"), [1, 0])
            return
        found = quietly(encoder.transform, column("a", "z"), [1, 0]).ravel()
        first = P if smoothing else np.nan
        np.testing.assert_allclose(found, [first, self.nothing(unknown, smoothing)])


@pytest.mark.parametrize("policy", POLICIES[:3])
def test_policies_with_several_classes(policy):
    y = list("LMHLMH")
    X = column("a", None, "a", None, "b", None)
    encoder = OrderedTargetEncoder(handle_missing=policy, handle_unknown=policy)
    trained = encoder.fit_transform(X, y)
    found = encoder.transform(column(None, "z"))
    prior = [1 / 3] * 3
    own = np.array([1, 1, 1]) / 4 + np.array(prior) / 4
    expected = {"prior": prior, "nan": [np.nan] * 3, "own": own}[policy]
    np.testing.assert_allclose(found[0], expected)
    np.testing.assert_allclose(found[1], [np.nan] * 3 if policy == "nan" else prior)
    expected = {"prior": prior, "nan": [np.nan] * 3, "own": np.array([1, 1, 4]) / 6}[policy]
    np.testing.assert_allclose(trained[3], expected)


class TestOrder:
    TABLE = pd.DataFrame({"c": list("aaaa"), "when": [3, 1, 3, 2]})
    Y = (1, 0, 0, 1)
    # In the order of rows 1, 3, 0, 2 the targets are 0, 1, 1, 0.
    EXPECTED = ((1 + P) / 3, P, (2 + P) / 4, (0 + P) / 2)

    @pytest.mark.parametrize("order", ["when", 1, -1, np.int64(1)])
    def test_by_name_or_position_with_ties_as_they_stand(self, order):
        encoder = OrderedTargetEncoder(order=order)
        found = encoder.fit_transform(self.TABLE, self.Y)
        np.testing.assert_allclose(found[:, 0], self.EXPECTED, rtol=1e-15)
        np.testing.assert_array_equal(found[:, 1], self.TABLE["when"])
        assert_same_bits(encoder.transform(self.TABLE, self.Y), found)

    @pytest.mark.parametrize(
        "when",
        [
            ["c", "a", "c", "b"],
            pd.to_datetime(["2020-03-01", "2019-01-01", "2020-03-01", "2020-01-01"]),
            [0.5, -np.inf, 0.5, 0.0],
            [True, False, True, False],
            pd.Categorical(list("zxzy"), categories=list("xyz"), ordered=True),
            pd.Categorical(["low", "high", "low", "mid"], ["high", "mid", "low"], ordered=True),
            pd.array([3, 1, 3, 2], dtype="Int64"),
            pd.Series([3, 1.0, 3, 2], dtype=object),
        ],
        ids=lambda when: str(getattr(when, "dtype", type(when[0]).__name__)),
    )
    def test_by_columns_of_all_types(self, when):
        encoder = OrderedTargetEncoder(order="when").set_output(transform="pandas")
        table = pd.DataFrame({"c": list("aaaa"), "when": when})
        found = encoder.fit_transform(table, self.Y)
        expected = self.EXPECTED
        if not isinstance(when, list) or not isinstance(when[0], bool):
            np.testing.assert_allclose(found["c"], expected, rtol=1e-15)
        else:  # rows 1, 3, 0, 2 again: both False first
            np.testing.assert_allclose(found["c"], expected, rtol=1e-15)
        pd.testing.assert_series_equal(found["when"], table["when"])
        assert encoder.encoded_features_.tolist() == [0]

    def test_the_column_is_encoded_too_when_it_is_named(self):
        found = OrderedTargetEncoder(["c", "when"], order="when").fit_transform(self.TABLE, self.Y)
        np.testing.assert_allclose(found[:, 0], self.EXPECTED, rtol=1e-15)
        np.testing.assert_allclose(found[:, 1], [P, P, (1 + P) / 2, P], rtol=1e-15)
        for columns in ("all", "categorical"):
            encoder = OrderedTargetEncoder(columns, order="when")
            assert encoder.fit(self.TABLE, self.Y).encoded_features_.tolist() == [0]

    def test_later_rows_do_not_depend_on_it(self):
        given = OrderedTargetEncoder().fit(self.TABLE, self.Y)
        by_time = OrderedTargetEncoder(order="when").fit(self.TABLE, self.Y)
        drawn = OrderedTargetEncoder(order="random", n_permutations=4).fit(self.TABLE, self.Y)
        new = pd.DataFrame({"c": ["a", "b"], "when": [None, 9]})
        for encoder in (by_time, drawn):
            assert_same_bits(encoder.transform(new), given.transform(new))

    def test_of_polars(self):
        found = OrderedTargetEncoder(order="when").fit_transform(pl.from_pandas(self.TABLE), self.Y)
        np.testing.assert_allclose(found[:, 0], self.EXPECTED, rtol=1e-15)

    @pytest.mark.parametrize(
        ("when", "order", "words"),
        [
            ([1, None, 2, None], "when", r"order by has 2 missing values, the first in row 1"),
            ([1, "a", 2, 3], "when", "order by has values that cannot be compared"),
            ([1, 2, 3, 4], "wen", r"order names column 'wen'.*Did you mean 'when'\?"),
            ([1, 2, 3, 4], 2, "order has position 2, and X has 2 columns: positions are 0 to 1"),
            ([1, 2, 3, 4], -3, "order has position -3"),
            ([1, 2, 3, 4], True, "order"),
            ([1, 2, 3, 4], 1.5, "order"),
            ([1, 2, 3, 4], None, "order"),
        ],
    )
    def test_what_is_refused(self, when, order, words):
        table = pd.DataFrame({"c": list("aaaa"), "when": pd.Series(when, dtype=object)})
        encoder = OrderedTargetEncoder(order=order)
        with pytest.raises(ValueError, match=words):
            encoder.fit_transform(table, self.Y)

    def test_names_without_a_frame(self):
        with pytest.raises(UnknownNameError, match=r"X has no column names. Give positions"):
            OrderedTargetEncoder(order="when").fit([["a", 1]], [1])

    def test_permutations_without_a_random_order(self):
        for order in ("given", "when"):
            with pytest.raises(InvalidInputError, match=r"n_permutations=2 needs order='random'"):
                OrderedTargetEncoder(order=order, n_permutations=2).fit(self.TABLE, self.Y)

    def test_earlier_rows_of_a_random_order(self):
        encoder = OrderedTargetEncoder(order="random").fit(self.TABLE, self.Y)
        with pytest.raises(InvalidInputError, match="rows have an order"):
            encoder.transform(self.TABLE, self.Y, earlier=encoder)


class TestSeeds:
    X, TARGETS, _ = make_large(200)

    def values(self, seed, **how):
        how = {"order": "random", "noise": 0.1} | how
        encoder = OrderedTargetEncoder("all", random_state=seed, **how)
        return encoder.fit_transform(self.X, self.TARGETS["binary"])

    @pytest.mark.parametrize(
        "make",
        [
            lambda: 0,
            lambda: 3,
            lambda: np.random.RandomState(3),
            lambda: np.random.default_rng(3),
            lambda: np.random.SeedSequence(3),
        ],
    )
    def test_the_same_seed_gives_the_same_values(self, make):
        assert_same_bits(self.values(make()), self.values(make()))

    def test_others_give_others(self):
        base = self.values(0)
        for seed in (1, None, None):
            assert not np.allclose(self.values(seed), base)
        for how in ({"noise": 0.0}, {"order": "given"}, {"n_permutations": 2}):
            assert not np.allclose(self.values(0, **how), base)

    def test_the_global_generators_are_left_alone(self):
        import random

        np.random.seed(5)
        random.seed(5)
        before = np.random.get_state()[1].tolist(), random.getstate()
        self.values(None)
        self.values(1, n_permutations=3)
        assert (np.random.get_state()[1].tolist(), random.getstate()) == before

    def test_noise_is_normal_and_multiplies(self):
        X = np.zeros((20_000, 2))
        X[:, 1] = np.arange(20_000)
        y = np.arange(20_000) % 2
        plain = OrderedTargetEncoder("all").fit_transform(X, y)
        noisy = OrderedTargetEncoder("all", noise=0.25, random_state=0).fit_transform(X, y)
        z = (noisy / plain - 1) / 0.25
        np.testing.assert_allclose(z.mean(axis=0), 0, atol=0.03)
        np.testing.assert_allclose(z.std(axis=0), 1, atol=0.03)
        assert abs(np.corrcoef(z.T)[0, 1]) < 0.03
        assert np.abs(z).max() > 3

    def test_later_rows_have_no_noise(self):
        plain, noisy = (
            OrderedTargetEncoder("all", noise=noise).fit(self.X, self.TARGETS["multiclass"])
            for noise in (0.0, 5.0)
        )
        assert_same_bits(quietly(noisy.transform, self.X), quietly(plain.transform, self.X))


class TestDrop:
    X = column(*"ababab")
    Y = tuple("LMHLMM")

    @pytest.mark.parametrize(("drop", "k"), [("first", 0), ("H", 0), ("L", 1), ("M", 2)])
    def test_one_class_is_left_out(self, drop, k):
        whole, less = OrderedTargetEncoder(), OrderedTargetEncoder(drop=drop)
        trained = np.delete(whole.fit_transform(self.X, self.Y), k, axis=1)
        assert_same_bits(less.fit_transform(self.X, self.Y), trained)
        assert_same_bits(less.transform(self.X), np.delete(whole.transform(self.X), k, axis=1))
        names = np.delete(["c_H", "c_L", "c_M"], k).tolist()
        assert less.get_feature_names_out().tolist() == names
        assert less.classes_.tolist() == ["H", "L", "M"]
        assert less.prior_.shape == (2,)
        assert less.statistics("c").columns.tolist() == ["category", "weight", *names]

    def test_a_class_called_first(self):
        labels = ["a", "first", "z", "a", "first", "z"]
        encoder = OrderedTargetEncoder(drop="first").fit(self.X, labels)
        assert encoder.get_feature_names_out().tolist() == ["c_a", "c_z"]

    @pytest.mark.parametrize("drop", [1, 1.0, np.int64(1)])
    def test_a_number(self, drop):
        encoder = OrderedTargetEncoder(drop=drop).fit(self.X, [0, 1, 2, 0, 1, 2])
        assert encoder.get_feature_names_out().tolist() == ["c_0", "c_2"]

    def test_of_two_classes_or_none_nothing(self):
        for y in ([0, 1, 0, 1, 0, 1], [0.5, 1.5, 0, 1, 0, 1]):
            found = OrderedTargetEncoder(drop="first").fit_transform(self.X, y)
            assert_same_bits(found, OrderedTargetEncoder().fit_transform(self.X, y))

    @pytest.mark.parametrize("drop", ["Z", 0, 1.5])
    def test_no_class(self, drop):
        for method in ("fit", "fit_transform"):
            with pytest.raises(InvalidInputError, match="drop must be None, 'first' or a class"):
                getattr(OrderedTargetEncoder(drop=drop), method)(self.X, self.Y)


class TestTrainingRowsTransformed:
    X, Y = column(*"ababab"), (0, 1, 1, 0, 1, 1)

    def test_told_once(self):
        encoder = OrderedTargetEncoder().fit(self.X, self.Y)
        with pytest.warns(DistsearchWarning, match=r"own targets too.*fit_transform\(X, y\)"):
            encoder.transform(self.X)
        encoder.transform(self.X)

    def test_told_of_the_same_rows_in_another_library(self):
        encoder = OrderedTargetEncoder().fit(self.X, self.Y)
        with pytest.warns(DistsearchWarning, match="own targets"):
            encoder.transform(pl.from_pandas(self.X))

    def test_told_again_after_another_fit(self):
        encoder = OrderedTargetEncoder().fit(self.X, self.Y)
        for _ in range(2):
            with pytest.warns(DistsearchWarning, match="own targets"):
                encoder.fit(self.X, self.Y).transform(self.X)

    def test_not_told_of_others(self):
        encoder = OrderedTargetEncoder().fit(self.X, self.Y)
        encoder.transform(self.X[:5])
        encoder.transform(self.X[::-1])
        encoder.transform(column(*"bababa"))
        encoder.transform(self.X, self.Y)
        OrderedTargetEncoder().fit(self.X.astype("category"), self.Y).transform(
            pd.concat([self.X, self.X])
        )

    def test_not_told_where_the_ordered_values_were_made(self):
        encoder = OrderedTargetEncoder()
        encoder.fit_transform(self.X, self.Y)
        encoder.transform(self.X)
        OrderedTargetEncoder().partial_fit(self.X, self.Y).transform(self.X)
        OrderedTargetEncoder().merge(encoder).transform(self.X)
        fitted = OrderedTargetEncoder().fit(self.X, self.Y)
        fitted.fit_transform(self.X, self.Y)
        fitted.transform(self.X)


def test_warnings_point_to_the_callers_line():
    X = column(*"abab")
    calls = [
        lambda: OrderedTargetEncoder(smoothing=0).fit_transform(X, [0, 1, 0, 1]),
        lambda: OrderedTargetEncoder(smoothing=0).fit(X, [0, 1, 0, 1]).transform(X, [0, 1, 0, 1]),
        lambda: OrderedTargetEncoder().fit(X, [0, 1, 0, 1]).transform(X),
        lambda: OrderedTargetEncoder().fit([[1], [2]], [0, 1]),
        lambda: OrderedTargetEncoder().fit_transform([[1], [2]], [0, 1]),
    ]
    for call in calls:
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            call()
        assert [(w.category, w.filename) for w in caught] == [(DistsearchWarning, __file__)]


@pytest.mark.parametrize(
    ("how", "words"),
    [
        ({"columns": "text"}, "'columns' parameter"),
        ({"columns": 3}, "'columns' parameter"),
        ({"columns": ["colour"]}, "columns names column 'colour', which X does not have"),
        ({"columns": ["C"]}, r"Did you mean 'c'\?"),
        ({"columns": [1]}, "columns has position 1, and X has 1 column:"),
        ({"columns": [1.5]}, r"names or positions of columns\. Got .*1\.5"),
        ({"columns": [True]}, "names or positions of columns. Got .*True"),
        ({"target_type": "regression"}, "'target_type' parameter"),
        ({"smoothing": -1}, "'smoothing' parameter"),
        ({"smoothing": "1"}, "'smoothing' parameter"),
        ({"smoothing": np.nan}, "'smoothing' parameter"),
        ({"smoothing": np.inf}, "'smoothing' parameter"),
        ({"prior": "median"}, "'prior' parameter"),
        ({"prior": np.nan}, "'prior' parameter"),
        ({"prior": np.inf}, "'prior' parameter"),
        ({"n_permutations": 0}, "'n_permutations' parameter"),
        ({"noise": -0.1}, "'noise' parameter"),
        ({"noise": np.nan}, "'noise' parameter"),
        ({"handle_unknown": "value"}, "'handle_unknown' parameter"),
        ({"handle_missing": "return_nan"}, "'handle_missing' parameter"),
        ({"backend": 2}, "'backend' parameter"),
        ({"backend": "proceses"}, "proceses"),
        ({"random_state": -1, "order": "random"}, "random_state"),
        ({"random_state": "seed"}, "'random_state' parameter"),
    ],
    ids=str,
)
def test_parameters_that_are_refused(how, words):
    X = column(*"abab")
    for method in ("fit", "fit_transform", "partial_fit"):
        if method != "fit_transform" and "random_state" in how:
            continue
        with pytest.raises(ValueError, match=words):
            getattr(OrderedTargetEncoder(**how), method)(X, [0, 1, 0, 1])


def test_two_columns_of_one_name():
    """Scikit-learn refuses them in frames, whatever is asked for."""
    X = pd.DataFrame([["a", "b"], ["c", "d"]], columns=["c", "c"])
    with pytest.raises(ValueError, match=r"more than one column of the name"):
        OrderedTargetEncoder(["c"]).fit(X, [0, 1])


class TestMisuse:
    X, Y = column(*"abab"), (0, 1, 0, 1)

    def test_weights_or_earlier_rows_without_targets(self):
        encoder = OrderedTargetEncoder().fit(self.X, self.Y)
        for how in ({"sample_weight": [1.0] * 4}, {"earlier": encoder}):
            with pytest.raises(InvalidInputError, match="about training rows, which have targets"):
                encoder.transform(self.X, **how)

    def test_encoders_of_other_columns(self):
        one = OrderedTargetEncoder().fit(self.X, self.Y)
        for other in (
            OrderedTargetEncoder().fit(self.X.assign(d=1), self.Y),
            OrderedTargetEncoder().fit(self.X.rename(columns={"c": "d"}), self.Y),
            OrderedTargetEncoder().fit(self.X.to_numpy(), self.Y),
        ):
            with pytest.raises(
                InvalidInputError, match=r"fitted on the same columns. These encode"
            ):
                one.merge(other)
            with pytest.raises(InvalidInputError, match="fitted on the same columns"):
                one.transform(self.X, self.Y, earlier=other)

    def test_encoders_of_other_targets(self):
        one = OrderedTargetEncoder().fit(self.X, self.Y)
        numbers = OrderedTargetEncoder().fit(self.X, [0.5, 1.5, 0, 1])
        with pytest.raises(InvalidInputError, match="labels and those of others are numbers"):
            one.merge(numbers)
        with pytest.raises(InvalidInputError, match="mixed kinds"):
            one.merge(OrderedTargetEncoder().fit(self.X, list("uvuv")))
        with pytest.raises(InvalidInputError, match="earlier rows are not among those"):
            one.transform(self.X, self.Y, earlier=numbers)
        with pytest.raises(InvalidInputError, match="earlier rows are not among those"):
            one.transform(self.X, self.Y, earlier=OrderedTargetEncoder().fit(self.X, [0, 1, 2, 1]))

    def test_columns_without_statistics(self):
        encoder = OrderedTargetEncoder().fit(self.X.assign(n=1), self.Y)
        with pytest.raises(InvalidInputError, match="'n' is not encoded"):
            encoder.statistics("n")
        with pytest.raises(UnknownNameError, match="'m'"):
            encoder.statistics("m")

    def test_a_failed_fit_of_further_rows_changes_nothing(self):
        encoder = OrderedTargetEncoder().fit(self.X, self.Y)
        before = quietly(encoder.transform, self.X)
        for X, y in ((self.X, [0, 1, None, 1]), (self.X, list("uvuv")), (self.X[:3], self.Y)):
            with pytest.raises(ValueError, match=r"missing|mixed|inconsistent"):
                encoder.partial_fit(X, y)
        assert_same_bits(encoder.transform(self.X), before)
        assert encoder.n_samples_seen_ == 4
