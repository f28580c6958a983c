from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_diabetes, load_iris
from sklearn.linear_model import Ridge
from sklearn.model_selection import cross_val_score
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from distsearch.boxcox import BoxCoxSearchCV, IterativeGrid
from distsearch.cli import _models
from distsearch.cli._report import strict_json

FEATURES = ["sl", "sw", "pl", "pw"]


def strict(path: Path) -> Any:
    """Read JSON as a reader that knows no NaN."""

    def refuse(name: str) -> None:
        raise AssertionError(name)

    return json.loads(path.read_text(encoding="utf-8"), parse_constant=refuse)


def test_the_model_is_that_of_the_estimator_built_by_hand(
    run: Callable[..., Any], flowers: Path, frame: pd.DataFrame, tmp_path: Path
) -> None:
    output, report = tmp_path / "m.skops", tmp_path / "r.json"
    done = run(
        "fit", flowers, "--target", "species", "--ignore", "id", "--estimator", "nb",
        "--epochs", "2", "--gridsize", "5", "--cv", "3", "--backend", "serial",
        "-o", output, "--json", report, "--quiet",
    )  # fmt: skip
    by_hand = BoxCoxSearchCV(
        GaussianNB(), IterativeGrid(gridsize=5, epochs=2), cv=3, random_state=0
    ).fit(frame[FEATURES], frame["species"])
    plain = make_pipeline(StandardScaler(), GaussianNB())
    base = cross_val_score(plain, frame[FEATURES], frame["species"], cv=3).mean()
    content, written = _models.load(output), strict(report)
    assert (done.code, done.err) == (0, "")
    np.testing.assert_array_equal(
        content["model"].predict_proba(frame[FEATURES]), by_hand.predict_proba(frame[FEATURES])
    )
    assert (content["features"], content["target"]) == (FEATURES, "species")
    assert content["classes"] == sorted(set(frame["species"]))
    assert written["score"] == by_hand.best_score_
    assert written["base_score"] == base
    assert written["lambdas"] == dict(zip(FEATURES, by_hand.lambdas_, strict=True))
    assert written["evaluations"] == by_hand.n_evaluations_
    assert f"{by_hand.best_score_:.4f}" in done.out
    assert f"{base:.4f}" in done.out
    assert not (tmp_path / "m.skops.partial").exists()


def test_regression(run: Callable[..., Any], tmp_path: Path) -> None:
    report = tmp_path / "r.json"
    done = run(
        "fit", "diabetes", "--estimator", "ridge", "--strategy", "spherical", "--gridsize", "3",
        "--backend", "serial", "--json", report, "--scoring", "neg_mean_absolute_error",
        "--param", "alpha=2.5",
    )  # fmt: skip
    X, y = load_diabetes(return_X_y=True)
    plain = make_pipeline(StandardScaler(), Ridge(alpha=2.5))
    expected = cross_val_score(plain, X, y, cv=5, scoring="neg_mean_absolute_error").mean()
    assert done.code == 0
    assert strict(report)["base_score"] == pytest.approx(expected, abs=1e-9)
    assert strict(report)["classes"] is None


@pytest.mark.parametrize("backend", ["processes:2"])
def test_the_backend_changes_nothing(run: Callable[..., Any], tmp_path: Path, backend: str) -> None:
    reports = []
    for name in ("serial", backend):
        report = tmp_path / f"{name}.json"
        done = run(
            "fit", "iris", "--estimator", "perceptron", "--epochs", "1", "--cv", "3",
            "--backend", name, "--json", report, "--quiet",
        )  # fmt: skip
        assert done.code == 0
        reports.append({**strict(report), "seconds": 0, "backend": ""})
    assert reports[0] == reports[1]


def test_missing_values_are_named_or_filled(
    run: Callable[..., Any], frame: pd.DataFrame, tmp_path: Path
) -> None:
    holes = frame.drop(columns="id").astype({"pl": str})
    holes.loc[[3, 60, 120], "pl"] = "?"
    data, output = tmp_path / "holes.csv", tmp_path / "m.skops"
    holes.to_csv(data, index=False)
    call = (
        "fit", data, "--target", "species", "--estimator", "nb", "--strategy", "mle",
        "--backend", "serial", "-o", output, "--quiet",
    )  # fmt: skip
    assert "--missing-value '?'" in run(*call).error
    refused = run(*call, "--missing-value", "?")
    assert refused.code == 2
    assert "'pl' 3" in refused.error
    assert "--impute" in refused.error
    assert not output.exists()
    assert run(*call, "--missing-value", "?", "--impute", "median").code == 0
    known = holes.replace("?", np.nan).astype({"pl": float})
    filled = known.fillna({"pl": known["pl"].median()})
    by_hand = BoxCoxSearchCV(GaussianNB(), "mle").fit(filled[FEATURES], filled["species"])
    model = _models.load(output)["model"]
    np.testing.assert_array_equal(
        model.predict_proba(known[FEATURES]), by_hand.predict_proba(filled[FEATURES])
    )


@pytest.mark.parametrize(
    ("args", "words"),
    [
        (["iris", "--estimator", "knm"], "Did you mean 'knn'"),
        (["iris", "--param", "n_neighbours=3"], "Did you mean 'n_neighbors'"),
        (["iris", "--param", "n_neighbors=many"], "Got 'many' instead"),
        (["iris", "--scoring", "acuracy"], "Did you mean 'accuracy'"),
        (["iris", "--strategy", "mle", "--epochs", "3"], "--epochs has no effect"),
        (["iris", "--epochs", "0"], "The 'epochs' parameter"),
        (["iris", "--cv", "1"], "--cv must be"),
        (["iris", "--cv", "60"], "Class 0 has 50 of the rows"),
        (["iris", "--backend", "procesess"], "Did you mean 'processes'"),
        (["iris", "--backend", "processes:99"], "99 workers were asked for"),
        (["iris", "-o", "/nowhere/m.skops"], "no folder /nowhere"),
        (["iris", "--json", "."], "is a folder"),
        (["digits", "--strategy", "full"], "11^64 candidates"),
        (["iriss"], "Did you mean 'iris'"),
        (["missing.csv", "--target", "a"], "missing.csv does not exist"),
        (["/", "--target", "a"], "is a folder"),
        (["iris", "--estimator", "os:path"], "--trust os"),
        (["iris", "--estimator", "ridge", "--scoring", "acuracy"], "no metric"),
        (["diabetes", "--estimator", "knn"], "Class 25 has 1 of the rows"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
def test_what_cannot_work_is_refused_before_any_worker_starts(
    monkeypatch: pytest.MonkeyPatch, run: Callable[..., Any], args: list[str], words: str
) -> None:
    from distsearch.backends import processes

    def refuse(*args: Any, **how: Any) -> None:
        raise AssertionError("a worker was started")

    monkeypatch.setattr(processes.ProcessPool, "begin", refuse)
    result = run("fit", *args)
    assert result.code == 2
    assert words in result.error


def test_data_are_not_overwritten(run: Callable[..., Any], flowers: Path) -> None:
    result = run("fit", flowers, "--target", "species", "-o", flowers)
    assert result.code == 2
    assert "would overwrite" in result.error


def test_header_only_and_empty_files(run: Callable[..., Any], tmp_path: Path) -> None:
    for name, text in [("header.csv", "a,b,label\n"), ("empty.csv", "")]:
        (tmp_path / name).write_text(text)
        result = run("fit", tmp_path / name, "--target", "label", "--backend", "ray")
        assert result.code == 2
        assert name in result.error


def test_inside_a_ray_job_files_need_absolute_paths(
    monkeypatch: pytest.MonkeyPatch, run: Callable[..., Any]
) -> None:
    monkeypatch.setenv("RAY_JOB_CONFIG_JSON_ENV_VAR", "{}")
    result = run("fit", "iris", "-o", "m.skops")
    assert result.code == 2
    assert "absolute path" in result.error


def test_an_undefined_metric_is_an_error_and_no_report(
    run: Callable[..., Any], tmp_path: Path
) -> None:
    report = tmp_path / "r.json"
    result = run(
        "fit", "iris", "--scoring", "roc_auc", "--strategy", "mle", "--backend", "serial",
        "--json", report, "--quiet",
    )  # fmt: skip
    assert result.code == 1
    assert "multi_class must be" in result.error
    assert not report.exists()


def test_json_is_strict() -> None:
    text = strict_json({
        "a": np.float64("nan"), "b": [np.inf, np.int64(2)], "c": {"d": -np.inf, "e": True},
        "f": np.array([1.5]), "g": None, "h": Path("x"),
    })  # fmt: skip
    assert json.loads(text, parse_constant=pytest.fail) == {
        "a": None, "a_reason": "undefined", "b": [None, 2],
        "c": {"d": None, "d_reason": "infinite", "e": True}, "f": [1.5], "g": None, "h": "x",
    }  # fmt: skip


def test_no_more_than_fifteen_features_are_shown(run: Callable[..., Any]) -> None:
    call = ("fit", "breast_cancer", "--estimator", "nb", "--strategy", "mle",
            "--backend", "serial", "--quiet")  # fmt: skip
    short, long = run(*call).out, run(*call, "--verbose").out
    assert "15 more" in short
    assert len(long.splitlines()) - len(short.splitlines()) == 14


def test_iris_by_name(run: Callable[..., Any]) -> None:
    done = run("fit", "iris", "--strategy", "mle", "--backend", "serial", "--quiet")
    rows, features = load_iris().data.shape
    assert f"iris: {rows} rows, {features} features, 3 classes" in done.out
