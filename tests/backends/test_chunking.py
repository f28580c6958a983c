"""Sizes of tasks, worked out by hand from the rule."""

import pytest

from distsearch.backends._chunking import Pace, Paces


def paced(seconds):
    pace = Pace()
    pace.note(seconds, 1)
    return pace


@pytest.mark.parametrize(
    ("seconds", "remaining", "slots", "expected"),
    [
        (0.01, 1000, 2, 50),  # half a second's worth
        (0.01, 100, 2, 25),  # a fourth of the rest: 100 / (2 * 2)
        (0.01, 8, 2, 4),  # 40 ms' worth, although a fourth would be 2
        (0.01, 4, 2, 2),  # 40 ms' worth would leave a worker without
        (0.01, 1, 2, 1),
        (0.0001, 2000, 2, 500),  # a fourth of the rest, 50 ms
        (0.0001, 2000, 8, 250),  # 40 ms' worth is 400: fewer, so that each worker has some
        (10.0, 1000, 2, 1),
        (0.0, 1000, 2, 500),  # too quick to measure
    ],
)
def test_size_of_a_task(seconds, remaining, slots, expected):
    assert paced(seconds).units_per_task(remaining, slots) == expected


def test_unknown_pace_means_one_unit():
    assert Pace().units_per_task(1000, 2) == 1


def test_every_unit_is_handed_out_and_no_worker_goes_without():
    for seconds in (1e-6, 1e-3, 0.1, 3.0):
        for slots in (1, 2, 7, 64):
            for units in (1, 2, 9, 100, 2000):
                pace, rest, sizes = paced(seconds), units, []
                while rest:
                    sizes.append(pace.units_per_task(rest, slots))
                    rest -= sizes[-1]
                assert sum(sizes) == units
                assert len(sizes) >= min(units, slots)


def test_recent_units_count_more():
    pace = Pace()
    pace.note(1.0, 10)
    assert pace.seconds == pytest.approx(0.1)
    pace.note(10.0, 10)  # (0.1 * 5 + 10) / (5 + 10)
    assert pace.seconds == pytest.approx(0.7)


def test_paces_are_remembered_and_the_oldest_forgotten():
    paces = Paces(most=2)
    first = paces.of("a")
    assert paces.of("a") is first
    paces.of("b")
    paces.of("a")
    paces.of("c")
    assert paces.of("a") is first
    assert len(paces._known) == 2
