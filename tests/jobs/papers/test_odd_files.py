"""The studies of the ODD paper as data: what stands in the files."""

import numpy as np
import pytest

from distsearch.sweep.spec import read_spec

SETS = ["BC", "CG", "GC", "PR", "IR", "IW", "TF", "YD", "RW", "WQ", "HD"]
CLASSES = dict(zip(SETS, [2, 2, 2, 2, 3, 3, 3, 10, 6, 7, 10], strict=True))


@pytest.fixture
def spec(papers, tmp_path, monkeypatch):
    """Read a study; no data set is loaded, so that any file of the name will do."""
    for name in (
        "breast_wisconsin", "crabs", "glass", "parkinsons", "iris", "wine", "thyroid", "yeast",
        "wine_quality_red", "wine_quality_white", "aggregation",
    ):  # fmt: skip
        (tmp_path / f"{name}.csv").write_text("x,target\n1,a\n")
    np.savez(tmp_path / "mnist10k.npz", X=np.eye(2), y=np.arange(2))
    monkeypatch.setenv("DISTSEARCH_DATA", str(tmp_path))
    return lambda name: read_spec(papers / f"{name}.toml")


def test_table_5_has_the_papers_protocol(spec):
    study = spec("odd")
    assert [each.label for each in study.data] == SETS
    assert (study.protocol.kind, study.protocol.test_size, study.protocol.repeats) == (
        "hold-out", 0.3, 50,
    )  # fmt: skip
    own = {each.label: each.protocol for each in study.data if each.protocol is not None}
    assert {label: each.test_size for label, each in own.items()} == {"HD": 0.65}


def test_every_estimator_meets_every_set_once(spec):
    study = spec("odd")
    for data in SETS:
        labels = [each.label for each in study.estimators if each.is_for(data)]
        assert len(labels) == len(set(labels)) == 13
        (network,) = [e for e in study.estimators if e.label == "MLP" and e.is_for(data)]
        assert network.params["hidden_layer_sizes"] == [CLASSES[data]]
        (method,) = [each for each in study.methods if each.is_for(data)]
        assert (method.label, method.params.get("pca")) == ("range", 50 if data == "HD" else None)


@pytest.mark.parametrize("name", ["odd", "odd_scores", "odd_imbalance"])
def test_odd_is_the_papers_where_it_is_said_to_be(spec, name):
    for each in spec(name).estimators:
        if each.name == "odd" and each.label != "ODD default":
            assert each.params["shrinkage"] == 0
            assert ("discriminant" in each.params) == ("gaussian" not in each.label)


def test_one_class_of_crabs_gets_rare(spec):
    rows = [each.protocol.train_rows for each in spec("odd_imbalance").data]
    assert rows == [{"M": 70, "F": number} for number in range(10, 71, 10)]


def test_artificial_sets_leave_500_of_each_class_to_test(spec):
    from distsearch.tables import load

    for data in spec("odd_artificial").data[:3]:
        rows = dict(enumerate(np.bincount(load(data.source).y).tolist()))
        left = {str(k): number - data.protocol.train_rows[str(k)] for k, number in rows.items()}
        assert set(left.values()) == {500}
