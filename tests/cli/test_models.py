from __future__ import annotations

import os
import pickle
import zipfile
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
import skops.io
from sklearn.datasets import load_iris
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import FunctionTransformer

from distsearch.boxcox import BoxCoxTransformer
from distsearch.cli import _models
from distsearch.errors import DataError, DistsearchWarning, InvalidInputError
from distsearch.registry import SHORT_NAMES, make_estimator
from distsearch.tables import load

REPORT = {"data": "iris", "scoring": "accuracy", "impute": "error"}
TREES = {
    "tree", "forest", "tree-regressor", "forest-regressor", "cbb", "cbb-pooled",
    "adaboost-resampling", "pruneboost", "brownboost", "adaboost-kl",
}  # fmt: skip


def fitted(name: str = "nb") -> tuple[Pipeline, Any]:
    table = load("iris")
    model = make_pipeline(BoxCoxTransformer("mle"), make_estimator(name, seed=0))
    return model.fit(table.X, table.y), table


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize("name", SHORT_NAMES)
def test_every_short_name_can_be_saved_and_read(name: str, tmp_path: Path) -> None:
    model, table = fitted(name)
    path = tmp_path / "m.skops"
    told = pytest.warns(DistsearchWarning, match=r"add --trust sklearn\.tree\._tree\.")
    with told if name in TREES else nullcontext():
        _models.save(path, model, table, {**REPORT, "score": 0.5})
    if name in TREES:  # a forged tree can crash the process
        with pytest.raises(InvalidInputError, match=r"--trust sklearn\.tree"):
            _models.load(path)
    content = _models.load(path, ["sklearn"] if name in TREES else [])
    np.testing.assert_array_equal(content["model"].predict(table.X), model.predict(table.X))
    assert content["features"] == load_iris().feature_names
    assert content["report"] == {**REPORT, "score": 0.5}
    assert content["classes"] == ([0, 1, 2] if hasattr(model, "classes_") else None)
    assert os.listdir(tmp_path) == ["m.skops"]


def test_code_in_a_model_file_is_not_run(tmp_path: Path) -> None:
    _, table = fitted()
    path = tmp_path / "m.skops"
    evil = make_pipeline(FunctionTransformer(os.getcwd), BoxCoxTransformer())
    with pytest.warns(DistsearchWarning, match="--trust"):
        _models.save(path, evil, table, REPORT)
    with pytest.raises(InvalidInputError, match=r"getcwd.*--trust"):
        _models.load(path)


class _Boom:
    def __reduce__(self) -> Any:
        return (pytest.fail, ("code from the file was run",))


@pytest.mark.parametrize("kind", ["empty", "text", "pickle", "zip", "other", "cut"])
def test_what_is_no_model_file_is_one_error(kind: str, tmp_path: Path) -> None:
    path = tmp_path / "m.skops"
    model, table = fitted()
    _models.save(path, model, table, REPORT)
    if kind == "zip":
        with zipfile.ZipFile(path, "w") as file:
            file.writestr("a.txt", "a")
    elif kind == "other":
        skops.io.dump({"model": 1}, path)
    else:
        path.write_bytes({
            "empty": b"", "text": b"hello", "pickle": pickle.dumps(_Boom()),
            "cut": path.read_bytes()[:-100],
        }[kind])  # fmt: skip
    with pytest.raises(DataError, match="is not a model that distsearch fit saved"):
        _models.load(path)


def test_other_formats_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "m.skops"
    skops.io.dump({**dict.fromkeys(_models._ENTRIES), "format": 99}, path)
    with pytest.raises(DataError, match="has format 99"):
        _models.load(path)


def test_a_failing_write_leaves_the_old_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "m.skops"
    path.write_text("old")

    def full(content: Any, file: Any) -> None:
        file.write(b"half")
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(skops.io, "dump", full)
    with pytest.raises(DataError, match=r"m\.skops cannot be written: No space"):
        _models.save(path, *fitted(), REPORT)
    assert path.read_text() == "old"
    assert os.listdir(tmp_path) == ["m.skops"]


def test_missing_file() -> None:
    with pytest.raises(DataError, match="There is no model file"):
        _models.load(Path("nothing.skops"))


def test_labels_of_any_kind_come_back(tmp_path: Path) -> None:
    data = tmp_path / "d.csv"
    for labels in (["a", "b"], [1, 2], ["True", "False"]):
        pd.DataFrame({"x": np.arange(20.0), "y": labels * 10}).to_csv(data, index=False)
        table = load(data, "y")
        model = make_pipeline(BoxCoxTransformer("mle"), make_estimator("nb")).fit(table.X, table.y)
        _models.save(tmp_path / "m.skops", model, table, REPORT)
        again = _models.load(tmp_path / "m.skops")["model"]
        assert again.predict(table.X).tolist() == model.predict(table.X).tolist()


@pytest.mark.parametrize(
    ("entry", "value"),
    [
        ("model", 1), ("features", "abc"), ("features", [1]), ("target", None), ("classes", 3),
        ("reading", {"delimiter": "ab"}), ("reading", 1), ("reading", {"missing": 3}),
        ("report", {}), ("report", None),
    ],
    ids=str,
)  # fmt: skip
def test_entries_of_another_kind_are_one_error(tmp_path: Path, entry: str, value: Any) -> None:
    path = tmp_path / "m.skops"
    _models.save(path, *fitted(), REPORT)
    skops.io.dump({**_models.load(path), entry: value}, path)
    with pytest.raises(DataError, match="is not a model that distsearch fit saved"):
        _models.load(path)


def test_a_folder_is_no_model(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="is a folder"):
        _models.load(tmp_path)


def test_files_from_before_there_were_kinds_are_models(tmp_path: Path) -> None:
    path = tmp_path / "m.skops"
    model, table = fitted()
    _models.save(path, model, table, REPORT)
    content = _models.load(path)
    assert content.pop("kind") == "model"
    skops.io.dump(content, path)
    again = _models.load(path)["model"]
    np.testing.assert_array_equal(again.predict(table.X), model.predict(table.X))
    with pytest.raises(DataError, match=r"is a model .* not an encoder .* distsearch predict"):
        _models.load(path, kind="encoder")


@pytest.mark.parametrize("found", ["other", 1, [], None], ids=str)
def test_other_kinds_are_one_error(tmp_path: Path, found: Any) -> None:
    path = tmp_path / "m.skops"
    _models.save(path, *fitted(), REPORT)
    skops.io.dump({**_models.load(path), "kind": found}, path)
    with pytest.raises(DataError, match="is not a model that distsearch fit saved"):
        _models.load(path)


def test_a_model_that_is_called_an_encoder_is_none(tmp_path: Path) -> None:
    path = tmp_path / "m.skops"
    _models.save(path, *fitted(), REPORT, kind="encoder")
    with pytest.raises(DataError, match="is not an encoder that distsearch encode saved"):
        _models.load(path, kind="encoder")
    with pytest.raises(DataError, match=r"is an encoder .* Use it with distsearch encode"):
        _models.load(path)
