"""What is left behind when a driver is interrupted or killed: nothing."""

import os
import shutil
import signal
import subprocess
import sys
import tempfile
import textwrap
import time
from pathlib import Path

import psutil
import pytest

import distsearch.backends

DRIVER = """
import sys, time
from distsearch.backends import Unit, get_backend

def nap(unit, shared):
    time.sleep(unit.payload)
    return unit.payload

with get_backend(sys.argv[1]) as backend, backend.share([0.0] * 10) as shared:
    for outcome in backend.run(nap, [Unit(0)] * 4 + [Unit(600)] * 6, shared):
        print("one", flush=True)
"""

SPECS = ["processes:2", pytest.param("ray:2", marks=pytest.mark.ray)]


@pytest.fixture
def driver(request, tmp_path):
    """A driver in the middle of a run, and the processes that it has started."""
    script = tmp_path / "driver.py"
    script.write_text(textwrap.dedent(DRIVER))
    root = Path(distsearch.backends.__file__).parents[2]
    # A killed driver cannot remove its Ray's folder. Its path must be short for Ray's sockets.
    folder = tempfile.mkdtemp(prefix="t-", dir="/tmp")
    environment = {**os.environ, "PYTHONPATH": str(root), "TMPDIR": folder}
    with subprocess.Popen(
        [sys.executable, str(script), request.param],
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        for _ in range(4):
            assert process.stdout.readline() == "one\n"
        time.sleep(0.5)
        started = psutil.Process(process.pid).children(recursive=True)
        assert len(started) >= 2
        yield process, started
        process.kill()
        for child in started:
            if child.is_running():
                child.kill()
    shutil.rmtree(folder, ignore_errors=True)


def runs(process):
    # What nobody has collected yet is a zombie, and done for.
    try:
        return process.status() != psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return False


def left_over(started, seconds):
    end = time.monotonic() + seconds
    while (alive := [process for process in started if runs(process)]) and time.monotonic() < end:
        time.sleep(0.1)
    return alive


@pytest.mark.parametrize("driver", SPECS, indirect=True)
def test_an_interrupt_ends_everything(driver):
    process, started = driver
    process.send_signal(signal.SIGINT)
    _, errors = process.communicate(timeout=60)
    assert process.returncode != 0
    assert errors.rstrip().endswith("KeyboardInterrupt")
    assert "resource_tracker" not in errors
    assert left_over(started, 10) == []


@pytest.mark.parametrize("driver", ["processes:2"], indirect=True)
def test_an_interrupt_of_the_whole_group(driver):
    """A terminal sends it to workers too, and they leave it to the driver."""
    process, started = driver
    for child in started:
        child.send_signal(signal.SIGINT)
    time.sleep(0.3)
    assert all(child.is_running() for child in started)
    process.send_signal(signal.SIGINT)
    _, errors = process.communicate(timeout=60)
    assert errors.count("Traceback") == 1
    assert left_over(started, 10) == []


@pytest.mark.parametrize("driver", ["processes:2"], indirect=True)
def test_workers_follow_a_killed_driver(driver):
    process, started = driver
    process.kill()
    process.communicate(timeout=60)
    assert left_over(started, 10) == []


@pytest.mark.ray
@pytest.mark.parametrize("driver", ["ray:2"], indirect=True)
def test_ray_workers_follow_a_killed_driver(driver):
    process, started = driver
    # Ray's own agents linger for a minute, those who could still work do not.
    workers = [child for child in started if "ray::_run_task" in " ".join(child.cmdline())]
    assert len(workers) == 2
    process.kill()
    process.communicate(timeout=60)
    assert left_over(workers, 20) == []
