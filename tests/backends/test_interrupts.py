"""An interrupt stops work even where the code at work has swallowed it."""

import os
import signal
import threading
import warnings

import numpy as np
import pytest
from sklearn.datasets import load_iris
from sklearn.neural_network import MLPClassifier

from distsearch.backends import SerialBackend, Unit, interrupts_kept, run_all


def swallow(number):
    try:
        os.kill(os.getpid(), number)
        for _ in range(10**7):  # a handler runs between two steps of Python
            pass
    except KeyboardInterrupt:
        pass
    return "what was there"


@pytest.fixture
def as_interrupts():
    """SIGTERM interrupts, as on the command line."""
    before = signal.signal(signal.SIGTERM, signal.default_int_handler)
    yield
    signal.signal(signal.SIGTERM, before)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_swallowed_interrupt_comes_out(as_interrupts, number):
    handlers = signal.getsignal(signal.SIGINT), signal.getsignal(signal.SIGTERM)
    with pytest.raises(KeyboardInterrupt), interrupts_kept():
        swallow(number)
    assert (signal.getsignal(signal.SIGINT), signal.getsignal(signal.SIGTERM)) == handlers


def test_so_does_one_that_became_another_error():
    def half_done():
        swallow(signal.SIGINT)
        raise ValueError("half done")

    with pytest.raises(KeyboardInterrupt) as caught, interrupts_kept():
        half_done()
    assert str(caught.value.__cause__) == "half done"


def test_other_errors_and_results_are_left_alone():
    with pytest.raises(ValueError, match="mine"), interrupts_kept():
        raise ValueError("mine")
    with interrupts_kept():
        pass


def test_beside_the_main_thread_nothing_is_touched():
    seen = []

    def run():
        with interrupts_kept():
            seen.append(signal.getsignal(signal.SIGINT))

    before = signal.getsignal(signal.SIGINT)
    thread = threading.Thread(target=run)
    thread.start()
    thread.join()
    assert seen == [before]


def swallowing_unit(unit, shared):
    return swallow(signal.SIGINT)


def test_half_a_result_is_none():
    with pytest.raises(KeyboardInterrupt):
        run_all(SerialBackend(), swallowing_unit, [Unit(None), Unit(None)], None)


def network_unit(unit, shared):
    X, y = load_iris(return_X_y=True)
    network = MLPClassifier(max_iter=100_000, tol=0.0, n_iter_no_change=100_000, random_state=0)
    threading.Timer(0.5, os.kill, (os.getpid(), signal.SIGINT)).start()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return network.fit(X, y).n_iter_


def test_a_network_that_was_interrupted_is_no_result():
    with pytest.raises(KeyboardInterrupt):
        run_all(SerialBackend(), network_unit, [Unit(None, np.random.SeedSequence(0))], None)
