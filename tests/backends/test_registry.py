"""The one door."""

import os
import pickle
import subprocess
import sys

import psutil
import pytest
import skops.io

from distsearch.backends import (
    ProcessesBackend,
    RayBackend,
    SerialBackend,
    Unit,
    get_backend,
    open_backend,
)
from distsearch.backends._registry import restore_backend
from distsearch.errors import BackendError, InvalidInputError, ResourceError, UnknownNameError

CORES = len(os.sched_getaffinity(0))


def test_names():
    assert type(get_backend()) is SerialBackend
    assert type(get_backend("serial")) is SerialBackend
    with get_backend("processes:2") as backend:
        assert (type(backend), backend.name, backend.workers) == (ProcessesBackend, "processes", 2)
    with get_backend("processes") as every, get_backend("processes:-1") as core:
        assert every.workers == core.workers <= CORES


@pytest.mark.parametrize(
    ("wrong", "hint"),
    [("proceses", "'processes'"), ("Ray", "'ray'"), ("serial:2", "'serial'"), ("dask", "HOST")],
)
def test_an_unknown_name_is_told_the_known_ones(wrong, hint):
    with pytest.raises(UnknownNameError, match="'processes:8'") as caught:
        get_backend(wrong)
    assert hint in str(caught.value)
    assert repr(wrong) in str(caught.value)


@pytest.mark.parametrize("wrong", [None, 3, object()])
def test_what_is_no_backend_is_refused(wrong):
    with pytest.raises(UnknownNameError, match="backend must be"):
        get_backend(wrong)


@pytest.mark.parametrize("wrong", [SerialBackend, ProcessesBackend])
def test_a_class_is_refused(wrong):
    with pytest.raises(UnknownNameError, match=rf"Got {wrong.__name__} instead of .*\(\)"):
        get_backend(wrong)


@pytest.mark.parametrize("wrong", [0, 2.5, "2", None, True])
def test_workers_that_are_no_number_are_refused(wrong):
    with pytest.raises(InvalidInputError, match=f"whole number.* Got {wrong!r} instead"):
        ProcessesBackend(wrong)


@pytest.mark.parametrize("wrong", [0, -1, 0.5, "2", None, True])
def test_cpus_that_are_no_number_are_refused(wrong):
    with pytest.raises(InvalidInputError, match=f"^num_cpus.* Got {wrong!r} instead"):
        RayBackend(num_cpus_per_task=wrong)


def test_a_pickle_of_a_larger_machine_can_be_loaded():
    assert restore_backend("processes", {"workers": 1000 * CORES}).workers == 4 * CORES
    restored = restore_backend("ray", {"address": None, "workers": 1000 * CORES})
    assert restored.limit == 4 * CORES


def test_a_pickle_is_loaded_without_its_cluster():
    backend = RayBackend("127.0.0.1:9", num_cpus_per_task=2)
    restored = pickle.loads(pickle.dumps(backend))
    assert (restored.address, restored.limit) == ("127.0.0.1:9", None)
    assert restored.num_cpus_per_task == 2


def test_a_serialiser_that_does_not_pickle():
    data = skops.io.dumps(ProcessesBackend(2))
    restored = skops.io.loads(data, trusted=["distsearch.backends.processes.ProcessesBackend"])
    with restored:
        assert restored.workers == 2
        outcomes = restored.run(lambda unit, _: unit.payload**2, [Unit(3)])
        assert [outcome.unwrap() for outcome in outcomes] == [9]


@pytest.mark.parametrize("wrong", ["processes:0", "processes:-2", "processes:two"])
def test_a_number_that_makes_no_sense_is_refused(wrong):
    with pytest.raises(InvalidInputError, match="number"):
        get_backend(wrong)


@pytest.mark.parametrize("name", ["processes", pytest.param("ray", marks=pytest.mark.ray)])
def test_more_than_the_machine_bears_is_refused_with_both_numbers(name):
    asked = 4 * CORES + 1
    with pytest.raises(ResourceError, match=rf"^{asked} workers .* has \d+ cores"):
        get_backend(f"{name}:{asked}")


def test_a_backend_is_closed_by_who_opened_it():
    before = set(psutil.Process().children())
    with open_backend("processes:2") as backend:
        list(backend.run(lambda unit, _: unit.payload, [Unit(1), Unit(2)]))
        assert set(psutil.Process().children()) > before
    assert set(psutil.Process().children()) == before
    with ProcessesBackend(1) as mine:
        with open_backend(mine) as same:
            assert same is mine
            list(same.run(lambda unit, _: unit.payload, [Unit(1)]))
        assert set(psutil.Process().children()) > before


def python(code, **environment):
    return subprocess.run(
        [sys.executable, "-W", "error", "-c", code],
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path), **environment},
        capture_output=True,
        text=True,
        timeout=120,
    )


def test_importing_loads_nothing_heavy():
    heavy = "{'ray', 'sklearn', 'scipy', 'pandas', 'matplotlib', 'pytest'}"
    done = python(
        f"import sys, distsearch.backends.contract; print(sorted({heavy} & set(sys.modules)))"
    )
    assert (done.stdout, done.stderr) == ("[]\n", "")


@pytest.mark.ray
@pytest.mark.parametrize("how", ["get_backend('ray:127.0.0.1:9')", "get_backend('ray').start()"])
def test_an_address_without_a_ray_is_told_in_a_sentence(how):
    code = f"""
from distsearch.backends import get_backend
from distsearch.errors import BackendError
try:
    {how}
except BackendError as error:
    print(error)
"""
    done = python(code, RAY_ADDRESS="127.0.0.1:9")
    assert done.stdout.startswith("There is no Ray to join at '127.0.0.1:9': ")
    assert done.stderr == ""


def test_backend_errors_are_runtime_errors():
    assert issubclass(BackendError, RuntimeError)
