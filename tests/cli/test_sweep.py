from __future__ import annotations

import io
import json
import signal
import sqlite3
import time
from pathlib import Path

import pandas as pd
import pytest
from sklearn.datasets import load_iris
from sklearn.model_selection import RepeatedStratifiedKFold, cross_val_score
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

STUDY = """
title = "Neighbours"
seed = 4
scorers = ["accuracy", "f1_macro"]
baseline = "raw"
[protocol]
folds = 3
repeats = 2
[[data]]
source = "iris"
[[data]]
source = "flowers.csv"
label = "flowers"
target = "species"
ignore = ["id"]
[[estimators]]
name = "knn"
table = "neighbours.csv"
[[methods]]
label = "raw"
name = "plain"
[[methods]]
name = "standardize"
"""
TABLE = "label,n_neighbors,weights\none,1,\nfive,5,distance\n"
UNITS = 2 * 2 * 2 * 6


@pytest.fixture
def study(tmp_path, flowers, monkeypatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "study.toml").write_text(STUDY)
    (tmp_path / "neighbours.csv").write_text(TABLE)
    (tmp_path / "flowers.csv").write_bytes(flowers.read_bytes())
    return tmp_path / "study.toml"


@pytest.fixture
def swept(run, study) -> Path:
    result = run("sweep", study, "--backend", "serial", "--quiet")
    assert result.code == 0, result.err
    return study.with_name("study.sqlite")


def exported(run, store, *options) -> pd.DataFrame:
    return pd.read_csv(io.StringIO(run("export", store, *options).out))


def test_a_whole_study(run, study):
    result = run("sweep", study, "--backend", "serial")
    assert result.code == 0
    assert result.out.splitlines()[0] == f"{UNITS} units, {UNITS} done, 0 failed. Next:"
    assert f"Sweep: {UNITS}, " in result.err
    table = exported(run, study.with_name("study.sqlite"))
    assert len(table) == UNITS
    X, y = load_iris(return_X_y=True)
    expected = cross_val_score(
        make_pipeline(StandardScaler(), KNeighborsClassifier(5, weights="distance")), X, y,
        cv=RepeatedStratifiedKFold(n_splits=3, n_repeats=2, random_state=4), scoring="f1_macro",
    )  # fmt: skip
    for _, rows in table.query("estimator == 'five' and method == 'standardize'").groupby("data"):
        assert rows["f1_macro"].tolist() == pytest.approx(expected, abs=1e-12)


def test_the_same_command_again_has_nothing_to_do(run, study, swept):
    result = run("sweep", study, "--backend", "serial")
    assert result.code == 0
    assert result.out.startswith(f"{UNITS} units, {UNITS} known before, 0 done, 0 failed.")


def test_dry_run_shows_the_plan_and_runs_nothing(run, study):
    result = run("sweep", study, "--dry-run", "--only", "data=iris")
    assert result.code == 0
    assert not study.with_name("study.sqlite").exists()
    lines = {line.split("  ")[0]: line for line in result.out.splitlines()}
    assert f"{UNITS // 2} in 4 groups; 0 are in study.sqlite, {UNITS // 2} to run" in lines["Units"]
    assert lines["Protocol"].endswith("k-fold, seed 4")
    assert "of one core; from one fit of each estimator" in lines["Cost"]
    assert len([line for line in result.out.splitlines() if line.startswith("iris")]) == 4


def test_dry_run_knows_what_is_done(run, study, swept):
    result = run("sweep", study, "--dry-run")
    assert f"{UNITS} are in study.sqlite, 0 to run" in result.out


def test_a_part_first(run, study):
    result = run("sweep", study, "--backend", "serial", "--only", "estimator=f*", "--only",
                 "method=raw")  # fmt: skip
    assert result.out.startswith("12 units, 12 done")
    status = run("status", "study.sqlite")
    assert f"{UNITS}: 12 done, 0 failed, {UNITS - 12} pending" in status.out
    assert len(exported(run, "study.sqlite")) == 12
    assert len(exported(run, "study.sqlite", "--pending")) == UNITS


def test_mistakes_come_one_a_line_before_any_work(run, study):
    study.write_text(STUDY.replace("n_neighbors", "x").replace('"accuracy"', '"acuracy"')
                     .replace('"species"', '"specie"'))  # fmt: skip
    result = run("sweep", study)
    assert result.code == 2
    lines = result.err.splitlines()
    assert lines[-1] == f"Error: {study} has 2 mistakes; nothing was run."
    assert lines[0].startswith("study.toml:4: ")
    assert "Did you mean 'accuracy'" in lines[0]
    assert lines[1].startswith("study.toml:11: flowers: ")
    assert "Did you mean 'species'?" in lines[1]
    assert not study.with_name("study.sqlite").exists()


@pytest.mark.parametrize(
    ("arguments", "code", "text"),
    [
        (["sweep", "nowhere.toml"], 2, "nowhere.toml"),
        (["sweep", "study.toml", "--only", "data=irs"], 2, "no data is called 'irs'"),
        (["sweep", "study.toml", "--only", "flowers"], 2, "only must be data="),
        (["sweep", "study.toml", "--store", "study.toml"], 2, "would overwrite"),
        (["sweep", "study.toml", "--store", "flowers.csv"], 2, "would overwrite"),
        (["sweep", "study.toml", "--store", "no/where.sqlite"], 2, "no folder"),
        (["sweep", "study.toml", "--backend", "threads"], 2, "--backend must be"),
        (["status", "nowhere.sqlite"], 1, "nowhere.sqlite does not exist"),
        (["status", "flowers.csv"], 1, "flowers.csv"),
        (["export", "nowhere.sqlite"], 1, "nowhere.sqlite does not exist"),
        (["compare", "nowhere.sqlite"], 1, "nowhere.sqlite does not exist"),
    ],
)
def test_what_cannot_work_ends_in_one_line(run, study, arguments, code, text):
    result = run(*arguments)
    assert result.code == code
    assert text in [line for line in result.err.splitlines() if line][-1] or text in result.err
    assert "Traceback" not in result.err
    assert study.read_text() == STUDY


def test_status_shows_failures_and_the_sweep_ends_with_one(run, study):
    study.write_text(
        STUDY.replace(
            'name = "knn"\ntable = "neighbours.csv"',
            'name = "qda"\nlabel = "q"\nparams = {reg_param = 0.0}',
        )
        .replace("folds = 3", "folds = 50")
        .replace("repeats = 2", "repeats = 1")
    )
    study.write_text(study.read_text() + "[limits]\nunit_seconds = 0.0000001\n")
    result = run("sweep", study, "--backend", "serial", "--only", "data=iris", "--quiet")
    assert result.code == 1
    lines = result.err.splitlines()
    assert lines[-1].startswith("Error: 100 units of 100 failed; 'distsearch status study.sqlite'")
    failed = [line for line in lines if line.startswith("Failed: ")]
    assert len(failed) == 100
    assert "iris, q, raw, repeat 0, fold 0: distsearch.errors.UnitTimeoutError" in "".join(failed)
    status = run("status", "study.sqlite", "--errors", 2)
    assert status.out.count("Failed: ") == 2
    assert "(98 more failed; export has them all)" in status.out
    again = run("sweep", study, "--backend", "serial", "--only", "data=iris")
    assert again.code == 1
    assert again.out.startswith("100 units, 0 done, 100 failed.")
    fast = run("sweep", study, "--backend", "serial", "--fail-fast", "--retry-failed")
    assert fast.code == 1
    assert "1 unit failed, and 0 are tolerated" in fast.err.splitlines()[-1]


def test_export_to_files(run, swept, tmp_path):
    expected = exported(run, swept)
    run("export", swept, "-o", tmp_path / "out.csv")
    pd.testing.assert_frame_equal(pd.read_csv(tmp_path / "out.csv"), expected)
    run("export", swept, "-o", tmp_path / "out.parquet", "--format", "parquet")
    table = pd.read_parquet(tmp_path / "out.parquet")
    assert table["accuracy"].tolist() == expected["accuracy"].tolist()
    assert "fit_seconds" not in table
    assert (exported(run, swept, "--times")["fit_seconds"] > 0).all()
    wrong = run("export", swept, "-o", tmp_path / "out.csv", "--format", "parquet")
    assert wrong.code == 2
    assert "does not end in .parquet" in wrong.error
    assert run("export", swept, "--format", "parquet").code == 2


def test_two_runs_export_the_same_bytes(run, study, swept, tmp_path):
    other = tmp_path / "other.sqlite"
    run("sweep", study, "--store", other, "--backend", "processes:2", "--quiet")
    assert run("export", other).out == run("export", swept).out


def test_compare_in_every_form(run, swept, tmp_path):
    means = exported(run, swept).groupby(["data", "estimator", "method"])["accuracy"].mean()
    gain = 100 * (means["flowers", "one", "standardize"] - means["flowers", "one", "raw"])
    for form in ("terminal", "markdown", "latex"):
        result = run("compare", swept, "--format", form, "--metric", "accuracy")
        assert result.code == 0
        assert f"{gain:+.2f}" in result.out.replace("−", "-").replace("$-$", "-")
    table = pd.read_csv(io.StringIO(run("compare", swept, "--format", "csv").out))
    rows = table.query("part == 'splits' and metric == 'accuracy' and data == 'flowers'")
    found = rows.set_index(["estimator", "method"])["mean"]
    assert found["five", "raw"] == pytest.approx(means["flowers", "five", "raw"], abs=1e-15)
    run("compare", swept, "-o", tmp_path / "out.md", "--format", "markdown")
    assert "| " in (tmp_path / "out.md").read_text()


def test_compare_beside_published_numbers(run, swept, tmp_path):
    published = tmp_path / "published.csv"
    mean = 100 * exported(run, swept).query(
        "data == 'iris' and estimator == 'one' and method == 'raw'"
    )["accuracy"].mean()  # fmt: skip
    published.write_text(
        f"data,estimator,method,metric,mean,gain,source\niris,one,raw,accuracy,{mean + 1},,paper\n"
    )
    result = run("compare", swept, "--published", published)
    assert result.code == 0
    assert "-1.00" in result.out.replace("−", "-")
    published.write_text("data,estimator,method,metric,mean,gain\niris,two,raw,accuracy,1,\n")
    result = run("compare", swept, "--published", published)
    assert result.code == 2
    assert "'two'" in result.err


def test_the_manifest_says_how_the_table_was_made(study, swept):
    with sqlite3.connect(swept) as connection:
        row = connection.execute(
            "SELECT spec, seed, data, backend, command, outcome, versions FROM runs"
        ).fetchone()
    assert row[0] == STUDY
    assert (row[1], row[3], row[5]) == (4, "serial:1", "finished")
    assert set(json.loads(row[2])) == {"iris", "flowers"}
    assert row[4].startswith("distsearch")
    assert {"python", "numpy", "scikit-learn", "distsearch"} <= set(json.loads(row[6]))


def test_ctrl_c_says_what_is_kept(start, run, study):
    study.write_text(STUDY.replace("repeats = 2", "repeats = 400"))
    process = start("sweep", study, "--backend", "processes:2")
    store = study.with_name("study.sqlite")
    for _ in range(600):
        time.sleep(0.05)
        status = run("status", store)
        if status.code == 0 and ": 0 done" not in status.out:
            break
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=60)
    assert process.returncode == 130
    last = err.splitlines()[-1]
    assert last.startswith("Interrupted: ")
    done = int(last.split()[1].replace(",", ""))
    assert 0 < done < 9600
    assert last.endswith(
        "of 9,600 units are in study.sqlite; the same command continues from there."
    )
    assert f"9,600: {done:,} done" in run("status", store).out


def test_a_study_of_several_in_one_store(run, study, swept):
    study.write_text(STUDY.replace('title = "Neighbours"', 'study = "again"'))
    result = run("sweep", study, "--store", swept, "--backend", "serial", "--quiet")
    assert result.out.startswith(f"{UNITS} units, {UNITS} known before")
    assert "Name one of them" in run("export", swept).err
    assert "again" in run("status", swept, "--study", "again").out
