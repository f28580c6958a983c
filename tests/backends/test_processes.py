"""What only the backend of worker processes does."""

import os
import threading
import time

import numpy as np
import psutil
import pytest
from two_nodes import heard

from distsearch.backends import ProcessesBackend, SerialBackend, Unit, _children
from distsearch.errors import BackendError


def nap(unit, _):
    time.sleep(unit.payload)
    return unit.payload


def test_nothing_is_left_after_close():
    before = set(psutil.Process().children(recursive=True))
    files = psutil.Process().num_fds()
    backend = ProcessesBackend(2)
    with backend.share(np.arange(10.0)) as shared:
        list(backend.run(lambda unit, shared: shared.sum(), [Unit(n) for n in range(8)], shared))
        started = set(psutil.Process().children(recursive=True)) - before
        assert len(started) == 2
    backend.close()
    assert set(psutil.Process().children(recursive=True)) == before
    assert psutil.Process().num_fds() == files


def test_nothing_listens_on_a_network():
    before = heard(os.getpid())
    with ProcessesBackend(2) as backend, backend.share(np.arange(10.0)) as shared:
        list(backend.run(lambda unit, shared: shared.sum(), [Unit(n) for n in range(8)], shared))
        assert heard(os.getpid()) <= before


def test_a_forgotten_backend_ends_its_workers():
    before = set(psutil.Process().children(recursive=True))
    backend = ProcessesBackend(1)
    list(backend.run(nap, [Unit(0)]))
    del backend
    assert set(psutil.Process().children(recursive=True)) == before


def test_no_more_workers_than_units():
    before = set(psutil.Process().children())
    with ProcessesBackend(4) as backend:
        list(backend.run(nap, [Unit(0)]))
        assert len(set(psutil.Process().children()) - before) == 1


def test_workers_load_no_more_than_they_need():
    def loaded(unit, shared):
        import sys

        return sorted({"sklearn", "scipy", "pandas", "ray", "pytest"} & set(sys.modules))

    with ProcessesBackend(1) as backend:
        (outcome,) = backend.run(loaded, [Unit(0)])
    assert outcome.unwrap() == []


def test_nothing_waits_behind_a_long_unit_while_a_worker_is_idle():
    with ProcessesBackend(2) as backend:
        list(backend.run(nap, [Unit(0)] * 4))
        outcomes = list(backend.run(lambda unit, _: nap(unit, _), [Unit(3), *[Unit(0)] * 9]))
    assert outcomes[-1].index == 0


def test_a_worker_that_hangs_is_replaced(tmp_path):
    def hang_once(unit, _):
        import os
        import signal
        from pathlib import Path

        mark = Path(unit.payload)
        if mark.name == "hang" and not mark.exists():
            mark.touch()
            os.kill(os.getpid(), signal.SIGSTOP)
        return mark.name

    payloads = [str(tmp_path / name) for name in [*"abcdefgh", "hang", *"ijklmnop"]]
    with ProcessesBackend(2) as backend:
        outcomes = list(backend.run(hang_once, [Unit(payload) for payload in payloads]))
    values = {outcome.index: outcome.unwrap() for outcome in outcomes}
    assert [values[n] for n in range(17)] == [*"abcdefgh", "hang", *"ijklmnop"]


def test_workers_that_never_come_up_are_told(monkeypatch):
    monkeypatch.setattr(_children, "main", bool)  # returns at once
    with ProcessesBackend(1) as backend, pytest.raises(BackendError, match="code 0"):
        list(backend.run(nap, [Unit(0)]))


def test_closing_in_the_middle_is_told():
    backend = ProcessesBackend(1)
    run = backend.run(nap, [Unit(0)] * 50)
    next(run)
    backend.close()
    with pytest.raises(BackendError, match="closed"):
        list(run)
    assert [outcome.value for outcome in backend.run(nap, [Unit(0)])] == [0]
    backend.close()


def test_an_idle_worker_that_was_killed_is_replaced():
    before = set(psutil.Process().children())
    with ProcessesBackend(1) as backend:
        list(backend.run(nap, [Unit(0)]))
        (worker,) = set(psutil.Process().children()) - before
        worker.kill()
        worker.wait(10)
        (outcome,) = backend.run(nap, [Unit(0)])
    assert (outcome.unwrap(), outcome.attempts) == (0, 1)


def test_closing_from_another_thread_is_told_to_the_run():
    backend = ProcessesBackend(1)
    for _ in range(3):
        closing = threading.Timer(0.8, backend.close)
        closing.start()
        with pytest.raises(BackendError, match="closed while units were running"):
            list(backend.run(lambda unit, _: time.sleep(0.1), [Unit(0)] * 600))
        closing.join()
    with backend:
        assert [outcome.value for outcome in backend.run(nap, [Unit(0)])] == [0]


def test_an_interrupt_inside_a_serial_unit_is_the_callers():
    def interrupted(unit, shared):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        list(SerialBackend().run(interrupted, [Unit(0)]))
    with ProcessesBackend(1) as backend:
        (outcome,) = backend.run(interrupted, [Unit(0)])
    assert outcome.failure.type == "KeyboardInterrupt"
