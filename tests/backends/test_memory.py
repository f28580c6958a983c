import os

from distsearch.backends import ProcessesBackend, Unit, _children, _process_pool, processes
from distsearch.backends._children import oom_kills


def test_kills_are_read_from_the_kernel(tmp_path, monkeypatch):
    monkeypatch.setattr(_children, "_KERNEL", tmp_path / "vmstat")
    assert oom_kills() == 0
    (tmp_path / "vmstat").write_text("pgfault 7\noom_kill 3\n")
    assert oom_kills() == 3


def rest(unit, shared):
    import time

    start = time.monotonic()
    time.sleep(0.2)
    return start, time.monotonic()


def most_at_a_time(outcomes):
    times = [outcome.unwrap() for outcome in outcomes]
    return max(sum(a <= start < b for a, b in times) for start, _ in times)


def test_no_more_units_run_than_fit(monkeypatch):
    monkeypatch.setattr(processes, "memory", lambda: (3 * 2**30, 2**34))
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
