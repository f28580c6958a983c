"""Every file of a folder of real data, against its manifest."""

import json
import os
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from distsearch.tables import describe_missing, load, read_table, write_table

FOLDER = os.environ.get("DISTSEARCH_DATA")
pytestmark = pytest.mark.skipif(
    FOLDER is None, reason="DISTSEARCH_DATA does not name the folder of real data"
)


def sets():
    if FOLDER is None:
        return []
    manifest = json.loads((Path(FOLDER) / "manifest.json").read_text(encoding="utf-8"))
    return [each for each in manifest["datasets"] if each["format"] == "csv"]


@pytest.mark.parametrize("facts", sets(), ids=lambda facts: facts["name"])
def test_the_facts_of_the_manifest(facts):
    table = load(Path(FOLDER) / facts["file"], facts["target"])
    assert table.task == facts["task"]
    assert table.X.shape == (facts["rows"], facts["n_features"])
    assert describe_missing(table.X) == facts["missing"]["columns"]
    if facts["task"] == "regression":
        assert table.y.mean() == pytest.approx(facts["target_summary"]["mean"], rel=1e-3)
        return
    labels, times = np.unique(table.y, return_counts=True)
    assert dict(zip(map(str, labels), times.tolist(), strict=True)) == facts["class_counts"]


@pytest.mark.parametrize("facts", sets(), ids=lambda facts: facts["name"])
def test_the_binary_rule_of_the_manifest(facts):
    rule = facts.get("binary_rule")
    if not rule:
        pytest.skip("it has two classes or none")
    table = load(Path(FOLDER) / facts["file"], facts["target"], positive=rule["positive"])
    counts = facts["class_counts"]
    assert table.y.sum() == sum(counts[str(label)] for label in rule["positive"])


@pytest.mark.parametrize("facts", sets(), ids=lambda facts: facts["name"])
def test_written_and_read_again(facts, tmp_path):
    frame = read_table(Path(FOLDER) / facts["file"])
    for name in ("again.csv", "again.parquet"):
        again = read_table(write_table(frame, tmp_path / name))
        pd.testing.assert_frame_equal(again, frame, check_exact=True)
