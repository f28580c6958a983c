from __future__ import annotations

import io
import os
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
import skops.io
from sklearn.datasets import load_iris
from sklearn.metrics import accuracy_score
from sklearn.naive_bayes import GaussianNB
from sklearn.preprocessing import FunctionTransformer

from distsearch.boxcox import BoxCoxSearchCV
from distsearch.cli import _models

FEATURES = ["sl", "sw", "pl", "pw"]


@pytest.fixture(scope="module")
def by_hand(flowers: Path) -> Any:
    frame = pd.read_csv(flowers)
    return BoxCoxSearchCV(GaussianNB(), "mle").fit(frame[FEATURES], frame["species"])


@pytest.fixture
def model(run: Callable[..., Any], flowers: Path, tmp_path: Path) -> Path:
    path = tmp_path / "m.skops"
    done = run(
        "fit", flowers, "--target", "species", "--ignore", "id", "--estimator", "nb",
        "--strategy", "mle", "--backend", "serial", "-o", path, "--quiet",
    )  # fmt: skip
    assert done.code == 0
    return path


@pytest.mark.parametrize("ending", [".csv", ".parquet"])
def test_predictions_by_name_whatever_the_order(
    run: Callable[..., Any], model: Path, frame: pd.DataFrame, by_hand: Any, tmp_path: Path,
    ending: str,
) -> None:  # fmt: skip
    data, output = tmp_path / "new.csv", tmp_path / f"out{ending}"
    frame[["pw", "id", "sl", "pl", "sw"]].to_csv(data, index=False)
    done = run("predict", model, data, "-o", output, "--keep", "id", "--proba")
    got = pd.read_csv(output) if ending == ".csv" else pd.read_parquet(output)
    assert (done.code, done.out) == (0, "")
    assert list(got["id"]) == list(frame["id"])
    assert list(got["prediction"]) == list(by_hand.predict(frame[FEATURES]))
    shares = got[[f"proba_{name}" for name in by_hand.classes_]].to_numpy()
    np.testing.assert_array_equal(shares, by_hand.predict_proba(frame[FEATURES]))


def test_the_score_is_shown_where_the_target_is_there(
    run: Callable[..., Any], model: Path, flowers: Path, frame: pd.DataFrame, by_hand: Any
) -> None:
    done = run("predict", model, flowers)
    share = accuracy_score(frame["species"], by_hand.predict(frame[FEATURES]))
    assert f"accuracy on 150 rows with 'species': {share:.4f}" in done.err
    assert "Note: 1 column not used: 'id'." in done.err
    assert list(pd.read_csv(io.StringIO(done.out)).columns) == ["prediction"]


def test_rows_without_target_are_left_out_of_the_score(
    run: Callable[..., Any], frame: pd.DataFrame, tmp_path: Path
) -> None:
    numbered = frame.drop(columns="id").replace(
        {"species": {"setosa": 1, "versicolor": 2, "virginica": 3}}
    )
    data, model = tmp_path / "d.csv", tmp_path / "m.skops"
    numbered.astype({"species": int}).to_csv(data, index=False)
    assert run("fit", data, "--target", "species", "--strategy", "mle", "--backend", "serial",
               "--estimator", "nb", "-o", model).code == 0  # fmt: skip
    numbered.loc[numbered.index[:100], "species"] = np.nan
    numbered.to_csv(data, index=False)
    done = run("predict", model, data)
    assert "accuracy on 50 rows" in done.err
    share = re.search(r"with 'species': (\d\.\d+), optimistic", done.err)
    assert share is not None
    assert float(share.group(1)) > 0.8


def test_missing_columns_are_named(
    run: Callable[..., Any], model: Path, frame: pd.DataFrame, tmp_path: Path
) -> None:
    data = tmp_path / "new.csv"
    frame[["sl", "sw", "pl"]].to_csv(data, index=False)
    result = run("predict", model, data)
    assert result.code == 2
    assert "lacks 1 of 4 features of the model: 'pw'." in result.error


def test_values_outside_the_training_range_are_counted(
    run: Callable[..., Any], model: Path, frame: pd.DataFrame, tmp_path: Path
) -> None:
    data = tmp_path / "new.csv"
    far = frame[FEATURES].copy()
    far.loc[:4, "sl"] = 100.0
    far.loc[:1, "pw"] = -3.0
    far.to_csv(data, index=False)
    done = run("predict", model, data)
    assert "Note: 7 values outside the training range (clip): 'sl' 5, 'pw' 2." in done.err


def test_missing_values_are_refused_by_a_model_that_knows_none(
    run: Callable[..., Any], model: Path, frame: pd.DataFrame, tmp_path: Path
) -> None:
    data = tmp_path / "new.csv"
    frame.loc[2, "sl"] = np.nan
    frame.to_csv(data, index=False)
    result = run("predict", model, data)
    assert result.code == 2
    assert "'sl' 1" in result.error


def test_the_reading_rule_travels_with_the_model(
    run: Callable[..., Any], frame: pd.DataFrame, by_hand: Any, tmp_path: Path
) -> None:
    data, model = tmp_path / "d.csv", tmp_path / "m.skops"
    frame.drop(columns="id").to_csv(data, index=False, sep=";", decimal=",")
    rule = ("--delimiter", ";", "--decimal", ",")
    assert run("fit", data, "--target", "species", "--strategy", "mle", "--backend", "serial",
               "--estimator", "nb", "-o", model, *rule).code == 0  # fmt: skip
    done = run("predict", model, data)
    assert list(pd.read_csv(io.StringIO(done.out))["prediction"]) == list(
        by_hand.predict(frame[FEATURES])
    )
    frame.to_csv(data, index=False)
    assert run("predict", model, data, "--delimiter", ",", "--decimal", ".").out == done.out


def test_probabilities_are_refused_where_there_are_none(
    run: Callable[..., Any], tmp_path: Path
) -> None:
    model = tmp_path / "m.skops"
    run("fit", "diabetes", "--estimator", "ridge", "--strategy", "mle", "--backend", "serial",
        "-o", model)  # fmt: skip
    result = run("predict", model, "diabetes", "--proba")
    assert result.code == 2
    assert "Ridge gives no probabilities" in result.error


def test_columns_to_keep_must_be_there(run: Callable[..., Any], model: Path, flowers: Path) -> None:
    result = run("predict", model, flowers, "--keep", "idd")
    assert result.code == 2
    assert "Did you mean 'id'" in result.error


def test_data_of_the_catalogue_has_the_names_that_fit_knows(
    run: Callable[..., Any], model: Path
) -> None:
    result = run("predict", model, "Half-Circles")
    assert "lacks 4 of 4 features" in result.error
    assert "Did you mean 'iris'" in run("predict", model, "irs").error


def test_a_column_to_keep_is_kept_once(run: Callable[..., Any], model: Path, flowers: Path) -> None:
    done = run("predict", model, flowers, "--keep", "id", "--keep", "id")
    assert list(pd.read_csv(io.StringIO(done.out)).columns) == ["id", "prediction"]


def test_text_is_no_reason_to_leave_out_a_feature(
    run: Callable[..., Any], model: Path, frame: pd.DataFrame, tmp_path: Path
) -> None:
    data = tmp_path / "new.csv"
    frame.assign(sl="long").to_csv(data, index=False)
    error = run("predict", model, data).error
    assert "'sl' is text ('long')" in error
    assert "--ignore" not in error


@pytest.mark.parametrize(
    ("labels", "words"),
    [([0.5, 1.5, 2.5], "0.5 is no class of the model"), (["a", "b", "c"], "'a' is no number")],
    ids=["fractions", "text"],
)
def test_labels_that_are_none_are_not_rounded_to_one(
    run: Callable[..., Any], tmp_path: Path, labels: list[Any], words: str
) -> None:
    data, model = tmp_path / "d.csv", tmp_path / "m.skops"
    run("fit", "iris", "--strategy", "mle", "--backend", "serial", "-o", model)
    frame = load_iris(as_frame=True).frame
    frame.assign(target=np.repeat(labels, 50)).to_csv(data, index=False)
    done = run("predict", model, data)
    assert done.code == 0
    assert f"Note: 'target' could not be compared with: {words}." in done.err
    assert "accuracy" not in done.err


def test_a_score_on_the_training_file_is_called_optimistic(
    run: Callable[..., Any], model: Path, flowers: Path, frame: pd.DataFrame, tmp_path: Path
) -> None:
    frame.to_csv(tmp_path / "other.csv", index=False)
    assert "optimistic" in run("predict", model, flowers).err
    assert "optimistic" not in run("predict", model, tmp_path / "other.csv").err


def test_predictions_are_utf_8_in_any_locale(
    run: Callable[..., Any], start: Callable[..., Any], frame: pd.DataFrame, tmp_path: Path
) -> None:
    data, model = tmp_path / "d.csv", tmp_path / "m.skops"
    frame["species"] = frame["species"].str.replace("setosa", "Sürfinie λ")
    frame.to_csv(data, index=False)
    run("fit", data, "--target", "species", "--ignore", "id", "--strategy", "mle", "--backend",
        "serial", "-o", model)  # fmt: skip
    process = start("predict", model, data, env={"PYTHONIOENCODING": "latin-1"})
    out = process.stdout.buffer.read().decode("utf-8")
    assert process.wait(60) == 0
    assert "Sürfinie λ" in out


def test_a_model_with_other_code_in_it_is_refused(
    run: Callable[..., Any], model: Path, flowers: Path, tmp_path: Path
) -> None:
    content = _models.load(model)
    content["model"].steps.insert(0, ("first", FunctionTransformer(os.system)))
    skops.io.dump(content, model)
    output = tmp_path / "p.csv"
    done = run("predict", model, flowers, "-o", output)
    assert done.code == 2
    assert done.error == (
        f"Error: The model file {model} contains posix.system, which could run code or crash. If "
        f"you trust the file's origin, say so: --trust posix."
    )
    assert not output.exists()
