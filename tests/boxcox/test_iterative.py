import numpy as np
import pytest
from boxcox.reference_program import (
    SETTINGS,
    climbing_search,
    reference_search,
    scaled_to_one_two,
    training_accuracy,
)
from boxcox.stubs import SignClassifier
from hypothesis import given, settings
from hypothesis import strategies as st
from search.toys import drive, steps
from sklearn.model_selection import RepeatedStratifiedKFold
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier

from distsearch.boxcox import BoxCoxSearchCV, IterativeGrid
from distsearch.boxcox._columns import Columns
from distsearch.boxcox._mle import mle_lambdas

CLASSIFIERS = {"bayes": GaussianNB(), "neighbours": KNeighborsClassifier()}


def off(events, epochs):
    """Turn the method's way of switching an event off, once in all epochs, into None."""
    return [None if event >= epochs else event for event in events]


def strategy_for(setting, semantics, switch_off=off):
    gridsize, epochs, *events = setting
    shift, shuffle, finer = switch_off(events, epochs)
    return IterativeGrid(
        gridsize, epochs=epochs, shift_epoch=shift, shuffle_epoch=shuffle, finer_epoch=finer,
        semantics=semantics,
    )  # fmt: skip


class TestSchedule:
    """When things happen, seen from the candidates alone."""

    @pytest.mark.parametrize(
        ("name", "shift", "halves", "shuffle"),
        [
            ("Iterative", [], {}, []),
            ("Shift", [4], {}, []),
            ("Shuffle", [], {}, [2, 4, 6]),
            ("Finer", [], {4: 0.5}, []),
            ("Combined 1", [8], {4: 0.5, 12: 0.5}, [2, 4, 6, 8, 10, 12, 14]),
            ("Combined 2", [8], {4: 0.5, 12: 0.5}, [2, 4, 6, 8, 10, 12, 14]),
        ],
    )
    def test_of_the_published_settings(self, name, shift, halves, shuffle):
        epochs = SETTINGS[name][1]
        strategy = strategy_for(SETTINGS[name], "reference")
        p = 40  # a shuffle of so many is never the identity
        strategy.begin(np.zeros(p), np.random.SeedSequence(42))
        widths, orders, points = [], [], []
        while not strategy.done:
            batch = strategy.ask()
            if batch.epoch == len(widths):
                widths.append([])
                orders.append([])
                points.append(batch.candidates[0])
            (j,) = np.unique(batch.coordinates)
            widths[-1].append(round(np.ptp(batch.candidates[:, j]), 9))
            orders[-1].append(j)
            strategy.tell(np.zeros(len(batch.candidates)))
        width = 10.0
        for epoch in range(epochs):
            width = 10.0 if epoch in shift else width * halves.get(epoch, 1.0)
            assert set(widths[epoch]) == {width}
            assert sorted(orders[epoch]) == list(range(p))
            assert (epoch > 0 and orders[epoch] != orders[epoch - 1]) == (epoch in shuffle)
            others = np.delete(points[epoch], orders[epoch][0])
            assert (len(np.unique(others)) > 2) == (epoch in shift)
        assert len(widths) == epochs

    def test_halving_goes_on_until_the_next_shift(self):
        strategy = IterativeGrid(3, epochs=8, finer_epoch=1, shift_epoch=4, semantics="reference")
        _, _, asked = drive(strategy, lambda point: -(point[0] ** 2), [0.0])
        assert np.ptp(asked.reshape(8, 3), axis=1).tolist() == [10, 5, 2.5, 1.25] * 2

    def test_a_finer_grid_counts_from_the_shift(self):
        strategy = IterativeGrid(3, epochs=9, finer_epoch=2, shift_epoch=3, semantics="reference")
        _, _, asked = drive(strategy, lambda point: -(point[0] ** 2), [0.0])
        assert np.ptp(asked.reshape(9, 3), axis=1).tolist() == [10, 10, 5] * 3

    @pytest.mark.parametrize("semantics", ["reference", "product"])
    def test_an_event_once_in_all_epochs_never_happens(self, semantics):
        for name in ("Iterative", "Shift", "Shuffle", "Finer"):
            plain = drive(strategy_for(SETTINGS[name], semantics), steps(9), np.zeros(3))
            literal = strategy_for(SETTINGS[name], semantics, switch_off=lambda e, _: e)
            for one, other in zip(plain, drive(literal, steps(9), np.zeros(3)), strict=True):
                np.testing.assert_array_equal(one, other)


@pytest.mark.parametrize(
    ("name", "evaluations"),
    [
        ("Iterative", {60: 2640, 30: 1320, 2: 88}),
        ("Shift", {60: 5280, 30: 2640, 2: 176}),
        ("Shuffle", {60: 5280, 30: 2640, 2: 176}),
        ("Finer", {60: 5280, 30: 2640, 2: 176}),
        ("Combined 1", {60: 10560, 30: 5280, 2: 352}),
        ("Combined 2", {60: 20160, 30: 10080, 2: 672}),
    ],
)
def test_evaluations_of_the_reference(name, evaluations):
    for p, number in evaluations.items():
        strategy = strategy_for(SETTINGS[name], "reference")
        assert strategy.planned(p) == number
        if p < 60:
            assert len(drive(strategy, steps(40), np.zeros(p))[2]) == number


@st.composite
def searches(draw):
    epochs = draw(st.integers(1, 7))
    every = st.integers(1, 8)
    setting = (draw(st.integers(2, 6)), epochs, draw(every), draw(every), draw(every))
    start = draw(st.lists(st.floats(-9, 9), min_size=1, max_size=4))
    return setting, start, steps(draw(st.integers(1, 40)), draw(st.integers(0, 255)))


class TestAgainstTheSlowPrograms:
    @given(searches())
    @settings(max_examples=150)
    def test_reference(self, search):
        setting, start, score = search
        best, value, asked = drive(strategy_for(setting, "reference"), score, start)
        lambdas, claimed, evaluations = reference_search(score, start, *setting)
        np.testing.assert_array_equal(best, lambdas)
        assert (value, len(asked)) == (claimed, evaluations)

    @given(searches())
    @settings(max_examples=150)
    def test_product(self, search):
        setting, start, score = search
        best, value, asked = drive(strategy_for(setting, "product"), score, start)
        lambdas, slow = climbing_search(score, start, *setting)
        np.testing.assert_array_equal(best, lambdas)
        assert value == slow == score(best) == max(map(score, asked))

    @pytest.mark.parametrize("name", SETTINGS)
    @pytest.mark.parametrize("classifier", CLASSIFIERS)
    def test_on_real_data(self, name, classifier, breast_scores):
        score, start = breast_scores[classifier]
        compare(score, start, SETTINGS[name])


def compare(score, start, setting):
    """Hold both ways of the search against their slow versions; return the reference's claim."""
    best, value, asked = drive(strategy_for(setting, "reference"), score, start)
    lambdas, claimed, evaluations = reference_search(score, start, *setting)
    np.testing.assert_array_equal(best, lambdas)
    assert (value, len(asked)) == (claimed, evaluations)
    good, own, _ = drive(strategy_for(setting, "product"), score, start)
    lambdas, slow = climbing_search(score, start, *setting)
    np.testing.assert_array_equal(good, lambdas)
    assert own == slow == score(good)
    return best, value


@pytest.fixture(scope="module")
def breast_scores(breast):
    X, y = breast
    scaled = scaled_to_one_two(X[:, :4])
    start = mle_lambdas(scaled)
    return {key: (training_accuracy(scaled, y, c), start) for key, c in CLASSIFIERS.items()}


@pytest.fixture(scope="module")
def sonar_fold(sonar):
    """The training rows of the first of the paper's 50 folds, in single precision."""
    X, y = sonar
    train, _ = next(RepeatedStratifiedKFold(n_splits=10, n_repeats=5, random_state=42).split(X, y))
    return X[train].astype(np.float32), y[train]


@pytest.fixture(scope="module")
def sonar_scores(sonar_fold):
    X, y = sonar_fold
    scaled = scaled_to_one_two(X[:, :40:5])
    start = mle_lambdas(scaled)
    return {key: (training_accuracy(scaled, y, c), start) for key, c in CLASSIFIERS.items()}


class TestOnSonar:
    @pytest.mark.parametrize("name", ["Iterative", "Combined 1"])
    @pytest.mark.parametrize("classifier", CLASSIFIERS)
    def test_eight_columns(self, name, classifier, sonar_scores):
        compare(*sonar_scores[classifier], SETTINGS[name])

    def test_the_estimator_on_all_columns(self, sonar_fold):
        X, y = sonar_fold
        setting = (4, 2, 1, 1, 9)
        search = BoxCoxSearchCV(
            GaussianNB(), strategy_for(setting, "reference"), cv="resubstitution", random_state=42
        ).fit(X, y)
        # Ties are settled by the last bit, and scikit-learn's scaling differs there.
        scaled = Columns.learn(X, [f"x{j}" for j in range(60)]).scale(X)
        np.testing.assert_allclose(scaled, scaled_to_one_two(X), rtol=1e-6)
        score = training_accuracy(scaled, y, GaussianNB())
        lambdas, claimed, evaluations = reference_search(score, mle_lambdas(scaled), *setting)
        np.testing.assert_array_equal(search.lambdas_, lambdas)
        assert search.best_score_ == claimed
        assert len(search.search_history_["score"]) == evaluations == 4 * 2 * 60


class TestProduct:
    def test_the_start_is_scored_and_kept_on_ties(self):
        best, _, asked = drive(IterativeGrid(), lambda point: 0.5, [0.3, -0.7])
        assert best.tolist() == [0.3, -0.7]
        assert asked[0].tolist() == [0.3, -0.7]

    def test_the_first_of_equal_improvements_wins(self):
        best, _, _ = drive(IterativeGrid(), lambda point: float(abs(point[0]) >= 3), [0.3])
        assert best.tolist() == [-5.0]

    def test_the_start_is_clipped_to_the_bounds(self):
        best, _, _ = drive(IterativeGrid(bounds=(-2, 2)), lambda point: 0.0, [-9.0, 9.0])
        assert best.tolist() == [-2.0, 2.0]

    def test_an_epoch_that_cannot_help_is_left_out(self):
        _, _, asked = drive(IterativeGrid(epochs=50), lambda point: 0.0, [0.0, 0.0])
        assert len(asked) == 1 + 2 * 11

    def test_a_restart_climbs_on_its_own(self):
        def two_hills(point):
            near, far = np.abs(point - 4).max(), np.abs(point + 4).max()
            return max(0.5 - 0.1 * near, 1.0 - 0.45 * far)

        alone = drive(IterativeGrid(epochs=12), two_hills, [4.0, 4.0, 4.0])
        assert alone[1] == 0.5
        restarts = [
            drive(IterativeGrid(epochs=12, shift_epoch=2), two_hills, [4.0] * 3, seed=seed)[1]
            for seed in range(6)
        ]
        assert max(restarts) == 1.0
        assert min(restarts) >= 0.5

    def test_restarts_are_drawn_within_the_bounds(self):
        strategy = IterativeGrid(2, bounds=(2, 3), epochs=40, shift_epoch=1)
        _, _, asked = drive(strategy, lambda point: 0.0, np.full(5, 2.5))
        assert asked.min() >= 2
        assert asked.max() <= 3
        drawn = asked[1 + 10 :: 11]
        assert 0.2 < np.mean(drawn - 2) < 0.8
        assert len(np.unique(drawn)) == drawn.size

    def test_a_failed_candidate_never_wins(self):
        best, value, _ = drive(
            IterativeGrid(), lambda point: np.nan if point[0] < 2 else -point[0], [0.0]
        )
        assert (best.tolist(), value) == ([2.0], -2.0)


def test_a_finer_grid_sits_around_the_present_value():
    x = np.array([1.0] * 6 + [1.43, 1.445, 1.475, 1.52] + [2.0] * 6)[:, np.newaxis]
    score = training_accuracy(x, x[:, 0] > 1.45, SignClassifier())
    strategy = IterativeGrid(epochs=2, finer_epoch=1)
    best, value, asked = drive(strategy, score, [1.0])
    assert asked[1:12, 0].tolist() == [-5, -4, -3, -2, -1, 0, 1, 2, 3, 4, 5]
    assert [16 * score(point) for point in asked[1:12]] == [14] * 6 + [15] + [14] * 4
    assert asked[12:, 0].tolist() == [-1.5, -1, -0.5, 0, 0.5, 1, 1.5, 2, 2.5, 3, 3.5]
    assert [16 * score(point) for point in asked[12:]] == [14] * 4 + [16, 15] + [14] * 5
    assert (best.tolist(), value) == ([0.5], 1.0)


def test_the_reference_may_claim_a_score_its_lambdas_do_not_have():
    wrong = []
    for salt in range(20):
        score = steps(40, salt)
        best, claimed, _ = drive(strategy_for(SETTINGS["Combined 1"], "reference"), score, [0] * 4)
        wrong.append(claimed != score(best))
    assert any(wrong)
