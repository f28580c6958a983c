import time

import pytest
from sweep.spec.studies import things, write, wrong_things

from distsearch.sweep.spec import Setting, read_spec


def labels(folder, form):
    return [each.label for each in things(folder, form)]


def test_one_setting_has_the_label_of_its_entry(tmp_path):
    expected = {"label": "T", "entry": "T", "name": "sweep.spec.studies:Thing", "data": ("*",)}
    for form, place, params in [
        ("", "study.toml:3", {}),
        ("params = { eta = 1 }", "study.toml:6", {"eta": 1.0}),
        ("settings = [\n{ eta = 1, label = 'one' } ]", "study.toml:7", {"eta": 1.0}),
        ("grid = { eta = [1] }", "study.toml:6", {"eta": 1.0}),
    ]:
        (found,) = things(tmp_path, form)
        assert found == Setting(**expected, place=place, params=params)
        assert not form or type(found.params["eta"]) is float


def test_a_grid_is_every_combination_the_last_key_fastest(tmp_path):
    found = things(
        tmp_path, "params.shuffle = false\ngrid = { epochs = [1, 2.0], mode = ['a', 'None'] }"
    )
    assert [dict(each.params) for each in found] == [
        {"shuffle": False, "epochs": 1, "mode": "a"},
        {"shuffle": False, "epochs": 1, "mode": None},
        {"shuffle": False, "epochs": 2, "mode": "a"},
        {"shuffle": False, "epochs": 2, "mode": None},
    ]  # fmt: skip
    assert [each.label for each in found] == [
        "T(epochs=1, mode=a)",
        "T(epochs=1, mode=None)",
        "T(epochs=2, mode=a)",
        "T(epochs=2, mode=None)",
    ]
    assert found[1].varied == {"epochs": 1, "mode": None}
    assert {each.entry for each in found} == {"T"}
    assert {each.place for each in found} == {"study.toml:7"}


@pytest.mark.parametrize(
    ("form", "expected"),
    [
        (
            "settings = [ { epochs = 1, eta = 0.5 }, { epochs = 2, eta = 0.5, label = 'two' } ]",
            ["T(epochs=1)", "two"],
        ),
        (
            "settings = [ { }, { eta = 1 }, { eta = 1, shuffle = false } ]",
            ["T(defaults)", "T(eta=1.0)", "T(eta=1.0, shuffle=False)"],
        ),
        (
            "settings = [ { mode = [1, 'a'] }, { mode = 'two words' }, { mode = '' } ]",
            ["T(mode=[1, 'a'])", "T(mode=two words)", "T(mode='')"],
        ),
        ("grid = { epochs = [1], eta = [1, 2] }", ["T(eta=1.0)", "T(eta=2.0)"]),
    ],
)
def test_labels_list_what_varies(tmp_path, form, expected):
    assert labels(tmp_path, form) == expected


@pytest.mark.parametrize(
    ("form", "expected"),
    [
        (
            "settings = [\n{ epochs = 1 },\n{ eta = 0.1, epochs = 1.0 } ]",
            [
                "study.toml:8: estimators[0].settings[1]: has the same parameters as "
                "estimators[0].settings[0] in study.toml:7; leave one of them out."
            ],
        ),
        (
            "grid = { epochs = [\n1, 2, 1.0 ] }",
            ["study.toml:6: estimators[0].grid.epochs: 1.0 is there twice; leave one out."],
        ),
        (
            "settings = [\n{ eta = 1, label = 'a' },\n{ eta = 2, label = 'a' } ]",
            [
                "study.toml:8: estimators[0].settings[1]: the label 'a' is also that of "
                "estimators[0].settings[0] in study.toml:7; estimators need labels of their own."
            ],
        ),
        (
            "settings = [ { mode = 1 }, { mode = '1' } ]",
            [
                "study.toml:6: estimators[0].settings[1]: the label 'T(mode=1)' is also that of "
                "estimators[0].settings[0] in study.toml:6; estimators need labels of their own."
            ],
        ),
        (
            "[[estimators]]\nlabel = 'T'\nname = 'nb'",
            [
                "study.toml:7: estimators[1]: the label 'T' is also that of estimators[0] in "
                "study.toml:4; estimators need labels of their own."
            ],
        ),
        (
            "[[estimators]]\nname = 'knn'\nsettings = [ {p = 1}, {p = 2, label = 'T'} ]",
            [
                "study.toml:8: estimators[1].settings[1]: the label 'T' is also that of "
                "estimators[0] in study.toml:3; estimators need labels of their own."
            ],
        ),
        (
            "grid = { epochs = [2.5, 1], eta = [1, 2, 'x'] }",
            [
                "study.toml:6: estimators[0].grid.epochs: must be a whole number. Got 2.5 instead.",
                "study.toml:6: estimators[0].grid.eta: must be a number. Got 'x' instead.",
            ],
        ),
        (
            "params = { epochs = 1 }\ngrid = { epochs = [2] }",
            [
                "study.toml:7: estimators[0].grid: epochs is in params too, where it has one "
                "value; leave it out of one of them."
            ],
        ),
    ],
)
def test_mistakes(tmp_path, form, expected):
    assert wrong_things(tmp_path, form) == expected


def test_a_grid_without_end_is_refused_at_once(tmp_path):
    axes = ", ".join(f"{key} = {list(range(1000))}" for key in ("epochs", "eta", "mode"))
    assert wrong_things(tmp_path, f"grid = {{ {axes} }}") == [
        "study.toml:6: estimators[0].grid: stands for 1,000,000,000 settings, and an entry can "
        "have at most 100,000. Leave values out."
    ]


def test_a_grid_of_lambdas_is_read_fast(tmp_path):
    axis = list(range(-5, 6))
    path = write(
        tmp_path,
        f"""
[[data]]
source = "blobs"
[[estimators]]
name = "svc"
[[methods]]
label = "map"
name = "boxcox-map"
grid = {{ lambda_1 = {axis}, lambda_2 = {axis} }}
""",
    )
    read_spec(path)
    start = time.perf_counter()
    methods = read_spec(path).methods
    assert time.perf_counter() - start < 1
    assert len(methods) == 121
    assert methods[12].label == "map(lambda_1=-4.0, lambda_2=-4.0)"
    assert {type(value) for each in methods for value in each.params.values()} == {float}


def test_names_of_classes_are_looked_up_once(tmp_path):
    path = write(
        tmp_path,
        f"""
[[data]]
source = "blobs"
[[estimators]]
name = "RidgeClassifier"
grid = {{ alpha = {[x / 10 for x in range(1, 301)]} }}
""",
    )
    read_spec(path)
    start = time.perf_counter()
    assert len(read_spec(path).estimators) == 300
    assert time.perf_counter() - start < 2
