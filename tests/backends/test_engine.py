"""The loop, on a pool that does what each test says."""

import pickle
import random
from itertools import count, pairwise

import pytest

from distsearch.backends import _engine
from distsearch.backends._chunking import Pace
from distsearch.backends._engine import Report, drive


@pytest.fixture(autouse=True)
def _numbers_from_zero(monkeypatch):
    monkeypatch.setattr(_engine, "_numbers", count())


class FakePool:
    """Answers each task with what ``answer(task, nth)`` says; None leaves it running."""

    def __init__(self, answer=None, slots=2, shuffle=None):
        self.slots = slots
        self.answer = answer or (lambda task, _: done(task))
        self.shuffle = shuffle
        self.submitted = []
        self.running = {}
        self.cancelled = []
        self.most = 0

    @property
    def idle(self):
        return self.slots - len(self.running)

    def submit(self, task):
        self.submitted.append(task)
        self.running[task.number] = self.answer(task, len(self.submitted) - 1)
        self.most = max(self.most, len(self.running))

    def wait(self, timeout):
        reports = [report for report in self.running.values() if report is not None]
        if self.shuffle:
            self.shuffle.shuffle(reports)
        for report in reports[:2]:
            del self.running[report.number]
        return reports[:2]

    def cancel(self, numbers, *, force=True):
        self.cancelled += numbers
        self.forced = force
        for number in numbers:
            self.running.pop(number, None)

    def enlarge(self, memory):
        return 2 * memory

    def expect(self, seconds, tasks):
        self.expected = (*getattr(self, "expected", ()), (seconds, tasks))


def done(task, seconds=0.001):
    return Report(task.number, [(True, pickle.dumps(place), seconds) for place in task.places])


def lost(task, started=True):
    return Report(task.number, None, "SIGKILL", "It was ended by SIGKILL", started)


def known(seconds):
    pace = Pace()
    pace.note(seconds, 1)
    return pace


def test_every_unit_once_whatever_the_order():
    pool = FakePool(slots=3, shuffle=random.Random(4))
    outcomes = list(drive(pool, [b""] * 500, Pace()))
    assert sorted(outcome.value for outcome in outcomes) == list(range(500))
    assert all(outcome.index == outcome.value for outcome in outcomes)
    assert sorted(place for task in pool.submitted for place in task.places) == list(range(500))
    assert pool.most <= 6


def test_tasks_have_one_unit_until_the_pace_is_known():
    pool = FakePool()
    list(drive(pool, [b""] * 500, Pace()))
    sizes = [len(task.places) for task in pool.submitted]
    assert sizes[:4] == [1, 1, 1, 1]
    assert max(sizes) > 20
    assert all(later <= earlier for earlier, later in pairwise(sizes[4:]))


def test_tasks_have_many_units_at_once_when_the_pace_is_known():
    pool = FakePool()
    list(drive(pool, [b""] * 500, known(0.001)))
    assert len(pool.submitted[0].places) > 20


def test_units_of_a_lost_task_are_run_again_one_by_one():
    first = []

    def answer(task, nth):
        if nth == 0:
            first.extend(task.places)
            return lost(task)
        return done(task)

    pool = FakePool(answer)
    outcomes = list(drive(pool, [b""] * 100, known(0.01)))
    again = [task for task in pool.submitted[1:] if set(task.places) & set(first)]
    assert len(first) > 1
    assert [len(task.places) for task in again] == [1] * len(first)
    assert all(task.suspect for task in again)
    assert sorted(outcome.index for outcome in outcomes) == list(range(100))
    assert {o.attempts for o in outcomes if o.index in first} == {2}
    assert {o.attempts for o in outcomes if o.index not in first} == {1}


def test_the_third_loss_is_the_last():
    pool = FakePool(lambda task, _: lost(task) if 3 in task.places else done(task))
    outcomes = {outcome.index: outcome for outcome in drive(pool, [b""] * 8, Pace())}
    assert sum(3 in task.places for task in pool.submitted) == 3
    failure = outcomes.pop(3).failure
    assert (failure.kind, failure.type) == ("lost", "SIGKILL")
    assert failure.message == "It was ended by SIGKILL on each of 3 tries."
    assert all(outcome.failure is None for outcome in outcomes.values())


def test_waiting_behind_the_dying_does_no_harm():
    pool = FakePool(lambda task, nth: lost(task, started=False) if nth < 20 else done(task))
    outcomes = list(drive(pool, [b""] * 5, Pace()))
    assert sorted(outcome.value for outcome in outcomes) == [0, 1, 2, 3, 4]
    assert {outcome.attempts for outcome in outcomes} == {1}
    assert not any(task.suspect for task in pool.submitted)


@pytest.fixture
def impatient(monkeypatch):
    monkeypatch.setattr(_engine, "OVERDUE_SECONDS", 0.0)


@pytest.mark.usefixtures("impatient")
def test_an_overdue_task_gets_a_copy_and_the_first_result_counts():
    pool = FakePool(lambda task, nth: None if nth == 0 else done(task))
    outcomes = list(drive(pool, [b""] * 4, known(1e-9)))
    hung, *_, copy = pool.submitted
    assert sorted(outcome.value for outcome in outcomes) == [0, 1, 2, 3]
    assert copy.places == hung.places
    assert pool.cancelled == [hung.number]
    assert {o.attempts for o in outcomes if o.index in hung.places} == {2}


@pytest.mark.usefixtures("impatient")
@pytest.mark.parametrize("loses", [True, False])
def test_a_copy_that_is_beaten_or_lost_changes_nothing(loses):
    original = []

    def answer(task, nth):
        if nth == 0:
            original.append(task)
            return None
        if task.places == original[0].places:
            pool.running[original[0].number] = done(original[0])
            return lost(task) if loses else None
        return done(task)

    pool = FakePool(answer)
    outcomes = list(drive(pool, [b""] * 4, known(1e-9)))
    assert sorted(outcome.value for outcome in outcomes) == [0, 1, 2, 3]
    assert all(outcome.failure is None for outcome in outcomes)
    assert sum(task.places == original[0].places for task in pool.submitted) == 2


def test_patience_is_five_seconds_at_least(monkeypatch):
    now = [100.0]
    monkeypatch.setattr(_engine.time, "monotonic", lambda: now[0])
    pool = FakePool(lambda task, nth: None if nth == 0 else done(task))
    run = _engine._Run(pool, [b""] * 4, known(0.5))
    run.fill()
    while reports := pool.wait(0):
        for report in reports:
            list(run.settle(report))
    submitted = len(pool.submitted)
    for later, copies in [(0.0, 0), (4.9, 0), (5.1, 1), (60.0, 1)]:
        now[0] = 100.0 + later
        run.copy_overdue()
        assert len(pool.submitted) == submitted + copies


def test_fail_fast_cancels_what_is_in_flight():
    bad = (False, pickle.dumps(("ValueError", "no", "", b"")), 0.0)
    pool = FakePool(lambda task, nth: Report(task.number, [bad]) if nth == 1 else None, slots=4)
    outcomes = list(drive(pool, [b""] * 9, Pace(), fail_fast=True))
    assert [outcome.index for outcome in outcomes] == [1]
    assert pool.running == {}
    assert set(pool.cancelled) == {0, *range(2, 8)}


def test_leaving_cancels_what_is_in_flight():
    pool = FakePool(lambda task, nth: done(task) if nth == 0 else None)
    run = drive(pool, [b""] * 9, Pace())
    assert next(run).value == 0
    run.close()
    assert set(pool.cancelled) == {1, 2, 3}


def test_an_interrupt_cancels_what_is_in_flight():
    class Interrupted(FakePool):
        def wait(self, timeout):
            raise KeyboardInterrupt

    pool = Interrupted()
    with pytest.raises(KeyboardInterrupt):
        list(drive(pool, [b""] * 9, Pace()))
    assert set(pool.cancelled) == {0, 1, 2, 3}


def test_nobody_asking_means_nothing_more_is_handed_out():
    pool = FakePool()
    run = drive(pool, [b""] * 10_000, Pace())
    next(run)
    assert len(pool.submitted) == 4


class TestMemory:
    def test_a_task_keeps_what_its_largest_unit_may_take(self):
        pool = FakePool()
        list(drive(pool, [b""] * 100, known(0.001), memory=[1, 5, 3] * 33 + [9]))
        for task in pool.submitted:
            assert task.memory == max(([1, 5, 3] * 33 + [9])[place] for place in task.places)

    def test_who_runs_out_of_it_is_tried_again_with_more(self):
        def answer(task, nth):
            hungry = 1 in task.places and task.memory < 40
            return Report(task.number, None, "OutOfMemory", "No memory") if hungry else done(task)

        pool = FakePool(answer)
        outcomes = list(drive(pool, [b""] * 3, Pace(), memory=[10, 10, 10]))
        assert [outcome.failure for outcome in outcomes] == [None] * 3
        assert [task.memory for task in pool.submitted if 1 in task.places] == [10, 20, 40]

    def test_after_three_tries_it_fails_by_that_name_and_the_rest_goes_on(self):
        def answer(task, nth):
            hungry = 1 in task.places
            return Report(task.number, None, "OutOfMemory", "No memory") if hungry else done(task)

        outcomes = list(drive(FakePool(answer), [b""] * 20, Pace(), memory=[2**30] * 20))
        (failed,) = [outcome for outcome in outcomes if outcome.failure]
        assert (failed.index, failed.failure.type, failed.attempts) == (1, "OutOfMemory", 3)
        assert failed.failure.message == (
            "No memory on each of 3 tries. The last had 4,096 MiB kept for it. Run fewer units at "
            "a time, or use machines with more memory."
        )
        assert sum(outcome.failure is None for outcome in outcomes) == 19


class TestDeparture:
    def test_a_machine_that_goes_away_costs_no_try(self):
        def answer(task, nth):
            gone = Report(task.number, None, "NodeDied", "Lost", departed=True)
            return gone if 0 in task.places and nth < 12 else done(task)

        pool = FakePool(answer)
        (outcome,) = drive(pool, [b""], Pace())
        assert outcome.failure.type == "NodeDied"
        assert outcome.failure.message == "Lost on each of 10 tries."

        def fewer(task, nth):
            gone = Report(task.number, None, "NodeDied", "Lost", departed=True)
            return gone if nth < 9 else done(task)

        pool = FakePool(fewer)
        (outcome,) = drive(pool, [b""], Pace())
        assert (outcome.failure, outcome.attempts) == (None, 10)
        assert not any(task.suspect for task in pool.submitted)


class TestGivingUp:
    @pytest.mark.parametrize(("seconds", "forced"), [(0.05, False), (5.0, True)])
    def test_short_tasks_are_left_to_end(self, seconds, forced):
        pool = FakePool(lambda task, nth: done(task, seconds) if nth == 0 else None, slots=4)
        outcomes = drive(pool, [b""] * 8, known(seconds))
        next(outcomes)
        outcomes.close()
        assert pool.forced == forced

    def test_of_unknown_length_they_are_ended(self):
        pool = FakePool(lambda task, nth: lost(task) if nth == 0 else None)
        outcomes = drive(pool, [b""] * 4, Pace(), fail_fast=True)
        pool.wait = lambda timeout: (_ for _ in ()).throw(KeyboardInterrupt)
        with pytest.raises(KeyboardInterrupt):
            next(outcomes)
        assert pool.forced


def test_the_pool_hears_what_waits():
    pool = FakePool(slots=2)
    list(drive(pool, [b""] * 50, known(2.0)))
    seconds, tasks = pool.expected[0]
    assert (seconds, tasks) == (92.0, 46)
    assert [tasks for _, tasks in pool.expected] == sorted(
        (tasks for _, tasks in pool.expected), reverse=True
    )
