import gzip
import os
import stat

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from distsearch.errors import DataError
from distsearch.tables import ReadOptions, read_table, whole_file, write_table

# Blanks around text do not survive reading, on purpose; and a text file has no zero bytes.
texts = st.text(st.characters(codec="utf-8", exclude_characters="\0"), min_size=1, max_size=12).map(
    str.strip
)
floats = st.floats(allow_nan=True, allow_infinity=True)


@settings(deadline=None)
@given(st.data(), st.sampled_from(["x.csv", "x.tsv", "x.csv.gz", "x.txt"]))
def test_what_was_written_is_read(tmp_path_factory, data, name):
    rows = data.draw(st.integers(1, 6))
    column = {"min_size": rows, "max_size": rows}
    frame = pd.DataFrame(
        {
            "number": data.draw(st.lists(floats, **column)),
            "whole": data.draw(st.lists(st.integers(-(2**63), 2**63 - 1), **column)),
            "text": pd.Series(data.draw(st.lists(texts | st.none(), **column)), dtype=object),
        }
    )
    path = write_table(frame, tmp_path_factory.getbasetemp() / name)
    again = read_table(path, ReadOptions(categorical=("text",)))
    np.testing.assert_array_equal(again["number"].to_numpy(float), frame["number"].to_numpy())
    assert again["whole"].tolist() == frame["whole"].tolist()
    wanted = [text or None for text in frame["text"]]
    assert [None if pd.isna(text) else text for text in again["text"]] == wanted


@settings(deadline=None)
@given(st.lists(texts, min_size=2, max_size=4, unique=True).filter(all))
def test_any_column_names(tmp_path_factory, names):
    path = tmp_path_factory.getbasetemp() / "names.csv"
    frame = read_table(
        write_table(pd.DataFrame([range(len(names))], columns=names), path), ReadOptions(",")
    )
    assert list(frame.columns) == names


@pytest.mark.parametrize("values", [[1.0, None, 2.5], [None, None], ["a", None, "b"]])
def test_a_single_column_keeps_its_missing_rows(tmp_path, values):
    path = write_table(pd.DataFrame({"a": values}), tmp_path / "one.csv")
    again = read_table(path)
    assert len(again) == len(values)
    assert again["a"].isna().tolist() == [value is None for value in values]


def test_the_bytes(tmp_path):
    frame = pd.DataFrame({"a": [0.1, None], "b": ["x,y", 'say "hi"'], "c": [True, False]})
    assert write_table(frame, tmp_path / "a.csv").read_bytes() == (
        b'a,b,c\n0.1,"x,y",True\n,"say ""hi""",False\n'
    )
    assert write_table(frame[["a", "c"]], tmp_path / "a.tsv").read_bytes() == (
        b"a\tc\n0.1\tTrue\n\tFalse\n"
    )
    assert write_table(frame[["a"]], tmp_path / "b.csv", index=True).read_bytes() == (
        b",a\n0,0.1\n1,\n"
    )
    assert write_table(frame[["a", "c"]], tmp_path / "c.csv", delimiter=";").read_bytes() == (
        b"a;c\n0.1;True\n;False\n"
    )


def test_packed_files_are_the_same_each_time(tmp_path):
    frame = pd.DataFrame({"a": [1, 2]})
    one = write_table(frame, tmp_path / "one.csv.gz").read_bytes()
    two = write_table(frame, tmp_path / "two.csv.gz").read_bytes()
    assert one == two
    assert gzip.decompress(one) == b"a\n1\n2\n"


def test_parquet_equals_csv(tmp_path):
    pytest.importorskip("pyarrow")
    frame = pd.DataFrame({"a": [0.1, None, 1e300], "b": ["x", "y", None], "c": [1, 2, 3]})
    one = read_table(write_table(frame, tmp_path / "a.parquet"))
    two = read_table(write_table(frame, tmp_path / "a.csv"))
    pd.testing.assert_frame_equal(one, two, check_exact=True)


def test_a_failure_leaves_the_old_file_and_no_other(tmp_path):
    path = write_table(pd.DataFrame({"a": [1]}), tmp_path / "a.csv")
    with pytest.raises(DataError, match=r"a\.csv cannot be written: the character '\\ud800'"):
        write_table(pd.DataFrame({"a": pd.Series(["\ud800"], dtype=object)}), path)
    assert path.read_bytes() == b"a\n1\n"
    assert os.listdir(tmp_path) == ["a.csv"]


def test_a_full_disk(tmp_path, monkeypatch):
    def full(handle):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(DataError, match="No space left"):
        write_table(pd.DataFrame({"a": [1]}), tmp_path / "a.csv")
    assert os.listdir(tmp_path) == []


def test_places_that_cannot_be_written(tmp_path):
    frame = pd.DataFrame({"a": [1]})
    with pytest.raises(DataError, match="is a folder"):
        write_table(frame, tmp_path)
    with pytest.raises(DataError, match="no folder"):
        write_table(frame, tmp_path / "nowhere" / "a.csv")
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(DataError, match="not a regular file"):
        write_table(frame, tmp_path / "pipe")
    assert stat.S_ISFIFO((tmp_path / "pipe").stat().st_mode)


def test_a_long_name_and_a_block_that_fails(tmp_path):
    name = "x" * 255  # as long as file systems allow
    with whole_file(tmp_path / name) as file:
        file.write(b"new")
    with pytest.raises(TypeError), whole_file(tmp_path / name) as file:
        file.writelines([b"half", None])
    assert os.listdir(tmp_path) == [name]
    assert (tmp_path / name).read_bytes() == b"new"


def test_links_and_permissions_stay(tmp_path):
    real = tmp_path / "real.csv"
    real.write_text("old")
    (tmp_path / "link.csv").symlink_to(real)
    write_table(pd.DataFrame({"a": [1]}), tmp_path / "link.csv")
    assert (tmp_path / "link.csv").is_symlink()
    assert real.read_text() == "a\n1\n"
    fresh = write_table(pd.DataFrame({"a": [1]}), tmp_path / "fresh.csv")
    mask = os.umask(0)
    os.umask(mask)
    assert stat.S_IMODE(fresh.stat().st_mode) == 0o666 & ~mask
