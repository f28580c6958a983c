"""Following a job, with a stand-in for Ray's client; tests/jobs has the real one."""

from __future__ import annotations

import asyncio
import logging
import os
import signal
import sys
import threading
from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from distsearch.backends.ray import JobEnd, JobServer, _jobs
from distsearch.errors import BackendError, InvalidInputError, MissingExtraError

ADDRESS = "http://cluster:8265"


@dataclass
class Info:
    status: str
    driver_exit_code: int | None = None
    message: str | None = None


@dataclass
class Client:
    """Ray's client, as far as a job is followed.

    Each connection gives so many pieces of the log and breaks; the last one gives them all.
    """

    log: Sequence[str]
    end: Info
    breaks: list[int] = field(default_factory=list)
    silent: bool = False
    failures: int = 0
    submitted: list[dict[str, Any]] = field(default_factory=list)

    async def tail_job_logs(self, job: str) -> AsyncIterator[str]:
        assert job == "one"
        length = self.breaks[0] if self.breaks else len(self.log)
        for piece in self.log[:length]:
            yield piece
        if self.breaks:
            raise ConnectionError("broken")
        if self.silent:
            await asyncio.sleep(100)

    def get_job_info(self, job: str) -> Info:
        if self.failures:
            self.failures -= 1
            raise ConnectionError("no answer\nand more")
        if self.breaks:
            self.breaks.pop(0)
            return Info("RUNNING")
        return self.end

    def get_job_logs(self, job: str) -> str:
        if self.breaks:
            raise RuntimeError("not yet")
        return "".join(self.log)

    def submit_job(self, **kwargs: Any) -> None:
        self.submitted.append(kwargs)


@pytest.fixture(autouse=True)
def _no_pauses(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_jobs, "_PAUSE_SECONDS", 0.0)


def server(client: Client) -> JobServer:
    made = JobServer.__new__(JobServer)
    made.address, made._client = ADDRESS, client
    return made


def follow(client: Client) -> tuple[JobEnd, str]:
    shown: list[str] = []
    end = server(client).follow("one", shown.append)
    return end, "".join(shown)


@given(
    log=st.lists(st.text(max_size=4), max_size=6),
    breaks=st.lists(st.integers(0, 6), max_size=4),
    failures=st.integers(0, 2),
)
def test_all_of_the_log_is_shown_once_whatever_breaks(
    log: list[str], breaks: list[int], failures: int
) -> None:
    before = _jobs._PAUSE_SECONDS
    end, shown = follow(Client(log, Info("SUCCEEDED", 0), list(breaks), failures=failures))
    assert before == 0
    assert shown == "".join(log)
    assert end == JobEnd("SUCCEEDED", 0, "")


def test_a_silent_connection_is_left_to_ask_how_the_job_is(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(_jobs, "_SILENCE_SECONDS", 0.05)
    assert follow(Client(["a\n"], Info("SUCCEEDED", 0), silent=True))[1] == "a\n"


@pytest.mark.parametrize(
    ("info", "code"),
    [
        (Info("SUCCEEDED", 0), 0),
        (Info("FAILED", 1), 1),
        (Info("FAILED", 2), 2),
        (Info("FAILED", 137), 137),
        (Info("FAILED", -9), 137),
        (Info("FAILED", None), 1),
        (Info("STOPPED", None), 1),
        (Info("STOPPED", -15), 1),
    ],
)
def test_exit_codes(info: Info, code: int) -> None:
    end, _ = follow(Client([], info))
    assert (end.status, end.exit_code) == (info.status, code)


def test_messages_are_one_line_without_the_log_and_the_traceback() -> None:
    log = "Command failed with exit code 3, last available logs (of 20,000 chars):\nx\ny"
    assert follow(Client([], Info("FAILED", 3, log)))[0].message == (
        "Command failed with exit code 3."
    )
    deep = "No environment:\nTraceback:\n  File x\n\nOSError: no space\n"
    assert follow(Client([], Info("FAILED", None, deep)))[0].message == (
        "No environment: ... OSError: no space."
    )


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_ends_the_following(number: signal.Signals) -> None:
    def stop(*args: object) -> None:
        raise KeyboardInterrupt

    shown: list[str] = []
    before = signal.getsignal(number)
    if number != signal.SIGINT:  # which asyncio sees to, if its handler is the usual one
        signal.signal(number, stop)
    timer = threading.Timer(0.3, os.kill, (os.getpid(), number))
    timer.start()
    try:
        with pytest.raises(KeyboardInterrupt):
            server(Client(["a"], Info("RUNNING"), silent=True)).follow("one", shown.append)
    finally:
        timer.join()
        signal.signal(number, before)
    assert shown == ["a"]
    assert logging.root.manager.disable == logging.NOTSET


def test_an_error_of_the_reader_ends_it() -> None:
    def refuse(text: str) -> None:
        raise BrokenPipeError

    with pytest.raises(BrokenPipeError):
        server(Client(["a"], Info("SUCCEEDED", 0))).follow("one", refuse)


def test_a_server_that_stays_away_ends_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_jobs, "_LOST_SECONDS", 0.0)
    client = Client([], Info("SUCCEEDED", 0), failures=10**6)
    with pytest.raises(BackendError, match=r"^http://cluster:8265 tells nothing.*: no answer\.$"):
        follow(client)


def test_submitting(tmp_path: Path) -> None:
    client = Client([], Info("SUCCEEDED", 0))
    server(client).submit(tmp_path / "x.zip", "run it", job="one", metadata={"study": "s"})
    assert client.submitted == [
        {
            "entrypoint": "run it",
            "runtime_env": {"working_dir": str(tmp_path / "x.zip")},
            "metadata": {"study": "s"},
            "submission_id": "one",
        }
    ]


@pytest.mark.parametrize(
    ("error", "kind", "message"),
    [
        (
            RuntimeError("status code 400: Traceback\n ...\nValueError: one already exists."),
            InvalidInputError,
            "http://cluster:8265 has a job 'one' already.",
        ),
        (
            RuntimeError("status code 500: Traceback\n ...\nOSError: disk full.\n"),
            BackendError,
            "http://cluster:8265 did not take the job: OSError: disk full.",
        ),
    ],
)
def test_a_refusal_is_one_line(
    monkeypatch: pytest.MonkeyPatch, error: Exception, kind: type[Exception], message: str
) -> None:
    def refuse(self: Client, **kwargs: Any) -> None:
        raise error

    monkeypatch.setattr(Client, "submit_job", refuse)
    with pytest.raises(kind) as caught:
        server(Client([], Info("FAILED"))).submit("x.zip", "run", job="one")
    assert str(caught.value).startswith(message)
    assert "\n" not in str(caught.value)


def test_a_ray_without_its_job_server(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "ray.job_submission", None)
    with pytest.raises(MissingExtraError, match=r"pip install 'distsearch\[cluster\]'"):
        JobServer(ADDRESS)


@pytest.mark.parametrize(
    ("said", "shown"),
    [
        (
            "Authentication required: Unauthorized: Missing authentication token\n\nEnsure that.",
            "Authentication required: Unauthorized: Missing authentication token",
        ),
        (
            "Ray couldn't find an authentication token. Create a token file at ~/.ray. Or not..",
            "Ray couldn't find an authentication token",
        ),
    ],
)
def test_how_to_give_a_token_is_said_once(
    monkeypatch: pytest.MonkeyPatch, said: str, shown: str
) -> None:
    """With what Ray 2.60 says without a token, where its mode is not set and where it is."""

    def refuse(address: str) -> None:
        raise RuntimeError(said)

    monkeypatch.setattr("ray.job_submission.JobSubmissionClient", refuse)
    with pytest.raises(BackendError) as caught:
        JobServer(ADDRESS)
    assert str(caught.value) == (
        f"There is no Ray job server to use at {ADDRESS}: {shown}. Check the address, the network "
        f"and, if it asks for one, the token (RAY_AUTH_MODE=token, RAY_AUTH_TOKEN)."
    )
