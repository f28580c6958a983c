"""What is said about a cluster, from answers that nodes might give."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any
from zipfile import ZipFile

import pytest

from distsearch.backends._machine import MachineFacts
from distsearch.backends.ray import JobEnd, Node
from distsearch.cli import _examining_cluster
from distsearch.cli._diagnosis import compare_versions, diagnose

STORE = "/data/s.sqlite"
GIB = 2**30

Run = Callable[..., Any]


def facts(**changes: Any) -> MachineFacts:
    versions = {"python": "3.11.7", "distsearch": "1.0", "numpy": "2.1.0", "ray": "2.60.0"}
    return {
        "versions": {**versions, **changes.pop("versions", {})}, "content": "abc", "error": "",
        "memory": 3 * GIB, "disk": 20 * GIB, "shared_memory": 2 * GIB,
        "store": {"error": "", "file_system": "ext4"}, **changes,
    }  # fmt: skip


HEAD = Node("10.0.0.1", head=True, cpus=4.0, facts=facts(), ahead=0.0, within=0.001)
WORKER = replace(HEAD, name="10.0.0.2", head=False, cpus=8.0)


def worker(**changes: Any) -> Node:
    return replace(WORKER, facts=facts(**changes))


def told(*nodes: Node, store: str | None = STORE) -> list[str]:
    return [str(each) for each in diagnose(nodes, facts(), store)]


def test_nothing_is_said_of_nodes_that_are_well() -> None:
    assert told(HEAD, WORKER) == []


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        (
            {"versions": {"numpy": "2.0.2"}},
            "Error: 10.0.0.2: numpy is 2.0.2, and 2.1.0 on the driver.",
        ),
        ({"versions": {"python": "3.11.6"}}, "Error: 10.0.0.2: python is 3.11.6, and 3.11.7 on"),
        ({"versions": {"numpy": None}}, "Error: 10.0.0.2: numpy is missing, and 2.1.0 on the"),
        ({"versions": {"distsearch": "0.9"}, "content": "x"}, "Error: 10.0.0.2: distsearch is 0.9"),
        ({"content": "x"}, "Error: 10.0.0.2: distsearch has the driver's version and other code."),
        (
            {"versions": {"distsearch": None}, "content": "", "error": "there is no package"},
            "Error: 10.0.0.2: distsearch cannot be used: there is no package. Install it",
        ),
        ({"memory": GIB - 1}, "Warning: 10.0.0.2: less than 1 GiB are free in memory."),
        ({"disk": 0}, "Warning: 10.0.0.2: less than 1 GiB are free in the folder of temporary"),
        ({"shared_memory": GIB // 5}, "Warning: 10.0.0.2: less than 0.25 GiB are free in /dev/shm"),
        (
            {"store": {"error": "there is no folder /data", "file_system": "nfs4"}},
            "Note: 10.0.0.2: /data/s.sqlite cannot be written: there is no folder /data. This",
        ),
    ],
)  # fmt: skip
def test_what_a_node_lacks(changes: dict[str, Any], expected: str) -> None:
    (line,) = told(HEAD, worker(**changes))
    assert line.startswith(expected)


def test_limits_are_not_below_themselves_and_what_is_unknown_is_not_small() -> None:
    limits = {"memory": GIB, "disk": GIB, "shared_memory": GIB // 4}
    assert told(HEAD, worker(**limits), worker(memory=None, shared_memory=None)) == []


@pytest.mark.parametrize(
    ("ahead", "within", "expected"),
    [
        (2.0, 0.1, "Warning: 10.0.0.2: the clock is 2.0 s ahead of the driver's"),
        (-61.0, 0.1, "Warning: 10.0.0.2: the clock is 61.0 s behind the driver's"),
        (0.9, 0.0, None),
        (1.4, 0.5, None),  # it may be no more than 0.9 s
        (None, 0.0, None),
    ],
)
def test_clocks(ahead: float | None, within: float, expected: str | None) -> None:
    lines = told(HEAD, replace(WORKER, ahead=ahead, within=within))
    assert len(lines) == (expected is not None)
    assert not expected or lines[0].startswith(expected)


def test_the_store_has_to_be_writable_on_the_head_and_not_on_a_network_share() -> None:
    wrong = {"error": "there is no folder /data", "file_system": "nfs4"}
    error, warning = told(replace(HEAD, facts=facts(store=wrong)), WORKER)
    assert error.startswith("Error: 10.0.0.1: /data/s.sqlite cannot be written: there is no folder")
    assert warning.startswith("Warning: 10.0.0.1: /data/s.sqlite is on a network file system (nfs4")


def test_the_same_is_said_once_and_the_worst_first() -> None:
    many = [replace(worker(disk=0), name=f"10.0.1.{number}") for number in range(7)]
    gone = replace(WORKER, facts=None, trouble="no answer within 30 seconds")
    error, warning = told(HEAD, *many, gone)
    assert error.startswith("Error: 10.0.0.2: no answer within 30 seconds. See whether it still")
    names = "10.0.1.0, 10.0.1.1, 10.0.1.2, 10.0.1.3, 10.0.1.4 and 2 more"
    assert warning.startswith(f"Warning: {names}: less than")


def test_versions_of_the_machine_that_submits() -> None:
    here = {"python": "3.11.7", "numpy": "2.2.0", "ray": None}
    lines = [str(each) for each in compare_versions(here, facts()["versions"])]
    assert [line.partition(" where this")[0] for line in lines] == [
        "Warning: numpy is 2.1.0 on the cluster, and 2.2.0",
        "Warning: ray is 2.60.0 on the cluster, and missing",
    ]


@pytest.fixture
def cluster(monkeypatch: pytest.MonkeyPatch) -> list[Node]:
    """The nodes that are found, whatever the address."""
    nodes = [HEAD, WORKER]
    monkeypatch.setattr(_examining_cluster, "examine_machine", lambda *_: facts())
    monkeypatch.setattr(_examining_cluster, "examine_nodes", lambda *_: nodes)
    return nodes


def test_a_line_a_node(run: Run, cluster: list[Node]) -> None:
    cluster[1] = replace(WORKER, ahead=-0.256)
    cluster.append(replace(WORKER, name="10.0.0.3", facts=None, trouble="no answer"))
    done = run("doctor", "--address", "10.0.0.1:6379", "--store", STORE)
    lines = [line.split() for line in done.out.splitlines()]
    assert done.code == 1
    assert ["numpy", "2.1.0"] in lines
    assert ["store", STORE, "on", "10.0.0.1,", "ext4"] in lines
    assert ["10.0.0.1", "(head)", "ok", "4", "3.0", "20.0", "2.0", "+0.00"] in lines
    assert ["10.0.0.2", "ok", "8", "3.0", "20.0", "2.0", "-0.26"] in lines
    assert ["10.0.0.3", "error", "8"] in lines
    assert done.out.splitlines()[-1] == "Not fit for a study as they are: 1 of 3 nodes."


def test_warnings_are_no_failure(run: Run, cluster: list[Node]) -> None:
    cluster[1] = worker(disk=0)
    done = run("doctor", "--address", "auto", "--submitted-from", '{"numpy": "2.2.0"}')
    assert done.code == 0
    assert "Warning: 10.0.0.2: less than 1 GiB" in done.out
    assert "Warning: numpy is 2.1.0 on the cluster, and 2.2.0 where" in done.out
    assert done.out.splitlines()[-1] == "A study can run on 2 nodes with 12 CPUs."


@pytest.mark.parametrize(
    ("args", "line"),
    [
        (["--store", "/s.sqlite"], "Error: --store needs --address."),
        (["--address", "h:1", "--skip-ray"], "Error: --backend and --skip-ray have no meaning"),
        (["--address", "h:1", "--backend", "ray"], "Error: --backend and --skip-ray have no"),
        (["--address", "ray://h:1"], "Error: --address must be HOST:PORT of a Ray cluster"),
        (["--address", "host"], "Error: --address must be HOST:PORT of a Ray cluster"),
        (["--address", "h:1", "--store", "s.sqlite"], "Error: --store s.sqlite must be an absolut"),
    ],
)
def test_mistakes(run: Run, args: list[str], line: str) -> None:
    done = run("doctor", *args)
    assert done.code == 2
    assert done.error.startswith(line)


class Server:
    """A job server that notes what it gets."""

    end = JobEnd("SUCCEEDED", 0, "")
    writes = "a table\n"
    got: dict[str, Any]

    def __init__(self, address: str) -> None:
        self.got["address"] = address

    def submit(self, package: Path, entrypoint: str, *, job: str) -> None:
        with ZipFile(package) as archive:
            self.got["names"] = archive.namelist()
        self.got["entrypoint"] = entrypoint

    def follow(self, job: str, write: Callable[[str], None]) -> JobEnd:
        write(self.writes)
        return self.end


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> type[Server]:
    monkeypatch.setattr(_examining_cluster, "JobServer", Server)
    monkeypatch.setattr(Server, "got", {}, raising=False)
    return Server


def test_from_outside_it_goes_as_a_job(run: Run, server: type[Server]) -> None:
    import shlex

    done = run("doctor", "--address", "http://h:8265", "--store", "/of results/s.sqlite")
    assert (done.code, done.out, done.err) == (0, "a table\n", "")
    *command, sender, store = shlex.split(server.got["entrypoint"])
    assert command == ["python", "-u", "-m", "distsearch.cli", "doctor", "--address=auto"]
    assert store == "--store=/of results/s.sqlite"
    versions = json.loads(sender.removeprefix("--submitted-from="))
    assert versions.keys() == {
        "python", "distsearch", "numpy", "scipy", "scikit-learn", "pandas", "ray",
    }  # fmt: skip
    assert {name.partition("/")[0] for name in server.got["names"]} == {"distsearch"}


@pytest.mark.parametrize(
    ("writes", "error"), [("a table\n", ""), ("", "Error: the job distsearch-doctor-")]
)
def test_its_exit_code_is_that_of_the_job(
    run: Run, server: type[Server], monkeypatch: pytest.MonkeyPatch, writes: str, error: str
) -> None:
    monkeypatch.setattr(Server, "end", JobEnd("FAILED", 3, "No environment."))
    monkeypatch.setattr(Server, "writes", writes)
    done = run("doctor", "--address", "http://h:8265")
    assert (done.code, done.out) == (3, writes)
    assert done.err.startswith(error)
    assert done.err.endswith("did not run. No environment.\n" if error else "")
