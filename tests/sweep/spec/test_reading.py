import json
from pathlib import Path

import pytest
from jsonschema import Draft202012Validator
from sweep.spec.studies import problems, write

from distsearch.errors import InvalidInputError, SpecError
from distsearch.sweep.spec import (
    OWN_SCORERS,
    Data,
    Limits,
    Protocol,
    Setting,
    Spec,
    read_spec,
    schema,
)
from distsearch.tables import ReadOptions

EXAMPLE = """\
study = "example-1"
title = "Every key of a study file"
seed = 42
scorers = ["accuracy", "f1_macro", "balanced_accuracy_ovr", "fit_seconds"]
baseline = "base"

[protocol]
kind = "k-fold"
folds = 5
repeats = 2

[limits]
unit_seconds = 600
failures = 20

[[data]]
label = "rocks"
source = "data/rocks.csv"
target = "kind"
positive = "R"
columns = ["a", "b", "c"]
ignore = ["note"]
categorical = ["c"]
missing = ["?", "NA"]
delimiter = ";"
encoding = "latin-1"
decimal = ","
impute = "median"
missing_target = "drop"
dtype = "float32"
scale = [1, 2]

[[data]]
source = "half_circles"
random_state = 3

[[data]]
source = "${STUDY_TEST_DATA}/more.csv.gz"
target = "kind"
positive = [1, "x", true]

[[estimators]]
label = "KNN"
name = "knn"
params = { weights = "distance" }
data = ["half*", "more"]
grid = { n_neighbors = [1, 3.0], p = [1, 2] }

[[estimators]]
name = "svc"
table = "settings.csv"

[[estimators]]
label = "Network"
name = "mlp"
settings = [
    { hidden_layer_sizes = [5] },
    { alpha = 1, label = "strict" },
]

[[methods]]
label = "base"
name = "standardize"

[[methods]]
name = "boxcox"
params = { cv = "resubstitution", bounds = [-3, 3] }
"""
SETTINGS = "C,gamma,shrinking,label\n1,scale,,\n10,0.5,FALSE,strong\n"


@pytest.fixture
def example(tmp_path, monkeypatch):
    (tmp_path / "data").mkdir()
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "data" / "rocks.csv").write_text("a;b;c;kind\n1;2;3;R\n")
    (tmp_path / "elsewhere" / "more.csv.gz").write_bytes(b"\x1f\x8b")
    monkeypatch.setenv("STUDY_TEST_DATA", str(tmp_path / "elsewhere"))
    return write(tmp_path, EXAMPLE, settings=SETTINGS)


def test_a_full_study(example):
    folder = example.parent
    rocks, more = folder / "data" / "rocks.csv", folder / "elsewhere" / "more.csv.gz"
    settings = folder / "settings.csv"
    svc, network = "study.toml:46", "study.toml:54"
    knn = {"entry": "KNN", "name": "knn", "data": ("half*", "more"), "place": "study.toml:47"}
    fixed = {"weights": "distance"}
    assert read_spec(example) == Spec(
        study="example-1",
        title="Every key of a study file",
        seed=42,
        data=(
            Data(
                label="rocks",
                source=str(rocks),
                target="kind",
                positive="R",
                columns=("a", "b", "c"),
                ignore=("note",),
                options=ReadOptions(";", "latin-1", ",", ("?", "NA"), ("c",)),
                impute="median",
                missing_target="drop",
                dtype="float32",
                scale=(1.0, 2.0),
                place="study.toml:16",
            ),
            Data(label="half_circles", source="half_circles", random_state=3, place="study.toml:33"),
            Data(
                label="more",
                source=str(more),
                target="kind",
                positive=[1, "x", True],
                place="study.toml:37",
            ),
        ),
        estimators=(
            *(
                Setting(
                    label=f"KNN(n_neighbors={k}, p={p})",
                    params={**fixed, "n_neighbors": k, "p": float(p)},
                    varied={"n_neighbors": k, "p": float(p)},
                    **knn,
                )
                for k, p in [(1, 1), (1, 2), (3, 1), (3, 2)]
            ),
        ),
        methods=(),
        path=example,
    ) or svc + network + str(settings)


def test_numbers_for_whole_numbers_are_taken(tmp_path):
    text = """
seed = 7.0
[protocol]
kind = "hold-out"
repeats = 3.0
test_size = 0.5
[limits]
unit_seconds = 3
failures = 2.0
[[data]]
source = "blobs"
random_state = 4.0
[[estimators]]
name = "nb"
"""
    spec = read_spec(write(tmp_path, text))
    assert repr(spec.seed) == "7"
    assert repr(spec.data[0].random_state) == "4"
    assert repr(spec.protocol) == repr(Protocol(kind="hold-out", repeats=3, test_size=0.5))
    assert repr(spec.limits) == repr(Limits(unit_seconds=3.0, failures=2))
