from __future__ import annotations

import shlex
import socket
from collections.abc import Callable, Iterator
from importlib.metadata import version
from pathlib import Path
from typing import Any
from zipfile import ZipFile

import pytest

from distsearch._wording import bytes_text
from distsearch.backends.ray import JobEnd, _jobs
from distsearch.cli import _submitting
from distsearch.sweep import make_bundle

URL = "http://cluster:8265"

STUDY = """
[[data]]
source = "flowers.csv"
target = "species"
ignore = ["id"]

[[estimators]]
name = "nb"
"""

Run = Callable[..., Any]


@pytest.fixture
def study(tmp_path: Path, flowers: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "flowers.csv").write_bytes(flowers.read_bytes())
    (tmp_path / "toy.toml").write_text(STUDY)
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("RAY_API_SERVER_ADDRESS", raising=False)
    return tmp_path / "toy.toml"


class Server:
    """A job server that notes what it gets, and whose jobs end as they were told to."""

    end = JobEnd("SUCCEEDED", 0, "")
    made: list[Server]
    ray_version = version("ray")

    def __init__(self, address: str) -> None:
        self.address = address
        self.made.append(self)

    def submit(self, package: Path, entrypoint: str, **more: Any) -> None:
        self.size = package.stat().st_size
        with ZipFile(package) as archive:
            self.contents = {name: archive.read(name) for name in archive.namelist()}
        self.entrypoint, self.more = shlex.split(entrypoint), more

    def follow(self, job: str, write: Callable[[str], None]) -> JobEnd:
        assert job == self.more["job"]
        write("half a ")
        write("line\n")
        if self.end.status == "interrupted":
            raise KeyboardInterrupt
        return self.end


@pytest.fixture
def servers(monkeypatch: pytest.MonkeyPatch) -> list[Server]:
    monkeypatch.setattr(_submitting, "JobServer", Server)
    monkeypatch.setattr(Server, "made", [], raising=False)
    return Server.made


def submit(run: Run, study: Path, *args: str, store: str = "/s/toy.sqlite") -> Any:
    return run("submit", study, "--address", URL, "--store", store, *args)


def test_what_is_sent(run: Run, study: Path, servers: list[Server]) -> None:
    done = submit(
        run, study, "--only", "data=fl*", "--fail-fast", "--retry-failed", "--name", "my.job",
        "--backend", "processes:2", store="/s/of results/toy.sqlite",
    )  # fmt: skip
    assert done.code == 0
    (server,) = servers
    assert server.address == URL
    size = bytes_text(server.size)
    assert done.err == f"Note: sending {size}: the study, 1 file that it names and distsearch.\n"
    assert server.entrypoint == [
        "python", "-u", "-m", "distsearch.cli", "sweep", "study-files/0/toy.toml",
        "--relocated=relocated.json", "--store=/s/of results/toy.sqlite", "--backend=processes:2",
        "--only=data=fl*", "--fail-fast", "--retry-failed",
    ]  # fmt: skip
    assert server.more == {"job": "my.job", "metadata": {"study": "toy"}}
    assert server.contents["study-files/0/toy.toml"] == study.read_bytes()
    assert server.contents["study-files/1/flowers.csv"] == Path("flowers.csv").read_bytes()
    assert "/s/of results/toy.sqlite" in done.out
    assert f"ray job logs --follow --address {URL} my.job" in done.out
    assert f"ray job stop --address {URL} my.job" in done.out


def test_an_id_is_made_and_the_cluster_does_the_work(
    run: Run, study: Path, servers: list[Server]
) -> None:
    submit(run, study)
    submit(run, study)
    first, second = [server.more["job"] for server in servers]
    assert first != second
    assert first.startswith("distsearch-toy-")
    assert "--backend=ray" in servers[0].entrypoint


def test_following_shows_the_log_and_nothing_else(
    run: Run, study: Path, servers: list[Server]
) -> None:
    done = submit(run, study, "--follow", "--name", "one")
    assert (done.code, done.out) == (0, "half a line\n")
    assert done.error == "Following the job one."


@pytest.mark.parametrize(
    ("end", "code", "line"),
    [
        (JobEnd("FAILED", 3, "It ended with 3."), 3, "Error: the job one failed. It ended with 3."),
        (JobEnd("FAILED", 137, "Killed."), 137, "Error: the job one failed. Killed."),
        (JobEnd("STOPPED", 1, ""), 1, "Error: the job one was stopped; submitted again, it"),
        (JobEnd("interrupted", 0, ""), 130, "Interrupted: the job goes on."),
    ],
)
def test_how_following_ends(
    run: Run,
    study: Path,
    servers: list[Server],
    monkeypatch: pytest.MonkeyPatch,
    end: JobEnd,
    code: int,
    line: str,
) -> None:
    monkeypatch.setattr(Server, "end", end)
    done = submit(run, study, "--follow", "--name", "one")
    assert (done.code, done.out) == (code, "half a line\n")
    *_, last = done.err.splitlines()
    assert last.startswith(line)
    if code == 130:
        assert f"'ray job stop --address {URL} one' stops it." in last


def test_trusted_modules(
    run: Run, study: Path, servers: list[Server], monkeypatch: pytest.MonkeyPatch
) -> None:
    Path("submitted_here.py").write_text(
        "from sklearn.naive_bayes import GaussianNB\nclass Own(GaussianNB): pass\n"
    )
    study.write_text(STUDY.replace('"nb"', '"submitted_here:Own"'))
    monkeypatch.syspath_prepend(Path.cwd())
    done = submit(run, study, "--trust", "submitted_here", "--trust", "scipy")
    assert done.code == 0
    assert "submitted_here.py" in servers[0].contents
    assert servers[0].entrypoint[-2:] == ["--trust=submitted_here", "--trust=scipy"]
    missing, sent = done.err.splitlines()
    assert missing == (
        "Note: not sent, because not in the current folder: 'scipy'. The cluster must have them "
        "installed."
    )
    assert sent.endswith(": the study, 1 file that it names, distsearch and 'submitted_here'.")


def test_what_is_excluded_stays_here(
    run: Run, study: Path, servers: list[Server], monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("own_pkg/__init__.py", "own_pkg/big.csv", "own_pkg/raw/a.py"):
        Path(name).parent.mkdir(parents=True, exist_ok=True)
        Path(name).touch()
    monkeypatch.syspath_prepend(Path.cwd())
    done = submit(
        run, study, "--trust", "own_pkg", "--exclude", "*.csv", "--exclude", "raw/", "--exclude",
        "*.parquet",
    )  # fmt: skip
    assert done.code == 0
    contents = servers[0].contents
    assert [name for name in contents if name.startswith("own_pkg")] == ["own_pkg/__init__.py"]
    assert "study-files/1/flowers.csv" in contents
    assert "distsearch/__init__.py" in contents
    unmatched = "Note: no file of a trusted module is meant by --exclude '*.parquet'."
    assert done.err.splitlines()[0] == unmatched
    assert not any("exclude" in part for part in servers[0].entrypoint)


def test_what_is_too_large_is_refused_before_there_is_a_connection(
    run: Run, study: Path, servers: list[Server], monkeypatch: pytest.MonkeyPatch
) -> None:
    def small(spec: Any, path: Path, **more: Any) -> Any:
        return make_bundle(spec, path, limit=100_000, **more)

    monkeypatch.setattr(_submitting, "make_bundle", small)
    done = submit(run, study)
    assert done.code == 2
    assert done.error.startswith("Error: The study and its files have more than 97.7 KiB when")
    assert servers == []


@pytest.mark.parametrize("other", ["2.59.1", "3.0.0"])
def test_another_ray_on_the_cluster_is_told(
    run: Run, study: Path, servers: list[Server], monkeypatch: pytest.MonkeyPatch, other: str
) -> None:
    monkeypatch.setattr(Server, "ray_version", other)
    done = submit(run, study)
    assert done.code == 0
    here = version("ray")
    assert f"Note: the cluster has Ray {other}, and here is {here}. The job runs with" in done.err


@pytest.mark.parametrize(
    ("args", "store", "line"),
    [
        ((), "toy.sqlite", "Error: --store toy.sqlite must be an absolute path: the job runs"),
        (("--address", "cluster:8265"), "/s.sqlite", "Error: --address must be the URL of a Ray"),
        (("--address", "ray://c:10001"), "/s.sqlite", "Error: --address must be the URL of a Ray"),
        (("--name", "a/b"), "/s.sqlite", "Error: --name must be letters"),
        (("--backend", "ray:c:1"), "/s.sqlite", "Error: --backend must be 'ray', which is the"),
        (("--exclude", "!x"), "/s.sqlite", "Error: --exclude must be a name such"),
        (("--only", "data=x"), "/s.sqlite", "Error: only: no data is called 'x'."),
    ],
)
def test_mistakes_are_told_before_anything_is_sent(
    run: Run, study: Path, servers: list[Server], args: tuple[str, ...], store: str, line: str
) -> None:
    done = submit(run, study, *args, store=store)
    assert done.code == 2
    assert done.error.startswith(line)
    assert servers == []


def test_mistakes_of_the_study_are_told_before_anything_is_sent(
    run: Run, study: Path, servers: list[Server]
) -> None:
    study.write_text(STUDY.replace("species", "spices"))
    done = submit(run, study)
    assert done.code == 2
    first, last = done.err.splitlines()
    assert "'spices'" in first
    assert last.endswith("toy.toml has a mistake; nothing was run.")
    assert servers == []


def test_address_and_store_have_to_be_given(run: Run, study: Path) -> None:
    assert "--address" in run("submit", study, "--store", "/s.sqlite").error
    assert "--store" in run("submit", study, "--address", URL).error


@pytest.fixture
def port() -> Iterator[int]:
    """A port that takes connections and says nothing."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        yield server.getsockname()[1]


def test_nobody_at_the_address(run: Run, study: Path) -> None:
    with socket.socket() as closed:
        closed.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{closed.getsockname()[1]}"
        done = run("submit", study, "--address", url, "--store", "/s.sqlite")
    assert done.code == 1
    assert done.error.startswith(f"Error: There is no Ray job server to use at {url}: ")
    assert "RAY_AUTH_TOKEN" in done.error


def test_nobody_answers(run: Run, study: Path, port: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_jobs, "_CONNECT_SECONDS", 1.0)
    url = f"http://127.0.0.1:{port}"
    done = run("submit", study, "--address", url, "--store", "/s.sqlite")
    assert done.code == 1
    assert f"to use at {url}: no answer within 1 seconds." in done.error
