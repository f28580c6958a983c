from __future__ import annotations

import errno
import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_diabetes, load_iris
from sklearn.linear_model import Ridge
from sklearn.model_selection import KFold, StratifiedKFold, cross_val_score
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from distsearch.boxcox import BoxCoxSearchCV, BoxCoxTransformer, IterativeGrid
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
    folds = StratifiedKFold(3, shuffle=True, random_state=0)
    by_hand = BoxCoxSearchCV(
        GaussianNB(), IterativeGrid(gridsize=5, epochs=2), cv=folds, random_state=0
    ).fit(frame[FEATURES], frame["species"])
    plain = make_pipeline(StandardScaler(), GaussianNB())
    base = cross_val_score(plain, frame[FEATURES], frame["species"], cv=folds).mean()
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
    folds = KFold(5, shuffle=True, random_state=0)
    expected = cross_val_score(plain, X, y, cv=folds, scoring="neg_mean_absolute_error").mean()
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
        (["iris", "--epochs", "0"], "0 is not in the range"),
        (["iris", "--cv", "1"], "--cv must be"),
        (["iris", "--cv", "60"], "Class 0 has 50 of the rows"),
        (["iris", "--backend", "procesess"], "Did you mean 'processes'"),
        (["iris", "--backend", "processes:99"], "99 workers were asked for"),
        (["iris", "-o", "/nowhere/m.skops"], "no folder /nowhere"),
        (["iris", "--json", "."], "is a folder"),
        (["iris", "-o", ""], "must be the name of a file"),
        (["iris", "-o", "models/"], "must be the name of a file. Got 'models/'"),
        (["iris", "-o", "m", "--json", "m"], "--json m and -o are one file"),
        (["iris", "-o", "m", "--checkpoint", "./m"], "--checkpoint m and -o are one file"),
        (["iris", "-o", "m", "--json", "m.partial"], "m.partial and --json are one file"),
        (["iris", "--gridsize", "1000000000"], "is not in the range"),
        (["iris", "--seed", "99999999999"], "is not in the range"),
        (["iris", "--columns", "petal"], "--columns names 'petal'"),
        (["iris", "--encoding", "base64"], "--encoding must be a text encoding"),
        ([""], "is empty"),
        (["digits", "--strategy", "full"], "11^64 candidates"),
        (["iriss"], "Did you mean 'iris'"),
        (["missing.csv", "--target", "a"], "missing.csv does not exist"),
        (["/", "--target", "a"], "is a folder"),
        (["iris", "--estimator", "os:path"], "--trust os"),
        (["iris", "--estimator", "ridge", "--scoring", "acuracy"], "no metric"),
        (["diabetes", "--estimator", "knn"], "Class 25 has 1 of the rows"),
        (["iris", "--cv", "51"], "Use --cv 50 or less"),
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


def test_pipes_and_devices_are_not_replaced(run: Callable[..., Any], tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    for option in ("-o", "--json", "--checkpoint"):
        result = run("fit", "iris", option, pipe)
        assert result.code == 2
        assert "is not a regular file" in result.error
    assert pipe.is_fifo()


def test_a_link_keeps_pointing_to_its_file(run: Callable[..., Any], tmp_path: Path) -> None:
    for name in ("m.skops", "r.json"):
        (tmp_path / name).symlink_to(tmp_path / f"real.{name}")
    assert run("fit", "iris", "--strategy", "mle", "--backend", "serial", "-o",
               tmp_path / "m.skops", "--json", tmp_path / "r.json").code == 0  # fmt: skip
    assert _models.load(tmp_path / "real.m.skops")["report"] | {"caution": None} == strict(
        tmp_path / "real.r.json"
    )
    assert (tmp_path / "m.skops").is_symlink()
    assert (tmp_path / "r.json").is_symlink()


def test_what_was_found_is_told_where_it_cannot_be_saved(
    monkeypatch: pytest.MonkeyPatch, run: Callable[..., Any], tmp_path: Path
) -> None:
    def full(content: Any, file: Any) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    output = tmp_path / "m.skops"
    call = ("fit", "iris", "--strategy", "spherical", "--backend", "serial", "-o", output,
            "--quiet")  # fmt: skip
    with monkeypatch.context() as patch:
        patch.setattr("skops.io.dump", full)
        failed = run(*call)
    assert failed.code == 1
    assert f"{output} cannot be written: No space left on device. 11 evaluations kept in" in (
        failed.error
    )
    assert "not saved" in failed.out
    again = run(*call, "--json", tmp_path / "r.json")
    assert (again.code, strict(tmp_path / "r.json")["evaluations"]) == (0, 0)
    found = [[line for line in each.out.splitlines() if "Found" in line]
             for each in (failed, again)]  # fmt: skip
    assert found[0] == found[1]


def test_folds_are_drawn_at_random(run: Callable[..., Any], tmp_path: Path) -> None:
    """In a sorted file, folds of neighbouring rows have targets that training never saw."""
    x = np.arange(100.0)
    pd.DataFrame({"x": x, "y": x + np.sin(x)}).to_csv(tmp_path / "d.csv", index=False)
    scores = []
    for seed in (0, 0, 1):
        report = tmp_path / "r.json"
        run(
            "fit", tmp_path / "d.csv", "--target", "y", "--estimator", "knn-regressor",
            "--strategy", "mle", "--backend", "serial", "--seed", seed, "--json", report,
        )  # fmt: skip
        scores.append(strict(report)["base_score"])
    assert min(scores) > 0.98  # 0.3 and less with neighbouring rows
    assert scores[0] == scores[1] != scores[2]


def test_a_plain_estimator_that_has_no_score_costs_nothing(
    run: Callable[..., Any], tmp_path: Path
) -> None:
    # A line fits one λ exactly; without a map it goes below zero, where this metric has no value.
    frame = pd.DataFrame({"x": np.linspace(1.0, 10.0, 60)})
    mapped = BoxCoxTransformer([5.0]).fit_transform(frame).ravel()
    frame.assign(y=1000 * (mapped - mapped.min())).to_csv(tmp_path / "d.csv", index=False)
    report = tmp_path / "r.json"
    for cv in ("resubstitution", "3"):
        done = run(
            "fit", tmp_path / "d.csv", "--target", "y", "--estimator", "linear", "--strategy",
            "spherical", "--scoring", "neg_mean_squared_log_error", "--backend", "serial",
            "--cv", cv, "--json", report, "--quiet",
        )  # fmt: skip
        assert done.code == 0
        assert "There is no score without a map: ValueError" in done.err
        assert "undefined, on standardised features" in done.out
        written = strict(report)
        assert (written["base_score"], written["base_score_reason"]) == (None, "undefined")
        assert np.isfinite(written["score"])


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["--strategy", "spherical"], "The found score is the best of 11 on the same folds"),
        (["--strategy", "mle"], None),
        (["--strategy", "mle", "--cv", "resubstitution"], "the rows the model was fitted on"),
    ],
    ids=["best of many", "one candidate", "training rows"],
)
def test_a_score_that_is_optimistic_is_called_so(
    run: Callable[..., Any], tmp_path: Path, options: list[str], words: str | None
) -> None:
    report = tmp_path / "r.json"
    done = run("fit", "iris", *options, "--backend", "serial", "--json", report, "--quiet")
    caution = strict(report)["caution"]
    if words is None:
        assert caution is None
        assert "optimistic" not in done.out
    else:
        assert words in caution
        assert words in done.out
        assert "so it is optimistic" in done.out
