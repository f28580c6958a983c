"""What a study file says of parameters that units choose."""

import pytest
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.svm import SVC
from sweep.spec.studies import problems, things, write, wrong_things

from distsearch.errors import SpecError
from distsearch.sweep import make_plan, read_plan
from distsearch.sweep.spec import Tuning, read_spec

KNN = "[[data]]\nsource = 'iris'\n[[estimators]]\nname = 'knn'\n"
NESTED = KNN.replace("knn", "sweep.spec.test_tuning:Wrapped")
TRUST = ["sweep.spec.test_tuning"]
HERE = "study.toml:5: estimators[0]."


class Wrapped(ClassifierMixin, BaseEstimator):
    """A classifier around another."""

    def __init__(self, svc=SVC(), times=1, other=None):  # noqa: B008
        self.svc = svc
        self.times = times
        self.other = other

    def fit(self, X, y):
        return self

    def predict(self, X):
        return X[:, 0]


def test_each_setting_of_an_entry_tunes_the_same(tmp_path):
    form = "grid = { epochs = [1, 2] }\ntune = { eta = [1, 0.5], mode = ['a', 'None'] }"
    found = things(tmp_path, f"{form}\ntune_cv = 5.0")
    assert [each.params for each in found] == [{"epochs": 1}, {"epochs": 2}]
    for each in found:
        assert each.tuning == Tuning(grid={"eta": (1.0, 0.5), "mode": ("a", None)}, folds=5)
        assert list(map(type, each.tuning.grid["eta"])) == [float, float]
        assert type(each.tuning.folds) is int


def test_three_folds_unless_told(tmp_path):
    (found,) = things(tmp_path, "tune.epochs = [1, 2.0]")
    assert found.tuning == Tuning(grid={"epochs": (1, 2)}, folds=3)
    assert found.params == {}
    (found,) = things(tmp_path, "params.epochs = 1")
    assert found.tuning is None


def test_the_order_of_the_file_is_kept(tmp_path):
    (found,) = things(tmp_path, "tune = { mode = [3, 1, 2], epochs = [9, 8] }")
    assert list(found.tuning.grid.items()) == [("mode", (3, 1, 2)), ("epochs", (9, 8))]


def test_parameters_of_nested_estimators(tmp_path):
    path = write(
        tmp_path, NESTED + "tune = { svc__C = [1, 10], times = [1, 2], svc__gamma = ['scale', 1] }"
    )
    (found,) = read_spec(path, trust=TRUST).estimators
    assert found.tuning.grid == {
        "svc__C": (1.0, 10.0),
        "times": (1, 2),
        "svc__gamma": ("scale", 1.0),
    }
    assert type(found.tuning.grid["svc__C"][0]) is float
    plan = make_plan(read_spec(path, trust=TRUST))
    assert plan.fits() == {(0, 0, 0): 8 * 3 + 1}


@pytest.mark.parametrize(
    ("form", "expected"),
    [
        (
            "tune = { svc__c = [1] }",
            "tune.svc__c: Wrapped has no parameter 'svc__c'. Did you mean 'svc__C' or",
        ),
        ("tune = { other__C = [1] }", "tune.other__C: Wrapped has no parameter 'other__C'."),
        (
            "tune = { svc__C = [-1] }",
            "tune.svc__C: The 'C' parameter of SVC must be a float in the range (0.0, inf]. Got "
            "-1.0 instead.",
        ),
    ],
)
def test_mistakes_in_nested_estimators(tmp_path, form, expected):
    (found,) = problems(write(tmp_path, NESTED + form), trust=TRUST)
    assert found.startswith(HERE + expected)


@pytest.mark.parametrize(
    ("form", "expected"),
    [
        (
            "tune = { n_neighbours = [1] }",
            "tune.n_neighbours: KNeighborsClassifier has no parameter 'n_neighbours'. Did you mean "
            "'n_neighbors'? Its parameters are algorithm, leaf_size, metric, metric_params, "
            "n_jobs, n_neighbors, p and weights.",
        ),
        (
            "tune = { n_neighbors = [1, 0] }",
            "tune.n_neighbors: The 'n_neighbors' parameter of KNeighborsClassifier must be an int "
            "in the range [1, inf) or None. Got 0 instead.",
        ),
        ("tune = { p = [1, 'x'] }", None),
        ("tune = { p = [1, 2, 1.0] }", "tune.p: 1.0 is there twice; leave one out."),
        ("tune = {}", "tune: must not be empty."),
        ("tune = { p = [] }", "tune.p: must not be empty."),
        ("tune = { p = 3 }", "tune.p: must be a list of values. Got 3 instead."),
        ("tune = [1]", "tune: must be a table. Got [1] instead."),
        ("tune_cv = 3", "tune_cv: has no effect without tune; leave it out."),
        (
            "tune = { p = [1, 2] }\ntune_cv = 1",
            "tune_cv: must be a whole number of at least 2. Got 1 instead.",
        ),
        (
            "tune = { p = [1, 2] }\nparams = { p = 1 }",
            "tune.p: p is in params too; leave it out of one of them.",
        ),
        (
            "tune = { p = [1, 2] }\ngrid = { p = [1, 2] }",
            "tune.p: p is in grid too; leave it out of one of them.",
        ),
        (
            "tune = { p = [1, 2] }\nsettings = [{ p = 1 }, { weights = 'distance' }]",
            "tune.p: p is in settings too; leave it out of one of them.",
        ),
    ],
)
def test_mistakes(tmp_path, form, expected):
    (found,) = problems(write(tmp_path, KNN + form))
    if expected is None:
        assert found.startswith(HERE + "tune.p: The 'p' parameter of KNeighborsClassifier must")
    else:
        assert found.partition(": estimators[0].")[2] == expected


def test_types_are_those_of_the_defaults(tmp_path):
    form = "tune = { epochs = [1, 2.5], shuffle = [true, 3] }"
    assert wrong_things(tmp_path, form) == [
        "study.toml:6: estimators[0].tune.epochs: must be a whole number. Got 2.5 instead.",
        "study.toml:6: estimators[0].tune.shuffle: must be true or false. Got 3 instead.",
    ]


def test_a_column_of_a_table_is_no_parameter_to_tune(tmp_path):
    form = "table = 'a.csv'\ntune = { eta = [1, 2] }"
    assert wrong_things(tmp_path, form, a="eta,epochs\n1,2\n3,4\n") == [
        "study.toml:7: estimators[0].tune.eta: eta is in table too; leave it out of one of them."
    ]


def test_a_grid_without_end_is_refused_at_once(tmp_path):
    axes = ", ".join(f"{key} = {list(range(1000))}" for key in ("epochs", "eta", "mode"))
    assert wrong_things(tmp_path, f"tune = {{ {axes} }}") == [
        "study.toml:6: estimators[0].tune: stands for 1,000,000,000 combinations, and a unit can "
        "choose from at most 10,000. Leave values out."
    ]


@pytest.mark.parametrize("key", ["tune = { x = [1] }", "tune_cv = 3"])
def test_methods_tune_nothing(tmp_path, key):
    path = write(tmp_path, f"{KNN}[[methods]]\nname = 'plain'\n{key}")
    name = key.partition(" ")[0]
    assert problems(path) == [
        f"study.toml:7: methods[0].{name}: belongs to an estimator; leave it out."
    ]


def test_mistakes_come_with_those_of_the_data(tmp_path):
    form = "tune = { p = [1, 2] }\ntune_cv = 50\n[[estimators]]\nname = 'nb'\ntune.x = [1]"
    with pytest.raises(SpecError) as caught:
        read_plan(write(tmp_path, KNN + form))
    first, second = caught.value.problems
    assert first.startswith("study.toml:3: knn: tune_cv must be at most the 45 rows of the class")
    assert second.startswith("study.toml:9: estimators[1].tune.x: GaussianNB has no parameter 'x'.")


def test_a_key_that_is_none_is_told_without_those_of_estimators(tmp_path):
    (found,) = problems(write(tmp_path, f"{KNN}[[methods]]\nname = 'plain'\ntuned = 1"))
    assert found.endswith("The keys here are label, name, params, data, settings, grid, table.")
