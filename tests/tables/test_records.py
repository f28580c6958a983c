import pytest

from distsearch.errors import DataError
from distsearch.tables import read_table


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("quote", ["", '"'])
def test_wrong_widths_have_their_lines(put, end, quote):
    lines = ["a,b,c", f"{quote}1{quote},2,3", "1,2", "", "1,2,3", "1,2,3,4"]
    with pytest.raises(DataError) as caught:
        read_table(put(end.join(lines)))
    assert "must have 3 fields split at ','" in str(caught.value)
    assert "line 3 has 2 and line 6 has 4" in str(caught.value)


def test_lines_are_of_the_file_when_values_span_lines(put):
    with pytest.raises(DataError, match="line 5 has 1"):
        read_table(put('a,b\n"one\ntwo\nthree",1\nx\n'))


def test_many_wrong_lines_are_counted(put):
    with pytest.raises(DataError, match="line 6 has 1 and 15 more lines differ"):
        read_table(put("a,b\n" + "1\n" * 20))


def test_a_quote_that_is_never_closed(put):
    with pytest.raises(DataError, match="quote opened on line 3"):
        read_table(put('a,b\n1,2\n"3,4\n5,6\n'))
    with pytest.raises(DataError, match="quote"):
        read_table(put('a,b\n1,2\n3,"4\n5,6\n'))
    with pytest.raises(DataError, match=r"starts on line 2.*quote"):
        read_table(put('a,b\n1,"' + "x" * 200_000 + "\n"))


def test_quotes_inside_text_are_text(put):
    frame = read_table(put('a,b\n5" pipe,1\n"say ""hi""",2\n"two\r\nlines",3\n'))
    assert frame["a"].tolist() == ['5" pipe', 'say "hi"', "two\r\nlines"]


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_line_ends_and_blank_lines_change_nothing(put, end):
    frame = read_table(put(end.join(["a,b", "1,x", "", "   ", "2,y", "", ""])))
    assert frame.to_dict("list") == {"a": [1, 2], "b": ["x", "y"]}


def test_the_last_line_needs_no_end(put):
    assert read_table(put("a,b\n1,2")).shape == (1, 2)


def test_a_line_of_delimiters_is_a_row_of_missing_values(put):
    frame = read_table(put("a,b\n1,2\n,\n"))
    assert frame.isna().sum().tolist() == [1, 1]
