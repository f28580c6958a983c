import os

import pytest

from distsearch.backends import ProcessesBackend, Unit, _memory, _process_pool, processes
from distsearch.backends._memory import available_memory, oom_kills


@pytest.fixture
def files(tmp_path, monkeypatch):
    """Return a function that writes what the kernel says."""
    monkeypatch.setattr(_memory, "_PROC", tmp_path)
    monkeypatch.setattr(_memory, "_GROUP", tmp_path)

    def write(**texts):
        for name, text in texts.items():
            (tmp_path / name.replace("_", ".")).write_text(text)

    return write


class TestKernel:
    def test_the_machine(self, files):
        files(meminfo="MemTotal: 100 kB\nMemAvailable:   60 kB\n")
        assert available_memory() == 60 * 1024

    def test_the_control_group(self, files):
        files(meminfo="MemAvailable: 60 kB\n", memory_max="40000", memory_current="10000")
        assert available_memory() == 30000
        files(memory_max="max")
        assert available_memory() == 60 * 1024

    def test_kills(self, files):
        assert oom_kills() == 0
        files(vmstat="pgfault 7\noom_kill 3\n")
        assert oom_kills() == 3

    def test_this_one(self):
        total = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
        assert 0 < available_memory() <= total


def rest(unit, shared):
    import time

    start = time.monotonic()
    time.sleep(0.2)
    return start, time.monotonic()


def most_at_a_time(outcomes):
    times = [outcome.unwrap() for outcome in outcomes]
    return max(sum(a <= start < b for a, b in times) for start, _ in times)


def test_no_more_units_run_than_fit(monkeypatch):
    monkeypatch.setattr(processes, "available_memory", lambda: 3 * 2**30)
    with ProcessesBackend(3) as backend:
        for memory, most in ((0, 3), (2**31, 1), (2**40, 1), (2**30, 3)):
            units = [Unit(None, memory=memory) for _ in range(6)]
            assert most_at_a_time(backend.run(rest, units)) <= most


def die(unit, shared):
    os.kill(os.getpid(), 9)


def test_whom_the_kernel_ended_ran_out_of_memory(monkeypatch):
    kills = iter(range(100))
    monkeypatch.setattr(_process_pool, "oom_kills", lambda: next(kills))
    with ProcessesBackend(1) as backend:
        (outcome,) = backend.run(die, [Unit(None)])
    assert outcome.failure.type == "OutOfMemory"
    assert "for want of memory on each of 3 tries. Run fewer units" in outcome.failure.message


def pid_after(unit, shared):
    import time

    time.sleep(unit.payload)
    return os.getpid()


def test_a_run_given_up_leaves_workers_and_later_results_alone():
    with ProcessesBackend(2) as backend:
        workers = {each.value for each in backend.run(pid_after, [Unit(0.05)] * 8)}
        for _ in range(3):
            outcomes = backend.run(pid_after, [Unit(0.05)] * 8)
            next(outcomes)
            outcomes.close()
            again = list(backend.run(pid_after, [Unit(0.01)] * 6))
            assert sorted(each.index for each in again) == list(range(6))
            assert {each.value for each in again} <= workers
