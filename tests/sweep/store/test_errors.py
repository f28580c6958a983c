"""What cannot be a store, or cannot be written: one line each, and the file as it was."""

import errno
import os
import re
import shutil
import sqlite3
import subprocess
import sys
import threading
from dataclasses import replace

import pytest
from sweep.store.examples import RUN, hash_of, in_child, make_result, make_study, rows

from distsearch.errors import StoreError
from distsearch.sweep.store import Store, StoreReader
from distsearch.sweep.store import _explain as words
from distsearch.sweep.store import _file as files
from distsearch.sweep.store._schema import APPLICATION_ID


@pytest.fixture
def path(tmp_path):
    return tmp_path / "store.db"


def drive(path):
    return Store.drive(path, study=make_study(), run=RUN)


def refused(path, match):
    """Both sides refuse the file with one line that names it, and leave everything as it was."""

    def state():
        return {p: p.read_bytes() for p in path.parent.iterdir() if p.is_file()}

    before = state()
    for use in (drive, StoreReader):
        with pytest.raises(StoreError, match=match) as caught:
            use(path)
        assert "\n" not in str(caught.value)
        assert str(path) in str(caught.value)
    assert state() == before


@pytest.mark.parametrize("content", [b"x", b"a,b\n1,2\n" * 40, b"SQLite format 3\0", b"\0" * 5000])
def test_a_file_that_is_no_sqlite_file(path, content):
    path.write_bytes(content)
    refused(path, r"is no SQLite file.* left as it is; give another path")


@pytest.mark.parametrize("tables", [True, False])
def test_a_sqlite_file_of_another_program(path, tables):
    other = sqlite3.connect(path)
    other.execute("CREATE TABLE units (hash)")
    if not tables:
        other.execute("DROP TABLE units")
    other.close()
    refused(path, "SQLite file of another program.* left as it is")


def test_another_programs_unfinished_transaction_is_left_to_it(path):
    """Opening such a file to write would roll it back."""
    code = (
        "import os, sqlite3, sys\n"
        "c = sqlite3.connect(sys.argv[1], isolation_level=None)\n"
        "c.execute('CREATE TABLE t (x)')\n"
        "c.execute('PRAGMA cache_size = 1')\n"
        "c.execute('BEGIN')\n"
        "for n in range(2000): c.execute('INSERT INTO t VALUES (?)', ('x' * 99,))\n"
        "os._exit(0)\n"
    )
    subprocess.run([sys.executable, "-c", code, path], check=True)
    before = path.read_bytes(), (journal := path.with_name("store.db-journal")).read_bytes()
    with pytest.raises(StoreError, match="of another program"):
        drive(path)
    assert (path.read_bytes(), journal.read_bytes()) == before
    assert sorted(os.listdir(path.parent)) == ["store.db", "store.db-journal"]


def test_another_programs_write_ahead_log_is_left_to_it(path):
    other = sqlite3.connect(path)
    other.execute("PRAGMA journal_mode = WAL")
    other.execute("CREATE TABLE t (x)")
    files = sorted(os.listdir(path.parent))
    with pytest.raises(StoreError, match="of another program"):
        drive(path)
    assert sorted(os.listdir(path.parent)) == files
    other.close()


def test_a_store_of_a_later_format(path):
    with drive(path):
        pass
    later = sqlite3.connect(path)
    later.execute("PRAGMA user_version = 2")
    later.close()
    refused(path, "has format 2, .* knows formats up to 1.* use a later distsearch")


def test_the_mark_is_spelt():
    assert APPLICATION_ID.to_bytes(4, "big") == b"dssw"


def test_a_folder(path):
    path.mkdir()
    refused(path, r"is a folder\. Give the path of a file in it")


def test_no_folder(path):
    with pytest.raises(StoreError, match=r"there is no folder .*/gone\. Make it, or give another"):
        drive(path.parent / "gone" / "store.db")
    path.touch()
    with pytest.raises(StoreError, match=r"store\.db is no folder\. Give another path"):
        drive(path / "store.db")
    assert os.listdir(path.parent) == ["store.db"]


def test_a_pipe(path):
    os.mkfifo(path)
    for use in (drive, StoreReader):
        with pytest.raises(StoreError, match="is no regular file"):
            use(path)


def test_a_name_that_is_too_long(path):
    with pytest.raises(StoreError, match="File name too long"):
        drive(path.parent / ("x" * 300))


def test_a_read_only_folder(open_folder):
    open_folder.chmod(0o555)
    said = in_child(lambda: drive(open_folder / "store.db"))
    assert re.fullmatch(r"StoreError: \S+store\.db cannot be written: .* read-only .*", said)
    assert os.listdir(open_folder) == []


def test_a_read_only_file(open_folder):
    path = open_folder / "store.db"
    with drive(path):
        pass
    path.chmod(0o444)
    said = in_child(lambda: drive(path))
    assert re.fullmatch(r"StoreError: \S+store\.db cannot be written: .* read-only .*", said)
    assert os.listdir(open_folder) == ["store.db"]
    assert in_child(lambda: StoreReader(path).studies()) == "['boxcox']"


def test_a_file_that_may_not_be_read(open_folder):
    path = open_folder / "store.db"
    with drive(path):
        pass
    path.chmod(0)
    assert in_child(lambda: StoreReader(path)).startswith("StoreError: ")
    assert in_child(lambda: drive(path)).startswith("StoreError: ")


def test_a_damaged_file(path):
    with drive(path) as store:
        for number in range(6):
            store.record(make_result(number))
    size = path.stat().st_size
    with open(path, "r+b") as file:
        file.seek(4096)
        file.write(b"\x5a" * (size - 4096))
    with pytest.raises(StoreError, match=r"is damaged \(.*malformed.*\)\. Put a copy") as caught:
        drive(path)
    assert isinstance(caught.value.__cause__, sqlite3.DatabaseError)
    with pytest.raises(StoreError, match="is damaged"):
        StoreReader(path).studies()
    assert path.stat().st_size == size
    assert not path.with_name("store.db.lock").exists()


@pytest.fixture
def short_wait(monkeypatch):
    monkeypatch.setattr(files, "WAIT", 0.2)


def test_a_foreign_writer_is_waited_for(path):
    with drive(path) as store:
        other = sqlite3.connect(path, isolation_level=None, check_same_thread=False)
        other.execute("BEGIN IMMEDIATE")
        release = threading.Timer(0.2, other.execute, ["ROLLBACK"])
        release.start()
        store.record(make_result(0))
        release.join()
        other.close()
    assert rows(path, "SELECT count(*) FROM units") == [(1,)]


def test_a_foreign_writer_that_stays_is_told_of(path, short_wait):
    other = sqlite3.connect(path, isolation_level=None)
    with drive(path) as store:
        store.record(make_result(0))
        other.execute("BEGIN IMMEDIATE")
        with pytest.raises(StoreError, match=r"stayed locked by another program .*sqlite3 shell"):
            store.record(make_result(1))
        other.execute("ROLLBACK")
        store.record(make_result(1))  # nothing is broken by that
    other.execute("BEGIN IMMEDIATE")
    with pytest.raises(StoreError, match="stayed locked by another program"):
        drive(path)
    other.close()
    assert os.listdir(path.parent) == ["store.db"]
    assert rows(path, "SELECT hash FROM units") == [(hash_of(0),), (hash_of(1),)]


def test_after_an_error_of_the_disk_nothing_more_is_written(path):
    store = drive(path)
    store.record(make_result(0))
    (pages,) = store._connection.execute("PRAGMA page_count").fetchone()
    store._connection.execute(f"PRAGMA max_page_count = {pages}")
    with pytest.raises(StoreError, match="the disk is full"):
        store.record(replace(make_result(1), facts={"x": "x" * 10**5}))
    with pytest.raises(StoreError, match="was closed by an error"):
        store.record(make_result(3))
    store.close("failed: the disk is full")
    with drive(path) as store:
        assert store.finished().keys() == {hash_of(0)}


@pytest.mark.parametrize(
    ("number", "said"),
    [
        (errno.ENOSPC, "the disk is full. Free some space; the same command continues."),
        (errno.EDQUOT, "the disk, or your share of it, is full. Free some space"),
        (errno.EROFS, "is read-only"),
        (errno.EIO, "the disk or its file system failed (Input/output error: /x.lock)"),
        (errno.ENOLCK, "no file locks (No locks available: /x.lock)"),
        (errno.EMFILE, "Too many open files: /x.lock. Check the file"),
    ],
)
def test_errors_of_the_system_in_words(number, said):
    error = OSError(number, os.strerror(number), "/x.lock")
    assert said in words.explain("store.db", error)


def test_network_file_systems_get_the_older_journal(path, monkeypatch):
    monkeypatch.setattr(files, "is_network", lambda kind: True)
    with drive(path) as store:
        store.record(make_result(0))
        (journal,) = store._connection.execute("PRAGMA journal_mode").fetchone()
        (sync,) = store._connection.execute("PRAGMA synchronous").fetchone()
        assert sorted(os.listdir(path.parent)) == ["store.db", "store.db.lock"]
        assert StoreReader(path).results(make_study()).state[0] == "done"
    assert (journal, sync) == ("delete", 3)  # 3 is EXTRA


def test_a_write_ahead_log_is_taken_over_where_there_can_be_none(path, monkeypatch, tmp_path):
    with drive(path) as store:
        store.record(make_result(0))
        (tmp_path / "moved").mkdir()
        for name in ("store.db", "store.db-wal"):
            shutil.copy(tmp_path / name, tmp_path / "moved" / name)
    monkeypatch.setattr(files, "is_network", lambda kind: True)
    with drive(tmp_path / "moved" / "store.db") as store:
        assert store.finished().keys() == {hash_of(0)}
    assert os.listdir(tmp_path / "moved") == ["store.db"]
