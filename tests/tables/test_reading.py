import importlib.util
import warnings

import numpy as np
import pandas as pd
import pytest

from distsearch.errors import DataError, DistsearchWarning, MissingExtraError
from distsearch.tables import ReadOptions, read_table


def test_blanks_around_labels_make_no_classes(put):
    # Case DA-05: five different texts, two classes.
    path = put("x1,label\n1,yes\n2, yes\n3,yes \n4,no\n5, no\n6,no\n")
    with pytest.warns(DistsearchWarning) as caught:
        frame = read_table(path)
    assert frame["label"].value_counts().to_dict() == {"no": 3, "yes": 3}
    assert len(caught) == 1
    assert "3 text values ('label' 3)" in str(caught[0].message)


def test_one_warning_for_all_columns_and_names(put):
    with pytest.warns(DistsearchWarning) as caught:
        frame = read_table(put("a , b,c\n x,1,y \nx,2, y\n"))
    assert len(caught) == 1
    assert "3 text values ('a' 1 and 'c' 2) and 2 column names" in str(caught[0].message)
    assert frame.to_dict("list") == {"a": ["x", "x"], "b": [1, 2], "c": ["y", "y"]}


def test_case_is_kept(put):
    assert read_table(put("a\nYes\nyes\nYES\n"))["a"].nunique() == 3


def test_a_second_header_is_found(put):
    # Case DA-13.
    with pytest.raises(DataError, match=r"header is repeated on line 5\."):
        read_table(put("x1,x2,label\n1,2,a\n3,4,b\n5,6,a\nx1,x2,label\n7,8,b\n2,9,a\n"))


def test_a_row_that_resembles_the_header_in_part_is_data(put):
    assert len(read_table(put("x,label\nx,a\ny,label\n"))) == 2


def test_only_the_empty_field_is_missing(put):
    frame = read_table(put('a,b,c\nNA,1,""\nNone,,x\nnan,3,null\n'))
    assert frame["a"].tolist() == ["NA", "None", "nan"]
    assert frame["b"].isna().tolist() == [False, True, False]
    assert frame["c"].isna().tolist() == [True, False, False]


def test_missing_markers(put):
    path = put("a,b,c\n?,-1,x\n2, -1,?\n ?,3,y\n")
    frame = read_table(path, ReadOptions(missing=("?", "-1")))
    assert frame["a"].tolist()[1] == 2.0
    assert frame.isna().sum().to_dict() == {"a": 2, "b": 2, "c": 1}
    assert pd.api.types.is_float_dtype(frame["a"].dtype)


def test_a_blank_field_among_numbers_is_missing(put):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        frame = read_table(put("a,b\n1,x\n  ,y\n3,z\n"))
    assert frame["a"].dtype == np.float64
    assert frame["a"].isna().tolist() == [False, True, False]


@pytest.mark.parametrize("values", [["true", "false"], ["True", ""], ["TRUE", "false", "true"]])
def test_truth_values_keep_their_text(put, values):
    column = read_table(put("a,b\n" + "".join(f"{value},1\n" for value in values)))["a"]
    assert column.fillna("").tolist() == values


def test_integers_beyond_64_bits_keep_their_digits(put):
    digits = "123456789012345678901234567890"
    frame = read_table(put(f"a,b\n{digits},9223372036854775808\n1,2\n"))
    assert frame["a"].tolist() == [digits, "1"]
    assert frame["b"].tolist() == [2**63, 2]


def test_floats_are_the_nearest_ones(put):
    texts = ["0.1", "1.7976931348623157e308", "5e-324", "0.30000000000000004", "1e23"]
    column = read_table(put("a,b\n" + "".join(f"{text},1\n" for text in texts)))["a"]
    assert column.tolist() == [float(text) for text in texts]


def test_twice_the_same(put):
    path = put("a,b,c\n1,x,0.1\n,y,true\n3,,1e5\n")
    pd.testing.assert_frame_equal(read_table(path), read_table(path), check_exact=True)


def test_thousands_of_columns(put):
    names = [f"x{place}" for place in range(5000)]
    row = ",".join(str(place / 7) for place in range(5000))
    frame = read_table(put(f"{','.join(names)}\n{row}\n{row}\n"))
    assert frame.shape == (2, 5000)
    assert list(frame.columns) == names


def test_parquet_is_read_as_csv_is(put, tmp_path):
    pytest.importorskip("pyarrow")
    options = ReadOptions(missing=("?", "-9"), categorical=("code",))
    path = put("x,k,text,code\n1.5,3,one,7\n,-9,?,8\n2.5,4,two,9\n")
    typed = pd.DataFrame(
        {"x": [1.5, None, 2.5], "k": [3, -9, 4], "text": ["one", "?", "two "], "code": [7, 8, 9]}
    )
    typed["text"] = typed["text"].astype("category")
    typed.to_parquet(tmp_path / "data.parquet")
    with pytest.warns(DistsearchWarning, match="1 text value"):
        from_parquet = read_table(tmp_path / "data.parquet", options)
    from_csv = read_table(path, options)
    assert from_csv["code"].tolist() == ["7", "8", "9"]
    pd.testing.assert_frame_equal(from_parquet, from_csv, check_dtype=False)


def test_troubles_with_parquet(put, tmp_path, monkeypatch):
    pytest.importorskip("pyarrow")
    with pytest.raises(DataError, match=r"cannot be read as Parquet"):
        read_table(put(b"no parquet", "bad.parquet"))
    pd.DataFrame({"a": []}).to_parquet(tmp_path / "empty.parquet")
    with pytest.raises(DataError, match="no rows"):
        read_table(tmp_path / "empty.parquet")
    pd.DataFrame({"a": [[1, 2], [3]]}).to_parquet(tmp_path / "nested.parquet")
    with pytest.raises(DataError, match="column 'a' has lists or records"):
        read_table(tmp_path / "nested.parquet")
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    with pytest.raises(MissingExtraError, match=r"pip install 'distsearch\[parquet\]'"):
        read_table(tmp_path / "empty.parquet")


def test_the_file_is_opened_once_when_all_is_well(put, monkeypatch):
    path = put("a,b\n1,x\n2,true\n")
    seen = []
    original = type(path).read_bytes
    monkeypatch.setattr(type(path), "read_bytes", lambda self: seen.append(1) or original(self))
    read_table(path)
    assert len(seen) == 1


def test_text_in_parquet_stays_text(tmp_path):
    pytest.importorskip("pyarrow")
    pd.DataFrame({"code": ["1", " 2"]}).to_parquet(tmp_path / "a.parquet")
    with pytest.warns(DistsearchWarning):
        assert read_table(tmp_path / "a.parquet")["code"].tolist() == ["1", "2"]
