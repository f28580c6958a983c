import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from distsearch.sweep.spec._values import ABSENT, MisfitError, fit, identity, parse_column


def undeclared(value):
    return None


def share_or_count(value):
    """Declare as scikit-learn does: a count of two or more, or a share up to 1.0."""
    if isinstance(value, int):
        return value >= 2
    return isinstance(value, float) and 0 < value <= 1


@pytest.mark.parametrize(
    ("value", "default", "expected"),
    [
        (1, 0.5, 1.0),
        (2.5, 0.5, 2.5),
        (3.0, 1, 3),
        (-0.0, 1, 0),
        (True, False, True),
        (None, 1, None),
        ("None", 0.5, None),
        ("None", "text", None),
        (math.inf, 0.5, math.inf),
        ([1, 2.5], 1.0, [1.0, 2.5]),
        ((1, 2), (0.0, 1.0), [1.0, 2.0]),
        ([1, "a"], 1.0, [1, "a"]),
        ([1, 2], (1, 2), [1, 2]),
        ([1, [2, (3,)]], None, [1, [2, [3]]]),
        (1, None, 1),
        (1.0, "text", 1.0),
        (10**400, 0.5, 10**400),
    ],
)
def test_a_default_gives_its_type(value, default, expected):
    found = fit(value, default, undeclared)
    assert repr(found) == repr(expected)


@pytest.mark.parametrize(
    ("value", "default", "message"),
    [
        (2.5, 1, "must be a whole number. Got 2.5 instead."),
        (math.inf, 1, "must be a whole number. Got inf instead."),
        (math.nan, 1, "must be a whole number. Got nan instead."),
        ("a", 1, "must be a whole number. Got 'a' instead."),
        (True, 1, "must be a whole number. Got True instead."),
        (False, 0.5, "must be a number. Got False instead."),
        ("a", 0.5, "must be a number. Got 'a' instead."),
        (1, True, "must be true or false. Got 1 instead."),
        ("yes", True, "must be true or false. Got 'yes' instead."),
        (
            [1, {2}],
            None,
            "must be made of numbers, text, true, false, None and lists. Got {2} instead.",
        ),
    ],
)
def test_what_does_not_fit(value, default, message):
    with pytest.raises(MisfitError) as caught:
        fit(value, default, undeclared)
    assert str(caught.value) == message


@pytest.mark.parametrize(
    ("value", "default", "expected"),
    [
        (0.5, 2, 0.5),  # a share where the default is a count
        (1.0, 2, 1.0),
        (3.0, 2, 3),
        (3, 1.0, 3),  # a count where the default is a share
        (1, 1.0, 1.0),
        (2.5, 2, 2.5),  # neither of both is left to the estimator
        ("sqrt", 1.0, "sqrt"),
    ],
)
def test_what_is_declared_goes_before_the_default(value, default, expected):
    assert repr(fit(value, default, share_or_count)) == repr(expected)


@pytest.mark.parametrize(
    ("cells", "default", "expected"),
    [
        (["1", "2.0", "1e-3", "true"], 0.1, [1, 2.0, 0.001, True]),
        (["nan", "-inf", "Infinity"], 0.1, [math.nan, -math.inf, math.inf]),
        (["true", "FALSE", "yes", "1"], False, [True, False, "yes", "1"]),
        (["3", "", "3.0", "1e2", "x"], 3, [3, ABSENT, 3.0, 100.0, "x"]),
        (["1", "2", "a", "None", "True"], None, [1, 2, "a", "None", True]),
        (["1", "0.5", "a", "true"], None, [1.0, 0.5, "a", True]),
        (["1", "2.0"], None, [1, 2.0]),
        (["1", "0.5"], 1, [1, 0.5]),
        (["nan", "inf", "1e999"], "text", ["nan", "inf", "1e999"]),
        (["1_000", "0x10", "١", "1,5"], 1.5, ["1_000", "0x10", "١", "1,5"]),
        (["[1, 'a', (2, 3)]", "(1)", "{'a': 1}"], None, [[1, "a", (2, 3)], 1, {"a": 1}]),
        (["007", "+5", "-.5", "5."], 1.5, [7, 5, -0.5, 5.0]),
    ],
)  # fmt: skip
def test_cells(cells, default, expected):
    assert repr(parse_column(cells, default)) == repr(expected)


@pytest.mark.parametrize("cell", ["[1,", "[x]", "(__import__('os'))", "[" * 5000, "{1: [}", "[1]'"])
def test_cells_that_are_no_lists(cell):
    (found,) = parse_column([cell], None)
    assert isinstance(found, MisfitError)
    assert str(found).startswith("must be a list such as [1, 2.5, 'a']. Got ")


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_a_float_is_read_as_it_was_written(number):
    assert parse_column([repr(number)], 1.0) in ([number], [int(number)])
    assert fit(parse_column([repr(number)], 1.0)[0], 1.0, undeclared) == number


@given(st.integers())
def test_an_integer_is_read_as_it_was_written(number):
    for default in (1, None, "text"):
        assert repr(parse_column([str(number)], default)) == repr([number])


plain = st.recursive(
    st.none() | st.booleans() | st.integers(-3, 3) | st.text(max_size=2), lambda x: st.lists(x)
)


def same(a, b):
    """Compare with truth values that are no numbers."""
    if isinstance(a, list) and isinstance(b, list):
        return len(a) == len(b) and all(map(same, a, b))
    return a == b and isinstance(a, bool) == isinstance(b, bool)


@given(plain, plain)
def test_identity(a, b):
    assert (identity(a) == identity(b)) == same(a, b)
    assert identity(1) == identity(1.0) != identity(True)
    assert identity(math.nan) == identity(float("nan"))
    assert identity({"a": 1, "b": [2]}) == identity({"b": (2,), "a": 1.0})
