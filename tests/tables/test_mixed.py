import numpy as np
import pandas as pd
import pytest

from distsearch.errors import DataError, UnknownNameError
from distsearch.tables import (
    ReadOptions,
    is_category,
    load,
    mixed_features,
    numeric_features,
    read_table,
)


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        (["a", "b", None], True),
        (["?", "?", "?"], True),
        (["2020-01-01", "12:30", "nan"], True),
        (["true", "maybe", None], True),
        (["True", "FALSE", None], False),
        (["a", "1", "b"], False),
        (["a", "inf"], False),
        (["1,5", "2,25"], False),
        (["a", "1,5"], False),
        (["1.5", "2"], False),
        ([None, None], False),
        ([1, 2], False),
        ([True, False], False),
    ],
    ids=str,
)
def test_what_is_a_category(values, expected):
    assert is_category(pd.Series(values, name="x")) is expected
    if isinstance(values[0], str):
        assert is_category(pd.Series(values, name="x", dtype="category")) is expected
        assert is_category(pd.Series(values, name="x", dtype="string")) is expected


def test_dates_and_whole_tables_of_them_are_none():
    assert not is_category(pd.Series(pd.to_datetime(["2020-01-01"])))
    assert not is_category(pd.Series(pd.Categorical([1, 2])))


def test_numbers_and_categories_in_their_places(put):
    path = put("a,color,flag,code,b\n1,red,true,007,1.5\n2,,false,7,\n3,blue,,,2\n")
    options = ReadOptions(categorical=("code",))
    X, categorical = mixed_features(read_table(path, options), path, options)
    assert list(X.columns) == ["a", "color", "flag", "code", "b"]
    assert categorical == ("color", "code")
    assert X["color"].tolist() == ["red", X["color"][1], "blue"]
    assert X["code"].tolist()[:2] == ["007", "7"]
    assert [np.isnan(X["color"][1]), np.isnan(X["code"][2])] == [True, True]
    assert X.dtypes.astype(str).to_dict() == {
        "a": "int64", "color": "object", "flag": "float64", "code": "object", "b": "float64",
    }  # fmt: skip


def test_text_is_refused_where_only_what_is_declared_is_a_category(put):
    path = put("color,x\nred,1\nblue,2\n")
    frame = read_table(path)
    with pytest.raises(DataError, match=r"'color' is text .*Advice\."):
        mixed_features(frame, path, infer=False, remedy="Advice.")
    declared = ReadOptions(categorical=("color", "elsewhere"))
    assert mixed_features(frame, path, declared, infer=False)[1] == ("color",)


def test_mixed_columns_are_refused_with_three_ways_out(put):
    path = put("a,b,c,d\n1,x,4,1\n2,5,x,inf\n")
    with pytest.raises(DataError) as caught:
        mixed_features(read_table(path), path)
    message = str(caught.value)
    assert message.endswith(
        "Correct such columns, declare them categorical if their values are names: set "
        "categorical=['b', 'c'], or leave them out: set ignore=['b', 'c', 'd']."
    )


def test_infinite_numbers_and_declared_columns_are_no_names(put):
    path = put("a,b\n1,inf\n2,3\n")
    for options in (ReadOptions(), ReadOptions(categorical=("a",))):
        with pytest.raises(DataError) as caught:
            numeric_features(read_table(path, options), path, options)
        assert "set categorical" not in str(caught.value)
    with pytest.raises(DataError, match=r"set categorical=\['when'\]"):
        mixed_features(pd.DataFrame({"when": pd.to_datetime(["2020-01-01"])}))


def test_values_of_any_kind_become_text():
    frame = pd.DataFrame({"x": [1.5, np.nan, 2.0], "when": pd.to_datetime(["2020-01-01"] * 3)})
    X, categorical = mixed_features(frame, options=ReadOptions(categorical=("x", "when")))
    assert categorical == ("x", "when")
    assert X["x"].tolist()[::2] == ["1.5", "2.0"]
    assert X["x"].isna().tolist() == [False, True, False]
    assert X["when"].tolist() == ["2020-01-01 00:00:00"] * 3


@pytest.mark.parametrize("missing", [None, np.nan, pd.NA, pd.NaT])
def test_one_missing_value_whatever_it_was(missing):
    frame = pd.DataFrame({"x": pd.Series(["a", missing], dtype=object)})
    X, _ = mixed_features(frame)
    assert isinstance(X["x"][1], float)
    assert np.isnan(X["x"][1])


def test_the_frame_given_is_not_changed(put):
    frame = read_table(put("a,b\nx,true\ny,false\n"))
    before = frame.copy()
    mixed_features(frame)
    pd.testing.assert_frame_equal(frame, before)


def test_names_are_checked_though_nothing_is_a_number():
    with pytest.raises(DataError, match="'a' in columns 1 and 2"):
        mixed_features(pd.DataFrame([["x", "y"]], columns=["a", "a"]))


class TestLoad:
    def test_the_table_says_what_are_categories(self, put):
        path = put("id,color,code,x,label\nn1,red,7,1,a\nn2,red,07,2,b\nn3,blue,7,3,a\n")
        options = ReadOptions(categorical=("code", "label"))
        table = load(path, "label", options=options, categories=True)
        assert table.categorical == ("id", "color", "code")
        assert table.options.categorical == ("code", "label", "id", "color")
        assert table.notes[:2] == (
            "'id' and 'color' are text and taken for categories",
            "every row has a value of its own in 'id', which says nothing about other rows; to "
            "leave that out, set ignore=['id']",
        )
        again = read_table(path, table.options)
        pd.testing.assert_frame_equal(
            mixed_features(again[table.X.columns], path, table.options, infer=False)[0], table.X
        )

    def test_no_more_than_was_asked_for(self, put):
        path = put("color,x,label\nred,1,a\nred,2,b\nblue,3,a\n")
        assert load(path, "label").categorical == ()
        with pytest.raises(DataError, match="'color' is text"):
            load(path, "label", numeric=True)
        numbers = load(path, "label", columns=["x"], categories=True)
        assert (numbers.categorical, numbers.options) == ((), ReadOptions())

    def test_declared_columns_of_the_catalogue_have_to_be_there(self):
        with pytest.raises(UnknownNameError, match="categorical names 'petal'"):
            load("iris", options=ReadOptions(categorical=("petal",)))
