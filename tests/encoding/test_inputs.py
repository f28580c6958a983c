"""Tables of all kinds, and values of all kinds in them."""

from datetime import date, datetime, timedelta, timezone
from decimal import Decimal

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from encoding.tables import MISSING, assert_same_bits, quietly
from scipy import sparse

from distsearch.encoding import OrderedTargetEncoder
from distsearch.errors import DistsearchWarning, InvalidInputError

Y = [1, 0, 1, 1, 0, 0, 1, 0]
TEXT = ["a", "b", "a", None, "b", "a", None, "c"]
CODES = [3, 1, 3, 7, 1, 3, 7, 7]
# The codes and TEXT group rows in the same way, but for the last row's.
P = 0.5


def by_groups(groups, y=Y):
    """Return training values by counting, whatever the groups are called."""
    values, seen = [], {}
    for group, target in zip(groups, y, strict=True):
        weight, total = seen.get(group, (0, 0))
        values.append((total + P) / (weight + 1))
        seen[group] = (weight + 1, total + target)
    return values


def later_by_groups(groups, new, y=Y):
    values = []
    for group in new:
        own = [target for g, target in zip(groups, y, strict=True) if g == group]
        values.append((sum(own) + P) / (len(own) + 1))
    return values


FRAME = pd.DataFrame({"text": pd.Series(TEXT, dtype=object), "code": CODES})


@pytest.mark.parametrize(
    "table",
    [
        FRAME,
        FRAME.set_axis([5, 5, -1, 0, 9, 9, 2, 1], axis=0),
        FRAME.set_axis(pd.MultiIndex.from_product([[0, 1], list("wxyz")]), axis=0),
        FRAME.set_axis([1, "b"], axis=1),
        FRAME.assign(text=pd.Series(TEXT)),
        FRAME.assign(text=pd.Series(TEXT, dtype="string")),
        FRAME.assign(text=pd.Series(TEXT, dtype=pd.ArrowDtype(pa.string()))),
        FRAME.assign(text=pd.Series(TEXT, dtype="category")),
        FRAME.assign(text=pd.Categorical(TEXT, categories=list("zcba"))),
        FRAME.assign(code=pd.Series(CODES, dtype="Int16")),
        FRAME.assign(code=np.array(CODES, dtype=float)),
        FRAME.assign(code=np.array(CODES, dtype=np.uint64) + 2**63),
        FRAME.assign(code=np.array(CODES) * 2**40),
        pl.DataFrame({"text": TEXT, "code": CODES}),
        pl.DataFrame({"text": pl.Series(TEXT, dtype=pl.Categorical), "code": CODES}),
        pl.DataFrame({"text": pl.Series(TEXT, dtype=pl.Enum(list("zcba"))), "code": CODES}),
        pa.table({"text": TEXT, "code": CODES}),
        pa.table({"text": pa.array(TEXT).dictionary_encode(), "code": CODES}),
        FRAME.to_numpy(),
        np.asfortranarray(FRAME.to_numpy()),
        FRAME.to_numpy().tolist(),
        tuple(zip(TEXT, CODES, strict=True)),
        FRAME.fillna("-").to_numpy().astype(str),
        FRAME.fillna("-").to_numpy().astype("S3"),
    ],
    ids=lambda table: type(table).__module__.split(".")[0],
)
def test_tables(table):
    if isinstance(table, pd.DataFrame) and len(set(map(type, table.columns))) > 1:
        table = table.set_axis(["1", "b"], axis=1)
    encoder = OrderedTargetEncoder("all")
    trained = encoder.fit_transform(table, Y)
    assert trained.dtype == np.float64
    np.testing.assert_allclose(trained[:, 0], by_groups(TEXT), rtol=1e-15)
    np.testing.assert_allclose(trained[:, 1], by_groups(CODES), rtol=1e-15)
    later = encoder.transform(table)
    np.testing.assert_allclose(later[:, 0], later_by_groups(TEXT, TEXT), rtol=1e-15)
    np.testing.assert_allclose(later[:, 1], later_by_groups(CODES, CODES), rtol=1e-15)
    assert_same_bits(encoder.transform(table, Y), trained)


@pytest.mark.parametrize("fitted", range(5))
def test_a_table_of_one_library_then_of_another(fitted):
    tables = [
        FRAME,
        FRAME.assign(text=pd.Series(TEXT, dtype="category")),
        pl.DataFrame({"text": TEXT, "code": CODES}),
        pa.table({"text": TEXT, "code": CODES}),
        FRAME.to_numpy(),
    ]
    encoder = OrderedTargetEncoder("all").fit(tables[fitted], Y)
    for table in tables:
        if hasattr(table, "columns") == hasattr(tables[fitted], "columns"):
            found = quietly(encoder.transform, table)
            np.testing.assert_allclose(found[:, 0], later_by_groups(TEXT, TEXT), rtol=1e-15)
            np.testing.assert_allclose(found[:, 1], later_by_groups(CODES, CODES), rtol=1e-15)


UTC = timezone.utc  # noqa: UP017 - the same on every Python
EAST = timezone(timedelta(hours=2))


@pytest.mark.parametrize(
    ("column", "new", "groups"),
    [
        ([1, "1", 1, "1"], [1, "1", 1.0, True, "01"], [0, 1, 0, 0, 9]),
        ([True, False, True, False], [1, 0, 0.0, "True", None], [0, 1, 1, 9, 9]),
        ([1.5, -0.0, 1.5, 0.0], [1.5, 0, False, "1.5"], [0, 1, 1, 9]),
        (["nan", None, "nan", np.nan], ["nan", None, pd.NA, "None", "NaN"], [0, 1, 1, 9, 9]),
        (["", " ", "", " "], ["", " ", "  ", None], [0, 1, 9, 9]),
        (["é", "e\u0301", "é", "e\u0301"], ["é", "e\u0301", "e"], [0, 1, 9]),
        ([b"a", "a", b"a", "a"], [b"a", "a"], [0, 1]),
        ([("a", 1), ("a", 2)] * 2, [("a", 1), ("a", 2), "a"], [0, 1, 9]),
        ([Decimal("0.5"), Decimal(3)] * 2, [0.5, 3, Decimal("0.50")], [0, 1, 0]),
        ([2**53, 2**53 + 1] * 2, [2**53, 2**53 + 1, 2**53 + 2], [0, 1, 9]),
        ([2**63, -1] * 2, [2**63, -1, 2**64 - 1], [0, 1, 9]),
        ([np.inf, -np.inf] * 2, [np.inf, -np.inf, np.nan, 1.8e308], [0, 1, 9, 0]),
        ([date(2020, 1, 1), date(2021, 1, 1)] * 2, [date(2020, 1, 1), date(2000, 1, 1)], [0, 9]),
        ([timedelta(1), timedelta(hours=5)] * 2, [timedelta(hours=24), timedelta(0)], [0, 9]),
        (
            [datetime(2020, 1, 1), datetime(2020, 1, 2)] * 2,
            [pd.Timestamp("2020-01-01"), pd.NaT, datetime(2020, 1, 3)],
            [0, 9, 9],
        ),
        (
            [datetime(2020, 1, 1, tzinfo=UTC), datetime(2020, 1, 2, tzinfo=UTC)] * 2,
            [datetime(2020, 1, 1, tzinfo=UTC), datetime(2020, 1, 2, 2, tzinfo=EAST)],
            [0, 1],
        ),
        ([pd.Period("2020-01"), pd.Period("2020-02")] * 2, [pd.Period("2020-01")], [0]),
        ([pd.Interval(0, 1), pd.Interval(1, 2)] * 2, [pd.Interval(1, 2)], [1]),
    ],
    ids=lambda value: repr(value[0])[:30],
)
def test_values_equal_in_python_are_one_category(column, new, groups):
    """Values of the two categories of training are 0 and 1, unseen ones 9."""
    y = [1, 0, 1, 0]
    table = pd.DataFrame({"c": pd.Series(column, dtype=object)})
    encoder = OrderedTargetEncoder("all")
    trained = encoder.fit_transform(table, y)
    np.testing.assert_allclose(trained.ravel(), [0.5, 0.5, 0.75, 0.25], rtol=1e-15)
    values = {0: (2 + 0.5) / 3, 1: 0.5 / 3, 9: 0.5}
    for value, group in zip(new, groups, strict=True):
        later = pd.DataFrame({"c": pd.Series([value], dtype=object)})
        assert encoder.transform(later).item() == pytest.approx(values[group]), value
    together = pd.DataFrame({"c": pd.Series(new, dtype=object)})
    np.testing.assert_allclose(encoder.transform(together).ravel(), [values[g] for g in groups])


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("int8", "int64"), ("int64", "uint8"), ("int64", "float64"), ("float32", "int16"),
        ("Int64", "int32"), ("Float64", "Int8"), ("object", "int64"), ("category", "int64"),
        ("int64", "category"), ("int64", pd.ArrowDtype(pa.int32())), ("object", "float64"),
    ],
)  # fmt: skip
def test_numbers_of_another_type(one, other):
    encoder = OrderedTargetEncoder("all").fit(pd.DataFrame({"c": [1, 2, 1, 2]}, dtype=one), Y[:4])
    found = encoder.transform(pd.DataFrame({"c": [1, 2, 3]}, dtype=other)).ravel()
    p = 3 / 4
    np.testing.assert_allclose(found, [(2 + p) / 3, (1 + p) / 3, p], rtol=1e-15)


def test_numbers_that_are_not_the_same_in_another_type():
    encoder = OrderedTargetEncoder("all").fit(pd.DataFrame({"c": [1, 255, 1, 255]}), Y[:4])
    p = 3 / 4
    for new in (np.array([1.5]), np.array([257]), np.array([-1], dtype=np.int8), [1 + 2**40]):
        assert encoder.transform(pd.DataFrame({"c": new})).item() == p
    small = OrderedTargetEncoder("all").fit(pd.DataFrame({"c": [1, 255]}, dtype="uint8"), [0, 1])
    assert small.transform(pd.DataFrame({"c": [257.0]})).item() == 0.5
    assert small.transform(pd.DataFrame({"c": [-1]})).item() == 0.5


@pytest.mark.parametrize(
    "make",
    [
        lambda ids: pl.DataFrame({"id": ids}),
        lambda ids: pa.table({"id": ids}),
        lambda ids: pd.DataFrame({"id": pd.array(ids, dtype="Int64")}),
        lambda ids: pd.DataFrame({"id": pd.Series(ids, dtype=object)}),
        lambda ids: np.array(ids, dtype=object)[:, np.newaxis],
        lambda ids: [[each] for each in ids],
    ],
    ids=["polars", "arrow", "Int64", "object", "array", "list"],
)
def test_large_whole_numbers_beside_missing_ones_are_kept_apart(make):
    """Floats have not all of the whole numbers from 2**53 on."""
    encoder = OrderedTargetEncoder("all").fit(make([2**53, 2**53 + 1, None, 2**53]), [1, 0, 0, 1])
    found = encoder.transform(make([2**53, 2**53 + 1, None])).ravel()
    np.testing.assert_allclose(found, [2.5 / 3, 0.5 / 2, 0.5 / 2], rtol=1e-15)


@pytest.mark.parametrize("unit", ["s", "ms", "us", "ns"])
def test_times_of_another_unit_or_zone(unit):
    times = pd.Series(pd.to_datetime(["2020-01-01", "2020-06-01", "2020-01-01", None]))
    encoder = OrderedTargetEncoder().fit(times.dt.as_unit("ns").to_frame("t"), Y[:4])
    other = times.dt.as_unit(unit)[1:].to_frame("t")
    found = encoder.transform(other).ravel()
    p = 3 / 4
    expected = [p / 2, (2 + p) / 3, (1 + p) / 2]
    np.testing.assert_allclose(found, expected, rtol=1e-15)
    zoned = times.dt.as_unit(unit).dt.tz_localize("UTC")
    encoder = OrderedTargetEncoder().fit(zoned.to_frame("t"), Y[:4])
    elsewhere = zoned[1:].dt.tz_convert("Asia/Tokyo").to_frame("t")
    np.testing.assert_allclose(encoder.transform(elsewhere).ravel(), expected, rtol=1e-15)
    objects = elsewhere.astype(object)
    np.testing.assert_allclose(encoder.transform(objects).ravel(), expected, rtol=1e-15)


@pytest.mark.parametrize("missing", MISSING, ids=repr)
@pytest.mark.parametrize("dtype", [object, "category"])
def test_every_missing_value_is_missing(missing, dtype):
    table = pd.DataFrame({"c": pd.Series(["a", missing, "a", missing], dtype=dtype)})
    encoder = OrderedTargetEncoder().fit(table, [1, 0, 1, 0])
    for other in MISSING:
        later = pd.DataFrame({"c": pd.Series(["a", other], dtype=object)})
        np.testing.assert_allclose(encoder.transform(later).ravel(), [2.5 / 3, 0.5 / 3])


@pytest.mark.parametrize(
    "column",
    [
        np.array([1.0, np.nan, 1.0, np.nan]),
        pd.array([1, None, 1, None], dtype="Int64"),
        pd.array([1.0, None, 1.0, None], dtype="Float64"),
        pd.array([True, None, True, None], dtype="boolean"),
        pd.array(["a", None, "a", None], dtype="str"),
        pd.array([1, None, 1, None], dtype=pd.ArrowDtype(pa.int8())),
        pd.to_datetime(["2020-01-01", None, "2020-01-01", None]),
        pd.to_timedelta([5, None, 5, None], unit="s"),
        pd.Categorical([1, None, 1, None]),
        pl.Series([1, None, 1, None]),
        pl.Series([1.0, None, 1.0, float("nan")]),
        pl.Series(["a", None, "a", None]),
        pl.Series([True, None, True, None]),
        pl.Series([date(2020, 1, 1), None] * 2),
        pl.Series([datetime(2020, 1, 1), None] * 2),
    ],
    ids=lambda column: f"{type(column).__module__.split('.')[0]} {column.dtype}",
)
def test_missing_values_of_typed_columns(column):
    make = pl.DataFrame if isinstance(column, pl.Series) else pd.DataFrame
    encoder = OrderedTargetEncoder("all")
    trained = encoder.fit_transform(make({"c": column}), [1, 0, 1, 0])
    np.testing.assert_allclose(trained.ravel(), [0.5, 0.5, 0.75, 0.25], rtol=1e-15)
    later = encoder.transform(make({"c": column})).ravel()
    np.testing.assert_allclose(later, [2.5 / 3, 0.5 / 3] * 2, rtol=1e-15)
    assert [len(each) for each in encoder.categories_] == [1]


def test_a_category_dtype_with_levels_that_do_not_occur():
    levels = pd.CategoricalDtype(["z", "b", "y", "a"], ordered=True)
    table = pd.DataFrame({"c": pd.Series(["a", "b", "a", None], dtype=levels)})
    encoder = OrderedTargetEncoder().fit(table, Y[:4])
    assert sorted(encoder.categories_[0].tolist()) == ["a", "b"]
    plain = OrderedTargetEncoder().fit(table.astype(object), Y[:4])
    new = pd.DataFrame({"c": pd.Series(["z", "b", "a", "y", None], dtype=levels)})
    for later in (new, new.astype(object), new.astype("str")):
        assert_same_bits(encoder.transform(later), plain.transform(new))


class TestWhichColumns:
    TABLE = pd.DataFrame(
        {
            "text": list("abab"),
            "flag": [True, False, True, False],
            "level": pd.Categorical([1, 2, 1, 2]),
            "when": pd.to_datetime(["2020-01-01", "2020-01-02"] * 2),
            "span": pd.to_timedelta([1, 2] * 2, unit="D"),
            "mixed": pd.Series([1, "1", 1, "1"], dtype=object),
            "dates": pd.Series([date(2020, 1, 1), date(2020, 1, 2)] * 2, dtype=object),
            "maybe": pd.array([True, None, True, None], dtype="boolean"),
            "whole": [1, 2, 1, 2],
            "real": [0.5, np.nan, 0.5, 1.0],
            "count": pd.array([1, None, 1, 2], dtype="Int64"),
            "objects": pd.Series([1, 2, None, 2.5], dtype=object),
        }
    )
    CATEGORIES = ("text", "flag", "level", "when", "span", "mixed", "dates", "maybe", "objects")

    def chosen(self, columns="categorical", table=TABLE):
        encoder = OrderedTargetEncoder(columns).fit(table, [0, 1, 0, 1])
        return [self.TABLE.columns[j] for j in encoder.encoded_features_]

    def test_categorical(self):
        assert self.chosen() == list(self.CATEGORIES)

    def test_all(self):
        assert self.chosen("all") == self.TABLE.columns.tolist()

    def test_named_and_numbered(self):
        assert self.chosen(["whole", "text"]) == ["text", "whole"]
        assert self.chosen([8, "text", 0, -1]) == ["text", "whole", "objects"]
        assert self.chosen(np.array([8, 0])) == ["text", "whole"]
        assert self.chosen(pd.Index(["real"])) == ["real"]
        assert self.chosen(()) == []

    def test_rows_of_objects_are_judged_by_their_values(self):
        rows = [["a", 1, 0.5, True], ["b", 2, None, False]]
        assert OrderedTargetEncoder().fit(rows, [0, 1]).encoded_features_.tolist() == [0, 3]
        text = np.array(rows[0]).reshape(1, -1).repeat(2, axis=0)
        assert OrderedTargetEncoder().fit(text, [0, 1]).encoded_features_.tolist() == [0, 1, 2, 3]

    def test_numbers_only_is_told(self):
        X = [[1.0, 2.0], [3.0, 4.0]]
        encoder = OrderedTargetEncoder()
        with pytest.warns(DistsearchWarning, match=r"None of the columns is categorical.*Name"):
            found = encoder.fit_transform(X, [0, 1])
        np.testing.assert_array_equal(found, X)
        np.testing.assert_array_equal(encoder.transform(X), X)
        assert encoder.encoded_features_.tolist() == []
        assert encoder.categories_ == encoder.encodings_ == []


@pytest.mark.parametrize(
    ("X", "words"),
    [
        (pd.Series(list("abab")), "2-dimensional container but got a Series"),
        (list("abab"), "[12]D array|2-dimensional"),
        (np.array(list("abab")), "[12]D array"),
        (np.zeros((4, 1, 1)), "dim 3"),
        (pd.DataFrame({"c": []}), r"0 sample\(s\)"),
        (pd.DataFrame(index=range(4)), r"0 feature\(s\)"),
        (np.zeros((0, 2)), r"0 sample\(s\)"),
        (np.zeros((4, 0)), r"0 feature\(s\)"),
        ([["a"], ["a", "b"], ["a"], ["b"]], "same length"),
        (sparse.csr_matrix(np.eye(4)), "[Ss]parse"),
        (pd.DataFrame({"c": pd.Series([[1], [2], [1], [1]])}), "'c' has values that cannot be com"),
    ],
    ids=lambda value: type(value).__name__,
)
def test_what_is_no_table(X, words):
    for method in ("fit", "fit_transform", "partial_fit"):
        with pytest.raises((ValueError, TypeError), match=words):
            getattr(OrderedTargetEncoder("all"), method)(X, [0, 1, 0, 1])


def test_other_columns_than_in_training():
    encoder = OrderedTargetEncoder("all").fit(FRAME, Y)
    with pytest.raises(ValueError, match="feature names"):
        encoder.transform(FRAME[["code", "text"]])
    with pytest.raises(ValueError, match="feature names"):
        encoder.transform(FRAME.assign(more=1))
    with pytest.raises(ValueError, match="has 1 features"):
        OrderedTargetEncoder("all").fit(FRAME.to_numpy(), Y).transform([["a"]])
    with pytest.raises(ValueError, match="feature names"):
        encoder.partial_fit(FRAME[["code", "text"]], Y)
    with pytest.warns(UserWarning, match="valid feature names"):
        encoder.transform(FRAME.to_numpy()[1:])


def test_one_row():
    encoder = OrderedTargetEncoder()
    assert encoder.fit_transform([["a"]], [1]).tolist() == [[1.0]]
    assert encoder.transform([["a"], ["b"]]).tolist() == [[1.0], [1.0]]


def test_the_table_is_not_changed():
    table = FRAME.copy(deep=True)
    y, weights = np.array(Y), np.full(8, 0.5)
    for array in (y, weights):
        array.flags.writeable = False
    values = FRAME.to_numpy()
    before = values.copy()
    values.flags.writeable = False
    OrderedTargetEncoder("all", noise=0.5, random_state=0).fit_transform(table, y, weights)
    OrderedTargetEncoder("all", order="random").fit_transform(values, y, weights)
    pd.testing.assert_frame_equal(table, FRAME)
    assert (pd.isna(values) == pd.isna(before)).all()


def test_values_that_cannot_be_compared_are_told_with_the_column():
    with pytest.raises(InvalidInputError, match=r"'c' has values that cannot be compared.*convert"):
        OrderedTargetEncoder().fit(pd.DataFrame({"c": pd.Series([{}, {}])}), [0, 1])
