"""The studies of the Box-Cox paper as data: what stands in the files."""

import os
import tomllib
from collections import Counter
from fnmatch import fnmatchcase
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from boxcox.reference_program import SETTINGS, reference_search
from search.toys import drive, steps
from sklearn.datasets import load_breast_cancer
from sklearn.linear_model import SGDClassifier
from sklearn.model_selection import RepeatedStratifiedKFold, cross_val_score
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.neural_network import MLPClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MinMaxScaler
from sklearn.svm import SVC

from distsearch.boxcox import IterativeGrid
from distsearch.registry import make_estimator
from distsearch.sweep._methods import METHODS, check_method
from distsearch.sweep.spec import read_spec
from distsearch.sweep.store import SettingRecord, StudyRecord
from distsearch.tables import load

STUDIES = ["boxcox", "boxcox_f64", "boxcox_2d"]
FOLDS = RepeatedStratifiedKFold(n_splits=10, n_repeats=5, random_state=42)
TABLE_1 = {
    "Linear": SGDClassifier(loss="perceptron", random_state=42),
    "KNN": KNeighborsClassifier(5),
    "Bayesian": GaussianNB(),
    "SVC": SVC(random_state=42),
    "NN": MLPClassifier(hidden_layer_sizes=(10, 10), max_iter=1000, random_state=42),
}
# Columns counted from 0, as in the authors' program.
PAIRS = {
    "sonar": [(7, 40), (1, 47), (10, 44), (11, 35)],
    "breast": [(1, 5), (4, 26), (3, 23), (13, 22)],
}


@pytest.fixture(scope="session")
def study(papers):
    return lambda name: tomllib.loads((papers / f"{name}.toml").read_text("utf-8"))


@pytest.fixture(scope="session")
def settings(papers):
    table = pd.read_csv(papers / "boxcox_settings.csv", index_col="label")
    return {
        label: {name: int(value) for name, value in row.items() if not pd.isna(value)}
        for label, row in table.iterrows()
    }


@pytest.fixture(scope="session")
def published(papers):
    return lambda name: pd.read_csv(papers / f"{name}_published.csv")


def percent(scores):
    return 100 * np.mean(scores)


@pytest.mark.parametrize("name", STUDIES)
def test_the_protocol(study, name):
    content = study(name)
    assert content["study"] == name
    assert content["seed"] == 42
    assert content["baseline"] == "Base"
    assert content["protocol"] == {"kind": "k-fold", "folds": 10, "repeats": 5}
    assert content["methods"][0] == {"label": "Base", "name": "standardize"}


@pytest.mark.parametrize("name", STUDIES)
def test_classifiers_are_those_of_table_1(study, name):
    made = {
        each["label"]: make_estimator(each["name"], each.get("params"))
        for each in study(name)["estimators"]
    }
    assert list(made) == (["Bayesian"] if name == "boxcox_f64" else list(TABLE_1))
    for label, estimator in made.items():
        assert type(estimator) is type(TABLE_1[label])
        params = {
            **estimator.get_params(),
            **({"hidden_layer_sizes": (10, 10)} if label == "NN" else {}),
        }
        assert params == TABLE_1[label].get_params()


@pytest.mark.parametrize(
    ("name", "sizes"),
    [("boxcox", (10, 5, 11)), ("boxcox_f64", (2, 1, 11)), ("boxcox_2d", (14, 5, 122))],
)
def test_the_files_are_accepted(papers, name, sizes):
    if "DISTSEARCH_DATA" not in os.environ:
        pytest.skip("DISTSEARCH_DATA names no folder with sonar.csv")
    spec = read_spec(papers / f"{name}.toml")
    assert (len(spec.data), len(spec.estimators), len(spec.methods)) == sizes
    assert spec.baseline == "Base"
    assert (spec.protocol.folds, spec.protocol.repeats) == (10, 5)


def test_settings_arrive_as_they_stand_in_the_file(papers, settings):
    if "DISTSEARCH_DATA" not in os.environ:
        pytest.skip("DISTSEARCH_DATA names no folder with sonar.csv")
    methods = {each.label: each.params for each in read_spec(papers / "boxcox.toml").methods}
    for label, given in settings.items():
        assert {key: methods[label].get(key) for key in given} == given
        assert set(methods[label]) - set(given) == {
            "strategy", "semantics", "cv", "out_of_range", "random_state"
        }  # fmt: skip


def test_the_job_finds_the_grid_in_the_order_of_the_file(papers, boxcox_2d):
    spec = read_spec(papers / "boxcox_2d.toml")
    records = tuple(
        SettingRecord("method", each.label, each.entry, each.name, each.params, each.varied)
        for each in spec.methods
    )
    study = StudyRecord("boxcox_2d", "", 42, spec.scorers, spec.baseline, (), records, ())
    grid, methods = boxcox_2d.grid_of(study)
    assert grid.tolist() == list(range(-5, 6))
    assert methods == [each.label for each in spec.methods[1:]]


def test_data_sets_of_two_features_have_the_columns_of_the_paper(study):
    names = {
        "sonar": [f"a{number:02}" for number in range(1, 61)],
        "breast": load_breast_cancer().feature_names.tolist(),
    }
    wanted = {}
    for data, pairs in PAIRS.items():
        wanted[data] = None
        for i, j in pairs:
            wanted[f"{data} {i + 1}+{j + 1}"] = [names[data][i], names[data][j]]
    assert {each["label"]: each.get("columns") for each in study("boxcox")["data"]} == wanted
    f64 = {each["label"]: each.get("columns") for each in study("boxcox_f64")["data"]}
    assert f64 == {label: wanted[label] for label in ("sonar", "sonar 11+45")}
    types = {name: {each["dtype"] for each in study(name)["data"]} for name in STUDIES[:2]}
    assert types == {"boxcox": {"float32"}, "boxcox_f64": {"float64"}}


def test_positive_classes(study):
    positive = {each["label"].split()[0]: each["positive"] for each in study("boxcox")["data"]}
    assert positive == {"sonar": "R", "breast": 1}
    assert load_breast_cancer().target_names[1] == "benign"


def test_settings_are_those_of_table_4(settings):
    # The authors' program switches an event off by giving it the number of epochs.
    for label, (gridsize, epochs, *events) in SETTINGS.items():
        given = settings[label]
        assert (given["gridsize"], given["epochs"]) == (gridsize, epochs)
        names = ("shift_epoch", "shuffle_epoch", "finer_epoch")
        assert [given.get(name, epochs) for name in names] == events
        assert epochs not in [given.get(name) for name in names]
    assert list(settings) == list(SETTINGS)


@pytest.mark.parametrize("label", SETTINGS)
@pytest.mark.parametrize("levels", [5, 200])
def test_settings_move_as_the_authors_program_does(settings, label, levels):
    score, start = steps(levels), [0.3, -7.0, 1.2]
    strategy = IterativeGrid(**settings[label], semantics="reference")
    found, claimed, asked = drive(strategy, score, start)
    lambdas, best, evaluations = reference_search(score, start, *SETTINGS[label])
    np.testing.assert_array_equal(found, lambdas)
    assert (claimed, len(asked)) == (best, evaluations)


@pytest.mark.parametrize("name", STUDIES)
def test_methods_work_around_every_classifier(study, settings, name):
    content = study(name)
    for entry in content["methods"]:
        params = entry.get("params", {})
        if "table" in entry:
            assert entry["table"] == "boxcox_settings.csv"
            variants = list(settings.values())
        else:
            grid = entry.get("grid", {})
            variants = [{key: float(values[0]) for key, values in grid.items()}]
        for each in content["estimators"]:
            estimator = make_estimator(each["name"], each.get("params"))
            for variant in variants:
                check_method(entry["name"], {**params, **variant}, estimator)


@pytest.mark.parametrize("name", STUDIES[:2])
def test_every_search_is_as_in_the_paper(study, name):
    common = {"cv": "resubstitution", "out_of_range": "extrapolate", "random_state": 42}
    strategies = {}
    for entry in study(name)["methods"][1:]:
        assert entry["name"] == "boxcox"
        params = dict(entry["params"])
        strategies[entry["label"]] = params.pop("strategy")
        semantics = {"semantics": "reference"} if entry["label"] == "Table 4" else {}
        assert params == {**common, **semantics}
    assert strategies == {
        "MLE": "mle", "Spherical": "spherical", "Diagonal": "diagonal", "Grid": "full",
        "Table 4": "iterative",
    }  # fmt: skip


def test_the_full_grid_is_for_two_features_only(study):
    content = study("boxcox")
    (grid,) = [entry for entry in content["methods"] if entry["label"] == "Grid"]
    for data in content["data"]:
        used = any(fnmatchcase(data["label"], pattern) for pattern in grid["data"])
        assert used == ("columns" in data)


@pytest.mark.parametrize("name", STUDIES)
def test_published_rows_have_their_place_in_the_study(study, settings, published, name):
    content, rows = study(name), published(name)
    assert list(rows) == ["data", "estimator", "method", "metric", "mean", "gain", "source"]
    assert set(rows["data"]) <= {each["label"] for each in content["data"]}
    assert set(rows["estimator"]) <= {each["label"] for each in content["estimators"]}
    methods = {each["label"] for each in content["methods"]} | set(settings)
    assert set(rows["method"]) <= methods
    assert set(rows["metric"]) <= set(content.get("scorers", ["accuracy"]))
    assert not rows.duplicated(["data", "estimator", "method", "metric", "source"]).any()
    assert not rows[["mean", "gain"]].isna().all(axis="columns").any()
    assert rows.loc[rows["method"] == "Base", "gain"].isna().all()


def test_numbers_of_published_rows(published):
    main, f64 = published("boxcox"), published("boxcox_f64")
    # A table of all features has 7 rows of 5 classifiers, one of two features also the grid's.
    draft = {"sonar": 35, "breast": 35}
    draft |= {f"{data} {i + 1}+{j + 1}": 40 for data, pairs in PAIRS.items() for i, j in pairs}
    assert Counter(main.loc[main["source"] == "draft", "data"]) == draft
    reference = main[main["source"] == "reference"]
    assert Counter(reference["data"]) == {"sonar": 2 * 24, "sonar 11+45": 2 * 18}
    assert sum(draft.values()) + len(reference) == len(main) == 474
    assert Counter(f64["data"]) == {"sonar": 2 * 10, "sonar 11+45": 2 * 11}
    assert set(f64["source"]) == {"reference"}
    assert len(published("boxcox_2d")) == 16


@pytest.mark.parametrize(
    ("name", "row", "mean", "gain"),
    [
        ("boxcox", ("sonar", "NN", "Combined 2", "accuracy", "draft"), None, -0.486),
        ("boxcox", ("breast 14+23", "Bayesian", "Base", "accuracy", "draft"), 90.966, None),
        ("boxcox", ("sonar 12+36", "Linear", "Combined 1", "accuracy", "draft"), None, 12.824),
        ("boxcox", ("sonar", "Bayesian", "Iterative", "f1", "reference"), 73.745, 3.984),
        ("boxcox", ("sonar", "KNN", "Diagonal", "accuracy", "reference"), 82.038, 0.695),
        ("boxcox", ("sonar 11+45", "SVC", "Grid", "f1", "reference"), 66.718, 0.093),
        ("boxcox_f64", ("sonar", "Bayesian", "Diagonal", "f1", "reference"), 73.151, 3.389),
        ("boxcox_f64", ("sonar", "Bayesian", "Combined 2", "accuracy", "reference"), 75.429, 7.729),
        ("boxcox_2d", ("random", "SVC", "Base", "accuracy", "reference"), 87.20, None),
    ],
)
def test_single_published_figures(published, name, row, mean, gain):
    keys = ["data", "estimator", "method", "metric", "source"]
    found = published(name).set_index(keys).loc[[row]]
    expected = [[np.nan if value is None else value for value in (mean, gain)]]
    np.testing.assert_array_equal(found[["mean", "gain"]], expected)


@pytest.mark.parametrize("name", STUDIES[:2])
def test_published_gains_are_differences_of_means(published, name):
    rows = published(name)
    rows = rows[rows["source"] == "reference"]
    base = rows[rows["method"] == "Base"].set_index(["data", "estimator", "metric"])["mean"]
    others = rows[rows["method"] != "Base"]
    keys = pd.MultiIndex.from_frame(others[["data", "estimator", "metric"]])
    away = others["mean"].to_numpy() - base.loc[keys].to_numpy() - others["gain"].to_numpy()
    assert np.abs(away).max() < 0.0011  # both were rounded


def test_published_base_means_agree_between_the_sources(published):
    rows = published("boxcox")
    rows = rows[(rows["method"] == "Base") & (rows["metric"] == "accuracy")]
    sources = rows.pivot_table(
        index=["data", "estimator"], columns="source", values="mean"
    ).dropna()
    apart = (sources["draft"] - sources["reference"]).abs() > 1e-6
    assert set(sources.index[apart].get_level_values("estimator")) == {"Linear"}
    assert len(sources) == 5 + 3


def test_the_grid_of_algorithm_1(study):
    content = study("boxcox_2d")
    (entry,) = content["methods"][1:]
    assert entry["name"] == "boxcox-map"
    assert entry["params"] == {"rescale": False}
    assert list(entry["grid"]) == ["lambda_1", "lambda_2"]  # the last one runs fastest
    assert all(values == list(range(-5, 6)) for values in entry["grid"].values())
    assert all(each["scale"] == [1, 2] for each in content["data"])
    draws = {each["label"]: each.get("random_state") for each in content["data"]}
    assert list(draws) == [
        "gaussian quantiles", "half circles", "blobs", "random",
        *(f"random {state}" for state in range(10)),
    ]  # fmt: skip
    assert list(draws.values()) == [None] * 4 + list(range(10))


def test_the_summary_is_consistent(papers, published):
    summary = pd.read_csv(papers / "boxcox_2d_summary.csv").set_index(["data", "estimator"])
    assert len(summary) == 16
    assert np.allclose(summary["best"] - summary["base"], summary["full"], atol=0.011)
    assert (summary["full"] >= summary[["spherical", "diagonal"]].max(axis="columns")).all()
    base = published("boxcox_2d").set_index(["data", "estimator"])["mean"]
    assert base.equals(summary["base"].rename("mean"))


@pytest.mark.parametrize(
    ("data", "label"),
    [
        ("blobs", "Bayesian"), ("half circles", "Bayesian"), ("gaussian quantiles", "KNN"),
        ("half circles", "SVC"), ("random", "Linear"),
    ],
)  # fmt: skip
def test_best_cells_of_algorithm_1(papers, study, data, label):
    """The study's method at the published best pair, on folds drawn here."""
    (source,) = [each["source"] for each in study("boxcox_2d")["data"] if each["label"] == data]
    summary = pd.read_csv(papers / "boxcox_2d_summary.csv").set_index(["data", "estimator"])
    wanted = summary.loc[(data, label)]
    table = load(source)
    X = MinMaxScaler((1, 2)).fit_transform(table.X.to_numpy())
    pair = {"lambda_1": wanted["argmax_1"], "lambda_2": wanted["argmax_2"], "rescale": False}
    mapped = make_pipeline(METHODS["boxcox-map"].prepare(pair, None), TABLE_1[label])
    base = make_pipeline(METHODS["standardize"].prepare({}, None), TABLE_1[label])
    assert percent(cross_val_score(mapped, X, table.y, cv=FOLDS)) == pytest.approx(wanted["best"])
    # Scaling the whole set does not matter to the base.
    for features in (X, table.X.to_numpy()):
        scores = cross_val_score(base, features, table.y, cv=FOLDS)
        assert percent(scores) == pytest.approx(wanted["base"])


@pytest.mark.parametrize("label", ["KNN", "SVC"])
@pytest.mark.parametrize("method", ["Base", "MLE"])
def test_case_study_of_two_features(study, published, label, method):
    folder = os.environ.get("DISTSEARCH_DATA")
    if not folder:
        pytest.skip("DISTSEARCH_DATA names no folder with sonar.csv")
    content, rows = study("boxcox"), published("boxcox")
    (data,) = [each for each in content["data"] if each["label"] == "sonar 11+45"]
    (entry,) = [each for each in content["methods"] if each["label"] == method]
    rows = rows[(rows["data"] == data["label"]) & (rows["source"] == "reference")]
    wanted = rows[(rows["estimator"] == label) & (rows["method"] == method)]
    table = load(
        Path(folder) / "sonar.csv", data["target"],
        columns=data["columns"], positive=data["positive"],
    )  # fmt: skip
    params = entry.get("params", {})
    model = METHODS[entry["name"]].make(TABLE_1[label], params, 0, "serial", None)
    if (preparation := METHODS[entry["name"]].prepare(params, None)) is not None:
        model = make_pipeline(preparation, model)
    X = table.X.to_numpy(np.float32)
    for metric, mean in zip(wanted["metric"], wanted["mean"], strict=True):
        scores = cross_val_score(model, X, table.y, cv=FOLDS, scoring=metric)
        assert percent(scores) == pytest.approx(mean, abs=5.1e-4)
