"""One driver at a time, and no lock that outlives its driver."""

import contextlib
import json
import os
import signal
import subprocess
import sys
import threading
import time
from datetime import UTC, datetime
from pathlib import Path

import pytest
from sweep.store.examples import RUN, make_result, make_study, rows

import distsearch
from distsearch.errors import StoreBusyError, StoreError
from distsearch.sweep.store import Store, StoreReader
from distsearch.sweep.store import _lock as locks

HERE = os.uname().nodename
PATHS = os.pathsep.join(map(str, (Path(distsearch.__file__).parents[1], Path(__file__).parents[2])))


@pytest.fixture
def path(tmp_path):
    return tmp_path / "store.db"


@pytest.fixture
def lock(path):
    return Path(f"{path}.lock")


def drive(path):
    return Store.drive(path, study=make_study(), run=RUN)


def sign(lock, host, pid=123, age=0.0):
    lock.write_text(json.dumps({"pid": pid, "host": host, "started": "2026-01-02T03:04:05+00:00"}))
    os.utime(lock, (time.time() - age,) * 2)


@contextlib.contextmanager
def program(path, then):
    """Another process that drives the store and then does something."""
    code = (
        "import os, sys, time\n"
        "from distsearch.sweep.store import Store\n"
        "from sweep.store.examples import RUN, make_result, make_study\n"
        "store = Store.drive(sys.argv[1], study=make_study(), run=RUN)\n"
        f"{then}\n"
        "print('ready', flush=True)\n"
        "time.sleep(60)\n"
    )
    environment = os.environ | {"PYTHONPATH": PATHS}
    with subprocess.Popen(
        [sys.executable, "-W", "ignore", "-c", code, path],
        env=environment,
        stdout=subprocess.PIPE,
        text=True,
    ) as process:
        try:
            assert process.stdout.readline() == "ready\n"
            yield process
        finally:
            process.kill()


def refusal(path):
    """What the refusal says; it must come within a second."""
    started = time.monotonic()
    with pytest.raises(StoreBusyError) as caught:
        drive(path)
    assert time.monotonic() - started < 1
    assert "\n" not in str(caught.value)
    return str(caught.value)


def test_a_second_driver_is_told_who_the_first_one_is(path):
    before = datetime.now(UTC)
    with program(path, "store.record(make_result(0))") as first:
        said = refusal(path)
        assert f"is being written by process {first.pid} on {HERE} since {before:%Y-%m-%d}" in said
        driver = StoreReader(path).driver()
        assert (driver.pid, driver.host) == (first.pid, HERE)
        assert 0 <= (datetime.now(UTC) - driver.since).total_seconds() < 60
        first.kill()
        first.wait()
        assert StoreReader(path).driver() is None
        with drive(path) as store:
            assert len(store.finished()) == 1


def test_two_drivers_of_one_process_exclude_each_other(path):
    with drive(path) as store:
        assert f"process {os.getpid()}" in refusal(path)
        store.record(make_result(0))
    with drive(path):
        pass
    assert rows(path, "SELECT count(*) FROM runs") == [(2,)]


def test_a_stopped_driver_still_has_its_lock_however_old(path, lock):
    with program(path, "") as first:
        first.send_signal(signal.SIGSTOP)
        os.utime(lock, (0, 0))
        assert f"process {first.pid}" in refusal(path)


def test_children_of_a_driver_do_not_keep_its_lock(path):
    children = (
        "import subprocess\n"
        "fork = os.fork()\n"
        "if fork == 0: time.sleep(60)\n"
        "sub = subprocess.Popen(['sleep', '60'], close_fds=False)\n"
        "print(fork, sub.pid, flush=True)\n"
    )
    children = children.replace(
        "print(", "open(sys.argv[1] + '.pids', 'w').write(f'{fork} {sub.pid}') #"
    )
    with program(path, children) as first:
        pids = [int(word) for word in Path(f"{path}.pids").read_text().split()]
        try:
            refusal(path)
            first.kill()
            first.wait()
            for pid in pids:
                os.kill(pid, 0)  # both are alive
            with drive(path):
                pass
        finally:
            for pid in pids:
                os.kill(pid, signal.SIGKILL)
            first.stdout.close()


@pytest.mark.parametrize("pid", ["ours", 2**22 + 1])
def test_a_lock_left_on_this_host_counts_for_nothing(path, lock, pid):
    pid = os.getpid() if pid == "ours" else pid
    sign(lock, HERE, pid=pid)  # the number may be someone else's by now
    with drive(path):
        pass
    assert not lock.exists()


def test_a_fresh_lock_of_another_host_counts(path, lock):
    with drive(path):
        pass
    sign(lock, "elsewhere", age=12)
    said = refusal(path)
    assert "process 123 on elsewhere since 2026-01-02 03:04:05 UTC" in said
    assert "a sign of life 12 s ago" in said
    assert StoreReader(path).driver().host == "elsewhere"
    assert lock.exists()
    os.utime(lock, (time.time() + 30,) * 2)  # by a clock that is ahead
    refusal(path)


def test_an_old_lock_of_another_host_counts_for_nothing(path, lock):
    with drive(path):
        pass
    sign(lock, "elsewhere", age=61)
    assert StoreReader(path).driver() is None
    with drive(path):
        assert StoreReader(path).driver().pid == os.getpid()
    assert not lock.exists()


@pytest.mark.parametrize(
    "garbage",
    [
        *(b"", b"\xff\xfe", b"{", b"[]", b"7", b'{"pid": 1}', b"[" * 4096, b"x" * 10_000),
        *(b'{"pid": "x", "host": 1, "started": "now"}', b'{"pid": 1e999, "host": "h"}'),
    ],
)
def test_a_lock_file_of_nonsense_counts_for_nothing(path, lock, garbage):
    lock.write_bytes(garbage)
    with drive(path):
        assert json.loads(lock.read_text())["pid"] == os.getpid()
    assert not lock.exists()


def test_nonsense_that_somebody_has_locked_counts(path, lock):
    lock.write_bytes(b"nonsense")
    hold = "import fcntl, sys; f = open(sys.argv[1]); fcntl.flock(f, 2); print(flush=True); input()"
    with subprocess.Popen(
        [sys.executable, "-c", hold, lock], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as other:
        other.stdout.readline()
        assert "written by another process, which left no name" in refusal(path)
        other.communicate(b"\n")
    with drive(path):
        pass


def test_looking_who_drives_does_not_stop_a_driver_from_beginning(path):
    with drive(path):
        pass
    reader, stop = StoreReader(path), threading.Event()

    def look():
        while not stop.is_set():
            reader.driver()

    thread = threading.Thread(target=look)
    thread.start()
    try:
        for _ in range(5):
            with drive(path):
                pass
    finally:
        stop.set()
        thread.join()


def test_only_one_of_many_that_begin_at_once_gets_in(path):
    """Also when the lock of the one before is just being removed."""
    inside, most, got = 0, 0, 0
    guard = threading.Lock()

    def work():
        nonlocal inside, most, got
        for _ in range(15):
            try:
                lock = locks.Lock(os.path.realpath(path), "store")
            except StoreBusyError:
                continue
            with guard:
                inside += 1
                got += 1
                most = max(most, inside)
            time.sleep(0.001)
            with guard:
                inside -= 1
            lock.release()

    threads = [threading.Thread(target=work) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert most == 1
    assert got > 15
    assert os.listdir(path.parent) == []


def test_a_driver_shows_that_it_is_alive(path, lock, monkeypatch):
    monkeypatch.setattr(locks, "BEAT", 0.02)
    with drive(path):
        os.utime(lock, (0, 0))
        deadline = time.monotonic() + 5
        while lock.stat().st_mtime == 0:
            assert time.monotonic() < deadline
            time.sleep(0.01)


def test_a_driver_notices_that_its_lock_was_taken_over(path, lock):
    store = drive(path)
    store.record(make_result(0))
    sign(lock, "elsewhere")
    store._lock.touch()
    with pytest.raises(StoreBusyError, match="taken over by process 123 on elsewhere"):
        store.record(make_result(1))
    with pytest.raises(StoreBusyError, match="taken over"):
        store.close()
    assert rows(path, "SELECT count(*) FROM units") == [(1,)]
    assert json.loads(lock.read_text())["host"] == "elsewhere"  # it is theirs


@pytest.mark.parametrize("replaced", [False, True])
def test_a_driver_notices_that_its_lock_was_removed(path, lock, replaced):
    store = drive(path)
    lock.unlink()
    if replaced:
        lock.touch()
    store._lock.touch()
    with pytest.raises(StoreError, match=r"lock .*store\.db\.lock was removed"):
        store.record(make_result(1))
    with pytest.raises(StoreError, match="was removed"):
        store.close()
    assert lock.exists() == replaced
    lock.unlink(missing_ok=True)
    with drive(path):
        pass


def test_letting_go_twice_is_harmless(tmp_path):
    lock = locks.Lock(f"{tmp_path}/store", "store")
    lock.release()
    again = locks.Lock(f"{tmp_path}/store", "store")
    lock.release()
    assert os.listdir(tmp_path) == ["store.lock"]
    again.release()
    assert os.listdir(tmp_path) == []
