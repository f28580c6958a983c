import copy
import pickle
import random

import cma
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from search.toys import drive
from sklearn.base import clone

from distsearch.odd._strategies import CMAES, EvolutionStrategy, default_population

BOTH = pytest.mark.parametrize("kind", [CMAES, EvolutionStrategy])
START = np.array([0.5, -1.0, 2.0])


def sphere(point):
    """-log of an Ω that is smallest, 1, at (1, 2, 3 …)."""
    return -np.log1p(((point - np.arange(1, len(point) + 1)) ** 2).sum())


def generations(strategy, omegas, n=2):
    """How many populations are asked for where the best of each has these Ω."""
    strategy.begin(np.zeros(n), np.random.SeedSequence(0))
    number = 0
    while not strategy.done:
        scores = np.full(len(strategy.ask().candidates), -np.inf)
        scores[-1] = -np.log(omegas(number))
        strategy.tell(scores)
        number += 1
    return number


@BOTH
@pytest.mark.parametrize("n", [1, 2, 5])
def test_the_optimum_of_the_sphere(kind, n):
    point, score, asked = drive(kind(iterations=200, tolerance=0), sphere, np.zeros(n))
    np.testing.assert_allclose(point, np.arange(1, n + 1), atol=1e-5)
    assert score == pytest.approx(0, abs=1e-10)
    assert len(asked) == kind(200).planned(n) == 200 * default_population(n)


@pytest.mark.parametrize("n", [2, 3, 5, 8, 10, 40, 90, 200])
def test_the_population_is_pycmas(n):
    options = {"verbose": -9, "seed": np.nan, "randn": np.random.default_rng(0).standard_normal}
    assert default_population(n) == cma.CMAEvolutionStrategy(n * [0.0], 1.0, options).popsize


def test_known_populations():  # Hansen's tutorial: 4 + floor(3 ln n)
    assert [default_population(n) for n in (1, 2, 3, 10, 20, 40, 100)] == [4, 6, 7, 10, 12, 15, 17]


@pytest.mark.parametrize("population", [None, 9])
def test_cma_es_is_pycma_with_the_same_stream(population):
    seed = np.random.SeedSequence(42)
    rng = np.random.default_rng(seed)
    options = {"verbose": -9, "seed": np.nan, "randn": lambda *shape: rng.standard_normal(shape)}
    if population:
        options["popsize"] = population
    by_hand, expected = cma.CMAEvolutionStrategy(START, 0.7, options), []
    for _ in range(25):
        candidates = by_hand.ask()
        by_hand.tell(candidates, [-sphere(each) for each in candidates])
        expected += candidates
    strategy = CMAES(25, population, 0.7, tolerance=0)
    point, score, asked = drive(strategy, sphere, START)
    np.testing.assert_array_equal(asked, expected)
    np.testing.assert_array_equal(point, by_hand.result.xbest)
    assert score == -by_hand.result.fbest


def comma_strategy(score, start, population, step, iterations, rng):
    """(μ/μ, λ) with μ = λ/2, individual by individual."""
    n, center, asked = len(start), list(start), []
    for _ in range(iterations):
        kicks = rng.standard_normal(population)
        moves = rng.standard_normal((population, n))
        born = []
        for kick, move in zip(kicks, moves, strict=True):
            own = step * np.exp(kick / np.sqrt(2 * n))
            born.append((own, [c + own * z for c, z in zip(center, move, strict=True)]))
        asked += [place for _, place in born]
        parents = sorted(born, key=lambda each: -score(np.array(each[1])))[: population // 2]
        center = [sum(place[j] for _, place in parents) / len(parents) for j in range(n)]
        step = np.prod([own for own, _ in parents]) ** (1 / len(parents))
    return np.array(asked)


@pytest.mark.parametrize("population", [6, 7, 12])
def test_the_evolution_strategy_is_the_comma_strategy(population):
    seed = np.random.SeedSequence(42)
    expected = comma_strategy(sphere, START, population, 0.7, 20, np.random.default_rng(seed))
    _, _, asked = drive(EvolutionStrategy(20, population, 0.7, tolerance=0), sphere, START)
    np.testing.assert_allclose(asked, expected, rtol=1e-9, atol=1e-12)


@BOTH
def test_a_smallest_population(kind):
    _, score, asked = drive(kind(40, population=2, tolerance=0), sphere, START)
    assert len(asked) == 80
    assert score == max(sphere(point) for point in asked)


@BOTH
@pytest.mark.parametrize(
    ("tolerance", "expected"),
    [(0.051, 6), (0.049, 30), (0.0, 30)],  # Ω falls by 0.05 over 5 iterations
)
def test_it_ends_when_omega_ceases_to_fall(kind, tolerance, expected):
    strategy = kind(iterations=30, patience=5, tolerance=tolerance)
    assert generations(strategy, lambda number: 10 - 0.01 * number) == expected


@BOTH
def test_what_counts_is_omega_and_the_best_so_far(kind):
    strategy = kind(iterations=40, patience=4, tolerance=2.5)
    # A fall of 1 in each of ten populations, tiny in log Ω, and then only worse ones: after
    # the eleventh the best fell by 3 in the last four, after the twelfth by 2.
    found = generations(strategy, lambda number: 1e6 + (90 - number if number < 10 else 500))
    assert found == 12
    assert strategy.best[1] == pytest.approx(-np.log(1e6 + 81))


@BOTH
def test_nothing_finite_does_not_count_as_standing_still(kind):
    strategy = kind(iterations=30, patience=3)
    assert generations(strategy, lambda number: np.inf if number < 10 else 2.0) == 14


@BOTH
@pytest.mark.parametrize("nothing", [np.nan, -np.inf])
def test_scores_that_are_none_are_worst(kind, nothing):
    """Half of the space has no score, the optimum beside its border."""
    point, score, _ = drive(
        kind(iterations=200, tolerance=0),
        lambda x: nothing if x[0] < 0.9 else sphere(x),
        START,
    )
    np.testing.assert_allclose(point, [1, 2, 3], atol=1e-5)
    assert score == pytest.approx(0, abs=1e-10)


@BOTH
@pytest.mark.parametrize("nothing", [np.nan, -np.inf])
def test_without_any_score_there_is_still_a_point(kind, nothing):
    point, score, asked = drive(kind(iterations=25), lambda x: nothing, START)
    np.testing.assert_array_equal(point, START)
    assert score == -np.inf
    assert len(asked) == 25 * 7
    assert np.isfinite(asked).all()


@BOTH
def test_an_omega_beyond_all_numbers_is_ranked(kind):
    """log Ω = 800: Ω is infinite as a number, and no warning comes of it."""
    point, _, _ = drive(kind(iterations=200, tolerance=0), lambda x: sphere(x) - 800, START)
    np.testing.assert_allclose(point, [1, 2, 3], atol=1e-5)
    best, score, _ = drive(kind(iterations=10), lambda x: np.inf if x[0] > 0 else 0.0, START)
    assert best[0] > 0
    assert score == np.inf


@BOTH
def test_nothing_outside_is_touched(kind, tmp_path, monkeypatch, capfd):
    monkeypatch.chdir(tmp_path)
    before, plain = np.random.get_state(), random.getstate()
    drive(kind(iterations=30), sphere, START)
    drive(kind(iterations=30), lambda x: np.nan, START)
    drive(kind(iterations=30), sphere, START[:1])
    for one, other in zip(before, np.random.get_state(), strict=True):
        np.testing.assert_array_equal(one, other)
    assert random.getstate() == plain
    assert list(tmp_path.iterdir()) == []
    assert capfd.readouterr() == ("", "")


@BOTH
def test_numpys_generator_has_no_say(kind):
    np.random.seed(1)
    once = drive(kind(iterations=15), sphere, START)[2]
    np.random.seed(2)
    np.testing.assert_array_equal(drive(kind(iterations=15), sphere, START)[2], once)
    assert not np.isin(drive(kind(iterations=15), sphere, START, seed=43)[2], once).any()


@BOTH
@pytest.mark.parametrize("through", [copy.deepcopy, lambda each: pickle.loads(pickle.dumps(each))])
def test_a_copy_taken_midway_goes_on_alike(kind, through):
    strategy = kind(iterations=20, tolerance=0)
    strategy.begin(START, np.random.SeedSequence(5))
    for _ in range(8):
        strategy.tell([sphere(x) for x in strategy.ask().candidates])
    other = through(strategy)
    while not strategy.done:
        batch = strategy.ask().candidates
        np.testing.assert_array_equal(other.ask().candidates, batch)
        for each in (strategy, other):
            each.tell([sphere(x) for x in batch])
    assert other.done
    np.testing.assert_array_equal(other.best[0], strategy.best[0])


@BOTH
def test_parameters(kind):
    strategy = clone(kind(7, 5, 0.5, 3, 0.1))
    expected = {"iterations": 7, "population": 5, "step": 0.5, "patience": 3, "tolerance": 0.1}
    assert strategy.get_params() == expected
    assert strategy.planned(100) == 35
    assert (CMAES().iterations, EvolutionStrategy().iterations) == (100, 500)


@settings(max_examples=15, deadline=None)
@given(st.sampled_from([CMAES, EvolutionStrategy]), st.integers(0, 2**16), st.integers(1, 6))
def test_only_ranks_count(kind, seed, n):
    def cubed(point):
        return sphere(point) ** 3 * 100 + 5

    plain = drive(kind(iterations=12, tolerance=0), sphere, np.zeros(n), seed)[2]
    other = drive(kind(iterations=12, tolerance=0), cubed, np.zeros(n), seed)[2]
    np.testing.assert_array_equal(plain, other)


@settings(max_examples=15, deadline=None)
@given(st.sampled_from([CMAES, EvolutionStrategy]), st.integers(0, 2**16), st.floats(0.01, 100))
def test_the_step_is_the_unit_of_length(kind, seed, unit):
    one = drive(kind(iterations=10, tolerance=0), sphere, START, seed)[2]
    other = drive(
        kind(iterations=10, step=unit, tolerance=0), lambda x: sphere(x / unit), START * unit, seed
    )[2]
    np.testing.assert_allclose(other, one * unit, rtol=1e-6, atol=1e-8 * unit)
