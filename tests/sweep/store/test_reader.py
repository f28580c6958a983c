"""What readers see, beside a driver or alone."""

import json
import math
import os
import shutil
import sqlite3
import subprocess
import sys
import threading
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from sweep.store.examples import RUN, hash_of, in_child, make_result, make_study

from distsearch.errors import InvalidInputError, StoreError, UnknownNameError
from distsearch.sweep.store import Result, Store, StoreReader
from distsearch.sweep.store._schema import RESULTS_VIEW, TABLES


@pytest.fixture
def path(tmp_path):
    return tmp_path / "store.db"


def drive(path, **study):
    return Store.drive(path, study=make_study(**study), run=RUN)


def test_a_study_comes_back_as_it_was_written(path):
    study = make_study(25)
    with Store.drive(path, study=study, run=RUN):
        pass
    with StoreReader(path) as reader:
        assert reader.studies() == ["boxcox"]
        assert reader.study() == study
        assert reader.study("boxcox") == study


def test_of_several_studies_one_must_be_named(path):
    for name in ("knn", "boxcox"):
        with drive(path, name=name):
            pass
    reader = StoreReader(path)
    assert reader.studies() == ["boxcox", "knn"]
    assert reader.study("knn").name == "knn"
    with pytest.raises(InvalidInputError, match=r"has 2 studies: 'boxcox' and 'knn'\. Name one"):
        reader.study()
    with pytest.raises(UnknownNameError, match=r"no study 'bocox'\. Did you mean 'boxcox'\?"):
        reader.study("bocox")


def test_results_by_hand(path):
    with drive(path, units=12) as store:
        store.record(
            Result(
                hash_of(0), {"accuracy": 0.75, "auc": 1.0}, {"a": 1}, fit_seconds=2.0, attempts=2
            )
        )
        store.record(Result(hash_of(11), error_type="ValueError", error="no", predict_seconds=1.0))
    reader = StoreReader(path)
    table = reader.results(reader.study())
    assert list(table.columns) == [
        *("position", "hash", "data", "estimator", "method", "repeat", "fold", "state"),
        *("accuracy", "f1", "fit_seconds", "predict_seconds", "attempts"),
        *("error_type", "error", "facts"),
    ]
    assert table.position.tolist() == list(range(12))
    assert table.repeat.tolist() == [0] * 10 + [1] * 2
    assert table.fold.tolist() == [*range(10), 0, 1]
    assert table.state.tolist() == ["done", *["pending"] * 10, "failed"]
    assert table.accuracy[0] == 0.75
    assert table.accuracy[1:].isna().all()
    assert table.f1.isna().all()
    assert table.fit_seconds.tolist()[::11] == [2.0, 0.0]
    assert table.predict_seconds.tolist()[::11] == [0.0, 1.0]
    assert table.fit_seconds[1:11].isna().all()
    assert table.attempts.tolist() == [2, *[0] * 10, 1]
    assert table.error_type.tolist() == [*[""] * 11, "ValueError"]
    assert table.error.tolist() == [*[""] * 11, "no"]
    assert [json.loads(text) for text in table.facts] == [{"a": 1}, *[{}] * 11]


@pytest.mark.parametrize("units", [0, 1, 3])
@pytest.mark.parametrize("recorded", [0, 1])
def test_types_do_not_depend_on_what_is_there(path, units, recorded):
    with drive(path, units=units) as store:
        for number in range(recorded):
            store.record(make_result(number))
    reader = StoreReader(path)
    kinds = reader.results(reader.study()).dtypes.astype(str).to_dict()
    texts = ["hash", "data", "estimator", "method", "state", "error_type", "error", "facts"]
    assert {name for name, kind in kinds.items() if kind == "str"} == set(texts)
    for name in ("position", "repeat", "fold", "attempts"):
        assert kinds[name] == "int64"
    for name in ("accuracy", "f1", "fit_seconds", "predict_seconds"):
        assert kinds[name] == "float64"


def test_infinite_scores_and_nan(path):
    with drive(path, units=1) as store:
        store.record(Result(hash_of(0), {"accuracy": -math.inf, "f1": math.nan}))
    table = StoreReader(path).results(make_study(1))
    assert table.accuracy.tolist() == [-math.inf]
    assert np.isnan(table.f1[0])


def test_seconds_can_be_a_scorer_too(path):
    study = make_study(2, scorers=("fit_seconds", "accuracy"))
    with Store.drive(path, study=study, run=RUN) as store:
        store.record(Result(hash_of(0), {"fit_seconds": 3.0, "accuracy": 1.0}, fit_seconds=4.0))
    table = StoreReader(path).results(study)
    assert table.columns.is_unique
    assert table.fit_seconds[0] == 3.0


def test_results_of_a_study_that_is_only_planned(path):
    with drive(path, units=3) as store:
        store.record(make_result(1))
    table = StoreReader(path).results(make_study(2, name="planned", first=1))
    assert table.state.tolist() == ["done", "pending"]


def test_units_of_one_hash_share_their_result(path):
    study = make_study(2)
    study = replace(study, units=(study.units[0], replace(study.units[1], hash=hash_of(0))))
    with Store.drive(path, study=study, run=RUN) as store:
        store.record(Result(hash_of(0), {"accuracy": 0.5}))
    assert StoreReader(path).results(study).accuracy.tolist() == [0.5, 0.5]


def test_runs(path):
    with drive(path):
        pass
    store = drive(path, name="other")
    table = StoreReader(path).runs()
    assert table.study.tolist() == ["boxcox", "other"]
    assert table.outcome.isna().tolist() == [False, True]
    assert table.ended.isna().tolist() == [False, True]
    assert table.pid.tolist() == [os.getpid()] * 2
    assert str(table.started.dtype).endswith("UTC]")
    assert str(table.ended.dtype).endswith("UTC]")
    assert (pd.Timestamp.now(tz="UTC") - table.started).max() < pd.Timedelta("1min")
    assert json.loads(table.versions[0]) == {"python": "3.11"}
    store.close("interrupted")
    assert StoreReader(path).runs().outcome.tolist() == ["finished", "interrupted"]


def test_a_reader_beside_a_driver_sees_whole_transactions(path):
    study = make_study(150)
    wrong = []

    def read():
        reader = StoreReader(path)
        last = 0
        while not stop.is_set():
            table = reader.results(study)
            done = table[table.state == "done"]
            if len(done) < last or done.accuracy.isna().any() or (done.accuracy != done.f1).any():
                wrong.append(table)
            last = len(done)
            read_once.release()

    stop, read_once = threading.Event(), threading.Semaphore(0)
    with Store.drive(path, study=study, run=RUN) as store:
        thread = threading.Thread(target=read)
        thread.start()
        for number in range(150):
            store.record(Result(hash_of(number), {"accuracy": number / 7, "f1": number / 7}))
            if number % 30 == 0:
                assert read_once.acquire(timeout=30)
        stop.set()
        thread.join()
    assert not wrong


def test_a_reader_in_the_drivers_process_leaves_its_locks_alone(path):
    """Closing any descriptor of a file drops a process's locks on it, SQLite's too."""
    with drive(path) as store:
        for _ in range(3):
            StoreReader(path).runs()
        code = (
            "import sqlite3, sys\n"
            "c = sqlite3.connect(sys.argv[1])\n"
            "c.execute('SELECT * FROM units').fetchall()\n"
            "c.close()\n"  # the last one to close would take the journal away
        )
        subprocess.run([sys.executable, "-c", code, path], check=True)
        assert os.path.exists(f"{path}-wal")
        store.record(make_result(0))
    assert StoreReader(path).results(make_study()).state[0] == "done"


def test_an_open_reader_of_another_kind_does_not_hinder_the_end(path):
    with drive(path) as store:
        store.record(make_result(0))
        other = sqlite3.connect(path)
        other.execute("SELECT * FROM results").fetchall()
    assert len(other.execute("SELECT * FROM units").fetchall()) == 1
    other.close()
    with drive(path) as store:
        assert store.finished().keys() == {hash_of(0)}
    assert os.listdir(path.parent) == ["store.db"]


def test_reading_changes_and_makes_nothing(path):
    with drive(path) as store:
        store.record(make_result(0))
    before = path.read_bytes(), path.stat().st_mtime_ns
    with StoreReader(path) as reader:
        reader.results(reader.study())
        reader.runs()
        assert reader.driver() is None
    assert (path.read_bytes(), path.stat().st_mtime_ns) == before
    assert os.listdir(path.parent) == ["store.db"]


def test_a_copy_from_under_a_driver_is_readable_where_nothing_can_be_made(path, open_folder):
    with drive(path) as store:
        store.record(make_result(0))
        store._connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        copy = open_folder / "store.db"
        copy.write_bytes(path.read_bytes())
    open_folder.chmod(0o555)
    assert in_child(lambda: StoreReader(copy).study().name) == "boxcox"
    assert in_child(lambda: StoreReader(copy).driver()) == "None"
    assert os.listdir(open_folder) == ["store.db"]


def test_a_copy_with_its_log_where_nothing_can_be_made_says_what_to_do(path, open_folder):
    with drive(path) as store:
        store.record(make_result(0))
        for name in ("store.db", "store.db-wal"):
            shutil.copy(path.with_name(name), open_folder / name)
            (open_folder / name).chmod(0o444)
    open_folder.chmod(0o555)
    said = in_child(lambda: StoreReader(open_folder / "store.db").study().name)
    assert said == "boxcox" or "Copy both to a folder of your own" in said
    moved = path.parent / "moved"
    shutil.copytree(open_folder, moved)
    assert StoreReader(moved / "store.db").results(make_study()).state[0] == "done"


def test_a_store_left_in_mid_write_says_how_to_repair_it(path):
    with drive(path):
        pass
    code = (
        "import os, sqlite3, sys\n"
        "c = sqlite3.connect(sys.argv[1], isolation_level=None)\n"
        "c.execute('PRAGMA cache_size = 1')\n"
        "c.execute('BEGIN')\n"
        "for n in range(2000):\n"
        "    c.execute('INSERT INTO scores VALUES (?, ?, 1)', (str(n), 'x' * 99))\n"
        "os._exit(0)\n"
    )
    subprocess.run([sys.executable, "-c", code, path], check=True)
    assert os.path.exists(f"{path}-journal")
    with pytest.raises(StoreError, match=r"left in the middle of a write\. Give the command"):
        StoreReader(path)
    with drive(path):
        pass
    assert len(StoreReader(path).results(make_study())) == 6


def test_no_store_there(path):
    with pytest.raises(StoreError, match=r"store\.db does not exist\. Run a study first\."):
        StoreReader(path)
    assert os.listdir(path.parent) == []
    path.touch()
    with pytest.raises(StoreError, match=r"store\.db is empty\. Run a study first\."):
        StoreReader(path)
    assert path.stat().st_size == 0


def test_pandas_reads_the_view_at_once(path):
    with drive(path, units=2) as store:
        store.record(Result(hash_of(0), {"accuracy": 0.5, "f1": 0.25}))
        connection = sqlite3.connect(f"{path.as_uri()}?mode=ro", uri=True)
        table = pd.read_sql("SELECT * FROM results", connection)
        connection.close()
    assert table.groupby("metric").value.mean().to_dict() == {"accuracy": 0.5, "f1": 0.25}
    assert table.state.tolist() == ["done", "done", "pending"]


def test_duckdb_reads_the_file(path):
    duckdb = pytest.importorskip("duckdb")
    with drive(path, units=2) as store:
        store.record(Result(hash_of(0), {"accuracy": math.inf, "f1": math.nan}))
    with duckdb.connect(config={"autoinstall_known_extensions": "false"}) as connection:
        try:
            connection.execute("LOAD sqlite")
        except duckdb.Error as error:
            pytest.skip(f"DuckDB's sqlite extension is not installed: {str(error)[:80]}")
        connection.execute(f"ATTACH '{path}' AS store (TYPE sqlite, READ_ONLY)")
        query = "SELECT state, metric, value FROM store.results ORDER BY position, metric"
        assert connection.execute(query).fetchall() == [
            ("done", "accuracy", math.inf),
            ("done", "f1", None),
            ("pending", None, None),
        ]


def test_the_view_is_plain_enough_for_duckdb():
    duckdb = pytest.importorskip("duckdb")
    with duckdb.connect() as connection:
        for table in ("plan", "units", "scores"):
            connection.execute(f"CREATE TABLE {table} ({TABLES[table]})")
        connection.execute(RESULTS_VIEW)
        connection.execute("INSERT INTO plan VALUES ('s', 0, 'h', 'd', 'e', 'm', 0, 1)")
        (row,) = connection.execute("SELECT position, fold, state FROM results").fetchall()
    assert row == (0, 1, "pending")
