"""What travels, how it arrives, and what is said of what cannot travel."""

import threading
from functools import partial

import numpy as np
import pandas as pd
import pytest

from distsearch.backends._sending import (
    dump_function,
    dump_payload,
    dump_result,
    freeze,
    thaw,
)
from distsearch.errors import CannotBeSentError

ARRAYS = {
    "floats": np.arange(6.0),
    "four values": np.arange(4),
    "fortran": np.asfortranarray(np.arange(12.0).reshape(3, 4)),
    "every other": np.arange(20.0)[::2],
    "backwards": np.arange(6)[::-1],
    "inner columns": np.arange(24.0).reshape(4, 6)[:, 1:3],
    "three axes": np.arange(24).reshape(2, 3, 4).transpose(2, 0, 1),
    "scalar": np.array(3.5),
    "words": np.array(["yes", "no"]),
    "bytes": np.array([b"ab", b"c"]),
    "dates": np.array(["2020-01-01", "2021-05-06"], dtype="M8[D]"),
    "records": np.array([(1, 2.0)], dtype=[("a", "i4"), ("b", "f8")]),
    "booleans": np.array([True, False]),
    "other byte order": np.arange(3, dtype=">f8"),
}


@pytest.mark.parametrize("array", ARRAYS.values(), ids=ARRAYS)
def test_arrays_arrive_equal_and_read_only(array):
    arrived = thaw(freeze({"x": array}))["x"]
    np.testing.assert_array_equal(arrived, array, strict=True)
    assert not arrived.flags.writeable
    assert arrived.flags.f_contiguous == array.flags.f_contiguous or not array.flags.forc


def test_empty_and_object_arrays_arrive():
    for array in (np.empty((0, 3)), np.array([1, "a", None], dtype=object)):
        np.testing.assert_array_equal(thaw(freeze(array)), array, strict=True)


def test_memory_maps_arrive_as_arrays(tmp_path):
    mapped = np.memmap(tmp_path / "x", dtype="f8", mode="w+", shape=(3, 2))
    mapped[:] = [[1, 2], [3, 4], [5, 6]]
    arrived = thaw(freeze(mapped))
    assert type(arrived) is np.ndarray
    assert arrived.tolist() == [[1, 2], [3, 4], [5, 6]]


def test_large_arrays_are_left_out_of_the_stream_and_not_copied():
    large = np.arange(100_000.0)
    frozen = freeze([large, large])
    assert len(frozen.stream) < 1000
    assert [len(buffer) for buffer in frozen.buffers] == [800_000]
    first, second = thaw(frozen)
    assert first is second
    assert np.shares_memory(first, large)


def test_frames_arrive():
    frame = pd.DataFrame({"a": [1.0, 2.0], "b": ["x", "y"]}, index=[5, 6])
    pd.testing.assert_frame_equal(thaw(freeze(frame)), frame)


def test_results_come_back_writable():
    import pickle

    array = np.arange(3.0)
    array.setflags(write=False)
    assert pickle.loads(dump_result(array)).flags.writeable


class Guarded:
    def __init__(self):
        self.name = "fine"
        self.guard = threading.Lock()

    def method(self, unit, shared):
        return unit


class Careful(Guarded):
    def __getstate__(self):
        return {"name": self.name}


@pytest.mark.parametrize(
    ("value", "path"),
    [
        (threading.Lock(), "shared is"),
        (Guarded(), "shared.guard is"),
        ({"model": [1, Guarded()]}, "shared['model'][1].guard is"),
        (partial(max, Guarded()), "shared.args[0].guard is"),
        ((1, {2: threading.Lock()}), "shared[1][2] is"),
    ],
)
def test_the_smallest_part_that_cannot_travel_is_named(value, path):
    with pytest.raises(CannotBeSentError) as caught:
        freeze(value)
    assert str(caught.value).startswith(f"{path} a '_thread.lock', which cannot be sent")


def test_functions_name_what_they_hold():
    guarded = Guarded()
    with pytest.raises(CannotBeSentError, match=r"guarded\.guard is a '_thread\.lock'"):
        dump_function(lambda unit, shared: guarded)
    with pytest.raises(CannotBeSentError, match=r"method\.__self__\.guard is a '_thread\.lock'"):
        dump_function(guarded.method)


def test_what_leaves_its_lock_out_travels():
    assert thaw(freeze(Careful())).name == "fine"


def test_a_payload_that_cannot_travel_is_named():
    with pytest.raises(CannotBeSentError, match=r"unit 'a'\[0\] is a 'generator'"):
        dump_payload([(n for n in range(3))], "the payload of unit 'a'")
