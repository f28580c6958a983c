import pytest

from distsearch.backends import SerialBackend, Unit, get_backend, run_all


def add(unit, shared):
    if unit.payload is None:
        raise ValueError("no number")
    return unit.payload + shared


@pytest.mark.parametrize("name", ["serial", "processes:2"])
def test_values_are_in_the_order_of_the_units(name):
    with get_backend(name) as backend:
        assert run_all(backend, add, [Unit(n) for n in range(40)], 100) == list(range(100, 140))
        assert run_all(backend, add, [], 100) == []


def test_what_a_unit_raises_is_raised():
    units = [Unit(1), Unit(None), Unit(2)]
    with pytest.raises(ValueError, match="no number"):
        run_all(SerialBackend(), add, units, 1)
