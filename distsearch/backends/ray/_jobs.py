"""The job server of a Ray cluster: sending it a job, and following what the job writes."""

from __future__ import annotations

import asyncio
import importlib.util
import logging
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import aclosing, contextmanager
from dataclasses import dataclass
from os import PathLike, fspath
from typing import Any

from distsearch.backends._environment import environment
from distsearch.errors import BackendError, InvalidInputError, MissingExtraError

__all__ = ["JobEnd", "JobServer"]

_CONNECT_SECONDS = 25.0
_SILENCE_SECONDS = 30.0
_LOST_SECONDS = 300.0
_PAUSE_SECONDS = 1.0


@dataclass(frozen=True)
class JobEnd:
    """How a job ended.

    Parameters
    ----------
    status : {"SUCCEEDED", "FAILED", "STOPPED"}
        What Ray calls it.
    exit_code : int
        That of the job's command, 128 + n for signal n; 1 where it has none or was stopped.
    message : str
        What Ray says about it, on one line.
    """

    status: str
    exit_code: int
    message: str


class JobServer:
    """Where jobs are submitted.

    Parameters
    ----------
    address : str
        Its address, such as ``http://127.0.0.1:8265``.

    Raises
    ------
    BackendError
        When none answers there within half a minute, or it refuses the token.
    MissingExtraError
        When Ray was installed without what this needs.
    """

    def __init__(self, address: str) -> None:
        self.address = address
        self._client = _connect(address)

    @property
    def ray_version(self) -> str | None:
        """The version of Ray that it belongs to; None where it does not tell."""
        found: str | None = getattr(self._client, "_server_ray_version", None)
        return found

    def submit(
        self,
        package: str | PathLike[str],
        entrypoint: str,
        *,
        job: str,
        metadata: Mapping[str, str] | None = None,
    ) -> None:
        """Submit a job.

        Parameters
        ----------
        package : path-like
            A zip file that is unpacked to the job's working directory.
        entrypoint : str
            Its command, as for a shell.
        job : str
            The id that it is to have.
        metadata : mapping of str to str, optional
            Notes that Ray keeps with the job.

        Raises
        ------
        InvalidInputError
            When the server knows a job of that id.
        BackendError
            When the server does not take the job.
        """
        try:
            with _quiet():
                self._client.submit_job(
                    entrypoint=entrypoint,
                    runtime_env={"working_dir": fspath(package)},
                    metadata=dict(metadata or {}),
                    submission_id=job,
                )
        except Exception as error:
            if "already exists" in str(error):
                raise InvalidInputError(
                    f"{self.address} has a job {job!r} already. Choose another id for this one."
                ) from None
            raise BackendError(
                f"{self.address} did not take the job: {_reason(error, last=True)}."
            ) from None

    def follow(self, job: str, write: Callable[[str], None]) -> JobEnd:
        """Pass on what a job writes, as it comes, until it ends.

        A connection that breaks is made again.

        Parameters
        ----------
        job : str
            The job's id.
        write : callable
            Is given every piece of text once.

        Raises
        ------
        BackendError
            When the server cannot be reached for minutes, or does not know the job.
        """
        with _quiet():
            return _follow(self._client, self.address, job, write)


def _connect(address: str) -> Any:
    try:
        from ray.job_submission import JobSubmissionClient
    except ImportError:
        raise _missing() from None
    if any(importlib.util.find_spec(name) is None for name in ("aiohttp", "requests")):
        raise _missing()
    clients: list[Any] = []
    errors: list[Exception] = []

    def connect() -> None:
        try:
            clients.append(JobSubmissionClient(address))
        except Exception as error:
            errors.append(error)

    # Ray waits for an answer as long as it takes, and prefers this variable to the argument.
    with _quiet(), environment({"RAY_API_SERVER_ADDRESS": address}):
        connecting = threading.Thread(target=connect, daemon=True)
        connecting.start()
        connecting.join(_CONNECT_SECONDS)
    if clients:
        return clients[0]
    reason = f"no answer within {_CONNECT_SECONDS:.0f} seconds"
    if errors:
        reason = _reason(errors[0]).partition(". ")[0]  # the rest is Ray's advice
    raise BackendError(
        f"There is no Ray job server to use at {address}: {reason}. Check the address, the network "
        f"and, if it asks for one, the token (RAY_AUTH_MODE=token, RAY_AUTH_TOKEN)."
    )


def _missing() -> MissingExtraError:
    return MissingExtraError(
        "Ray is installed without its job server's client, which submitting needs. Install it: "
        "pip install 'distsearch[cluster]'."
    )


def _reason(error: Exception, *, last: bool = False) -> str:
    """Return the line of a message that says most: the first, or the last of a traceback."""
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    line = lines[-1 if last else 0] if lines else type(error).__name__
    return line.rstrip(".")


@contextmanager
def _quiet() -> Iterator[None]:
    """Keep Ray from telling of every step."""
    before = logging.root.manager.disable
    logging.disable(logging.WARNING)
    try:
        yield
    finally:
        logging.disable(before)


class _Log:
    """What a job has written, of which nothing is shown twice."""

    def __init__(self, write: Callable[[str], None]) -> None:
        self._write = write
        self._shown = 0

    def show(self, text: str, start: int = 0) -> int:
        """Show what is new of a text that begins there; return where it ends."""
        end = start + len(text)
        if end > self._shown:
            self._write(text[self._shown - start if self._shown > start else 0 :])
            self._shown = end
        return end


def _follow(client: Any, address: str, job: str, write: Callable[[str], None]) -> JobEnd:
    log = _Log(write)
    answered = time.monotonic()
    while True:
        asyncio.run(_stream(client, job, log))
        try:
            info = client.get_job_info(job)
        except Exception as error:
            unknown = "does not exist" in str(error)
            if unknown or time.monotonic() - answered > _LOST_SECONDS:
                raise BackendError(
                    f"{address} tells nothing of the job {job!r} any more: {_reason(error)}."
                ) from None
        else:
            answered = time.monotonic()
            log.show(_whole_log(client, job))
            if str(info.status) in {"SUCCEEDED", "FAILED", "STOPPED"}:
                return _end(info)
        time.sleep(_PAUSE_SECONDS)


async def _stream(client: Any, job: str, log: _Log) -> None:
    """Show the log as it comes, until it ends, is silent or cannot be had."""
    position = 0
    async with aclosing(client.tail_job_logs(job)) as pieces:
        while True:
            try:
                async with asyncio.timeout(_SILENCE_SECONDS):
                    piece = await anext(pieces)
            except Exception:
                return
            position = log.show(piece, position)


def _whole_log(client: Any, job: str) -> str:
    try:
        return str(client.get_job_logs(job))
    except Exception:
        return ""  # a job that has not begun, or a node that has gone


def _end(info: Any) -> JobEnd:
    status = str(info.status)
    code = info.driver_exit_code
    if status == "SUCCEEDED":
        code = 0
    elif status == "STOPPED" or not code:
        code = 1
    elif code < 0:
        code = 128 - code
    return JobEnd(status, code, _in_short(str(info.message or "")))


def _in_short(message: str) -> str:
    """Leave out the end of the log, which was shown, and the middle of a traceback."""
    lines = [line.strip() for line in message.partition(", last available logs")[0].splitlines()]
    lines = [line for line in lines if line]
    text = " ... ".join(lines if len(lines) < 3 else [lines[0], lines[-1]])
    return f"{text.rstrip('.')}." if text else ""
