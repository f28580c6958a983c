import hashlib
import json

import numpy as np
import pytest
from sklearn.datasets import load_iris
from sklearn.preprocessing import MinMaxScaler

from distsearch.errors import DataError, InvalidInputError, UnknownNameError
from distsearch.sweep._data import load_data
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
    assert data.preparation() is None


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


def test_categories_and_missing_values_are_prepared_within_the_training_part(mixed):
    data = of(mixed, options=ReadOptions(categorical=("colour",)), impute="mean")
    assert data.categorical == (0,)
    assert data.impute == "mean"
    train = np.array([0, 1, 2])  # red, blue, red; weights 2.5, missing, 4.5
    prepared = data.preparation().fit(data.X[train])
    # Numbers first, then a column for blue and one for red; green and missing are unknown here.
    np.testing.assert_array_equal(
        prepared.transform(data.X[[0, 1, 3, 4]]),
        [[1, 2.5, 0, 1], [2, 3.5, 1, 0], [4, 1.0, 0, 0], [5, 2.0, 0, 0]],
    )


def test_missing_values_are_refused_unless_something_is_done(mixed):
    with pytest.raises(DataError, match=r"'weight' 1.*set impute to"):
        of(mixed, options=ReadOptions(categorical=("colour",)))


def test_text_is_refused_unless_categorical(mixed):
    with pytest.raises(DataError, match="'colour'"):
        of(mixed, impute="mean")


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
