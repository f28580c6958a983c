import numpy as np
import pytest
from sklearn import datasets

from distsearch.errors import InvalidInputError, UnknownNameError
from distsearch.tables import catalogue, load

BUNDLED = [entry for entry in catalogue() if "bundled" in entry.source]
GENERATED = [entry for entry in catalogue() if "generated" in entry.source]


def ids(entry):
    return entry.name


@pytest.mark.parametrize("entry", catalogue(), ids=ids)
def test_facts_are_those_of_the_data(entry):
    table = load(entry.name, numeric=True)
    assert table.X.shape == (entry.rows, entry.features)
    assert table.name == table.source == entry.name
    assert table.task == entry.task
    if entry.classes is None:
        assert table.y.dtype == np.float64
    else:
        assert np.unique(table.y).tolist() == list(range(entry.classes))
    assert entry.target not in table.X.columns


@pytest.mark.parametrize("entry", BUNDLED, ids=ids)
def test_the_same_as_scikit_learn_loads(entry):
    bunch = getattr(datasets, f"load_{entry.name}")()
    table = load(entry.name)
    np.testing.assert_array_equal(table.X.to_numpy(), bunch.data)
    np.testing.assert_array_equal(table.y, bunch.target)
    if entry.labels:
        assert list(entry.labels) == [str(name) for name in bunch.target_names]


@pytest.mark.parametrize("entry", GENERATED, ids=ids)
def test_generated_sets_are_the_same_every_time(entry):
    first, second = load(entry.name), load(entry.name)
    np.testing.assert_array_equal(first.X, second.X)
    assert list(first.X.columns) == [f"x{j}" for j in range(1, entry.features + 1)]
    halves = entry.name not in {"random_classification", "odd_db1", "odd_db2", "odd_db3"}
    assert np.bincount(first.y).tolist() == [500, 500] or not halves


DRAWN = {
    "gaussian_quantiles": lambda state: datasets.make_gaussian_quantiles(
        cov=3.0, n_samples=1000, n_features=2, n_classes=2, random_state=state
    ),
    "half_circles": lambda state: datasets.make_moons(1000, noise=0.1, random_state=state),
    "blobs": lambda state: datasets.make_blobs(
        1000, n_features=2, centers=[(1, 1), (2, 2)], random_state=state
    ),
    "random_classification": lambda state: datasets.make_classification(
        1000, 2, n_informative=2, n_redundant=0, n_repeated=0, n_classes=2, random_state=state
    ),
}


@pytest.mark.parametrize("state", [None, 0, 1, 3, np.int64(3), 2**32 - 1])
@pytest.mark.parametrize("name", DRAWN)
def test_generated_sets_are_those_of_the_paper(name, state):
    X, y = DRAWN[name](1 if state is None else state)
    table = load(name, random_state=state)
    np.testing.assert_array_equal(table.X, X)
    np.testing.assert_array_equal(table.y, y)


def test_every_generated_set_is_known_above():
    series = ["odd_db1", "odd_db2", "odd_db3"]
    assert [entry.name for entry in GENERATED] == [*DRAWN, *series]
    assert all(entry.generated for entry in GENERATED)
    assert not any(entry.generated for entry in BUNDLED)


@pytest.mark.parametrize("state", [-1, 2**32, 1.0, True, "3"])
def test_a_random_state_that_is_none(state):
    with pytest.raises(InvalidInputError, match=r"from 0 to 2\*\*32 - 1\. Got .* instead"):
        load("blobs", random_state=state)


def test_bundled_sets_and_files_are_not_drawn(put):
    names = (
        "gaussian_quantiles, half_circles, blobs, random_classification, odd_db1, .* and odd_db3"
    )
    with pytest.raises(InvalidInputError, match=rf"{names}\. Got 3 for 'iris'"):
        load("iris", random_state=3)
    path = put("x,y\n1,a\n2,b\n")
    with pytest.raises(InvalidInputError, match=r"the same rows every time\. Leave it out"):
        load(path, "y", random_state=0)
    with pytest.raises(UnknownNameError, match="Did you mean 'blobs'"):
        load("blob", random_state=3)


@pytest.mark.parametrize(
    ("given", "name"),
    [
        ("Breast-Cancer", "breast_cancer"),
        ("breast cancer", "breast_cancer"),
        ("WDBC", "breast_cancer"),
        ("moons", "half_circles"),
        ("IRIS", "iris"),
    ],
)
def test_names_are_tolerant(given, name):
    assert load(given).name == name


def test_no_name_answers_twice():
    names = [name for entry in catalogue() for name in (entry.name, *entry.aliases)]
    assert len(names) == len(set(names))


def test_labels_may_be_named_by_their_meaning():
    table = load("breast_cancer", positive="malignant")
    assert table.y.sum() == 212
    assert "labels: 0 = malignant, 1 = benign" in table.notes[0]


def test_another_column_may_be_the_target():
    table = load("iris", "petal width (cm)")
    assert table.task == "regression"
    assert "target" in table.X.columns
