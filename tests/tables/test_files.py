import codecs
import gzip
import os
import re
from pathlib import Path

import numpy as np
import pytest

from distsearch.errors import DataError
from distsearch.tables import ReadOptions, read_table


def fails(path, *words, options=None):
    with pytest.raises(DataError) as caught:
        read_table(path, options or ReadOptions())
    message = str(caught.value)
    assert "\n" not in message
    for word in (str(path), *words):
        assert word in message
    return message


def test_byte_order_mark_is_no_part_of_the_first_name(put):
    # Case DA-01.
    frame = read_table(put(codecs.BOM_UTF8 + b'"label",x1,x2\nyes,1,2\nno,3,4\nyes,5,6\nno,7,9\n'))
    assert list(frame.columns) == ["label", "x1", "x2"]
    assert len(frame) == 4
    assert frame["label"].value_counts().to_dict() == {"no": 2, "yes": 2}


@pytest.mark.parametrize("encoding", ["utf-16", "utf-32", "utf-8-sig"])
def test_a_mark_tells_the_encoding(put, encoding):
    for options in (ReadOptions(), ReadOptions(encoding="latin-1")):
        frame = read_table(put("city,y\nKöln,1\nMálaga,2\n".encode(encoding)), options)
        assert frame["city"].tolist() == ["Köln", "Málaga"]


def test_wrong_encoding_and_the_right_one(put):
    # Case DA-11.
    train = put(b"city,y\nM\xe1laga,1\nK\xf6ln,0\nM\xe1laga,0\nK\xf6ln,1\n", "train.csv")
    test = put("city,y\nMálaga,1\nKöln,0\n", "test.csv")
    fails(train, "utf-8", "offset 8 ", "counted from 0", "line 2", "0xe1", "encoding='latin-1'")
    cities = read_table(train, ReadOptions(encoding="latin-1"))["city"]
    assert sorted(set(cities)) == ["Köln", "Málaga"]
    assert set(read_table(test)["city"]) == set(cities)


def test_offset_counts_the_mark(put):
    fails(put(codecs.BOM_UTF8 + b"a,b\n1,\xff\n"), "offset 9 ")


def test_utf16_without_mark_is_refused_with_the_way_out(put):
    path = put("a,b\n1,2\n".encode("utf-16-le"))
    fails(path, "zero byte at offset 1", "utf-16-le")
    assert read_table(path, ReadOptions(encoding="utf-16-le"))["b"].tolist() == [2]


def test_gzip_by_content(put):
    data = gzip.compress(b"a,b\n1,2\n")
    assert read_table(put(data, "data.csv.gz")).shape == (1, 2)
    assert read_table(put(data, "data.csv")).shape == (1, 2)
    fails(put(data[:-4], "short.csv.gz"), "damaged gzip")


@pytest.mark.parametrize(
    ("start", "word"),
    [(b"PK\x03\x04", "Excel"), (b"PAR1", ".parquet"), (b"%PDF-1.7", "PDF"), (b"BZh9", "bzip2"),
     (b"\x93NUMPY\x01", "NumPy"), (b"SQLite format 3", "SQLite")],
)  # fmt: skip
def test_other_kinds_of_file_are_recognised(put, start, word):
    fails(put(start + b"\x00\x01"), "not a text file", word)


def test_arrays_of_numpy_are_a_table_and_its_target(tmp_path):
    path = tmp_path / "digits.npz"
    np.savez(path, X=np.array([[1, 2], [3, 4], [5, 6]], dtype=np.uint8), y=["a", "b", "a"])
    table = read_table(path)
    assert list(table.columns) == ["x0", "x1", "y"]
    assert table["x1"].tolist() == [2, 4, 6]
    assert table["y"].tolist() == ["a", "b", "a"]


@pytest.mark.parametrize(
    "arrays",
    [{"X": np.eye(3)}, {"X": np.eye(3), "y": np.zeros(2)}, {"X": np.zeros(3), "y": np.zeros(3)},
     {"data": np.eye(3), "y": np.zeros(3)}, {"X": np.eye(0), "y": np.zeros(0)}],
)  # fmt: skip
def test_other_arrays_of_numpy_are_told_by_name_and_shape(tmp_path, arrays):
    path = tmp_path / "digits.npz"
    np.savez(path, **arrays)
    fails(path, "an array X", "an array y", *(f"{name} of shape" for name in arrays))


def test_arrays_of_text_or_objects_are_refused(tmp_path):
    path = tmp_path / "digits.npz"
    np.savez(path, X=np.array([["a"], ["b"]]), y=np.zeros(2))
    fails(path, "must hold numbers", "CSV")
    np.savez(path, X=np.array([[{}], [{}]], dtype=object), y=np.zeros(2))
    fails(path, "cannot be read", "Object arrays")
    path.write_bytes(b"PK no archive")
    fails(path, "cannot be read")


def test_nothing_to_read(put, tmp_path):
    # Case CL-03.
    fails(put(b"", "zero.csv"), "is empty", "0 bytes")
    fails(put(codecs.BOM_UTF8, "mark.csv"), "header")
    fails(put(b"\n \n\n", "blank.csv"), "blank lines")
    fails(put(b"x1,x2,label\n", "header.csv"), "'x1', 'x2' and 'label'", "no rows")
    fails(tmp_path, "is a folder")


def test_a_missing_file_has_neighbours(put, tmp_path):
    put(b"a\n1\n", "training.csv")
    fails(tmp_path / "trainig.csv", "does not exist", "Did you mean 'training.csv'?")
    fails(tmp_path / "zzz.csv", "does not exist")
    fails(tmp_path / "nowhere" / "x.csv", f"the folder {tmp_path / 'nowhere'}")


def test_a_device_is_no_data_file():
    fails(Path(os.devnull), "not a regular file")


def test_an_unreadable_file(put, monkeypatch):
    path = put(b"a\n1\n")

    def refuse(self):
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(Path, "read_bytes", refuse)
    fails(path, "cannot be read: Permission denied")


def test_no_foreign_traceback(put):
    with pytest.raises(DataError) as caught:
        read_table(put(b"\xff\xfe\x00"))
    assert caught.value.__suppress_context__
    assert re.search("utf-16", str(caught.value))
