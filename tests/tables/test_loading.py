import subprocess
import sys

import pytest

from distsearch.errors import DataError, InvalidInputError, UnknownNameError
from distsearch.tables import ReadOptions, fetch, load

TEXT = "id,x,y,label\n1,2.5,7,a\n2,3.5,8,b\n3,4.5,9,a\n4,5.5,9,b\n"


def test_a_file(put):
    path = put(TEXT, "small.csv")
    table = load(path, "label", ignore=["id"])
    assert (table.name, table.source, table.target) == ("small", str(path), "label")
    assert list(table.X.columns) == ["x", "y"]
    assert table.y.tolist() == ["a", "b", "a", "b"]
    assert table.options == ReadOptions()
    assert table.notes == ()


def test_the_name_drops_both_endings(put):
    assert load(put(TEXT, "a.b.csv"), "label").name == "a.b"


def test_columns_in_the_order_given(put):
    path = put(TEXT)
    assert list(load(path, "label", columns=["y", "x"]).X.columns) == ["y", "x"]
    assert list(load(path, "label", columns=["y", "x"], ignore=["x"]).X.columns) == ["y"]


@pytest.mark.parametrize(
    ("choices", "error", "words"),
    [
        ({}, InvalidInputError, ["target", "'id', 'x', 'y' and 'label'"]),
        ({"target": "lable"}, UnknownNameError, ["'lable'", "Did you mean 'label'?"]),
        ({"target": "label", "ignore": ["idd"]}, UnknownNameError, ["ignore", "'idd'", "'id'"]),
        ({"target": "label", "columns": ["X9"]}, UnknownNameError, ["columns", "'X9'"]),
        ({"target": "label", "columns": ["label"]}, InvalidInputError, ["target", "columns"]),
        ({"target": "label", "columns": ["x"], "ignore": ["x"]}, InvalidInputError, ["features"]),
        ({"target": "label", "task": "rank"}, InvalidInputError, ["task", "'rank'", "'auto'"]),
        ({"target": "label", "missing_target": "x"}, InvalidInputError, ["'error' or 'drop'"]),
        (
            {"target": "label", "options": ReadOptions(categorical=("Id",))},
            UnknownNameError,
            ["categorical", "'Id'", "Did you mean 'id'?"],
        ),
    ],
)
def test_wrong_choices(put, choices, error, words):
    with pytest.raises(error) as caught:
        load(put(TEXT), **choices)
    for word in words:
        assert word in str(caught.value)


def test_an_unknown_source_says_both_possibilities(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "wines").write_text(TEXT)
    with pytest.raises(UnknownNameError) as caught:
        load("wime")
    message = str(caught.value)
    assert f"neither a file in {tmp_path} nor a data set of the catalogue" in message
    assert "'wine'" in message
    assert "'wines'" in message
    with pytest.raises(DataError, match=r"iris\.csv does not exist"):
        load("iris.csv", "label")


def test_a_file_called_like_a_data_set_is_meant_by_its_path(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "iris").write_text(TEXT)
    assert load("iris").X.shape == (150, 4)
    assert load("./iris", "label").X.shape == (4, 3)
    assert load(tmp_path / "iris", "label").X.shape == (4, 3)


def test_numbers_on_demand(put):
    path = put("a,b,label\n1,x,p\n2,y,q\n3,z,p\n")
    assert load(path, "label").X.shape == (3, 2)
    with pytest.raises(DataError, match=r"'b' is text \('x', 'y' and 'z'\).*ignore=\['b'\]"):
        load(path, "label", numeric=True)
    assert load(path, "label", numeric=True, ignore=["b"]).X.shape == (3, 1)


def test_lines_are_right_though_rows_were_dropped(put):
    path = put("a,label\n1,\n2,p\nx,q\n4,p\n")
    with pytest.raises(DataError, match="line 4"):
        load(path, "label", numeric=True, missing_target="drop")


def test_a_table_is_itself_only():
    first, second = load("iris"), load("iris")
    assert first == first
    assert first != second


def test_importing_loads_nothing_heavy():
    code = (
        "import sys, distsearch.tables as tables; tables.catalogue();"
        "print([name for name in ('numpy', 'pandas', 'sklearn') if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_an_empty_name_is_no_folder():
    with pytest.raises(InvalidInputError, match="is empty"):
        load("", "y")


def test_a_frame_alone(put):
    frame, entry = fetch("Breast-Cancer")
    assert (frame.shape, entry.name) == ((569, 31), "breast_cancer")
    frame, entry = fetch(put("a,b\n1,2\n"))
    assert (frame.columns.tolist(), entry) == (["a", "b"], None)
