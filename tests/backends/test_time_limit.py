import resource
import signal
import threading
import time

import pytest

from distsearch.backends import ProcessesBackend, SerialBackend, Unit, time_limit
from distsearch.errors import InvalidInputError, UnitTimeoutError


def sleep(unit, _):
    with time_limit(0.2):
        time.sleep(unit.payload)
    return unit.payload


def compute_without_python(unit, _):
    with time_limit(0.3):
        return sum(range(unit.payload))  # one call, which looks at no signal


def nested(unit, _):
    def slow(inner, _):
        time.sleep(0.05)
        return inner.payload

    with time_limit(0.2):
        inner = SerialBackend().run(slow, [Unit(n) for n in range(100)])
        return [outcome.value for outcome in inner]


def swallow(unit, _):
    with time_limit(0.1):
        try:
            time.sleep(5)
        except Exception:
            return 1


def swallow_for_ever(unit, _):
    with time_limit(0.1):
        while True:
            try:
                time.sleep(5)
            except BaseException:
                continue


@pytest.fixture
def alarm():
    """An alarm of somebody else's, in a minute."""
    before = signal.setitimer(signal.ITIMER_REAL, 60.0)
    yield
    signal.setitimer(signal.ITIMER_REAL, *before)


@pytest.mark.usefixtures("alarm")
@pytest.mark.parametrize("seconds", [5, None])
def test_a_short_block_leaves_everything_as_it_was(seconds):
    handler = signal.getsignal(signal.SIGALRM)
    with time_limit(seconds):
        pass
    assert signal.getsignal(signal.SIGALRM) == handler
    assert 59.0 < signal.getitimer(signal.ITIMER_REAL)[0] <= 60.0


@pytest.mark.usefixtures("alarm")
def test_a_long_block_raises_and_says_the_limit():
    message = r"longer than its limit of 0\.05 seconds"
    with pytest.raises(UnitTimeoutError, match=message), time_limit(0.05):
        time.sleep(5)
    assert 58.0 < signal.getitimer(signal.ITIMER_REAL)[0] < 60.0


@pytest.mark.parametrize("seconds", [0, -1, float("nan")])
def test_a_limit_has_to_be_positive(seconds):
    with pytest.raises(InvalidInputError, match="above 0 seconds"), time_limit(seconds):
        pass


def test_another_thread_is_not_interrupted():
    values = []

    def work():
        with time_limit(0.01):
            time.sleep(0.05)
            values.append(1)

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    assert values == [1]


@pytest.mark.parametrize("make", [SerialBackend, lambda: ProcessesBackend(2)])
def test_a_slow_unit_fails_and_its_neighbours_do_not(make):
    with make() as backend:
        outcomes = list(backend.run(sleep, [Unit(seconds) for seconds in (0.0, 30.0, 0.01)]))
    by_index = {outcome.index: outcome for outcome in outcomes}
    assert by_index[0].value == 0.0
    assert by_index[2].value == 0.01
    assert by_index[1].failure.type == "distsearch.errors.UnitTimeoutError"
    assert by_index[1].attempts == 1


def test_the_limit_of_a_unit_holds_for_the_units_inside_it():
    (outcome,) = SerialBackend().run(nested, [Unit(None)])
    assert outcome.failure.type == "distsearch.errors.UnitTimeoutError"
    assert outcome.seconds < 2.0


def test_code_that_catches_everything_has_failed_all_the_same():
    start = time.monotonic()
    (outcome,) = SerialBackend().run(swallow, [Unit(None)])
    assert outcome.failure.type == "distsearch.errors.UnitTimeoutError"
    assert time.monotonic() - start < 2.0


def test_a_worker_that_catches_everything_for_ever_is_ended():
    with ProcessesBackend(1) as backend:
        (outcome,) = backend.run(swallow_for_ever, [Unit(None)])
    assert (outcome.failure.kind, outcome.failure.type) == ("lost", "SIGXCPU")


def test_a_worker_that_never_comes_back_to_python_is_ended_by_the_kernel():
    before = resource.getrlimit(resource.RLIMIT_CPU)
    with ProcessesBackend(1) as backend:
        (outcome,) = backend.run(compute_without_python, [Unit(10**10)])
    assert outcome.failure.kind == "lost"
    assert outcome.failure.type == "SIGXCPU"
    assert resource.getrlimit(resource.RLIMIT_CPU) == before
