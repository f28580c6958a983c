"""What only the Ray backend does: finding a Ray, starting one, leaving nothing of it."""

import json
import os
import socket
import subprocess
import sys
import time

import pytest

from distsearch.backends import RayBackend, Unit, get_backend
from distsearch.errors import BackendError, ResourceError

pytestmark = pytest.mark.ray

PRIVATE = """
import json, os, psutil, sys, tempfile
from pathlib import Path
from distsearch.backends import Unit, get_backend

before = dict(os.environ)
me = psutil.Process()
facts = {}
with get_backend("ray:2") as backend:
    facts["workers"] = backend.workers
    facts["environment"] = dict(os.environ) == before
    variables = ["OMP_NUM_THREADS", "RAY_AUTH_TOKEN"]
    (outcome,) = backend.run(lambda unit, _: [os.environ.get(n) for n in variables], [Unit(0)])
    facts["threads"], token = outcome.unwrap()
    facts["token"] = len(token)
    started = me.children(recursive=True)
    facts["heard"] = sorted({
        connection.laddr.ip.removeprefix("::ffff:")
        for process in [me, *started]
        for connection in process.net_connections("tcp")
        if connection.status == psutil.CONN_LISTEN
    })
facts["left"] = [process.name() for process in psutil.wait_procs(started, 10)[1]]
facts["files"] = [path.name for path in Path(tempfile.gettempdir()).iterdir()]
facts["home"] = [path.name for path in Path.home().iterdir()]
print(json.dumps(facts))
"""

JOIN = """
import os, sys
from distsearch.backends import Unit, get_backend

with get_backend(sys.argv[1]) as backend, backend.share({"n": 10}) as shared:
    units = [Unit(n) for n in range(3)]
    print(sorted(outcome.unwrap() for outcome in backend.run(
        lambda unit, shared: unit.payload + shared["n"], units, shared)), backend.workers)
"""


def python(code, *arguments, **environment):
    variables = {name: value for name, value in os.environ.items() if not name.startswith("RAY_")}
    return subprocess.run(
        [sys.executable, "-W", "error", "-c", code, *arguments],
        env={**variables, "PYTHONPATH": os.pathsep.join(sys.path), **environment},
        capture_output=True,
        text=True,
        timeout=120,
    )


def test_a_private_ray_leaves_nothing(tmp_path_factory):
    import tempfile

    with tempfile.TemporaryDirectory(dir="/tmp") as folder:
        home = tmp_path_factory.mktemp("home")
        done = python(PRIVATE, TMPDIR=folder, HOME=str(home))
    assert done.stderr == ""
    assert json.loads(done.stdout) == {
        "workers": 2,
        "environment": True,
        "threads": "1",
        "token": 64,
        "heard": ["127.0.0.1"],
        "left": [],
        "files": [],
        "home": [],
    }


@pytest.mark.parametrize("by_variable", [True, False])
def test_a_running_ray_is_joined_and_left_running(own_ray, by_variable):
    import ray

    from distsearch.backends._environment import private_token

    address = ray.get_runtime_context().gcs_address
    # The last one has Ray look at the loopback interface, where the other Ray is.
    variables = {
        "RAY_AUTH_MODE": "token",
        "RAY_AUTH_TOKEN": private_token(),
        "RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER": "0",
    }
    if by_variable:
        done = python(JOIN, "ray", RAY_ADDRESS=address, **variables)
    else:
        done = python(JOIN, f"ray:{address}", **variables)
    assert (done.stdout, done.stderr) == ("[10, 11, 12] 4\n", "")
    assert [o.value for o in own_ray.run(lambda unit, _: unit.payload, [Unit(5)])] == [5]


def test_what_listens_but_is_no_ray_is_told():
    with socket.create_server(("", 0)) as other:
        port = other.getsockname()[1]
        start = time.monotonic()
        done = python(JOIN, f"ray:127.0.0.1:{port}")
    assert time.monotonic() - start < 60
    assert done.returncode == 1
    assert "does not answer as a Ray does" in done.stderr.splitlines()[-1]
    assert done.stderr.count("Traceback") == 1


RAYS = """
import sys, ray
from distsearch.backends import RayBackend, Unit
from distsearch.errors import BackendError

def theirs():
    ray.init("local", num_cpus=1, include_dashboard=False, logging_level=40, log_to_driver=False)

def ours(backend):
    with backend:
        print([outcome.unwrap() for outcome in backend.run(lambda unit, _: 7, [Unit(0)])])

said = ray._private.worker.print_to_stdstream
try:
    RayBackend("127.0.0.1:9").start()
except BackendError:
    print("no Ray there")
assert ray._private.worker.print_to_stdstream is said
theirs()
ours(RayBackend())
print(ray.is_initialized())
ray.shutdown()
ours(RayBackend(workers=1))
theirs()
print(ray.get(ray.remote(lambda: 8).remote()))
ray.shutdown()
"""


def test_rays_of_the_user_and_ours_in_turn(tmp_path):
    done = python(RAYS, HOME=str(tmp_path))
    assert (done.stdout, done.stderr[-500:]) == ("no Ray there\n[7]\nTrue\n[7]\n8\n", "")


AUTO = """
import ray
from distsearch.backends import get_backend
from distsearch.errors import BackendError

ray._private.services.get_ray_address_from_environment = lambda *_: "127.0.0.1:9"
try:
    get_backend("ray").start()
except BackendError as error:
    print(error)
"""


def test_a_last_ray_that_is_gone_is_told_within_seconds():
    start = time.monotonic()
    done = python(AUTO, RAY_ADDRESS="auto")
    assert done.stdout.startswith("There is no Ray to join at 'auto': ")
    assert done.stderr == ""
    assert time.monotonic() - start < 30


CLOSED = """
import threading, time, ray
from distsearch.backends import RayBackend, Unit
from distsearch.errors import BackendError

backend = RayBackend(workers=1).start()
threading.Timer(1, backend.close).start()
try:
    list(backend.run(lambda unit, _: time.sleep(0.1), [Unit(0)] * 600))
except BackendError as error:
    print(error)
"""


def test_closing_from_another_thread_is_told_to_the_run():
    done = python(CLOSED)
    assert done.stdout == "The backend was closed while units were running.\n"
    assert (done.stderr, done.returncode) == ("", 0)


def test_a_ray_of_this_process_is_used_and_left_running(own_ray):
    import ray

    with get_backend("ray") as backend:
        assert backend.workers == 4
    with get_backend("ray:3") as backend:
        assert backend.workers == 3
    assert ray.is_initialized()


def test_a_second_address_is_refused(own_ray):
    with pytest.raises(BackendError, match=r"cannot join the one at '127\.0\.0\.1:9'"):
        get_backend("ray:127.0.0.1:9")


def test_more_cpus_than_a_node_has_is_refused_with_both_numbers(own_ray):
    backend = RayBackend(num_cpus_per_task=8)
    for use in (backend.start, lambda: backend.share(1), lambda: backend.workers):
        with pytest.raises(ResourceError, match=r"asks for 8 CPUs.* has 4"):
            use()
    assert RayBackend(num_cpus_per_task=2).workers == 2


def test_no_more_tasks_at_a_time_than_asked_for(own_ray, tmp_path):
    def alone(unit, _):
        import time
        from pathlib import Path

        mark = Path(unit.payload)
        mark.touch(exist_ok=False)
        time.sleep(0.05)
        mark.unlink()

    with RayBackend(workers=1) as backend:
        outcomes = list(backend.run(alone, [Unit(str(tmp_path / "mark"))] * 8))
    assert [outcome.failure for outcome in outcomes] == [None] * 8


def test_data_goes_into_the_object_store_once(own_ray):
    import numpy as np

    with own_ray.share({"x": np.arange(4.0)}) as shared:
        ref = shared.ref
        for _ in range(2):
            outcomes = own_ray.run(lambda unit, data: data["x"].sum(), [Unit(0)], shared)
            assert [outcome.unwrap() for outcome in outcomes] == [6.0]
        assert shared.ref is ref
    with pytest.raises(BackendError, match="closed"):
        _ = shared.ref
