"""Tests that every backend must pass, as a class to inherit from.

A backend's own test module subclasses `BackendContract`, or `WorkerContract` where units run in
processes that may die, and says how to make one:

>>> class TestMine(WorkerContract):  # doctest: +SKIP
...     def make(self, workers):
...         return MyBackend(workers)
"""

from __future__ import annotations

import pickle
import random
import threading
from contextlib import AbstractContextManager
from copy import deepcopy
from pathlib import Path
from typing import Any

import numpy as np

from distsearch.backends import _contract_units as do
from distsearch.backends._contract_tools import (
    Guarded,
    bits,
    data,
    global_state,
    in_order,
    no_second_copies,
    plain,
    raises,
    seeded,
    values,
)
from distsearch.backends._protocol import Backend, Unit
from distsearch.backends._registry import get_backend, open_backend
from distsearch.backends.serial import SerialBackend
from distsearch.errors import BackendError, CannotBeSentError

__all__ = ["BackendContract", "WorkerContract"]


class BackendContract:
    """What every backend owes its callers."""

    worker_counts: tuple[int, ...] = (1,)

    def make(self, workers: int) -> Backend:
        """Return a new backend with that many workers."""
        raise NotImplementedError

    def opened(self, workers: int) -> AbstractContextManager[Backend]:
        """Return a backend that a test may use; overridden where one serves many tests."""
        return self.make(workers)

    def test_bits_are_those_of_serial(self) -> None:
        """Draws, data and order of completion: nothing depends on where units ran."""
        units = seeded(40)
        with SerialBackend() as serial, serial.share(data()) as shared:
            expected = bits(serial.run(do.draw, units, shared))
        for workers in self.worker_counts:
            with self.opened(workers) as backend, backend.share(data()) as shared:
                assert bits(backend.run(do.draw, units, shared)) == expected

    def test_threads_do_not_change_bits(self) -> None:
        """k-means rounds differently with two threads."""
        units = seeded(4)
        with SerialBackend() as serial, serial.share(data()) as shared:
            expected = bits(serial.run(do.cluster, units, shared))
        with self.opened(max(self.worker_counts)) as backend, backend.share(data()) as shared:
            assert bits(backend.run(do.cluster, units, shared)) == expected

    def test_one_thread_in_every_unit(self) -> None:
        """BLAS and OpenMP libraries are held to one thread."""
        with self.opened(1) as backend:
            outcomes = list(backend.run(do.threads, plain(range(5))))
        assert all(set(outcome.unwrap()) == {1} for outcome in outcomes)

    def test_units_have_streams_of_their_own(self) -> None:
        """Two units never draw the same numbers; the same unit always does."""
        with self.opened(1) as backend:
            first = [outcome.value for outcome in in_order(backend.run(do.draw, seeded(12)))]
            again = [outcome.value for outcome in in_order(backend.run(do.draw, seeded(12)))]
        assert len({value["python"] for value in first}) == 12
        assert len({value["numpy"].tobytes() for value in first}) == 12
        assert [value["python"] for value in first] == [value["python"] for value in again]

    def test_the_callers_random_state_is_untouched(self) -> None:
        """Also between outcomes, and also the half of a pair of normals yet to be drawn."""
        np.random.seed(7)  # noqa: NPY002
        random.seed(7)
        np.random.randn()  # noqa: NPY002
        expected = global_state()
        with self.opened(1) as backend:
            for _ in backend.run(do.draw, seeded(3)):
                assert global_state() == expected
        assert np.random.randn() == np.random.RandomState(7).randn(2)[1]  # noqa: NPY002

    def test_a_units_seed_is_not_advanced(self) -> None:
        """A unit spawns from its own copy of the seed."""
        units = seeded(2)
        with self.opened(1) as backend:
            values = [
                outcome.value["children"] for outcome in in_order(backend.run(do.draw, units))
            ]
        assert values == [(0, 0), (1, 0)]
        assert [unit.seed.n_children_spawned for unit in units if unit.seed] == [0, 0]

    def test_every_unit_has_one_outcome(self) -> None:
        """Indices are the places in the sequence."""
        for workers in self.worker_counts:
            with self.opened(workers) as backend, no_second_copies():
                outcomes = in_order(backend.run(do.square, plain(range(57))))
            assert [outcome.index for outcome in outcomes] == list(range(57))
            assert [outcome.value for outcome in outcomes] == [n * n for n in range(57)]
            assert {outcome.attempts for outcome in outcomes} == {1}
            assert all(0 <= outcome.seconds < 60 for outcome in outcomes)

    def test_no_units(self) -> None:
        """Nothing to do is done."""
        with self.opened(1) as backend:
            assert list(backend.run(do.square, [])) == []

    def test_functions_by_value(self) -> None:
        """Lambdas, closures and what lives in the driver's script travel."""
        exponent = 3

        def power(unit: Unit, _: Any) -> Any:
            return unit.payload**exponent

        script: dict[str, Any] = {"__name__": "__main__"}
        code = "class Pair:\n    n = 4\ndef f(unit, shared):\n    return Pair.n + unit.payload.n\n"
        exec(code, script)
        with self.opened(1) as backend:
            assert values(backend.run(lambda unit, _: unit.payload + 1, plain([1, 2]))) == [2, 3]
            assert values(backend.run(power, plain([1, 2]))) == [1, 8]
            assert values(backend.run(script["f"], plain([script["Pair"]()]))) == [8]

    def test_arrays_arrive_read_only(self) -> None:
        """Large ones and small ones, in dictionaries and data frames, and without a copy's loss."""
        import pandas as pd

        value: dict[str, Any] = {
            "large": np.arange(200_000.0),
            "small": np.arange(4.0),
            "view": np.asfortranarray(np.arange(12.0).reshape(3, 4))[:, ::2],
            "names": np.array(["yes", "no"]),
            "frame": pd.DataFrame({"a": [1.0, 2.0], "b": [1, 2]}),
        }
        with self.opened(1) as backend, backend.share(value) as shared:
            assert values(backend.run(do.flags, plain([0]), shared)) == [[False] * 6]
            (result,) = values(backend.run(do.give_back, plain([0]), shared))
        assert result["again"].flags.writeable
        assert result["fortran"].flags.writeable
        assert result["again"].tolist() == [0.0, 1.0, 2.0, 3.0, 4.0]
        assert result["fortran"].tolist() == [[0.0, 2.0], [4.0, 6.0], [8.0, 10.0]]
        assert value["large"].flags.writeable

    def test_a_handle_serves_many_runs(self) -> None:
        """And several handles serve side by side; a closed one is refused."""
        with self.opened(1) as backend:
            first, second = backend.share({"n": 1}), backend.share({"n": 2})
            for handle, expected in [(first, 1), (second, 2), (first, 1)]:
                outcomes = backend.run(lambda _, shared: shared["n"], plain([0]), handle)
                assert values(outcomes) == [expected]
            for handle in (first, second):
                handle.close()
                handle.close()
            with raises(BackendError, "closed"):
                list(backend.run(do.square, plain([0]), first))

    def test_a_handle_of_another_backend_is_refused(self) -> None:
        """Silence would hand None to the units."""
        with (
            self.opened(1) as backend,
            SerialBackend().share(1) as foreign,
            raises(BackendError, "share"),
        ):
            list(backend.run(do.square, plain([0]), foreign))

    def test_what_cannot_be_sent_is_named_before_work_starts(self) -> None:
        """In the data, in a payload and in the function."""
        culprit = Guarded()
        with self.opened(1) as backend:
            with raises(CannotBeSentError, "['estimator'].guard", "lock"):
                backend.share({"estimator": culprit})
            with raises(CannotBeSentError, "'b'", ".guard", "lock"):
                backend.run(do.square, [Unit(1, name="a"), Unit(culprit, name="b")])
            with raises(CannotBeSentError, "culprit", ".guard", "lock"):
                backend.run(lambda _, __: culprit, plain([1]))

    def test_an_error_keeps_type_message_and_traceback(self) -> None:
        """And is not retried."""
        with self.opened(1) as backend:
            good, bad = in_order(backend.run(do.fail, plain([5, "plain"])))
        assert (good.value, good.failure) == (5, None)
        failure = bad.failure
        assert failure is not None
        assert (bad.value, bad.attempts, failure.kind) == (None, 1, "error")
        assert failure.type == "distsearch.backends._contract_units.PlainError"
        assert failure.message == "three is not even"
        assert 'raise PlainError("three is not even")' in failure.traceback
        assert type(failure.exception) is do.PlainError
        with raises(do.PlainError, "three is not even"):
            bad.unwrap()

    def test_an_error_that_pickle_loses_is_still_told(self) -> None:
        """Its constructor wants more than pickle hands it."""
        with self.opened(1) as backend:
            (outcome,) = backend.run(do.fail, plain(["odd"]))
        assert outcome.failure is not None
        assert outcome.failure.type.endswith("OddError")
        assert outcome.failure.message == "no number at row 3"
        assert outcome.failure.exception is None
        with raises(BackendError, "OddError", "no number at row 3"):
            outcome.unwrap()

    def test_sys_exit_is_an_error_of_the_unit(self) -> None:
        """It ends neither the worker nor the caller."""
        with self.opened(1) as backend:
            (outcome,) = backend.run(do.fail, plain(["exit"]))
        assert outcome.failure is not None
        assert (outcome.failure.type, outcome.failure.message) == ("SystemExit", "3")
        with raises(BackendError, "SystemExit: 3"):
            outcome.unwrap()

    def test_a_result_that_cannot_be_sent_is_an_error_of_the_unit(self) -> None:
        """Its neighbours have their values."""
        with self.opened(1) as backend:
            outcomes = in_order(backend.run(do.fail, plain([1, "lock", 2])))
        assert [outcome.value for outcome in outcomes] == [1, None, 2]
        failure = outcomes[1].failure
        assert failure is not None
        assert failure.kind == "error"
        assert "lock" in failure.message

    def test_fail_fast_stops(self) -> None:
        """The failure is the last outcome."""
        with self.opened(1) as backend:
            units = plain(["plain", *range(500)])
            outcomes = list(backend.run(do.fail, units, fail_fast=True))
            assert len(outcomes) < 500
            assert [outcome.failure is not None for outcome in outcomes[-2:]][-1]
            assert sum(outcome.failure is not None for outcome in outcomes) == 1
            assert values(backend.run(do.square, plain([3]))) == [9]

    def test_an_abandoned_run_leaves_the_backend_usable(self) -> None:
        """Whether its iterator was closed or merely set aside."""
        with self.opened(1) as backend:
            closed, aside = (backend.run(do.square, plain(range(300))) for _ in range(2))
            next(closed)
            next(aside)
            closed.close()  # type: ignore[attr-defined]
            assert values(backend.run(do.square, plain([3]))) == [9]
            assert len(list(aside)) == 299

    def test_workers_are_not_started_inside_a_unit(self) -> None:
        """A backend asked for by name inside a unit is the serial one."""
        with self.opened(1) as backend:
            assert values(backend.run(do.nested, plain([0]))) == [("serial", 1)]
        assert get_backend("processes:2").name == "processes"

    def test_the_callers_settings_reach_units(self) -> None:
        """Warning filters and scikit-learn's configuration."""
        import warnings

        import sklearn

        with self.opened(1) as backend:
            with warnings.catch_warnings(), sklearn.config_context(enable_metadata_routing=True):
                warnings.simplefilter("error", RuntimeWarning)
                (outcome,) = backend.run(do.warn, plain([0]))
                assert values(backend.run(do.configuration, plain([0]))) == [True]
            assert outcome.failure is not None
            assert outcome.failure.type == "RuntimeWarning"
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                assert values(backend.run(do.warn, plain([0]))) == ["warned"]
            assert values(backend.run(do.configuration, plain([0]))) == [False]

    def test_copies_are_the_same_backend(self) -> None:
        """So that cloning an estimator keeps it; a pickle makes an equal one."""
        with self.opened(1) as backend:
            assert deepcopy(backend) is backend
            assert get_backend(backend) is backend
            again = pickle.loads(pickle.dumps(backend))
            assert (type(again), again.name) == (type(backend), backend.name)
            with open_backend(backend):
                pass
            assert values(backend.run(do.square, plain([3]))) == [9]

    def test_closing_twice(self) -> None:
        """And using it afterwards."""
        backend = self.make(1)
        assert values(backend.run(do.square, plain([2]))) == [4]
        backend.close()
        backend.close()
        assert values(backend.run(do.square, plain([3]))) == [9]
        backend.close()


class WorkerContract(BackendContract):
    """What a backend with worker processes owes besides: the death of one costs one unit.

    A unit of the serial backend that ends its process ends the caller, so that none of this can
    be asked of it.
    """

    worker_counts = (1, 2, 4)

    def test_a_unit_killed_once_is_run_again(self, tmp_path: Path) -> None:
        """Its value is right, and says that it took two attempts."""
        payloads = [*range(10), f"once:{tmp_path / 'mark'}", *range(10)]
        with self.opened(2) as backend:
            outcomes = in_order(backend.run(do.die, plain(payloads)))
        assert [outcome.value for outcome in outcomes] == payloads
        assert outcomes[10].attempts == 2

    def test_a_unit_that_always_kills_fails_alone(self) -> None:
        """After three tries, with the signal's name."""
        payloads = [*range(15), "always", *range(15)]
        with self.opened(2) as backend:
            list(backend.run(do.die, plain(range(30))))  # From now on tasks have many units.
            outcomes = in_order(backend.run(do.die, plain(payloads)))
            assert values(backend.run(do.square, plain([3]))) == [9]
        failed = [outcome for outcome in outcomes if outcome.failure is not None]
        assert [outcome.index for outcome in failed] == [15]
        (outcome,) = failed
        assert outcome.failure is not None
        assert (outcome.failure.kind, outcome.failure.type) == ("lost", "SIGKILL")
        assert "SIGKILL" in outcome.failure.message
        assert outcome.attempts == 3
        with raises(BackendError, "SIGKILL"):
            outcome.unwrap()

    def test_leaving_by_the_back_door_is_told(self) -> None:
        """os._exit has no signal but a code."""
        with self.opened(2) as backend:
            (outcome,) = backend.run(do.die, plain(["exit"]))
        assert outcome.failure is not None
        assert (outcome.failure.kind, outcome.failure.type) == ("lost", "Exit")
        assert "7" in outcome.failure.message

    def test_abandoning_a_long_unit_is_quick(self) -> None:
        """The worker is ended, and another serves the next run."""
        with self.opened(2) as backend:
            run = backend.run(do.slow, plain([0, 600, 600]))
            next(run)
            run.close()  # type: ignore[attr-defined]
            assert values(backend.run(do.square, plain([3, 4]))) == [9, 16]

    def test_a_run_given_up_early_leaves_the_next_one_alone(self) -> None:
        """Its units may still be running; what they return is nobody's."""
        with self.opened(2) as backend:
            values(backend.run(do.square, plain([1, 2])))
            for _ in range(3):
                run = backend.run(do.slow, plain([0.05] * 6))
                next(run)
                run.close()  # type: ignore[attr-defined]
                assert values(backend.run(do.square, plain([3, 4, 5]))) == [9, 16, 25]

    def test_memory_that_units_may_take_changes_no_result(self) -> None:
        """Whether it is little or more than there is."""
        with self.opened(2) as backend:
            units = [Unit(n, memory=memory) for n, memory in enumerate([0, 2**20, 2**28, 2**45])]
            assert values(backend.run(do.square, units)) == [0, 1, 4, 9]

    def test_runs_from_several_threads(self) -> None:
        """Each gets its own outcomes."""
        answers: dict[int, list[Any]] = {}
        with self.opened(2) as backend:

            def work(start: int) -> None:
                answers[start] = values(backend.run(do.square, plain(range(start, start + 20))))

            workers = [threading.Thread(target=work, args=(start,)) for start in (0, 100)]
            for worker in workers:
                worker.start()
            for worker in workers:
                worker.join(60)
        assert answers == {s: [n * n for n in range(s, s + 20)] for s in (0, 100)}
