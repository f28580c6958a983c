import numpy as np
import pandas as pd
import pytest

from distsearch.errors import DataError
from distsearch.tables import ReadOptions, describe_missing, numeric_features, read_table

QUESTION_MARKS = "size,nuclei,label\n5,1,2\n5,10,4\n3,?,2\n6,4,4\n4,?,2\n8,10,4\n"


def refused(path, options=None):
    options = options or ReadOptions()
    with pytest.raises(DataError) as caught:
        numeric_features(read_table(path, options), path, options)
    return str(caught.value)


def test_question_marks_among_numbers(put):
    # Case DA-07.
    path = put(QUESTION_MARKS)
    message = refused(path)
    assert "'nuclei' has 2 of 6 values that are text ('?'; lines 4 and 6)" in message
    assert "missing=['?']" in message
    assert "'size'" not in message
    options = ReadOptions(missing=("?",))
    frame = numeric_features(read_table(path, options), path, options)
    assert describe_missing(frame) == {"nuclei": 2}
    assert frame["label"].tolist() == [2, 4, 2, 4, 2, 4]


def test_all_columns_at_once_and_in_order(put):
    message = refused(put("a,b,c,d\n1,x,NA,1\n2,y,3,nan\n3,z,4,2\n"))
    assert "3 features" in message
    assert message.index("'b' is text ('x', 'y' and 'z')") < message.index("'c' has 1 of 3 values")
    assert "'NA'; line 2" in message
    assert "'nan'; line 3" in message


def test_many_columns_are_counted(put):
    names = [f"c{place}" for place in range(30)]
    message = refused(put(",".join(names) + "\n" + ",".join("x" * 30) + "\n"))
    assert "30 features" in message
    assert "10 more columns" in message


def test_lines_after_values_that_span_lines(put):
    message = refused(put('a,b\n1,2\n"two\nlines",3\n4,x\n'))
    assert "'a' has 1 of 3 values that are text ('two\\nlines'; line 3)" in message
    assert "'x'; line 5" in message


def test_decimal_commas_are_recognised(put):
    path = put("a;b\n1,5;2\n2,25;3\n")
    assert "set decimal=','" in refused(path)
    options = ReadOptions(decimal=",")
    assert numeric_features(read_table(path, options), path, options)["a"].tolist() == [1.5, 2.25]


@pytest.mark.parametrize("text", ["inf", "-Infinity", "1e400"])
def test_infinite_values_are_refused_by_name(put, text):
    message = refused(put(f"a,b\n1,2\n3,{text}\n"))
    assert "'b' has 1" in message
    # Older versions of pandas take a number beyond the range of floats for text.
    assert "infinite" in message or "'1e400'" in message
    assert "line 3" in message


def test_declared_categorical_is_no_number(put):
    assert "'code' is declared categorical" in refused(
        put("code,x\n007,1\n7,2\n"), ReadOptions(categorical=("code",))
    )


def test_truth_values_become_numbers(put):
    frame = numeric_features(read_table(put("a,b\ntrue,TRUE\nfalse,\n")))
    assert frame["a"].tolist() == [1, 0]
    assert frame["b"].tolist()[0] == 1
    assert np.isnan(frame["b"].tolist()[1])


def test_large_integers_become_floats(put):
    frame = numeric_features(read_table(put("a,b\n123456789012345678901234567890,1\n1,2\n")))
    assert frame["a"].tolist() == [123456789012345678901234567890.0, 1.0]


def test_nothing_but_missing_values_is_numeric(put):
    frame = numeric_features(read_table(put("a,b\n,1\n,2\n")))
    assert describe_missing(frame) == {"a": 2}


def test_other_kinds_of_columns():
    frame = pd.DataFrame(
        {
            "nullable": pd.array([1, None], dtype="Int64"),
            "truth": pd.array([True, None], dtype="boolean"),
            "flag": [True, False],
        }
    )
    numbers = numeric_features(frame)
    assert all(isinstance(dtype, np.dtype) and dtype.kind in "if" for dtype in numbers.dtypes)
    assert numbers["flag"].tolist() == [1, 0]
    frame["when"] = pd.to_datetime(["2020-01-01", "2020-01-02"])
    with pytest.raises(DataError, match=r"the table: 1 feature.*'when'.*rows 1 and 2"):
        numeric_features(frame)


def test_the_frame_given_is_not_changed(put):
    frame = read_table(put("a,b\ntrue,1\nfalse,2\n"))
    before = frame.copy()
    numeric_features(frame)
    pd.testing.assert_frame_equal(frame, before)


def test_frames_from_elsewhere(put):
    frame = pd.DataFrame({"a": ["1", "x"]}, index=["first", "second"])
    with pytest.raises(DataError, match=r"'a' has 1 of 2 values.*row 2"):
        numeric_features(frame)
    frame.index = [7, 900]
    with pytest.raises(DataError, match=r"'x'; row 901"):
        numeric_features(frame, put("a\n1\n2\n"))
    with pytest.raises(DataError, match=r"'a' in columns 1 and 2"):
        numeric_features(pd.DataFrame([[1, 2]], columns=["a", "a"]))


def test_long_values_are_shortened(put):
    message = refused(put("a,b\n1,2\n" + "x" * 5000 + ",3\n"))
    assert len(message) < 500
    assert "xxx...'" in message


def test_the_advice_names_the_columns_unless_they_are_many(put):
    assert refused(put("a,b,c\n1,x,y\n2,z,y\n")).endswith("set ignore=['b', 'c'].")
    names = [f"c{place}" for place in range(30)]
    many = refused(put(f"{','.join(names)}\n{','.join(['x'] * 30)}\n"))
    assert many.endswith("leave them out (option ignore).")
