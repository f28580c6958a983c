"""Votes and new weights, against closed forms."""

from math import exp, log

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import minimize_scalar

from distsearch.boosting._steps import (
    NOTHING,
    AdaBoostStep,
    KLStep,
    chance,
    clipped_vote,
    descent,
    vote,
)

UNIFORM = np.full(10, log(0.1))
FIRST_WRONG = np.arange(10) < 3


def normalised(log_weight):
    weight = np.exp(log_weight - log_weight.max())
    return weight / weight.sum()


def skewed(seed, n=20):
    weight = np.random.default_rng(seed).dirichlet(np.full(n, 0.5))
    return np.log(weight), np.random.default_rng(seed + 1).random(n) < 0.25


@pytest.mark.parametrize(
    ("error", "eta", "rule", "n_classes", "expected"),
    [
        (0.1, 1.0, "M1", 2, 2.1972245773362196),  # ln 9
        (0.1, 0.5, "M1", 2, 1.0986122886681098),  # ln 3
        (0.25, 1.0, "M1", 4, 1.0986122886681098),
        (0.25, 1.0, "SAMME", 4, 2.1972245773362196),  # ln 3 + ln 3
        (0.6, 1.0, "SAMME", 4, 0.6931471805599453),  # ln (2/3) + ln 3
        (0.3, 0.2, "SAMME", 2, 0.16945957207744075),  # ln(7/3) / 5
    ],
)
def test_votes(error, eta, rule, n_classes, expected):
    assert vote(error, eta, rule, n_classes) == pytest.approx(expected, rel=1e-14)
    assert clipped_vote(error, 10, eta, rule, n_classes) == pytest.approx(expected, rel=1e-14)


def test_perfect_and_useless_functions_have_finite_votes():
    assert clipped_vote(0.0, 20, 1.0, "M1", 2) == pytest.approx(log(39))
    assert clipped_vote(1e-7, 20, 0.5, "M1", 2) == pytest.approx(log(39) / 2)
    assert clipped_vote(0.0, 20, 1.0, "SAMME", 3) == pytest.approx(log(78))
    for error in (0.5, 0.7, 1.0):
        assert clipped_vote(error, 20, 1.0, "M1", 2) == NOTHING


@given(st.floats(0, 1), st.integers(1, 10**6), st.sampled_from(["M1", "SAMME"]), st.integers(2, 9))
def test_clipped_votes_are_positive_and_fall_with_the_error(error, n_rows, rule, n_classes):
    here = clipped_vote(error, n_rows, 1.0, rule, n_classes)
    assert 0 < here < np.inf
    worse = min(1.0, error + 0.01)
    if error > 0.5 / n_rows:
        assert clipped_vote(worse, n_rows, 1.0, rule, n_classes) <= here


def test_chance():
    assert chance("M1", 5) == 0.5
    assert chance("SAMME", 2) == 0.5
    assert chance("SAMME", 4) == 0.75
    assert AdaBoostStep("SAMME", 4).limit == KLStep("SAMME", 4, 0.5).limit == 0.75


def test_adaboost_halves_the_weight_of_what_is_right():
    value, moved = AdaBoostStep("M1", 2).take(UNIFORM, UNIFORM, FIRST_WRONG, 0.3, 10)
    assert value == pytest.approx(log(7 / 3))
    weight = normalised(moved)
    np.testing.assert_allclose(weight, [1 / 6] * 3 + [1 / 14] * 7)
    assert weight[FIRST_WRONG].sum() == pytest.approx(0.5)


def test_samme_leaves_wrong_rows_with_the_share_of_guessing():
    # After a step the function just used is as good as a guess: error 1 - 1/K.
    _, moved = AdaBoostStep("SAMME", 4).take(UNIFORM, UNIFORM, FIRST_WRONG, 0.3, 10)
    assert normalised(moved)[FIRST_WRONG].sum() == pytest.approx(0.75)


@pytest.mark.parametrize("rule", ["M1", "SAMME"])
@pytest.mark.parametrize("n_classes", [2, 3, 6])
@pytest.mark.parametrize("eta", [1.0, 0.5])
@pytest.mark.parametrize("seed", range(3))
def test_kl_without_a_penalty_is_adaboost(seed, eta, n_classes, rule):
    log_weight, wrong = skewed(seed)
    error = float(np.exp(log_weight) @ wrong)
    if not 0 < error < chance(rule, n_classes):
        pytest.skip("no error that a round goes on with")
    start = np.full(20, log(1 / 20))
    kl_vote, kl_moved = KLStep(rule, n_classes, 0.0, eta, 50.0).take(
        start, log_weight, wrong, error, 20
    )
    own_vote, own_moved = AdaBoostStep(rule, n_classes, eta).take(
        start, log_weight, wrong, error, 20
    )
    if rule == "M1":
        assert kl_vote == pytest.approx(own_vote, rel=1e-10)
        np.testing.assert_allclose(normalised(kl_moved), normalised(own_moved), rtol=1e-9)
    else:
        # Margins of 1 and -1/(K-1): α K/(K-1) = ln((1-ε)/ε) + ln(K-1), as SAMME's.
        assert kl_vote == pytest.approx(own_vote, rel=1e-10)
        np.testing.assert_allclose(normalised(kl_moved), normalised(own_moved), rtol=1e-9)


@pytest.mark.parametrize("beta", [0.25, 0.5, 0.75])
@pytest.mark.parametrize("seed", range(4))
def test_kl_takes_the_longest_way_down(seed, beta):
    log_weight, wrong = skewed(seed)
    start = np.full(20, log(1 / 20))
    weight, z = np.exp(log_weight), np.where(wrong, -1.0, 1.0)
    u = z + beta * np.log(20 * weight)
    found = minimize_scalar(
        lambda a: (weight * np.exp(-a * u)).sum(), bounds=(0, 5), method="bounded",
        options={"xatol": 1e-10},
    )  # fmt: skip
    value, moved = KLStep("M1", 2, beta, max_vote=10.0).take(start, log_weight, wrong, 0.3, 20)
    assert value / 2 == pytest.approx(found.x, abs=1e-6)
    alpha = value / 2
    expected = weight * np.exp(-alpha * u)
    np.testing.assert_allclose(normalised(moved), expected / expected.sum(), rtol=1e-10)
    # ln(d/d1) shrinks by 1 - αβ, and loses α z, but for the norm.
    rest = moved - start - (1 - alpha * beta) * (log_weight - start) + alpha * z
    np.testing.assert_allclose(rest, rest[0], atol=1e-10)


def test_kl_measures_from_the_weights_of_the_start():
    log_weight, wrong = skewed(2)
    value, _ = KLStep("M1", 2, 0.7).take(log_weight, log_weight, wrong, 0.2, 20)
    error = float(np.exp(log_weight) @ wrong)
    assert value == pytest.approx(log((1 - error) / error), rel=1e-10)


def test_kl_bounds_votes():
    nothing_wrong = np.zeros(10, dtype=bool)
    step = KLStep("M1", 2, 0.5, max_vote=6.0)
    value, moved = step.take(UNIFORM, UNIFORM, nothing_wrong, 0.0, 10)
    assert value == 6.0
    np.testing.assert_allclose(normalised(moved), 0.1)
    value, _ = step.take(UNIFORM, UNIFORM, ~nothing_wrong, 1.0, 10)
    assert value == NOTHING


@given(
    st.lists(st.floats(-5, 5), min_size=2, max_size=12),
    st.lists(st.floats(-3, 3), min_size=12, max_size=12),
)
def test_descent_ends_where_the_slope_is_0(log_weight, margin):
    log_weight = np.array(log_weight)
    margin = np.array(margin)[: len(log_weight)]
    alpha = descent(log_weight, margin, 8.0)
    assert 0 <= alpha <= 8

    def height(a):
        return float(np.exp(log_weight - a * margin).sum())

    for other in (0.0, alpha / 2, min(alpha * 1.1 + 0.01, 8.0), 8.0):
        assert height(alpha) <= height(other) * (1 + 1e-9)


def test_a_learning_rate_scales_the_step():
    log_weight, wrong = skewed(0)
    start = np.full(20, log(1 / 20))
    whole, far = KLStep("M1", 2, 0.5).take(start, log_weight, wrong, 0.2, 20)
    half, near = KLStep("M1", 2, 0.5, 0.5).take(start, log_weight, wrong, 0.2, 20)
    assert half == pytest.approx(whole / 2)
    np.testing.assert_allclose(near - log_weight, (far - log_weight) / 2)
    assert exp(half) < exp(whole)
