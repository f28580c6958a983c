"""Units of several threads in one process do not get into each other's way."""

import threading
import warnings

import numpy as np
from threadpoolctl import threadpool_info, threadpool_limits

from distsearch.backends import SerialBackend, Unit, derive_seed, seed_sequence


def draw(unit, _):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return [float(np.random.standard_normal(20_000).sum()) for _ in range(unit.payload)]


def expected(unit):
    """NumPy's own generator, seeded as a unit's is."""
    own = np.random.RandomState(unit.seed.generate_state(8)[:4])
    return [float(own.standard_normal(20_000).sum()) for _ in range(unit.payload)]


def in_threads(number, work):
    threads = [threading.Thread(target=work, args=(place,)) for place in range(number)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def test_threads_leave_each_other_and_the_caller_alone():
    units = [Unit(8, derive_seed(seed_sequence(1), place)) for place in range(12)]
    np.random.seed(5)
    with threadpool_limits(2):
        before = [library["num_threads"] for library in threadpool_info()]
        filters = list(warnings.filters)
        got = {}

        def work(place):
            got[place] = [outcome.unwrap() for outcome in SerialBackend().run(draw, units)]

        in_threads(3, work)
        assert [library["num_threads"] for library in threadpool_info()] == before
        assert list(warnings.filters) == filters
    assert np.random.random() == np.random.RandomState(5).random()
    right = [expected(unit) for unit in units]
    assert got == {0: right, 1: right, 2: right}
