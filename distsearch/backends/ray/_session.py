"""The one connection to Ray that a process has, and whose it is."""

from __future__ import annotations

import atexit
import os
import shutil
import signal
import socket
import tempfile
import threading
from typing import Any

from distsearch.backends._base import check_workers
from distsearch.backends._environment import (
    KEEPALIVE,
    environment,
    loopback_only,
    private_variables,
)
from distsearch.errors import BackendError

# Ray reads these when it is loaded; a value that the user has set stays.
with environment({name: os.environ.get(name, value) for name, value in KEEPALIVE.items()}):
    import ray

__all__ = ["ray", "session"]

_CONNECT_SECONDS = 5.0
_ANSWER_SECONDS = 8.0
_LONGEST_TEMPORARY = 40


class _Session:
    """The connection to Ray that this process has, and the backends that use it."""

    def __init__(self) -> None:
        self.lock = threading.RLock()
        self.users: set[int] = set()
        # Tasks that run though nobody waits for them, and when they are to be ended.
        self.given_up: dict[Any, float] = {}
        self._connection: str | None = None
        self._folder: str | None = None
        self._on_term: Any = None
        self._print: Any = None

    @property
    def was_joined(self) -> bool:
        """Whether this Ray was there already, and so is not this process's own."""
        return self._folder is None

    def open(self, user: int, address: str | None, workers: int | None) -> None:
        """Connect, unless that has been done; start a private Ray where there is none to join."""
        with self.lock:
            if not ray.is_initialized():
                self._shutdown()
                self._on_term = signal.getsignal(signal.SIGTERM)
                self._keep_stdout_clean()
                try:
                    self._connect(address, workers)
                    self._connection = _this_connection()
                except BaseException:
                    ray.shutdown()
                    _forget_token()
                    self._shutdown()
                    raise
                finally:
                    self._give_back_sigterm()
            elif address:
                _check_same(address)
            self.users.add(user)

    def _connect(self, address: str | None, workers: int | None) -> None:
        address = address or (os.environ.get("RAY_ADDRESS") if workers is None else None)
        if address and address != "local":
            self._join(address)
        else:
            self._start(check_workers(workers or -1))

    def _give_back_sigterm(self) -> None:
        """Undo that Ray ends the process with a dump when it is asked to terminate."""
        if threading.current_thread() is threading.main_thread():
            signal.signal(signal.SIGTERM, self._on_term or signal.SIG_DFL)

    def _keep_stdout_clean(self) -> None:
        """Have Ray say on stderr that a worker died; stdout may be somebody's data."""
        module = ray._private.worker
        original = self._print = getattr(module, "print_to_stdstream", None)
        if original:
            module.print_to_stdstream = lambda data, *more, **named: original(
                {**data, "is_err": True}, *more, **named
            )

    @staticmethod
    def _join(address: str) -> None:
        try:
            _check_answers(_last_started() if address == "auto" else address)
            with environment({}):
                ray.init(address=address, logging_level="ERROR", log_to_driver=False)
        except Exception as error:
            text = str(error).strip().splitlines()
            reason = text[0] if text else type(error).__name__
            raise BackendError(
                f"There is no Ray to join at {address!r}: {reason}. Check the address, the "
                f"network and, if it asks for one, the token (RAY_AUTH_MODE, RAY_AUTH_TOKEN)."
            ) from None

    def _start(self, workers: int) -> None:
        short = tempfile.gettempdir()
        # Paths of sockets may have 107 characters.
        self._folder = tempfile.mkdtemp(
            prefix="ray-", dir=short if len(short) < _LONGEST_TEMPORARY else "/tmp"
        )
        with environment(private_variables()), loopback_only(ray._private.ray_constants):
            _forget_token()
            ray.init(
                address="local",
                num_cpus=workers,
                include_dashboard=False,
                logging_level="ERROR",
                log_to_driver=False,
                _temp_dir=self._folder,
            )

    def close(self, user: int) -> None:
        """Disconnect when the last backend goes, if it was one that connected."""
        with self.lock:
            self.users.discard(user)
            if not self.users:
                self._shutdown()

    def _shutdown(self) -> None:
        """End the connection, unless it has become somebody else's."""
        self.given_up.clear()
        if ray.is_initialized() and _this_connection() == self._connection:
            ray.shutdown()
            _forget_token()
        self._connection = None
        if self._print:
            ray._private.worker.print_to_stdstream = self._print
            self._print = None
        if self._folder:
            shutil.rmtree(self._folder, ignore_errors=True)
            self._folder = None

    def close_all(self) -> None:
        """Disconnect at the end of the process."""
        self.users.clear()
        self._shutdown()


def _forget_token() -> None:
    """Have Ray look for its token again: it keeps the first for the rest of the process."""
    loader = getattr(ray._raylet, "AuthenticationTokenLoader", None)
    if loader is not None:
        loader.instance().reset_cache()


def _this_connection() -> str:
    """Name the connection that this process has now."""
    return str(ray.get_runtime_context().get_worker_id())


def _last_started() -> str:
    """Return the address that "auto" stands for; its Ray may have ended without a word."""
    return str(ray._private.services.get_ray_address_from_environment("auto", None))


def _check_answers(address: str) -> None:
    """Find out within seconds whether there is a Ray; `ray.init` takes minutes to give up."""
    host, _, port = address.rpartition(":")
    if not port.isdigit():
        return
    if host in ("127.0.0.1", "localhost"):
        host = ray.util.get_node_ip_address()
    socket.create_connection((host.strip("[]"), int(port)), _CONNECT_SECONDS).close()
    answers: list[Exception | None] = []

    def ask() -> None:
        try:
            ray._raylet.GcsClient(address=f"{host}:{port}")
            answers.append(None)
        except Exception as error:
            answers.append(error)

    asking = threading.Thread(target=ask, daemon=True)
    asking.start()
    asking.join(_ANSWER_SECONDS)
    if not answers:
        raise TimeoutError("what listens there does not answer as a Ray does")
    if answers[0] is not None:
        raise answers[0]


session = _Session()
atexit.register(session.close_all)


def _check_same(address: str) -> None:
    connected = ray.get_runtime_context().gcs_address
    host, _, port = address.rpartition(":")
    try:
        same = connected in (address, f"{socket.gethostbyname(host)}:{port}")
    except OSError:
        same = False
    if not same:
        raise BackendError(
            f"This process is connected to the Ray at {connected!r} and cannot join the one at "
            f"{address!r} as well. Close the backend that uses it, or call ray.shutdown()."
        )
