import hashlib
import json

import numpy as np
import pytest
from sklearn.datasets import load_iris
from sklearn.preprocessing import MinMaxScaler

from distsearch.errors import DataError, InvalidInputError, UnknownNameError
from distsearch.sweep._data import load_data
from distsearch.sweep._unit import preparation
from distsearch.sweep.spec import Data, Protocol
from distsearch.tables import ReadOptions

FOLDS = Protocol(folds=2)
MIXED = """colour,size,weight,label
red,1,2.5,yes
blue,2,,no
red,3,4.5,yes
,4,1.0,no
green,5,2.0,yes
blue,6,3.0,no
"""


@pytest.fixture
def mixed(tmp_path):
    path = tmp_path / "mixed.csv"
    path.write_text(MIXED)
    return path


def of(path, protocol=FOLDS, seed=0, task="classification", **more):
    given = {"label": "mixed", "target": "label", **more}
    return load_data(Data(source=str(path), **given), protocol, seed, task)


def test_numbers_of_the_catalogue():
    X, y = load_iris(return_X_y=True)
    data = load_data(Data(label="flowers", source="iris"), FOLDS, 0, "classification")
    np.testing.assert_array_equal(data.X, X)
    np.testing.assert_array_equal(data.y, y)
    assert (data.label, data.source, data.n_classes) == ("flowers", "iris", 3)
    assert data.categories is None
    assert preparation(data, "plain", {}) is None


def test_the_hash_names_the_content():
    X, y = load_iris(return_X_y=True)
    data = load_data(Data(label="flowers", source="iris"), FOLDS, 0, "classification")
    head = json.dumps([list(data.names), [], "float64", [150, 4], y.dtype.kind])
    content = head.encode() + X.astype("<f8").tobytes() + y.astype("<i8").tobytes()
    assert data.hash == hashlib.sha256(content).hexdigest()[:32]


def test_another_cell_column_label_or_type_is_another_content(tmp_path):
    texts = ["a,y\n1,0\n2,1\n1,0\n2,1\n", "a,y\n1,0\n3,1\n1,0\n2,1\n", "b,y\n1,0\n2,1\n1,0\n2,1\n",
             "a,y\n1,1\n2,0\n1,1\n2,0\n"]  # fmt: skip
    hashes = []
    for number, text in enumerate(texts):
        path = tmp_path / f"{number}.csv"
        path.write_text(text)
        hashes.append(of(path, target="y").hash)
    hashes.append(of(tmp_path / "0.csv", target="y", dtype="float32").hash)
    assert len(set(hashes)) == 5
    moved = tmp_path / "elsewhere.csv"
    moved.write_text(texts[0].replace("1,0", "1.0,0"))
    assert of(moved, target="y", label="other").hash == hashes[0]


def test_zeros_and_ones_and_missing_values_are_prepared_within_the_training_part(mixed):
    data = of(mixed, categories="one-hot", impute="mean")
    assert (data.categorical, data.encoding, data.impute) == ((0,), "one-hot", "mean")
    train = np.array([0, 1, 2])  # red, blue, red; weights 2.5, missing, 4.5
    prepared = preparation(data, "plain", {}).fit(data.X[train], data.y[train])
    # Numbers first, then a column for blue and one for red; green and missing are unknown here.
    np.testing.assert_array_equal(
        prepared.transform(data.X[[0, 1, 3, 4]]),
        [[1, 2.5, 0, 1], [2, 3.5, 1, 0], [4, 1.0, 0, 0], [5, 2.0, 0, 0]],
    )


def test_target_statistics_and_missing_values_are_prepared_within_the_training_part(mixed):
    data = of(mixed, impute="mean")
    assert (data.categorical, data.encoding) == ((0,), "target")
    train = np.array([0, 1, 2, 3])  # red, blue, red, missing; yes, no, yes, no: the prior is 1/2
    prepared = preparation(data, "plain", {}).fit(data.X[train], data.y[train])
    # Red (2 + 1/2) / 3, blue and missing (0 + 1/2) / 2, green unknown; the mean weight is 8 / 3.
    expected = [[5 / 6, 1, 2.5], [1 / 4, 2, 8 / 3], [1 / 4, 4, 1], [1 / 2, 5, 2]]
    np.testing.assert_allclose(prepared.transform(data.X[[0, 1, 3, 4]]), expected, rtol=1e-15)


def test_text_is_taken_for_categories_and_a_note_says_so(mixed):
    data = of(mixed, columns=("colour", "size"))
    assert data.categorical == (0,)
    np.testing.assert_array_equal(data.X[:, 0], [2, 0, 2, -1, 1, 0])  # blue, green, red
    assert any(note == "'colour' is text and taken for categories" for note in data.notes)
    declared = of(mixed, columns=("colour", "size"), options=ReadOptions(categorical=("colour",)))
    assert not any("taken for" in note for note in declared.notes)
    assert declared.hash == data.hash


def test_numbers_and_text_in_one_column_are_refused_unless_declared(tmp_path):
    path = tmp_path / "doors.csv"
    path.write_text("doors,y\n2,a\n3,b\n5more,a\n2,b\n3,a\n5more,b\n")
    with pytest.raises(DataError, match=r"'doors' has 2 of 6 values that are text.*lines 4 and 7"):
        of(path, target="y")
    data = of(path, target="y", options=ReadOptions(categorical=("doors",)))
    np.testing.assert_array_equal(data.X[:, 0], [0, 1, 2, 0, 1, 2])


def test_numbers_are_scaled_and_codes_are_not(mixed):
    data = of(mixed, columns=("colour", "size"), scale=(1, 2))
    np.testing.assert_array_equal(data.X[:, 0], [2, 0, 2, -1, 1, 0])
    np.testing.assert_allclose(data.X[:, 1], 1 + np.arange(6) / 5)


def test_missing_values_are_refused_unless_something_is_done(mixed):
    with pytest.raises(DataError, match=r"'weight' 1.*set impute to"):
        of(mixed, options=ReadOptions(categorical=("colour",)))


def test_groups_are_no_feature(tmp_path):
    path = tmp_path / "groups.csv"
    path.write_text("x,who,y\n" + "".join(f"{i},p{i // 2},{i // 4 % 2}\n" for i in range(16)))
    data = of(path, Protocol(kind="group-k-fold", folds=2), target="y", groups="who")
    assert data.names == ("x",)
    for split in data.splits:
        assert not set(split.train // 2) & set(split.test // 2)


def test_scaling_the_whole_set_and_casting():
    X, _ = load_iris(return_X_y=True)
    given = Data(label="iris", source="iris", scale=(1, 2), dtype="float32")
    data = load_data(given, FOLDS, 0, "classification")
    assert data.X.dtype == np.float32
    np.testing.assert_array_equal(data.X, MinMaxScaler((1, 2)).fit_transform(X.astype("float32")))


def test_text_labels_and_a_positive_class(mixed):
    given = {"columns": ("size",), "options": ReadOptions()}
    assert set(of(mixed, **given).y) == {"yes", "no"}
    np.testing.assert_array_equal(of(mixed, positive="yes", **given).y, [1, 0, 1, 0, 1, 0])


def test_a_target_of_numbers():
    data = load_data(Data(label="d", source="diabetes"), FOLDS, 0, "regression")
    assert data.y.dtype == np.float64
    assert data.n_classes is None


@pytest.mark.parametrize(
    ("more", "error", "text"),
    [
        ({"target": "labl"}, UnknownNameError, "Did you mean 'label'"),
        ({"columns": ("sze",)}, UnknownNameError, "Did you mean 'size'"),
        ({"positive": "yess", "columns": ("size",)}, UnknownNameError, "Did you mean 'yes'"),
        ({"columns": ("size",), "protocol": Protocol(folds=4)}, InvalidInputError, "4 folds"),
    ],
)
def test_what_the_data_lacks_is_refused(mixed, more, error, text):
    with pytest.raises(error, match=text):
        of(mixed, **more)
