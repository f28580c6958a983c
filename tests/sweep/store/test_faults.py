"""Whatever call fails, and wherever the process dies: no unit is lost, and the study goes on."""

import errno
import functools
import json
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import pytest
from sweep.store.examples import RUN, hash_of, make_result, make_study, rows

import distsearch
from distsearch.sweep.store import Store, StoreReader

HERE = Path(__file__).parent
PATHS = os.pathsep.join([str(Path(distsearch.__file__).parents[1]), str(HERE.parents[1])])
EVERY, SOME = 1, 4


@functools.cache
def shim():
    """The compiled shim, or the reason why there is none."""
    compiler = shutil.which("cc") or shutil.which("gcc")
    if compiler is None or not sys.platform.startswith("linux"):
        return None, "needs Linux and a C compiler"
    folder = Path(tempfile.mkdtemp(prefix="faults-"))
    library = folder / "faults.so"
    done = subprocess.run(
        [compiler, "-shared", "-fPIC", "-o", library, HERE / "faults.c", "-ldl"],
        capture_output=True,
        text=True,
        check=False,
    )
    return (library, "") if done.returncode == 0 else (None, f"cannot compile: {done.stderr}")


@pytest.fixture(scope="module", autouse=True)
def clean_up():
    yield
    if shim.cache_info().currsize and shim()[0]:
        shutil.rmtree(shim()[0].parent)
        shim.cache_clear()


@pytest.fixture
def sessions():
    library, reason = shim()
    if library is None:
        pytest.skip(reason)
    memory = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None  # syncs cost nothing there
    with tempfile.TemporaryDirectory(dir=memory, prefix="faults-") as folder:

        def run(mode, number, step):
            done = subprocess.run(
                [
                    sys.executable,
                    "-S",
                    HERE / "faulty_sessions.py",
                    *map(str, (folder, mode, number, step)),
                ],
                env=os.environ | {"LD_PRELOAD": str(library), "PYTHONPATH": PATHS},
                capture_output=True,
                text=True,
                check=False,
            )
            assert done.returncode == 0, done.stderr
            return [json.loads(line) for line in done.stdout.splitlines()]

        yield run


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory):
    path = tmp_path_factory.mktemp("undisturbed") / "store.db"
    with Store.drive(path, study=make_study(6), run=RUN) as store:
        for number in range(6):
            store.record(make_result(number))
    return [list(row) for row in rows(path)]


def assert_whole(found, undisturbed):
    """Nothing recorded was lost, and a session without faults ends as if there had been none."""
    for each in found:
        place = f"call {each['n']}"
        assert each["crash"] is None, (place, each["crash"])
        assert each["lost"] == [], place
        assert (each["status after"], each["error after"]) == (0, []), place
        assert each["check"] == [["ok"]], place
        assert each["rows"] == undisturbed, place
        assert each["files"] == ["store.db"], place


@pytest.mark.parametrize(
    ("mode", "number", "step"),
    [
        ("once", errno.ENOSPC, EVERY),
        ("once", errno.EIO, SOME),
        ("from then on", errno.ENOSPC, SOME),
        ("from then on", errno.EROFS, SOME),
    ],
)
def test_a_call_that_fails_is_an_error_of_one_line(sessions, undisturbed, mode, number, step):
    found = sessions(mode, number, step)
    assert_whole(found, undisturbed)
    assert len(found) * step > 60
    assert found[-1]["status"] == 0  # fewer calls than n: the fault never came
    for each in found[:-1]:
        if each["status"] == 0:
            assert each["recorded"] == 6
        else:
            assert each["status"] == 1
            assert "\n" not in each["error"]
            assert "store.db" in each["error"]
    failed = [each for each in found if each["status"] == 1]
    assert len(failed) > 0.7 * len(found)
    if number == errno.ENOSPC:
        full = [each for each in failed if "the disk is full" in each["error"]]
        assert len(full) > len(failed) / 3
    if mode == "once":  # its lock can be removed, so it is, unless that is what failed
        kept = [each for each in failed if each["left"] and "store.db.lock" in each["left"]]
        assert len(kept) <= 1


def test_dying_at_any_call_loses_nothing(sessions, undisturbed):
    found = sessions("kill", 0, EVERY)
    assert_whole(found, undisturbed)
    assert {each["status"] for each in found[:-1]} == {-signal.SIGKILL}
    counts = [each["recorded"] for each in found]
    assert counts == sorted(counts)
    assert set(counts) == set(range(7))


def test_a_file_system_without_shared_memory_gets_the_older_journal(sessions, undisturbed):
    (found,) = sessions("no shared memory", errno.ENODEV, EVERY)
    assert_whole([found], undisturbed)
    assert found["status"] == 0
    assert found["journal"] == "delete"
    assert found["left"] == ["store.db"]


DRIVER = """
import sys
from distsearch.sweep.store import Store
from sweep.store.examples import RUN, make_result, make_study
study = make_study(10_000)
with Store.drive(sys.argv[1], study=study, run=RUN) as store:
    there = store.finished().keys() | store.failed()
    print("open", flush=True)
    for number, unit in enumerate(study.units):
        if unit.hash not in there:
            store.record(make_result(number))
            print(unit.hash, flush=True)
"""


def test_killed_at_random_it_keeps_what_it_said_it_kept(tmp_path):
    path = tmp_path / "store.db"
    said = set()
    delays = random.Random(0)
    for _ in range(4):
        with subprocess.Popen(
            [sys.executable, "-c", DRIVER, path],
            env=os.environ | {"PYTHONPATH": PATHS},
            stdout=subprocess.PIPE,
            text=True,
        ) as driver:
            assert driver.stdout.readline() == "open\n"
            time.sleep(delays.uniform(0.0, 0.1))
            driver.kill()
            lines = driver.stdout.read().split("\n")
        said.update(lines[:-1])  # the last may be cut
        with StoreReader(path) as reader:
            assert reader.driver() is None
            results = reader.results(reader.study())
        assert said <= set(results.hash[results.state != "pending"])
    assert said
    with Store.drive(path, study=make_study(10_000), run=RUN) as store:
        assert said <= store.finished().keys() | store.failed()
        store.record(make_result(9_999))
    assert rows(path, "PRAGMA integrity_check") == [("ok",)]
    outcomes = [outcome for (outcome,) in rows(path, "SELECT outcome FROM runs ORDER BY id")]
    assert outcomes == ["lost"] * 4 + ["finished"]
    assert hash_of(9_999) in {row[0] for row in rows(path, "SELECT hash FROM units")}
