import re
import tomllib

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from jsonschema import Draft202012Validator
from sweep.spec.studies import problems, write

from distsearch.errors import SpecError
from distsearch.sweep import read_plan
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
categories = "one-hot"
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
    spec = read_spec(example)
    assert (spec.study, spec.title, spec.seed) == ("example-1", "Every key of a study file", 42)
    assert spec.scorers == ("accuracy", "f1_macro", "balanced_accuracy_ovr", "fit_seconds")
    assert spec.baseline == "base"
    assert spec.protocol == Protocol(kind="k-fold", folds=5, repeats=2)
    assert spec.limits == Limits(unit_seconds=600.0, failures=20)
    assert spec.trust == ()
    assert (spec.path, spec.text) == (example, EXAMPLE)
    assert spec.written == {
        "data/rocks.csv": rocks,
        "${STUDY_TEST_DATA}/more.csv.gz": more,
        "settings.csv": folder / "settings.csv",
    }
    assert spec.files == tuple(spec.written.values())
    assert spec.data == (
        Data(
            label="rocks",
            source=str(rocks),
            target="kind",
            positive="R",
            columns=("a", "b", "c"),
            ignore=("note",),
            options=ReadOptions(";", "latin-1", ",", ("?", "NA"), ("c",)),
            categories="one-hot",
            impute="median",
            missing_target="drop",
            dtype="float32",
            scale=(1.0, 2.0),
            place="study.toml:16",
        ),
        Data(label="half_circles", source="half_circles", random_state=3, place="study.toml:34"),
        Data(
            label="more",
            source=str(more),
            target="kind",
            positive=[1, "x", True],
            place="study.toml:38",
        ),
    )


def test_the_settings_of_a_full_study(example):
    spec = read_spec(example)
    knn = {"entry": "KNN", "name": "knn", "data": ("half*", "more"), "place": "study.toml:48"}
    svc = {"entry": "svc", "name": "svc"}
    network = {"entry": "Network", "name": "mlp"}
    assert spec.estimators == (
        *(
            Setting(
                label=f"KNN(n_neighbors={k}, p={p})",
                params={"weights": "distance", "n_neighbors": k, "p": p},
                varied={"n_neighbors": k, "p": p},
                **knn,
            )
            for k, p in [(1, 1), (1, 2), (3, 1), (3, 2)]
        ),
        Setting(
            label="svc(C=1.0, gamma=scale)",
            params={"C": 1.0, "gamma": "scale"},
            varied={"C": 1.0, "gamma": "scale"},
            place="settings.csv:2",
            **svc,
        ),
        Setting(
            label="strong",
            params={"C": 10.0, "gamma": 0.5, "shrinking": False},
            varied={"C": 10.0, "gamma": 0.5, "shrinking": False},
            place="settings.csv:3",
            **svc,
        ),
        Setting(
            label="Network(hidden_layer_sizes=[5])",
            params={"hidden_layer_sizes": [5]},
            varied={"hidden_layer_sizes": [5]},
            place="study.toml:58",
            **network,
        ),
        Setting(
            label="strict",
            params={"alpha": 1.0},
            varied={"alpha": 1.0},
            place="study.toml:59",
            **network,
        ),
    )
    assert spec.methods == (
        Setting(label="base", entry="base", name="standardize", place="study.toml:62"),
        Setting(
            label="boxcox",
            entry="boxcox",
            name="boxcox",
            params={"cv": "resubstitution", "bounds": [-3.0, 3.0]},
            place="study.toml:68",
        ),
    )


def test_the_schema_takes_the_example():
    Draft202012Validator.check_schema(schema())
    assert Draft202012Validator(schema()).is_valid(tomllib.loads(EXAMPLE))


def test_the_schema_describes_every_key_and_refuses_others():
    found = schema()
    tables = [found, *found["properties"].values(), found["$defs"]["data"], found["$defs"]["entry"]]
    for table in tables:
        if "properties" in table:
            assert table["additionalProperties"] is False
            assert all(rule["description"] for rule in table["properties"].values())
    found["title"] = "changed"
    assert schema()["title"] != "changed"


def test_defaults(tmp_path):
    text = "[[data]]\nsource = 'wdbc'\n[[estimators]]\nname = 'nb'\n"
    path = write(tmp_path, text)
    assert read_spec(str(path)) == Spec(
        study="study",
        data=(Data(label="breast_cancer", source="breast_cancer", place="study.toml:1"),),
        estimators=(Setting(label="nb", entry="nb", name="nb", place="study.toml:3"),),
        methods=(Setting(label="plain", entry="plain", name="plain", place="study.toml"),),
        path=path,
        text=text,
    )


@pytest.mark.parametrize("change", ["\ufeff{}", "{}# end", "\r\n{}"])
def test_marks_and_line_ends_do_not_matter(example, change):
    expected = read_spec(example)
    windows = EXAMPLE.replace("\n", "\r\n") if "\r" in change else EXAMPLE
    found = read_spec(write(example.parent, change.format(windows)))
    assert found.data[0].options == expected.data[0].options
    assert [each.label for each in found.estimators] == [each.label for each in expected.estimators]
    assert "\r" not in found.text
    assert "\ufeff" not in found.text


def test_a_study_whose_files_were_moved(example, monkeypatch, tmp_path_factory):
    monkeypatch.delenv("STUDY_TEST_DATA")
    assert len(problems(example)) == 1
    new = tmp_path_factory.mktemp("new")
    moved = {}
    for number, written in enumerate(["data/rocks.csv", "${STUDY_TEST_DATA}/more.csv.gz"]):
        moved[written] = new / f"{number}.csv"
        moved[written].write_text("a,kind\n1,x\n")
    spec = read_spec(example, files=moved)
    assert [each.source for each in spec.data] == [
        str(new / "0.csv"),
        "half_circles",
        str(new / "1.csv"),
    ]
    assert spec.files[:2] == (new / "0.csv", new / "1.csv")
    assert spec.written["data/rocks.csv"] == new / "0.csv"


def test_files_for_splits_and_groups(tmp_path):
    text = """
[protocol]
kind = "{}"
[[data]]
source = "iris"
{}
[[estimators]]
name = "nb"
"""
    (tmp_path / "splits.csv").write_text("a\ntrain\n")
    given = read_spec(write(tmp_path, text.format("given", "splits = 'splits.csv'")))
    assert given.data[0].splits == tmp_path / "splits.csv"
    assert given.files == (tmp_path / "splits.csv",)
    grouped = read_spec(write(tmp_path, text.format("group-k-fold", "groups = 'patient'")))
    assert (grouped.data[0].groups, grouped.files) == ("patient", ())
    assert problems(write(tmp_path, text.format("given", "splits = 'split.csv'"))) == [
        f"study.toml:6: data[0].splits: {tmp_path}/split.csv does not exist. Did you mean "
        "'splits.csv'?"
    ]


def test_bare_names_are_of_the_catalogue_before_files(tmp_path):
    (tmp_path / "iris").write_text("a,b\n1,2\n")
    (tmp_path / "mine").write_text("a,b\n1,2\n")
    text = """
[[data]]
source = "iris"
[[data]]
label = "my iris"
source = "./iris"
target = "b"
[[data]]
source = "mine"
target = "b"
[[estimators]]
name = "nb"
"""
    spec = read_spec(write(tmp_path, text))
    assert [(each.label, each.source) for each in spec.data] == [
        ("iris", "iris"),
        ("my iris", str(tmp_path / "iris")),
        ("mine", str(tmp_path / "mine")),
    ]


def test_files_that_cannot_be_read(tmp_path):
    with pytest.raises(SpecError) as caught:
        read_spec(tmp_path)
    name = tmp_path.name
    assert caught.value.problems == (f"{name}: is a folder, not a study file; name a file in it.",)
    (tmp_path / "study.toml").touch()
    assert problems(tmp_path / "stduy.toml") == [
        f"stduy.toml: does not exist in {tmp_path}. Did you mean 'study.toml'?"
    ]
    assert problems(tmp_path / "no" / "study.toml") == [
        f"study.toml: does not exist, and neither does the folder {tmp_path}/no."
    ]


def test_the_error_says_how_many_mistakes_and_that_nothing_was_run(tmp_path):
    path = write(tmp_path, "seed = -1\n")
    with pytest.raises(SpecError) as caught:
        read_spec(path)
    assert caught.value.path == str(path)
    assert str(caught.value).splitlines()[-1] == f"{path} has 3 mistakes; nothing was run."


def test_a_file_whose_name_cannot_name_a_study(tmp_path):
    path = tmp_path / "my study.toml"
    path.write_text("[[data]]\nsource = 'iris'\n[[estimators]]\nname = 'nb'\n")
    assert problems(path) == [
        "my study.toml: the name of the file, 'my study', cannot name the study. Add the key study "
        "with a short name of letters, digits, '_', '.' and '-'."
    ]


def test_classes_from_elsewhere_need_trust(tmp_path):
    text = "[[data]]\nsource = 'iris'\n[[estimators]]\nname = 'sweep.spec.studies:{}'\n"
    path = write(tmp_path, text.format("Thing"))
    assert read_spec(path, trust="sweep").trust == ("sweep",)
    assert "is not trusted" in problems(path)[0]
    for name, message in {
        "Broken": "sweep.spec.studies:Broken cannot be made: ZeroDivisionError: not today.",
        "Neither": "sweep.spec.studies:Neither is neither a classifier nor a regressor.",
        "Thin": "There is no 'Thin' in 'sweep.spec.studies'.",
    }.items():
        path = write(tmp_path, text.format(name))
        assert problems(path, trust=["sweep"]) == [f"study.toml:4: estimators[0].name: {message}"]


def test_every_metric_of_ours_is_taken(tmp_path):
    text = f"scorers = {list(OWN_SCORERS)}\n[[data]]\nsource = 'iris'\n[[estimators]]\nname = 'nb'"
    assert read_spec(write(tmp_path, text)).scorers == OWN_SCORERS


def test_numbers_for_whole_numbers_are_taken(tmp_path):
    text = """
seed = 7.0
[protocol]
kind = "hold-out"
repeats = 3.0
test_size = 0.5
[limits]
unit_seconds = 3
unit_gib = 2
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
    assert repr(spec.limits) == repr(Limits(unit_seconds=3.0, unit_gib=2.0, failures=2))


VALUES = ["3", "-1.5", "nan", "true", "''", "'x'", "[]", "[1]", "['a', {}]", "{}", "07:32:00"]
LINES = EXAMPLE.splitlines()


@settings(
    max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(
    st.dictionaries(
        st.sampled_from([n for n, line in enumerate(LINES) if " = " in line]),
        st.sampled_from(["", *VALUES, *(f"{{ {{}} = {value} }}" for value in VALUES)]),
        max_size=4,
    ),
    st.sampled_from(["n_neighbors", "label", "strategy", "data"]),
)
def test_whatever_is_written_is_a_study_or_mistakes_with_places(example, changes, key):
    lines = list(LINES)
    for number, value in changes.items():
        name = lines[number].partition(" = ")[0]
        lines[number] = f"{name} = {value.replace('{}', key, 1)}" if value else ""
    found = problems(write(example.parent, "\n".join(lines)))
    assert all(re.match(r"(study\.toml|settings\.csv)(:\d+)?: \S", each) for each in found)
    assert len(set(found)) == len(found)


def test_a_data_set_may_have_a_protocol_of_its_own(tmp_path):
    path = tmp_path / "study.toml"
    path.write_text(
        "[protocol]\nkind = 'hold-out'\nrepeats = 5\ntest_size = 0.3\n"
        "[[data]]\nsource = 'iris'\n"
        "[[data]]\nsource = 'wine'\nprotocol = { repeats = 2, test_size = 0.5 }\n"
        "[[data]]\nsource = 'breast_cancer'\nprotocol = { train_rows = { 0 = 10, 1 = 20 } }\n"
        "[[data]]\nsource = 'digits'\nprotocol = { kind = 'k-fold' }\n"
        "[[estimators]]\nname = 'nb'\n"
    )
    spec = read_spec(path)
    usual, *own = [each.protocol for each in spec.data]
    assert usual is None
    assert [(each.kind, each.repeats, each.test_size, each.train_rows) for each in own] == [
        ("hold-out", 2, 0.5, None), ("hold-out", 5, 0.25, {"0": 10, "1": 20}),
        ("k-fold", 5, 0.3, None),
    ]  # fmt: skip


def test_a_data_set_may_leave_counted_rows(tmp_path):
    path = tmp_path / "study.toml"
    path.write_text(
        "[protocol]\nkind = 'hold-out'\nrepeats = 2\ntrain_rows = { 0 = 20, 1 = 20, 2 = 20 }\n"
        "[[data]]\nsource = 'iris'\nlabel = 'counted'\nprotocol = { repeats = 1 }\n"
        "[[data]]\nsource = 'iris'\nlabel = 'share'\nprotocol = { test_size = 0.5 }\n"
        "[[data]]\nsource = 'iris'\nlabel = 'folds'\nprotocol = { kind = 'k-fold', folds = 5 }\n"
        "[[estimators]]\nname = 'nb'\n"
    )
    sizes = {
        data.label: [(len(split.train), len(split.test)) for split in data.splits]
        for data in read_plan(path).work.data
    }
    assert sizes == {
        "counted": [(60, 90)], "share": [(75, 75)] * 2, "folds": [(120, 30)] * 10,
    }  # fmt: skip
