"""Targets of all kinds: what is taken for what, and what is refused."""

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from encoding.tables import assert_same_bits, quietly

from distsearch.encoding import OrderedTargetEncoder
from distsearch.errors import InvalidInputError

X = pd.DataFrame({"c": list("abababab")})
BINARY = [1, 0, 1, 1, 0, 0, 1, 0]


def fit(y, **how):
    return OrderedTargetEncoder(**how).fit(X.iloc[: len(y)], y)


@pytest.mark.parametrize(
    "y",
    [
        np.array(BINARY, dtype=bool),
        pd.Series(BINARY, dtype=bool),
        pd.Series(BINARY, dtype="boolean"),
        np.array(BINARY, dtype=np.uint8),
        np.array(BINARY, dtype=np.int8) * 2 - 1,
        np.array(BINARY, dtype=np.float32),
        pd.Series(BINARY, dtype="Int64"),
        np.array(BINARY, dtype=object),
        np.array(["no", "yes"])[BINARY],
        np.array(["no", "yes"], dtype=object)[BINARY],
        [["no", "yes"][v] for v in BINARY],
        pd.Series(np.array(["no", "yes"])[BINARY]),
        pd.Series(np.array(["no", "yes"])[BINARY], index=list("hgfedcba")),
        pd.Categorical(np.array(["no", "yes"])[BINARY]),
        pd.Categorical(np.array(["no", "yes"])[BINARY], categories=["yes", "maybe", "no"]),
        pd.Series(pd.Categorical(np.array(["no", "yes"])[BINARY], categories=["yes", "no"])),
        pl.Series(BINARY),
        pl.Series(np.array(["no", "yes"])[BINARY]),
        pl.Series(np.array(["no", "yes"])[BINARY], dtype=pl.Categorical),
        pl.Series(np.array(BINARY, dtype=bool)),
        pa.array(BINARY),
        pa.chunked_array([["no", "yes", "no"][::-1][1:] * 2, ["no", "yes", "yes", "no"]]),
        tuple(BINARY),
        pd.Index(BINARY),
        pd.to_datetime(["2020-01-01", "2021-01-01"])[BINARY],
    ],
    ids=lambda y: f"{type(y).__module__.split('.')[0]} {getattr(y, 'dtype', type(y).__name__)}",
)
def test_two_labels(y):
    encoder = OrderedTargetEncoder()
    values = encoder.fit_transform(X, y)
    expected = BINARY
    if isinstance(y, pa.ChunkedArray):
        expected = [int(v == "yes") for v in y.to_pylist()]
    assert_same_bits(values, OrderedTargetEncoder().fit_transform(X, expected))
    assert encoder.target_type_ == "binary"
    assert len(encoder.classes_) == 2
    assert encoder.prior_.shape == (1,)


@pytest.mark.parametrize(
    ("y", "kind"),
    [
        ([0, 1, 2, 0], "multiclass"),
        ([0.0, 1.0, 2.0, 0.0], "multiclass"),
        ([-1, 1, -1, 1], "binary"),
        ([5, 9, 9, 5], "binary"),
        ([0.5, 1.0, 2.0, 0.0], "continuous"),
        ([0.25, 0.75, 0.25, 0.25], "continuous"),
        (list("abca"), "multiclass"),
        ([True, False, True, True], "binary"),
        (pd.Categorical([1.5, 2.5, 1.5, 1.5]), "binary"),
        (pd.Categorical(list("abca")), "multiclass"),
    ],
)
def test_what_is_taken_for_what(y, kind):
    assert fit(y).target_type_ == kind


@pytest.mark.parametrize(("n", "kind"), [(100, "multiclass"), (101, "continuous")])
@pytest.mark.parametrize("dtype", [int, float])
def test_a_hundred_whole_numbers_are_classes(n, kind, dtype):
    y = np.arange(n, dtype=dtype)
    table = np.array([["a"]] * n)
    assert OrderedTargetEncoder().fit(table, y).target_type_ == kind
    text = OrderedTargetEncoder().fit(table, [f"label {v}" for v in y])
    assert text.target_type_ == "multiclass"
    assert len(text.classes_) == n
    told = OrderedTargetEncoder(target_type="multiclass").fit(table, y)
    assert len(told.classes_) == n


def test_what_is_told():
    assert fit([0, 1, 2, 3], target_type="continuous").prior_.tolist() == [1.5]
    assert fit([0, 1, 0, 1], target_type="multiclass").prior_.tolist() == [0.5, 0.5]
    assert fit([0.5, 1.5, 0.5, 1.5], target_type="binary").classes_.tolist() == [0.5, 1.5]
    assert fit([0.5, 1.5, 2.5, 0.5], target_type="multiclass").prior_.shape == (3,)
    assert fit([True, False, True, True], target_type="continuous").prior_.tolist() == [0.75]
    assert fit([0, 1, 2, 3], target_type="continuous").classes_ is None


@pytest.mark.parametrize(
    ("y", "classes", "prior"),
    [
        ([0, 0, 0], [0, 1], 0.0),
        ([1, 1, 1], [0, 1], 1.0),
        ([False, False, False], [False, True], 0.0),
        ([True, True, True], [False, True], 1.0),
        ([1.0, 1.0, 1.0], [0.0, 1.0], 1.0),
    ],
)
def test_of_nought_and_one_one_may_be_lacking(y, classes, prior):
    encoder = OrderedTargetEncoder()
    values = encoder.fit_transform(X[:3], y)
    assert encoder.target_type_ == "binary"
    assert encoder.classes_.tolist() == classes
    assert encoder.prior_.tolist() == [prior]
    np.testing.assert_allclose(values, prior, atol=1e-15)
    np.testing.assert_allclose(encoder.transform(X), prior, atol=1e-15)


@pytest.mark.parametrize("y", [["a"] * 3, [2, 2, 2], [5.0, 5.0, 5.0]])
def test_one_class_only(y):
    with pytest.raises(InvalidInputError, match=r"has one class, .*two or more"):
        fit(y)
    with pytest.raises(InvalidInputError, match="has one class"):
        OrderedTargetEncoder().fit_transform(X[:3], y)
    with pytest.raises(InvalidInputError, match="has one class"):
        fit([0, 0, 0], target_type="multiclass")


def test_a_refit_forgets_the_classes_and_categories_of_before():
    encoder = OrderedTargetEncoder().set_output(transform="pandas")
    encoder.fit(X[:4], ["H", "L", "M", "L"])
    assert encoder.get_feature_names_out().tolist() == ["c_H", "c_L", "c_M"]
    other = pd.DataFrame({"d": ["x", "y", "x"], "e": ["u", "v", "v"]})
    found = encoder.fit_transform(other, [2, 1, 2])
    assert encoder.classes_.tolist() == [1, 2]
    assert found.columns.tolist() == ["d", "e"]
    assert [sorted(each) for each in encoder.categories_] == [["x", "y"], ["u", "v"]]
    assert encoder.n_samples_seen_ == 3
    encoder.fit(X[:4], [0.5, 1.5, 2.5, 3.5])
    assert encoder.classes_ is None
    encoder.fit(X[:4], ["M", "L", "N", "O"])
    assert encoder.get_feature_names_out().tolist() == ["c_L", "c_M", "c_N", "c_O"]


def test_classes_are_in_sorted_order():
    assert fit(["b", "B", "a", "10", "9", "é", "a", "b"]).classes_.tolist() == sorted(
        ["b", "B", "a", "10", "9", "é"]
    )
    assert fit([3, -1, 20, 3]).classes_.tolist() == [-1, 3, 20]
    assert fit(pd.Categorical(list("cab"), categories=list("cba"))).classes_.tolist() == [
        "a", "b", "c",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("y", "how", "words"),
    [
        (None, {}, "requires y to be passed, but the target y is None"),
        ([0, 1], {}, r"inconsistent numbers of samples: 8 and 2.*by position"),
        ([0, 1, None, 1] * 2, {}, r"missing \(NaN\) in 2 rows, the first being row 2"),
        ([0.5, np.nan] * 4, {}, r"missing \(NaN\) in 4 rows, the first being row 1"),
        (["a", None] * 4, {}, r"missing \(NaN\) in 4 rows"),
        (pd.Categorical(["a", None] * 4), {}, r"missing \(NaN\) in 4 rows"),
        (pd.array([1, None] * 4, dtype="Int64"), {}, r"missing \(NaN\) in 4 rows"),
        ([0.5, np.inf] * 4, {}, r"infinity in row 1"),
        ([0.5, 1.5] * 4 + [1], {}, "inconsistent numbers of samples: 8 and 9"),
        ([0, 1, 2, 3] * 2, {"target_type": "binary"}, r"two labels\. Got 4 of them: 0, 1, 2 and 3"),
        (list("abab") * 2, {"target_type": "continuous"}, r"must be numbers.* 'a'"),
        (["a", 1] * 4, {}, r"mixed kinds: .*Make them all text or all numbers"),
        ([1e308] * 8, {"target_type": "continuous"}, "too large"),
        (np.array([1j, 2.0] * 4), {}, "[Cc]omplex"),
        (np.zeros((8, 2)), {}, "1d array"),
    ],
)  # fmt: skip
def test_what_is_refused(y, how, words):
    for method in ("fit", "fit_transform", "partial_fit"):
        with pytest.raises(ValueError, match=words):
            getattr(OrderedTargetEncoder(**how), method)(X, y)


@pytest.mark.parametrize(
    ("weights", "words"),
    [
        ([0.0] * 8, "at least one non-zero|All of sample_weight"),
        ([1.0] * 7, "sample_weight"),
        ([1.0, -1.0] * 4, "[Nn]egative"),
        ([1.0, np.nan] * 4, "NaN"),
        ([1.0, np.inf] * 4, "infinity"),
        (["a"] * 8, "convert"),
    ],
)
def test_weights_that_are_refused(weights, words):
    with pytest.raises(ValueError, match=words):
        OrderedTargetEncoder().fit(X, BINARY, weights)


@pytest.mark.parametrize("make", [list, np.array, pd.Series, pl.Series, tuple])
def test_weights_of_any_kind(make):
    weights = [0.5, 1.0, 2.0, 0.25, 3.0, 1.0, 0.0, 1.0]
    one = OrderedTargetEncoder().fit_transform(X, BINARY, make(weights))
    two = OrderedTargetEncoder().fit_transform(X, BINARY, np.array(weights, dtype=np.float32))
    assert_same_bits(one, two)


class TestFurtherRows:
    def test_numbers_after_labels(self):
        encoder = fit([0, 1, 0, 1])
        with pytest.raises(InvalidInputError, match="some rows are labels and those of others"):
            encoder.partial_fit(X[:2], [0.5, 1.5])
        assert encoder.n_samples_seen_ == 4

    def test_whole_numbers_after_numbers_are_numbers(self):
        encoder = fit([0.5, 1.0, 0.0, 1.5]).partial_fit(X[:4], [1, 2, 1, 2])
        assert encoder.target_type_ == "continuous"
        whole = fit([0.5, 1.0, 0.0, 1.5, 1, 2, 1, 2])
        assert_same_bits(encoder.transform(X), quietly(whole.transform, X))

    def test_text_after_numbers(self):
        with pytest.raises(InvalidInputError, match="must be numbers"):
            fit([0.5, 1.0, 0.0, 1.5]).partial_fit(X[:2], ["a", "b"])
        with pytest.raises(InvalidInputError, match="mixed kinds: 0 and 1 and 'a' and 'b'"):
            fit([0, 1, 0, 1]).partial_fit(X[:2], ["a", "b"])

    def test_too_many_whole_numbers(self):
        table = np.array([["a"]] * 60)
        encoder = OrderedTargetEncoder().fit(table, np.arange(60))
        with pytest.raises(InvalidInputError, match="120 distinct whole numbers so far"):
            encoder.partial_fit(table, np.arange(60, 120))
        told = OrderedTargetEncoder(target_type="multiclass").fit(table, np.arange(60))
        assert len(told.partial_fit(table, np.arange(60, 120)).classes_) == 120

    def test_a_third_label_of_a_binary_target(self):
        encoder = fit([0, 1, 0, 1], target_type="binary")
        with pytest.raises(InvalidInputError, match="two labels"):
            encoder.partial_fit(X[:2], [1, 2])

    def test_training_rows_with_other_labels(self):
        encoder = fit(list("abca"))
        with pytest.raises(InvalidInputError, match=r"was not fitted on: 'z'\. It knows 'a'"):
            encoder.transform(X[:2], ["a", "z"])
        with pytest.raises(InvalidInputError, match="fitted on a multiclass target"):
            encoder.transform(X[:2], [0.5, 1.5])
        with pytest.raises(InvalidInputError, match="must be numbers"):
            fit([0.5, 1.0, 0.0, 1.5]).transform(X[:2], ["a", "z"])

    def test_training_rows_with_some_of_the_labels(self):
        y = ["a", "b", "c", "a", "a", "a", "b", "b"]
        encoder = OrderedTargetEncoder()
        expected = encoder.fit_transform(X, y)
        assert_same_bits(encoder.transform(X[:2], y[:2]), expected[:2])
        earlier = OrderedTargetEncoder().fit(X[:4], y[:4])
        assert_same_bits(encoder.transform(X[4:], y[4:], earlier=earlier), expected[4:])
