"""What a model offers of itself is kept with its unit."""

import json

import numpy as np
import pytest
from sklearn.dummy import DummyClassifier
from sweep.toys import BASE, setting, study

from distsearch.sweep import make_plan, run_plan
from distsearch.sweep.spec import Protocol
from distsearch.sweep.store import StoreReader


class Open(DummyClassifier):
    """A classifier that says something of each fit."""

    @property
    def fit_facts_(self):
        return {"rows": np.int64(3), "share": np.array([0.5, np.nan])}


class Odd(DummyClassifier):
    """One that says what no file of results can hold."""

    @property
    def fit_facts_(self):
        return {"rows": object()}


@pytest.fixture
def results(tmp_path):
    def run(name, **params):
        spec = study(
            estimators=(setting("it", name, **params),), methods=(BASE,),
            protocol=Protocol(folds=2), trust=(__name__,),
        )  # fmt: skip
        run_plan(make_plan(spec), tmp_path / "store.sqlite", backend="serial")
        reader = StoreReader(tmp_path / "store.sqlite")
        return reader.results(reader.study("toy"))

    return run


def test_plain_values_are_kept(results):
    found = results(f"{__name__}:Open")
    assert [json.loads(each)["model"] for each in found["facts"]] == [
        {"rows": 3, "share": [0.5, None]}
    ] * 2


def test_what_json_lacks_fails_its_units(results):
    found = results(f"{__name__}:Odd")
    assert set(found["state"]) == {"failed"}
    assert set(found["error_type"]) == {"TypeError"}


@pytest.mark.parametrize(
    ("name", "params", "keys"),
    [
        ("adaboost-resampling", {}, {"functions"}),
        ("adaboost-kl", {}, {"functions"}),
        ("cbb", {"max_clusters": 3}, {"functions", "types", "delta"}),
    ],
)
def test_boosters_say_how_many_functions_they_have(results, name, params, keys):
    found = results(name, n_estimators=2, **params)
    for each in found["facts"]:
        model = json.loads(each)["model"]
        assert set(model) == keys
        assert model["functions"] >= 1


def test_nothing_is_said_of_others(results):
    assert not any("model" in json.loads(each) for each in results("nb")["facts"])
