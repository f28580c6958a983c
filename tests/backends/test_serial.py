"""What only the serial backend has to take care of: it lives in the caller's process."""

import numpy as np
import threadpoolctl

from distsearch.backends import SerialBackend, Unit, single_threaded


def threads():
    return [library["num_threads"] for library in threadpoolctl.threadpool_info()]


def test_the_thread_limit_is_not_left_on():
    np.linalg.inv(np.eye(3))
    with threadpoolctl.threadpool_limits(2):
        before = threads()
        for outcome in SerialBackend().run(lambda unit, _: threads(), [Unit(0), Unit(1)]):
            assert set(outcome.unwrap()) == {1}
            assert threads() == before
        with single_threaded(), single_threaded():
            assert set(threads()) == {1}
        assert threads() == before


def test_units_are_run_when_asked_for():
    seen = []
    run = SerialBackend().run(lambda unit, shared: shared.append(unit.payload), [Unit(1), Unit(2)])
    del run
    with SerialBackend().share([]) as shared:
        assert shared.frozen.buffers == []
    backend = SerialBackend()
    for outcome in backend.run(lambda unit, _: unit.payload, [Unit(1), Unit(2)]):
        seen.append(outcome.value)
        assert len(seen) == outcome.index + 1


def test_data_is_not_copied():
    data = np.arange(1000.0)
    backend = SerialBackend()
    with backend.share({"x": data}) as shared:
        address = lambda unit, shared: shared["x"].ctypes.data  # noqa: E731
        (outcome,) = backend.run(address, [Unit(0)], shared)
    assert outcome.unwrap() == data.ctypes.data


def test_payloads_are_copies():
    payload = [1]
    list(SerialBackend().run(lambda unit, _: unit.payload.append(2), [Unit(payload)]))
    assert payload == [1]
