"""The loop that draws, fits, weighs and votes, against a slow and obvious one."""

import numpy as np
import pytest
from boosting import slow
from boosting.data import overlapping, rows_of, same
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.tree import DecisionTreeClassifier

from distsearch.backends import seed_sequence
from distsearch.boosting import DecisionStumpClassifier
from distsearch.boosting._learners import bind
from distsearch.boosting._resampling import boost
from distsearch.boosting._steps import AdaBoostStep, KLStep

BASES = {
    "stump": DecisionStumpClassifier(),
    "tree": DecisionTreeClassifier(max_depth=2),
    "random tree": DecisionTreeClassifier(max_depth=3, max_features=1),
    "bayes": GaussianNB(),
}


def run(base, rows, n_estimators=10, step=None, seed=0, **how):
    step = AdaBoostStep("M1", 2) if step is None else step
    return boost(
        bind(base, rows), rows, np.random.SeedSequence(seed), n_estimators=n_estimators,
        step=step, **how,
    )  # fmt: skip


class Scripted:
    """A learner whose functions are wrong on given rows, one list after another."""

    def __init__(self, rows, script):
        self.rows, self.script, self.drawn = rows, script, []

    def fit(self, counts, seed):
        self.drawn.append(counts)
        return self.script[min(len(self.drawn), len(self.script)) - 1]

    def fit_weighted(self, seed):
        return self.fit(None, seed)

    def codes(self, function):
        codes = self.rows.codes.copy()
        codes[list(function)] = 1 - codes[list(function)]
        return codes


def scripted(script, n_rows=10, n_estimators=10, step=None, weight=None, **how):
    rows = rows_of(np.arange(n_rows)[:, None], np.arange(n_rows) % 2, weight)
    learner = Scripted(rows, script)
    step = AdaBoostStep("M1", 2) if step is None else step
    found = boost(learner, rows, np.random.SeedSequence(0), n_estimators=n_estimators, step=step,
                  **how)  # fmt: skip
    return found, learner.drawn


@pytest.mark.parametrize("base", BASES)
@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize(("n_classes", "rule"), [(2, "M1"), (3, "M1"), (3, "SAMME")])
@pytest.mark.parametrize("eta", [1.0, 0.5])
def test_against_the_slow_loop(base, seed, n_classes, rule, eta):
    X, y = overlapping(seed, 60, n_classes)
    weight = np.ones(60)
    weight[-1] = 3  # draws of two equally likely last rows hang on the last digit of their weights
    found = run(BASES[base], rows_of(X, y, weight), 6, AdaBoostStep(rule, n_classes, eta), seed)
    functions, votes, errors, weights = slow.adaboost(
        BASES[base], X, y, np.random.SeedSequence(seed), 6, eta, rule, n_classes, weight, 62
    )
    assert len(found.functions) == len(functions)
    np.testing.assert_allclose(found.votes, votes, rtol=1e-9)
    np.testing.assert_allclose(found.errors, errors, rtol=1e-9)
    for one, other in zip(found.functions, functions, strict=True):
        same(one.predict(X), other.predict(X))
    for weight in weights:
        assert weight.sum() == pytest.approx(1)


def test_repeated_rows_are_drawn_as_often():
    X, y = overlapping(0, 40)
    weight = np.random.default_rng(0).integers(1, 5, 40).astype(float)
    found = run(GaussianNB(), rows_of(X, y, weight), 5)
    _, votes, errors, _ = slow.adaboost(
        GaussianNB(), X, y, np.random.SeedSequence(0), 5, weight=weight, draws=int(weight.sum())
    )
    np.testing.assert_allclose(found.votes, votes, rtol=1e-9)
    np.testing.assert_allclose(found.errors, errors, rtol=1e-9)


def test_a_perfect_first_function_is_drawn_ten_times_and_kept():
    found, drawn = scripted([[]])
    assert len(drawn) == 10
    assert found.stopped == "perfect"
    assert len(found.functions) == 1
    assert found.errors == [0.0]
    assert found.votes == [pytest.approx(np.log(19))]  # half a row of ten is wrong


def test_a_later_perfect_function_is_dropped():
    found, drawn = scripted([[1], []])
    assert len(drawn) == 1 + 10
    assert found.stopped == "perfect"
    assert found.functions == [[1]]


def test_a_perfect_draw_is_followed_by_another():
    found, drawn = scripted([[], [], [3], [4], [5]], n_estimators=3)
    assert found.functions == [[3], [4], [5]]
    assert len(drawn) == 5
    assert found.stopped == "n_estimators"


def test_a_function_no_better_than_chance_ends_the_run():
    found, drawn = scripted([[0, 1], [2, 3, 4, 5, 6, 7, 8, 9], [3]])
    assert found.functions == [[0, 1]]
    assert len(drawn) == 2
    assert found.stopped == "chance"
    first, drawn = scripted([[0, 1, 2, 3, 4], [1]])
    assert first.functions == [[0, 1, 2, 3, 4]]
    assert first.votes == [1e-6]
    assert first.stopped == "chance"
    assert len(drawn) == 1


def test_samme_goes_on_beyond_a_half():
    rows = rows_of(np.arange(12)[:, None], np.arange(12) % 4)
    script = [[0, 1, 2, 3, 4, 5, 6], [0]]

    class Other(Scripted):
        def codes(self, function):
            codes = self.rows.codes.copy()
            codes[list(function)] = (codes[list(function)] + 1) % 4
            return codes

    for rule, n_functions in (("M1", 1), ("SAMME", 2)):
        found = boost(
            Other(rows, script), rows, np.random.SeedSequence(0), n_estimators=2,
            step=AdaBoostStep(rule, 4),
        )  # fmt: skip
        assert len(found.functions) == n_functions


def test_a_draw_has_as_many_rows_as_there_are():
    _, drawn = scripted([[1], [2]], n_estimators=2)
    assert [int(counts.sum()) for counts in drawn] == [10, 10]
    _, drawn = scripted([[1], [2]], n_estimators=2, weight=[3] + [1] * 9)
    assert [int(counts.sum()) for counts in drawn] == [12, 12]


def test_the_first_function_on_all_rows():
    _, drawn = scripted([[1], [2]], n_estimators=2, weight=[3] + [1] * 9, first_on_all=True)
    same(drawn[0], [3] + [1] * 9)
    X, y = overlapping(0, 50)
    whole = GaussianNB().fit(X, y)
    found = run(GaussianNB(), rows_of(X, y), 3, first_on_all=True)
    np.testing.assert_allclose(found.functions[0].theta_, whole.theta_)
    assert found.errors[0] == pytest.approx((whole.predict(X) != y).mean())


def test_drawing_follows_the_weights():
    # Rows 0 and 1 are wrong, then row 2, whose weight rises from 1/16 to 1/2.
    _, drawn = scripted([[0, 1], [2], [3]], n_estimators=3, weight=[5000] * 10)
    shares = np.array([counts / counts.sum() for counts in drawn])
    expected = [
        [1 / 10] * 10,
        [1 / 4] * 2 + [1 / 16] * 8,
        [2 / 15] * 2 + [1 / 2] + [1 / 30] * 7,
    ]
    np.testing.assert_allclose(shares, expected, atol=0.01)


def test_the_training_error_is_below_its_bound():
    # Freund and Schapire's theorem 6: the error is at most the product of 2 sqrt(ε(1-ε)).
    for seed in range(5):
        X, y = overlapping(seed, 80)
        found = run(DecisionTreeClassifier(max_depth=1), rows_of(X, y), 12, seed=seed)
        errors = np.array(found.errors)
        bound = np.prod(2 * np.sqrt(errors * (1 - errors)))
        voted = slow.totals(found.functions, found.votes, X, [0, 1]).argmax(axis=1)
        assert (voted != y).mean() <= bound + 1e-12


def test_functions_that_ask_for_two_classes_get_them():
    # One row of the smaller class: many draws do not have it.
    X, y = np.arange(12.0)[:, None], np.array([1] + [0] * 11)
    found = run(KNeighborsClassifier(1), rows_of(X, y), 10, seed=3)
    assert np.isfinite(found.votes).all()


def test_kl_runs():
    X, y = overlapping(2, 60)
    found = run(GaussianNB(), rows_of(X, y), 8, KLStep("M1", 2, 0.0, max_vote=50.0))
    plain = run(GaussianNB(), rows_of(X, y), 8)
    np.testing.assert_allclose(found.votes, plain.votes, rtol=1e-6)
    other = run(GaussianNB(), rows_of(X, y), 8, KLStep("M1", 2, 0.75))
    assert other.votes[1] != pytest.approx(plain.votes[1])


def test_seeds_and_generators():
    X, y = overlapping(2, 60)
    rows = rows_of(X, y)
    one, other = (
        boost(bind(GaussianNB(), rows), rows, seed, n_estimators=3, step=AdaBoostStep("M1", 2))
        for seed in (seed_sequence(4), np.random.default_rng(seed_sequence(4)))
    )
    assert one.votes == other.votes
