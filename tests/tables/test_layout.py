import csv
import io
import string

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from distsearch.errors import DataError, UnknownNameError
from distsearch.tables import ReadOptions, load, read_table
from distsearch.tables._layout import find_layout

DELIMITERS = ",;\t|"


def layout(data, path, **options):
    return find_layout(data.encode(), path, ReadOptions(**options))


@pytest.mark.parametrize("delimiter", DELIMITERS)
def test_each_delimiter_is_found(put, delimiter):
    frame = read_table(put("a,b,label\n1,2.5,x\n3,4.5,y\n".replace(",", delimiter)))
    assert list(frame.columns) == ["a", "b", "label"]
    assert frame["b"].tolist() == [2.5, 4.5]


@settings(deadline=None)
@given(st.data(), st.sampled_from(DELIMITERS), st.integers(2, 5), st.integers(1, 5))
def test_quoted_fields_do_not_mislead(tmp_path_factory, data, delimiter, width, rows):
    plain = st.text(string.ascii_letters + string.digits + ".-", min_size=1, max_size=5)
    tricky = st.text(DELIMITERS + '"\nab ', min_size=1, max_size=8).map(lambda text: f"q{text}q")
    names = data.draw(st.lists(plain, min_size=width, max_size=width, unique=True))
    table = [[data.draw(plain | tricky) for _ in range(width)] for _ in range(rows)]
    text = io.StringIO()
    csv.writer(text, delimiter=delimiter, quoting=csv.QUOTE_ALL, lineterminator="\n").writerows(
        [names, *table]
    )
    found = layout(text.getvalue(), tmp_path_factory.getbasetemp() / "x.csv")
    assert found.dialect.delimiter == delimiter
    assert list(found.names) == names


def test_decimal_commas(put):
    path = put("a;b\n1,5;2\n2,25;3\n")
    assert read_table(path, ReadOptions(decimal=",")).to_dict("list") == {
        "a": [1.5, 2.25],
        "b": [2, 3],
    }
    assert read_table(path)["a"].tolist() == ["1,5", "2,25"]


def test_two_delimiters_alike_are_not_guessed(put):
    path = put("a,b;c\n1,2;3\n")
    with pytest.raises(DataError, match=r"may be ',' or ';'.*option delimiter"):
        read_table(path)
    assert list(read_table(path, ReadOptions(delimiter=";")).columns) == ["a,b", "c"]


def test_more_columns_win(tmp_path):
    assert layout("a,b,c|d\n1,2,3|4\n", tmp_path / "x.csv").dialect.delimiter == ","


def test_one_column_and_the_tsv_ending(put):
    assert read_table(put("label\nyes\nno\n")).shape == (2, 1)
    frame = read_table(put("a,b\tc\n1,2\t3\n", "data.tsv"))
    assert list(frame.columns) == ["a,b", "c"]


def test_blanks_before_quotes(put):
    frame = read_table(put('name,age\n"Poe, E", 40\n"Doe", 30\n', "a.csv"))
    assert frame["age"].tolist() == [40, 30]
    with pytest.warns(UserWarning, match="column name"):
        frame = read_table(put('age , name\n40, "Poe, E"\n30, "Doe"\n', "b.csv"))
    assert frame["name"].tolist() == ["Poe, E", "Doe"]


def test_duplicate_names_are_refused(put):
    # Case DA-03: 'score' is named, and not a mangled 'score.1'.
    path = put("score,score,score.1,label\n1,2,3,a\n4,5,6,b\n7,8,9,a\n2,1,0,b\n")
    with pytest.raises(DataError) as caught:
        read_table(path)
    assert "'score' in columns 1 and 2" in str(caught.value)
    assert "score.1" not in str(caught.value)


def test_names_equal_but_for_blanks_are_duplicates(put):
    with pytest.raises(DataError, match="'a' in columns 1 and 2"):
        read_table(put("a, a\n1,2\n"))


def test_a_nameless_column_is_refused(put):
    with pytest.raises(DataError, match=r"column 1 of 3 has no name.*row index"):
        read_table(put(",x,label\n0,1,a\n1,2,b\n"))
    with pytest.raises(DataError, match="no column names"):
        read_table(put(",,\n1,2,3\n"))


@pytest.mark.parametrize(
    "text", ["a,b,\n1,2,\n3,4,\n", "a,b,,,\n1,2,,,\n3,4, ,,\n", "a,b\n1,2,\n3,4,\n"]
)
def test_empty_columns_at_the_right_end_are_dropped(put, text):
    assert read_table(put(text)).to_dict("list") == {"a": [1, 3], "b": [2, 4]}


def test_a_value_beyond_the_last_name_is_refused(put):
    with pytest.raises(DataError, match=r"line 3.*2 named columns"):
        read_table(put("a,b,\n1,2,\n3,4,5\n"))


def test_a_file_without_header_is_suspected(put):
    with pytest.raises(DataError, match=r"'1\.5' in columns 1 and 2.*lack a header line\?"):
        read_table(put("1.5,1.5,a\n2.5,2.5,b\n"))
    with pytest.raises(UnknownNameError, match=r"no target column 'label'.*lack a header line\?"):
        load(put("1.5,2.5,a\n2.5,2.5,b\n"), "label")
