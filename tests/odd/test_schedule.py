import numpy as np
import pytest
from odd import reference
from odd.criteria import Bowl, Broken, Looking, Nowhere
from odd.data import blobs, groups
from scipy.optimize import minimize
from sklearn.base import clone
from sklearn.datasets import load_iris
from threadpoolctl import threadpool_info, threadpool_limits

from distsearch._sklearn import check_parameters
from distsearch.backends import SerialBackend, get_backend
from distsearch.errors import InvalidInputError, SearchFailedError
from distsearch.odd import PaperSchedule
from distsearch.odd._activations import Tanh
from distsearch.odd._criterion import ActivationCriterion, LinearCriterion
from distsearch.odd._moments import moments_of

SEED = np.random.SeedSequence(0)
TARGET = np.array([[0.3, -2.0], [1.5, 0.0], [4.0, -0.5]])


class Counting(SerialBackend):
    """Notes how many candidates each unit holds."""

    def __init__(self):
        super().__init__()
        self.held = []

    def run(self, fn, units, shared=None, *, fail_fast=False):
        self.held.append([len(unit.payload[0]) for unit in units])
        return super().run(fn, units, shared, fail_fast=fail_fast)


def run(schedule, criterion, backend=None, seed=SEED):
    return schedule.run(criterion, backend or SerialBackend(), seed)


def linear(X, y, p, **how):
    moments = moments_of(X, y, y.max() + 1)
    return LinearCriterion(moments.mean, moments.covariance(1), p, **how)


def tanh(work=None):
    X, y = blobs(5, counts=(40, 31, 52), n_features=6)
    criterion = ActivationCriterion(X, y, 3, 3, Tanh())
    criterion.work = criterion.work if work is None else work
    return criterion


def test_the_bottom_of_a_bowl():
    weight = np.array([[1.0, 10.0], [100.0, 0.1], [3.0, 1000.0]])
    found = run(PaperSchedule(), Bowl(TARGET, weight))
    np.testing.assert_allclose(found.W, TARGET, atol=1e-7)
    assert found.log_omega == pytest.approx(0.0, abs=1e-12)
    assert set(found.stage) == {"cma-es", "bfgs"}
    assert found.stage == sorted(found.stage, reverse=True)  # the population first


def test_two_classes_have_fishers_answer():
    """Ω at the best scale is 2 √(γ V) / ‖Md‖ for M = (S₁ + S₂)⁻¹ d."""
    X, y = blobs(1, counts=(30, 25), n_features=5)
    first, second = groups(X, y)
    S = np.cov(first, rowvar=False) + np.cov(second, rowvar=False)
    d = first.mean(axis=0) - second.mean(axis=0)
    m = np.linalg.solve(S, d)
    gamma = 0.5
    expected = 2 * np.sqrt(gamma * (m @ S @ m)) / abs(m @ d)
    found = run(PaperSchedule(newton_iterations=500), linear(X, y, 1, gamma=gamma))
    assert np.exp(found.log_omega) == pytest.approx(expected, rel=1e-8)
    direction = found.W[:, 0] / np.linalg.norm(found.W) * np.sign(found.W[:, 0] @ m)
    np.testing.assert_allclose(direction, m / np.linalg.norm(m), atol=1e-5)


@pytest.mark.parametrize("large", [200, 0])
def test_what_is_found_is_worth_what_is_said(large):
    X, y = load_iris(return_X_y=True)
    X = 2 * (X - X.min(axis=0)) / np.ptp(X, axis=0) - 1
    found = run(PaperSchedule(large=large), linear(X, y, 3))
    by_text = reference.linear_omega(groups(X, y), found.W)
    assert np.exp(found.log_omega) == pytest.approx(by_text, rel=1e-10)
    assert found.criterion[-1] == pytest.approx(by_text, rel=1e-10)
    assert len(found.stage) == len(found.criterion)
    assert (np.diff(found.criterion) <= 0).all()
    # No bad local minimum at as many components as classes: differences of the text's Ω, from
    # another start, lead to the same value.
    start = np.random.default_rng(7).normal(size=12)
    elsewhere = minimize(
        lambda m: np.log(reference.linear_omega(groups(X, y), m.reshape(4, 3))), start
    )
    assert np.log(by_text) == pytest.approx(elsewhere.fun, abs=1e-6 if large else 3e-3)


@pytest.mark.parametrize("seed", [0, 1, 2])
def test_bfgs_goes_on_from_the_population_on_omega_itself(seed):
    criterion, seed = tanh(), np.random.SeedSequence(seed)

    def omega(x):
        value, gradient = criterion.value_and_gradient(x.reshape(criterion.shape))
        return np.exp(value), np.exp(value) * gradient.ravel()

    before = run(PaperSchedule(iterations=25, newton_iterations=0), criterion, seed=seed)
    assert set(before.stage) == {"cma-es"}
    for iterations, tolerance in ((12, 1e-8), (300, 1e-2)):
        schedule = PaperSchedule(
            iterations=25, newton_iterations=iterations, gradient_tolerance=tolerance
        )
        found = run(schedule, criterion, seed=seed)
        by_hand = minimize(
            omega, before.W.ravel(), jac=True, method="BFGS",
            options={"maxiter": iterations, "gtol": tolerance},
        )  # fmt: skip
        np.testing.assert_allclose(found.W.ravel(), by_hand.x, rtol=1e-6, atol=1e-8)
        assert found.stage.count("bfgs") == by_hand.nit
        assert found.criterion[: len(before.criterion)] == before.criterion
        assert (np.diff(found.criterion) <= 0).all()


@pytest.mark.parametrize(
    ("n", "large", "stages"),
    [
        (200, 200, {"cma-es", "bfgs"}), (201, 200, {"es"}), (3, 0, {"es"}), (4, 3, {"es"}),
        (4, 4, {"cma-es", "bfgs"}),
    ],
)  # fmt: skip
def test_which_search_a_size_gets(n, large, stages):
    found = run(PaperSchedule(large=large, iterations=3, es_iterations=4), Bowl(np.ones((n, 1))))
    assert set(found.stage) == stages
    assert found.stage.count("cma-es") in (0, 3)
    assert found.stage.count("es") in (0, 4)


def test_parameters_reach_the_search():
    bowl = Bowl(np.full((4, 1), 30.0))
    schedule = PaperSchedule(iterations=400, newton_iterations=0, patience=7, tolerance=0.5)
    criterion = run(schedule, bowl).criterion
    assert criterion[-8] - criterion[-1] < 0.5
    assert all(a - b >= 0.5 for a, b in zip(criterion[:-8], criterion[7:-1], strict=True))
    backend = Counting()
    bowl.work = 1e9
    run(PaperSchedule(iterations=3, population=11, newton_iterations=0), bowl, backend)
    assert backend.held == [[1] * 11] * 3


@pytest.mark.parametrize("large", [200, 0])
def test_it_starts_between_minus_one_and_one(large):
    schedule = PaperSchedule(
        iterations=1, es_iterations=1, newton_iterations=0, large=large, step=1e-9
    )
    starts = [
        run(schedule, Bowl(np.zeros((100, 2))), seed=np.random.SeedSequence(seed)).W
        for seed in range(5)
    ]
    assert len({start[0, 0] for start in starts}) == 5
    assert np.abs(starts).max() < 1 + 1e-6
    # 1000 draws: mean 0 with deviation 0.018, second moment 1/3 with deviation 0.0094.
    assert abs(np.mean(starts)) < 0.08
    assert np.mean(np.square(starts)) == pytest.approx(1 / 3, abs=0.04)


class TestWhereItRuns:
    def test_a_batched_criterion_is_one_batch_here(self):
        bowl = Bowl(TARGET, whole=9)  # refuses any other batch
        bowl.batched, bowl.work = True, 1e12
        backend = Counting()
        run(PaperSchedule(iterations=5, population=9), bowl, backend)
        assert backend.held == []
        assert LinearCriterion.batched

    @pytest.mark.parametrize(("work", "elsewhere"), [(0.9e7, False), (1.1e7, True)])
    def test_others_are_sent_out_from_a_hundred_million_multiplications(self, work, elsewhere):
        backend = Counting()
        bowl = Bowl(TARGET)
        bowl.work = work
        run(PaperSchedule(iterations=4, population=10, newton_iterations=0), bowl, backend)
        assert backend.held == ([[1] * 10] * 4 if elsewhere else [])
        assert not ActivationCriterion.batched

    def test_the_same_bits_anywhere(self):
        with get_backend("processes:2") as backend:
            for large in (200, 0):
                schedule = PaperSchedule(
                    iterations=6, es_iterations=6, newton_iterations=6, large=large
                )
                together = run(schedule, tanh())
                alone = run(schedule, tanh(work=1e9))
                sent = run(schedule, tanh(work=1e9), backend)
                for other in (alone, sent):
                    np.testing.assert_array_equal(together.W, other.W)
                    assert together.criterion == other.criterion
                    assert together.log_omega == other.log_omega
                    assert together.stage == other.stage

    def test_one_thread_as_in_a_worker(self):
        bowl = Looking(TARGET)
        with threadpool_limits(2):
            run(PaperSchedule(iterations=1, newton_iterations=2), bowl)
            assert bowl.threads == {1}
            assert 2 in {library["num_threads"] for library in threadpool_info()}


@pytest.mark.parametrize("large", [200, 0])
def test_a_seed_is_all_there_is_to_chance(large):
    schedule = PaperSchedule(iterations=8, es_iterations=8, large=large)
    np.random.seed(1)
    before = np.random.get_state()
    once = run(schedule, tanh())
    for one, other in zip(before, np.random.get_state(), strict=True):
        np.testing.assert_array_equal(one, other)
    np.random.seed(2)
    np.testing.assert_array_equal(run(clone(schedule), tanh()).W, once.W)
    assert (run(schedule, tanh(), seed=np.random.SeedSequence(1)).W != once.W).all()


@pytest.mark.parametrize("large", [200, 0])
def test_centres_that_always_meet(large):
    schedule = PaperSchedule(iterations=3, es_iterations=3, large=large)
    with pytest.raises(
        SearchFailedError, match=r"infinite at every candidate of .*another activat"
    ):
        run(schedule, Nowhere())


def test_an_error_of_the_criterion_comes_out_itself():
    with pytest.raises(ZeroDivisionError, match="no centre of mass"):
        run(PaperSchedule(), Broken())


def test_an_omega_beyond_all_numbers():
    """Ω = 10^391 as a start is no number: it is infinite in the trace, and nothing warns."""

    class Far(Bowl):
        def value_and_gradient(self, W):
            value, gradient = super().value_and_gradient(W)
            return value + 900.0, gradient

        def values(self, population):
            return np.array([self.value_and_gradient(W)[0] for W in population])

    found = run(PaperSchedule(iterations=150), Far(TARGET))
    assert set(found.criterion) == {np.inf}
    assert 900 <= found.log_omega < 901
    np.testing.assert_allclose(found.W, TARGET, atol=0.1)


@pytest.mark.parametrize(
    ("wrong", "allowed"),
    [
        ({"iterations": 0}, "an int in the range [1, inf)"),
        ({"iterations": 2.5}, "an int in the range [1, inf)"),
        ({"population": 1}, "an int in the range [2, inf) or None"),
        ({"step": 0.0}, "a float in the range (0.0, inf)"),
        ({"step": np.inf}, "a float in the range (0.0, inf)"),
        ({"patience": 0}, "an int in the range [1, inf)"),
        ({"tolerance": -1e-9}, "a float in the range [0.0, inf)"),
        ({"tolerance": np.nan}, "a float in the range [0.0, inf)"),
        ({"newton_iterations": -1}, "an int in the range [0, inf)"),
        ({"gradient_tolerance": "small"}, "a float in the range [0.0, inf)"),
        ({"large": -1}, "an int in the range [0, inf)"),
        ({"es_iterations": None}, "an int in the range [1, inf)"),
    ],
)
def test_parameters_that_cannot_work(wrong, allowed):
    (name, value), *_ = wrong.items()
    for act in (check_parameters, lambda each: run(each, Bowl(TARGET))):
        with pytest.raises(InvalidInputError) as caught:
            act(PaperSchedule(**wrong))
        assert str(caught.value) == (
            f"The {name!r} parameter of PaperSchedule must be {allowed}. Got {value!r} instead."
        )
    assert set(PaperSchedule._parameter_constraints) == set(PaperSchedule().get_params())
