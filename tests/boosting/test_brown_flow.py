"""The flow of BrownBoost: against an integrator, closed forms, and what it must keep."""

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from scipy.integrate import solve_ivp
from scipy.special import erf, erfinv

from distsearch.boosting._brown_flow import log_weight_of, potential, solve

NU = 1e-3
TIMES = [0.05, 0.25, 0.5, 1.0, 3.0]


def edge(a, b, weight, c, alpha, time):
    exponent = (a + alpha * b - time) ** 2 / c
    w = weight * np.exp(exponent.min() - exponent)
    return w @ b / w.sum()


def integrated(a, b, weight, c, left):
    """The end of the flow by an integrator of differential equations."""

    def out_of_time(_, time):
        return left - time[0]

    def no_edge(alpha, time):
        return edge(a, b, weight, c, alpha, time[0]) - NU

    out_of_time.terminal = no_edge.terminal = True
    flow = solve_ivp(
        lambda alpha, time: [edge(a, b, weight, c, alpha, time[0])],
        (0, 1e6), [0.0], method="DOP853", rtol=1e-11, atol=1e-13 * np.sqrt(c),
        events=[out_of_time, no_edge], max_step=min(0.05 * np.sqrt(c), 0.1),
    )  # fmt: skip
    ended = "time" if len(flow.t_events[0]) else "edge"
    return flow.t[-1], flow.y[0, -1], ended


def rows(seed, c, fractions=False):
    rng = np.random.default_rng(seed)
    n = int(rng.integers(2, 40))
    left = c * rng.uniform(0.1, 1)
    a = left + np.sqrt(c) * rng.choice([0.0, 0.3, 1.0, 2.0]) * rng.normal(size=n)
    b = rng.uniform(-1, 1, n) if fractions else rng.choice([-1.0, 1.0], n, p=[0.3, 0.7])
    return a, b, rng.uniform(0.1, 3, n), c, left


@settings(max_examples=25, deadline=None)
@given(seed=st.integers(0, 2**32), c=st.sampled_from(TIMES), fractions=st.booleans())
def test_the_end_is_that_of_an_integrator(seed, c, fractions):
    a, b, weight, c, left = rows(seed, c, fractions)
    assume(edge(a, b, weight, c, 0, 0) > 2 * NU)
    step = solve(a, b, weight, c, left, NU)
    alpha, time, ended = integrated(a, b, weight, c, left)
    assert step.ended == ended
    np.testing.assert_allclose([step.alpha, step.time], [alpha, time], rtol=1e-8, atol=1e-8)


@settings(max_examples=100, deadline=None)
@given(
    seed=st.integers(0, 2**32),
    c=st.sampled_from([1e-3, *TIMES, 10.0, 100.0]),
    fractions=st.booleans(),
)
def test_laws_of_the_end(seed, c, fractions):
    a, b, weight, c, left = rows(seed, c, fractions)
    step = solve(a, b, weight, c, left, NU)
    assert step.alpha >= 0
    assert 0 <= step.time <= min(left, step.alpha)
    moved = a + step.alpha * b - step.time
    np.testing.assert_allclose(
        potential(moved, weight, c), potential(a, weight, c), rtol=1e-10, atol=1e-300
    )
    if step.ended == "time":
        assert step.time == left
    elif step.alpha > 0:
        assert edge(a, b, weight, c, step.alpha, step.time) == pytest.approx(NU, abs=1e-9)
    else:
        assert edge(a, b, weight, c, 0, 0) <= NU


@settings(max_examples=50, deadline=None)
@given(seed=st.integers(0, 2**32), c=st.sampled_from(TIMES), factor=st.floats(0.01, 100))
def test_neither_order_nor_scale_nor_repetition_matters(seed, c, factor):
    a, b, weight, c, left = rows(seed, c)
    expected = solve(a, b, weight, c, left)
    order = np.random.default_rng(seed).permutation(len(a))
    twice = np.concatenate([order, order])
    again = solve(a[twice], b[twice], weight[twice] * factor, c, left)
    assert again.ended == expected.ended
    np.testing.assert_allclose([again.alpha, again.time], [expected.alpha, expected.time], 1e-9)
    root = np.sqrt(factor)
    scaled = solve(a * root, b, weight, c * factor, left * root)
    if max(c, c * factor) < 25:  # steps are the same in units of the root of c
        np.testing.assert_allclose(scaled.alpha, expected.alpha * root, 1e-9)


@pytest.mark.parametrize("c", [1e-3, *TIMES, 100.0])
def test_a_perfect_function_takes_all_the_time(c):
    step = solve(np.full(7, c), np.ones(7), np.ones(7), c, c)
    assert (step.alpha, step.time, step.ended) == (c, c, "time")
    half = solve(np.full(7, c), np.full(7, 0.5), np.ones(7), c, c)
    assert (half.alpha, half.time, half.ended) == (2 * c, c, "time")


@pytest.mark.parametrize("c", [1e-3, *TIMES])
@pytest.mark.parametrize("factor", [0.1, 0.5, 0.98, 0.9999, 1.0001, 1.02])
def test_the_first_round_ends_by_its_error(c, factor):
    bound = (1 - erf(np.sqrt(c))) / 2
    error = factor * bound
    step = solve(np.full(2, c), np.array([-1.0, 1.0]), np.array([error, 1 - error]), c, c, 1e-9)
    assert step.ended == ("time" if factor < 1 else "edge")
    if factor < 1:
        expected = np.sqrt(c) * erfinv(erf(np.sqrt(c)) / (1 - 2 * error))
        assert step.alpha == pytest.approx(expected, rel=1e-9)
        assert step.time == c
    else:
        assert step.time < c


@pytest.mark.parametrize("c", [30.0, 100.0, 400.0])
@pytest.mark.parametrize("error", [0.05, 0.2, 0.4])
def test_votes_of_adaboost_where_time_is_long(c, error):
    step = solve(np.full(2, c), np.array([-1.0, 1.0]), np.array([error, 1 - error]), c, c, 1e-9)
    assert step.ended == "edge"
    # exp(-(c + x)²/c) is exp(-2x) but for x²/c: weights of AdaBoost with margins doubled
    assert step.alpha == pytest.approx(np.log((1 - error) / error) / 4, rel=2 / c)


@pytest.mark.parametrize("b", [[0.0, 0, 0], [-1.0, -1, -1], [-1.0, 0, 1], [1e-3, 1e-3, 1e-3]])
def test_no_edge(b):
    step = solve(np.full(3, 0.5), np.array(b), np.ones(3), 0.5, 0.5)
    assert (step.alpha, step.time, step.ended) == (0.0, 0.0, "edge")


def test_no_time():
    step = solve(np.zeros(2), np.ones(2), np.ones(2), 1.0, 0.0)
    assert (step.alpha, step.time, step.ended) == (0.0, 0.0, "time")


def test_all_weights_underflow():
    # exp(-a²/c) is 0 for all of these, and the ratio of the weights is what matters
    a = np.array([1.0, 1.0, 1.0, -1.0])
    b = np.array([1.0, 1.0, -1.0, -1.0])
    weight = np.array([1.0, 1.0, 1.0, 1e-9])
    step = solve(a, b, weight, 1e-3, 1e-3)
    assert np.exp(-(a**2) / 1e-3).sum() == 0
    assert step.ended == "edge"
    # the rows on the right are the tails e^(-a²/c): two against one, at distances u and v
    assert step.alpha > 0
    u, v = a[0] + step.alpha - step.time, a[0] - step.alpha - step.time
    ratio = np.exp((v**2 - u**2) / 1e-3)
    assert (2 * ratio - 1) / (2 * ratio + 1) == pytest.approx(1e-3, abs=1e-8)


def test_less_time_never_lengthens_the_step():
    a, b = np.array([0.5, 0.5, 0.2, 0.9]), np.array([-1.0, 1.0, 1.0, 1.0])
    steps = [solve(a, b, np.ones(4), 0.5, left) for left in np.linspace(0.01, 0.5, 30)]
    assert (np.diff([step.alpha for step in steps]) >= -1e-12).all()
    assert (np.diff([step.time for step in steps]) >= -1e-12).all()


def test_weights_and_potential_by_hand():
    a = np.array([0.3, -0.2, 1.1])
    np.testing.assert_allclose(np.exp(log_weight_of(a, 0.5)), np.exp(-(a**2) / 0.5), rtol=1e-14)
    by_hand = (2 * (1 - erf(0.3 / np.sqrt(0.5))) + (1 - erf(-0.2 / np.sqrt(0.5)))) / 3
    assert potential(a[:2], np.array([2.0, 1.0]), 0.5) == pytest.approx(by_hand, rel=1e-14)
    assert potential(np.full(4, 2.0), np.ones(4), 2.0) == pytest.approx(1 - erf(np.sqrt(2)))


@given(near=st.floats(0, 5), further=st.floats(0, 5), c=st.sampled_from(TIMES))
def test_weights_fall_with_the_distance_from_the_last_hope(near, further, c):
    values = log_weight_of(np.array([near, near + further, -near - further]), c)
    assert values[0] >= values[1] == values[2]
