import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression
from skops.io import dumps, loads

from distsearch.errors import DataError, InvalidInputError, UnknownNameError
from distsearch.tables import ReadOptions, load


def column(*values):
    return "x,label\n" + "".join(f"{place},{value}\n" for place, value in enumerate(values))


def refused(path, **options):
    with pytest.raises(DataError) as caught:
        load(path, "label", **options)
    return str(caught.value)


def test_one_class_only(put):
    # Case DA-15.
    message = refused(put("x1,label\n1,a\n2,a\n3,a\n4,a\n"))
    assert "only one class, 'a', in 4 rows" in message


def test_a_continuous_label(put):
    # Case DA-15.
    path = put("x1,label\n1,0.13\n2,0.71\n3,2.44\n4,1.05\n5,3.9\n6,0.02\n7,1.77\n8,2.58\n")
    message = refused(path, task="classification")
    assert "continuous (8 different values in 8 rows)" in message
    table = load(path, "label")
    assert table.task == "regression"
    assert table.y.dtype == np.float64


def test_floats_that_are_whole_are_classes(put):
    # Case DA-15.
    table = load(put(column("1.0", "2.0", "1.0", "2.0")), "label")
    assert table.task == "classification"
    assert table.y.tolist() == [1, 2, 1, 2]
    assert table.y.dtype == np.int64


def test_labels_have_one_form_whether_or_not_rows_were_dropped(put):
    table = load(put(column(1, "", 2, 1, 2)), "label", missing_target="drop")
    assert table.y.tolist() == [1, 2, 1, 2]
    assert table.X["x"].tolist() == [0, 2, 3, 4]
    assert table.X.index.tolist() == [0, 1, 2, 3]
    assert table.notes == ("1 row without a target dropped, on line 3",)


def test_missing_labels_have_lines(put):
    message = refused(put(column("a", "", "b", "", "a")))
    assert "missing in 2 rows, on lines 3 and 5" in message
    assert "missing_target='drop'" in message
    assert "no values at all" in refused(put(column("", "")), missing_target="drop")


def test_declared_numbers_are_classes(put):
    options = ReadOptions(categorical=("label",))
    table = load(put(column("0.5", "1.5", "0.5")), "label", options=options)
    assert table.y.tolist() == ["0.5", "1.5", "0.5"]


def test_a_class_for_every_row_is_refused(put):
    assert "3 different values in 3 rows" in refused(put(column("ann", "bob", "cy")))


def test_a_class_with_one_row_is_noted(put):
    table = load(put(column("a", "a", "b", "b", "rare")), "label")
    assert table.notes == ("1 class has a single row: 'rare'",)


def test_truth_labels_keep_their_text(put):
    assert load(put(column("true", "false", "true")), "label").y.tolist() == [
        "true",
        "false",
        "true",
    ]


def test_labels_that_look_missing_are_text(put):
    assert set(load(put(column("NA", "None", "NA")), "label").y) == {"NA", "None"}


@pytest.mark.parametrize("values", [["yes", "no"] * 3, [2, 4] * 3, ["ä", "ß"] * 3])
def test_scikit_learn_and_skops_take_the_labels(put, values):
    table = load(put(column(*values)), "label", numeric=True)
    assert table.y.dtype.kind in "Ui"
    model = LogisticRegression().fit(table.X, table.y)
    again = loads(dumps(model))
    assert again.classes_.tolist() == sorted(set(values))
    assert again.predict(table.X).tolist() == model.predict(table.X).tolist()


def test_positive_classes(put):
    path = put(column("a", "b", "c", "a"))
    assert load(path, "label", positive="a").y.tolist() == [1, 0, 0, 1]
    table = load(path, "label", positive=["b", "c"])
    assert table.y.tolist() == [0, 1, 1, 0]
    assert "label 1 stands for 'b' and 'c', 0 for 'a'" in table.notes
    assert load(put(column(2, 4, 2), "n.csv"), "label", positive="4").y.tolist() == [0, 1, 0]
    with pytest.raises(UnknownNameError, match="no class 'd'"):
        load(path, "label", positive="d")
    with pytest.raises(DataError, match="leave one out"):
        load(path, "label", positive=["a", "b", "c"])
    with pytest.raises(InvalidInputError, match="'regression'"):
        load(put(column(1, 2)), "label", positive=1, task="regression")


def test_a_regression_target_must_be_numbers(put):
    message = refused(put(column("1.5", "n/a", "2.5", "inf")), task="regression")
    assert "2 of 4 values" in message
    assert "'n/a' first" in message
    assert "lines 3 and 5" in message


def test_many_whole_numbers_are_amounts(put):
    path = put(column(*range(200), *range(200)))
    assert load(path, "label").task == "regression"
    table = load(path, "label", task="classification")
    assert len(np.unique(table.y)) == 200


def test_a_class_that_looks_like_a_missing_label_is_noted(put):
    path = put(column(1, 2, "?", 1, 2, "?"))
    table = load(path, "label")
    assert table.y.tolist() == ["1", "2", "?", "1", "2", "?"]
    assert table.notes == ("'?' is a class; if it stands for a missing label, set missing=['?']",)
    options = ReadOptions(missing=("?",))
    table = load(path, "label", options=options, missing_target="drop")
    assert table.y.tolist() == [1, 2, 1, 2]
