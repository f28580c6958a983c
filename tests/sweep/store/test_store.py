"""What a driver writes, read back by SQLite alone."""

import contextlib
import itertools
import json
import math
import os
import sqlite3
import subprocess
import sys
import threading
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sweep.store.examples import RUN, hash_of, in_child, make_result, make_study, rows

from distsearch.errors import StoreError
from distsearch.sweep.store import Result, Store, StoreReader

SCORES = "SELECT hash, metric, value FROM scores ORDER BY hash, metric"


@pytest.fixture
def path(tmp_path):
    return tmp_path / "store.db"


@pytest.fixture
def folders(tmp_path):
    """Ever new folders."""

    def make():
        for number in itertools.count():
            folder = tmp_path / str(number)
            folder.mkdir()
            yield folder

    return make()


def drive(path, **study):
    return Store.drive(path, study=make_study(**study), run=RUN)


def test_a_session_by_hand(path):
    with drive(path, units=3) as store:
        store.record(Result(hash_of(0), {"accuracy": 0.75, "f1": 0.5}, {"lambdas": [1.0]}))
        store.record(Result(hash_of(1), error_type="E", error="no", traceback="T\n"))
    # position, repeat, fold; state; metric, value; two times; attempts; error
    shared = ("sonar", "KNN", "base", 0)
    assert rows(path) == [
        ("boxcox", 0, hash_of(0), *shared, 0, "done", "accuracy", 0.75, 0.0, 0.0, 1, "", ""),
        ("boxcox", 0, hash_of(0), *shared, 0, "done", "f1", 0.5, 0.0, 0.0, 1, "", ""),
        ("boxcox", 1, hash_of(1), *shared, 1, "failed", None, None, 0.0, 0.0, 1, "E", "no"),
        ("boxcox", 2, hash_of(2), *shared, 2, "pending", *[None] * 7),
    ]
    assert rows(path, "SELECT traceback FROM units WHERE state = 'failed'") == [("T\n",)]
    assert rows(path, "SELECT format FROM meta") == [(1,)]
    assert rows(path, "SELECT * FROM studies") == [
        ("boxcox", "Box-Cox search on sonar", 42, '["accuracy", "f1"]', "base")
    ]
    assert rows(path, "SELECT * FROM data") == [
        ("boxcox", 0, "sonar", "d" * 64, "sonar.csv", 208, 60, 2, 0.25)
    ]
    assert rows(path, "SELECT * FROM settings") == [
        ("boxcox", 0, "estimator", "KNN", "KNN", "knn", '{"n_neighbors": 5}', "{}"),
        ("boxcox", 1, "method", "base", "base", "standardize", "{}", "{}"),
    ]
    ((ended, started, pid, *run),) = rows(
        path,
        "SELECT ended, started, pid, outcome, command, spec, seed, data, backend, versions, study "
        "FROM runs",
    )
    assert started <= ended
    assert pid == os.getpid()
    data = f'{{"sonar": "{"d" * 64}"}}'
    assert run[:4] == ["finished", RUN.command, RUN.spec, 42]
    assert run[4:] == [data, "serial", '{"python": "3.11"}', "boxcox"]


def test_a_clean_end_leaves_one_file(path):
    with drive(path) as store:
        assert sorted(os.listdir(path.parent)) == [
            "store.db",
            "store.db-shm",
            "store.db-wal",
            "store.db.lock",
        ]
        for number in range(6):
            store.record(make_result(number))
    assert os.listdir(path.parent) == ["store.db"]


def test_it_is_synced_at_every_commit(path):
    with drive(path) as store:
        (journal,) = store._connection.execute("PRAGMA journal_mode").fetchone()
        (sync,) = store._connection.execute("PRAGMA synchronous").fetchone()
    assert (journal, sync) == ("wal", 2)  # 2 is FULL


def test_a_file_of_no_bytes_is_a_new_store(path):
    path.touch()
    with drive(path):
        pass
    assert len(rows(path)) == 6


def test_resuming_tells_what_is_there(path):
    with drive(path, units=4) as store:
        assert store.finished() == {}
        assert store.failed() == frozenset()
        store.record(Result(hash_of(0), {"accuracy": 1.0}))
        store.record(Result(hash_of(1)))
        store.record(make_result(2))
    with drive(path, units=4) as store:
        assert store.finished() == {hash_of(0): {"accuracy"}, hash_of(1): frozenset()}
        assert store.failed() == {hash_of(2)}


def test_studies_share_results_of_the_same_hash(path):
    with drive(path, units=4) as store:
        for number in range(4):
            store.record(make_result(number))
    with drive(path, name="other", units=4, first=2) as store:  # units 2 to 5
        assert store.finished().keys() == {hash_of(3)}
        assert store.failed() == {hash_of(2)}
    states = (
        "SELECT study, hash, state FROM results GROUP BY study, hash, state ORDER BY study, hash"
    )
    assert rows(path, states) == [
        *[("boxcox", hash_of(n), "failed" if n == 2 else "done") for n in range(4)],
        ("other", hash_of(2), "failed"),
        ("other", hash_of(3), "done"),
        ("other", hash_of(4), "pending"),
        ("other", hash_of(5), "pending"),
    ]


def test_a_new_plan_takes_the_place_of_the_old_but_results_stay(path):
    with drive(path, units=6) as store:
        store.record(make_result(0))
        store.record(make_result(4))
    with drive(path, units=2, scorers=("f1",)):
        pass
    assert rows(path, "SELECT count(*) FROM plan") == [(2,)]
    assert rows(path, "SELECT count(*) FROM data") == [(1,)]
    assert rows(path, "SELECT count(*) FROM settings") == [(2,)]
    assert rows(path, "SELECT scorers FROM studies") == [('["f1"]',)]
    with drive(path, units=6) as store:
        assert store.finished().keys() == {hash_of(0), hash_of(4)}


def test_two_units_of_one_hash_have_one_result(path):
    study = make_study(2)
    twin = replace(study.units[1], hash=hash_of(0))
    with Store.drive(path, study=replace(study, units=(study.units[0], twin)), run=RUN) as store:
        store.record(Result(hash_of(0), {"accuracy": 0.5}))
    assert [row[1:3] + row[8:11] for row in rows(path)] == [
        (0, hash_of(0), "done", "accuracy", 0.5),
        (1, hash_of(0), "done", "accuracy", 0.5),
    ]


results = st.builds(
    Result,
    hash=st.integers(0, 2).map(hash_of),
    scores=st.dictionaries(st.sampled_from(["accuracy", "f1", "é\n"]), st.floats()),
    facts=st.dictionaries(st.text(max_size=3), st.none() | st.integers() | st.text(max_size=3)),
    fit_seconds=st.floats(0, 10),
    attempts=st.integers(1, 3),
) | st.builds(
    Result,
    hash=st.integers(0, 2).map(hash_of),
    error_type=st.just("ValueError"),
    error=st.text(max_size=5),
)


@settings(
    max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(batches=st.lists(st.lists(results, max_size=6), min_size=1, max_size=2))
def test_any_sequence_of_results_does_as_a_dict_would(folders, batches):
    path = next(folders) / "store.db"
    model = {}
    for batch in batches:
        with drive(path, units=3) as store:
            for result in batch:
                store.record(result)
                before = model.get(result.hash)
                if not result.failed:
                    scores = before[1] if before else {}
                    model[result.hash] = ("done", scores | dict(result.scores), result)
                elif before is None or before[0] == "failed":
                    model[result.hash] = ("failed", {}, result)
            done = {key: each[1].keys() for key, each in model.items() if each[0] == "done"}
            assert store.finished() == done
            assert store.failed() == model.keys() - done.keys()
    units = "SELECT hash, state, facts, error, fit_seconds, attempts FROM units"
    got = {row[0]: (row[1], json.loads(row[2]), *row[3:]) for row in rows(path, units)}
    assert got == {
        key: (state, json.loads(json.dumps(r.facts)), spelt(r.error), r.fit_seconds, r.attempts)
        for key, (state, _, r) in model.items()
    }
    assert rows(path, SCORES) == sorted(
        (key, metric, None if math.isnan(value) else value)
        for key, (_, scores, _) in model.items()
        for metric, value in scores.items()
    )


def spelt(error):
    return error.encode(errors="backslashreplace").decode()


def test_facts_are_strict_json(path):
    facts = {
        "nan": math.nan,
        "deep": [[np.float64("inf")], {"x": -math.inf}],
        "numpy": [np.int64(3), np.float32(0.5), np.array([1.0, np.nan]), np.True_],
        "tuple": (1, None, True),
        "text": "λ",
    }
    with drive(path) as store:
        store.record(Result(hash_of(0), {}, facts))
    ((kept,),) = rows(path, "SELECT facts FROM units")
    assert json.loads(kept, parse_constant=pytest.fail) == {
        "nan": None,
        "deep": [[None], {"x": None}],
        "numpy": [3, 0.5, [1.0, None], True],
        "tuple": [1, None, True],
        "text": "λ",
    }
    assert "λ" in kept  # as people read it


def test_facts_that_are_no_plain_values_are_a_mistake_of_the_caller(path):
    with drive(path) as store:
        with pytest.raises(TypeError, match="object is no plain value"):
            store.record(Result(hash_of(0), {}, {"x": object()}))
        store.record(Result(hash_of(1)))
    assert rows(path, "SELECT hash FROM units") == [(hash_of(1),)]


def test_half_a_pair_in_a_text_is_spelt_out(path):
    with drive(path) as store:
        store.record(Result(hash_of(0), {}, {"file": "\udcff"}, "OSError", "no \ud800 file"))
    assert rows(path, "SELECT error, facts FROM units") == [
        (r"no \ud800 file", r'{"file": "\udcff"}')
    ]


def test_infinite_parameters_are_spelt_and_infinite_scores_are_kept(path):
    study = make_study(1)
    setting = replace(study.settings[0], params={"C": math.inf, "tol": math.nan})
    with Store.drive(path, study=replace(study, settings=(setting,)), run=RUN) as store:
        store.record(Result(hash_of(0), {"accuracy": math.inf, "f1": -math.inf}))
    assert rows(path, "SELECT params FROM settings") == [('{"C": "inf", "tol": "nan"}',)]
    assert rows(path, "SELECT value FROM scores ORDER BY metric") == [(math.inf,), (-math.inf,)]


@pytest.mark.parametrize(
    ("error", "outcome"),
    [
        (None, "finished"),
        (KeyboardInterrupt(), "interrupted"),
        (SystemExit(1), "interrupted"),
        (ValueError("two\nlines"), "failed: ValueError: two lines"),
        (MemoryError(), "failed: MemoryError"),
    ],
)
def test_how_a_run_ended_is_written(path, error, outcome):
    if error is None:
        with drive(path):
            pass
    else:
        with pytest.raises(type(error)), drive(path):
            raise error
    assert rows(path, "SELECT outcome FROM runs") == [(outcome,)]
    assert os.listdir(path.parent) == ["store.db"]


def test_closing_twice_changes_nothing(path):
    with drive(path) as store:
        store.close("interrupted")
        store.close("finished")
    store.close()
    assert rows(path, "SELECT outcome FROM runs") == [("interrupted",)]


def test_a_closed_store_says_so(path):
    with drive(path) as store:
        pass
    for use in (store.finished, store.failed, lambda: store.record(make_result(0))):
        with pytest.raises(StoreError, match=r"store\.db was closed\. Open it again"):
            use()


def test_a_store_that_was_never_closed_is_let_go_of(path):
    store = drive(path)
    store.record(make_result(0))
    del store
    with drive(path) as store:
        assert store.finished().keys() == {hash_of(0)}
    assert rows(path, "SELECT outcome FROM runs ORDER BY id") == [("lost",), ("finished",)]


def test_an_interruption_within_a_record_leaves_the_unit_out_and_the_store_whole(path, monkeypatch):
    class Interrupted:
        def __float__(self):
            raise KeyboardInterrupt

    with contextlib.suppress(KeyboardInterrupt), drive(path) as store:
        store.record(make_result(0))
        store.record(Result(hash_of(1), {"accuracy": Interrupted()}))
        pytest.fail("not interrupted")
    assert rows(path, "SELECT hash FROM units") == [(hash_of(0),)]
    assert rows(path, "SELECT outcome FROM runs") == [("interrupted",)]


def test_threads_take_turns(path):
    with drive(path, units=80) as store:
        threads = [
            threading.Thread(
                target=lambda k=k: [store.record(make_result(k + 4 * i)) for i in range(20)]
            )
            for k in range(4)
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert rows(path, "SELECT count(*) FROM units") == [(80,)]


def test_relative_paths_survive_a_change_of_folder(tmp_path, monkeypatch):
    (tmp_path / "a").mkdir()
    monkeypatch.chdir(tmp_path)
    with drive("store.db") as store:
        monkeypatch.chdir(tmp_path / "a")
        store.record(make_result(0))
    assert os.listdir(tmp_path / "a") == []
    assert sorted(os.listdir(tmp_path)) == ["a", "store.db"]


@pytest.mark.parametrize(
    "name",
    [
        *("a b.db", "λ·ž.db", "what?.db", "a#b.db", "100%41.db", "a'b\"c.db"),
        *("a;b&mode=memory.db", os.fsdecode(b"not-utf-8-\xff.db")),
    ],
)
def test_any_file_name_will_do(tmp_path, name):
    path = tmp_path / name
    with drive(path) as store:
        store.record(make_result(0))
        with StoreReader(path) as reader:
            assert reader.driver().pid == os.getpid()
            assert (reader.results(reader.study()).state == "done").sum() == 1
    assert os.listdir(tmp_path) == [name]


def test_a_link_and_its_target_are_one_store(tmp_path):
    (tmp_path / "link.db").symlink_to(tmp_path / "store.db")
    with drive(tmp_path / "link.db") as store:
        store.record(make_result(0))
        with pytest.raises(StoreError, match="is being written by process"):
            drive(tmp_path / "store.db")
    assert sorted(os.listdir(tmp_path)) == ["link.db", "store.db"]
    assert (tmp_path / "link.db").is_symlink()
    assert rows(tmp_path / "store.db", "SELECT count(*) FROM units") == [(1,)]


def test_a_forked_child_cannot_write(path):
    with drive(path) as store:
        said = in_child(lambda: store.record(make_result(0)))
        assert said.startswith("StoreError: ")
        assert "forked" in said
        store.record(make_result(1))
    assert rows(path, "SELECT hash FROM units") == [(hash_of(1),)]


def test_importing_it_loads_nothing_heavy():
    code = (
        "import sys; import distsearch.sweep.store; "
        "print(*[m for m in ('numpy', 'pandas', 'sklearn', 'ray') if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == ""


@pytest.mark.skipif(sqlite3.sqlite_version_info < (3, 37), reason="older SQLite has no STRICT")
def test_columns_hold_what_they_say(path):
    with drive(path):
        pass
    connection = sqlite3.connect(path)
    with pytest.raises(sqlite3.IntegrityError, match="cannot store TEXT value in REAL column"):
        connection.execute("INSERT INTO scores VALUES ('h', 'accuracy', 'high')")
    connection.close()
