from itertools import pairwise

import numpy as np
import pytest
from odd import reference
from odd.data import blobs, groups, in_range, real
from scipy.optimize import minimize
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis

from distsearch.backends import SerialBackend
from distsearch.errors import InvalidInputError
from distsearch.odd import ODDClassifier, PaperSchedule
from distsearch.odd._activations import Tanh
from distsearch.odd._criterion import ActivationCriterion, LinearCriterion
from distsearch.odd._linear import global_minimum, whitening
from distsearch.odd._newton import minimize as descend
from distsearch.odd._nonlinear import HeldOut, descend_from
from distsearch.odd._orientation import signed
from distsearch.odd._reading import Rows

PLAIN = {"shrinkage": 0.0, "random_state": 0}
REAL = ["iris", "wine", "crabs", "breast_wisconsin", "glass", "parkinsons", "yeast"]


def parallel(a, b):
    return abs(a @ b) / np.linalg.norm(a) / np.linalg.norm(b)


def test_two_classes_have_fishers_discriminant_with_equal_weights():
    X, y = blobs(counts=(30, 11))
    fisher = reference.fisher(*groups(in_range(X), y))
    for p in (1, 2, 5):
        odd = ODDClassifier(p, **PLAIN).fit(X, y)
        assert parallel(odd.components_[0], fisher) == pytest.approx(1, abs=1e-12)
        assert np.abs(odd.components_[1:]).max(initial=0) == 0
        assert odd.history_["stage"].tolist() == ["closed form"]


def test_no_slow_search_finds_less():
    # Two classes have a closed form and no search; this is one for it, and for three classes.
    for seed, counts in ((0, (30, 11)), (1, (14, 20, 9))):
        X, y = blobs(seed, counts, n_features=3)
        own = groups(in_range(X), y)
        found = ODDClassifier(**PLAIN).fit(X, y).criterion_
        lowest = min(
            minimize(
                lambda m, own=own: np.log(reference.linear_omega(own, m.reshape(3, len(own)))),
                np.random.default_rng(start).normal(size=3 * len(counts)),
                method="BFGS",
            ).fun
            for start in range(2)
        )
        assert found == pytest.approx(np.exp(lowest), rel=1e-6)


def test_classes_of_one_covariance_have_the_space_of_lda():
    rng = np.random.default_rng(0)
    shape = rng.normal(size=(40, 4)) @ rng.normal(size=(4, 4))
    shape = np.vstack([shape, -shape])  # of mean 0
    means = rng.normal(size=(3, 4)) * 2
    X = np.vstack([shape + mean for mean in means])
    y = np.repeat([0, 1, 2], 80)
    odd = ODDClassifier(2, **PLAIN).fit(X, y).scalings_
    lda = LinearDiscriminantAnalysis(solver="eigen", n_components=2).fit(X, y).scalings_[:, :2]
    cosines = np.linalg.svd(np.linalg.qr(odd)[0].T @ np.linalg.qr(lda)[0])[1]
    np.testing.assert_allclose(cosines, 1.0, atol=1e-10)


@pytest.mark.parametrize("name", REAL)
def test_every_start_comes_to_the_same_minimum(name):
    X, y = real(name)
    usual = ODDClassifier(**PLAIN).fit(X, y)
    rows = [X[y == k] @ usual.components_.T for k in np.unique(y)]
    assert reference.omega(rows) == pytest.approx(usual.criterion_, rel=1e-9)
    for seed in range(10):
        drawn = ODDClassifier(shrinkage=0.0, init="random", random_state=seed).fit(X, y)
        assert drawn.criterion_ == pytest.approx(usual.criterion_, rel=1e-8)
    if len(usual.classes_) > 2:
        np.testing.assert_allclose(
            drawn.components_, usual.components_, atol=2e-3 * np.abs(usual.components_).max()
        )


@pytest.mark.parametrize("name", ["glass", "iris", "wine"])
def test_fewer_components_than_needed_cost_something(name):
    X, y = real(name)
    values = [
        ODDClassifier(each, **PLAIN).fit(X, y).criterion_
        for each in range(1, len(np.unique(y)) + 1)
    ]
    assert all(wide <= narrow + 1e-9 for narrow, wide in pairwise(values))
    assert values[-1] == pytest.approx(values[-2], rel=1e-9)  # the last one is useless


@pytest.mark.parametrize("name", ["wine", "yeast", "wine_quality_white"])
def test_one_component_is_as_good_as_the_best_of_many_random_starts(name):
    X, y = real(name)
    found = ODDClassifier(1, **PLAIN).fit(X, y).criterion_
    drawn = ODDClassifier(1, init="random", n_restarts=49, **PLAIN).fit(X, y).criterion_
    assert found <= drawn * 1.005


@pytest.mark.parametrize("activation", ["linear", "tanh"])
def test_the_papers_schedule_comes_near(activation):
    X, y = blobs(2)
    exact = ODDClassifier(activation=activation, **PLAIN).fit(X, y)
    paper = ODDClassifier(activation=activation, solver="cmaes+bfgs", **PLAIN).fit(X, y)
    assert set(paper.history_["stage"]) == {"cma-es", "bfgs"}
    assert exact.criterion_ <= paper.criterion_ * (1 + 1e-9)
    if activation == "linear":
        assert paper.criterion_ == pytest.approx(exact.criterion_, rel=1e-6)
        np.testing.assert_allclose(
            paper.components_[:2], exact.components_[:2], atol=1e-3 * exact.components_.max()
        )


def test_components_are_uncorrelated_within_classes_and_sorted():
    X, y = blobs()
    odd = ODDClassifier(**PLAIN).fit(X, y)
    within = np.mean([np.cov(rows, rowvar=False) for rows in groups(odd.transform(X), y)], axis=0)
    np.testing.assert_allclose(within, np.diag(np.diag(within)), atol=1e-10)
    assert (np.diff(np.diag(within)) <= 1e-12).all()
    largest = odd.components_[np.arange(3), np.abs(odd.components_).argmax(axis=1)]
    assert (largest >= 0).all()


def test_what_is_learned_says_what_transform_does():
    X, y = blobs()
    X = np.column_stack([X, np.full(len(X), 7.0)])
    odd = ODDClassifier(2, **PLAIN).fit(X, y)
    landed = odd.transform(X)
    assert odd.kept_features_.tolist() == [0, 1, 2, 3]
    np.testing.assert_allclose(
        landed, in_range(X[:, :4]) @ odd.components_.T + odd.intercept_, atol=1e-10
    )
    np.testing.assert_allclose((X - X.mean(axis=0)) @ odd.scalings_, landed, atol=1e-10)
    np.testing.assert_allclose(
        odd.centers_, [rows.mean(axis=0) for rows in groups(landed, y)], atol=1e-10
    )
    for rows, C in zip(groups(landed, y), odd.covariances_, strict=True):
        np.testing.assert_allclose(C, np.cov(rows, rowvar=False), atol=1e-10)


def test_scale_and_exponent_decide_nothing_of_a_linear_transform():
    X, y = blobs()
    usual = ODDClassifier(2, **PLAIN).fit(X, y)
    for how in ({"gamma": 0.01}, {"exponent": 0.1}, {"gamma": 5.0, "exponent": 0.5}):
        other = ODDClassifier(2, **how, **PLAIN).fit(X, y)
        ratio = other.components_ / usual.components_
        np.testing.assert_allclose(ratio, ratio[0, 0], rtol=1e-4)
    with pytest.raises(InvalidInputError, match=r"exponent must be below 0\.6667"):
        ODDClassifier(exponent=0.7).fit(X, y)


def test_components_are_added_until_they_gain_nothing():
    X, y = real("yeast")  # Ω is 3.58, 2.87, 2.76, 2.73, 2.72 with 1 to 5 components
    values = [ODDClassifier(p, **PLAIN).fit(X, y).criterion_ for p in range(1, 8)]
    gains = -np.diff(np.log(values))
    grown = ODDClassifier("auto", **PLAIN).fit(X, y)
    assert grown.n_components_ == 1 + int(np.argmax(gains < 0.01))
    assert grown.criterion_ == pytest.approx(values[grown.n_components_ - 1], rel=1e-6)


def test_more_features_than_rows():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(30, 80)), np.arange(30) % 3
    X[y == 1, 0] += 4
    odd = ODDClassifier(random_state=0).fit(X, y)
    assert odd.score(X, y) == 1
    # The same by way of the whole space, which batches take.
    whole = ODDClassifier(random_state=0).partial_fit(X, y)
    assert whole.criterion_ == pytest.approx(odd.criterion_, rel=1e-6)
    np.testing.assert_allclose(whole.predict_proba(X), odd.predict_proba(X), atol=1e-4)
    with pytest.raises(InvalidInputError, match="too few rows"):
        ODDClassifier(shrinkage=0.0).fit(X, y)


def test_duplicate_columns_change_nothing():
    X, y = blobs()
    usual = ODDClassifier(2, **PLAIN).fit(X, y)
    double = ODDClassifier(2, **PLAIN).fit(np.column_stack([X, X[:, 0], 1 - 2 * X[:, 1]]), y)
    assert double.criterion_ == pytest.approx(usual.criterion_, rel=1e-9)
    np.testing.assert_allclose(
        double.transform(np.column_stack([X, X[:, 0], 1 - 2 * X[:, 1]])), usual.transform(X),
        atol=1e-3,
    )  # fmt: skip


def test_a_given_start():
    X, y = blobs()
    start = np.random.default_rng(0).normal(size=(4, 1))
    odd = ODDClassifier(1, init=start, **PLAIN).fit(X, y)
    own = groups(in_range(X), y)
    expected = minimize(
        lambda m: np.log(reference.linear_omega(own, m[:, None])), start[:, 0], method="BFGS"
    )
    assert odd.criterion_ == pytest.approx(np.exp(expected.fun), rel=1e-6)
    with pytest.raises(InvalidInputError, match=r"shape \(4, 3\).*Got shape \(4, 1\)"):
        ODDClassifier(init=start).fit(X, y)
    through = ODDClassifier(1, activation="tanh", init=np.vstack([start, [[0.0]]]), **PLAIN)
    assert set(through.fit(X, y).history_["start"]) == {0}
    with pytest.raises(InvalidInputError, match=r"shape \(5, 2\).*Got shape \(4, 2\)"):
        ODDClassifier(2, activation="tanh", init=np.ones((4, 2))).fit(X, y)


def test_class_factors_weigh_the_spreads():
    X, y = blobs()
    odd = ODDClassifier(class_weight={0: 1.0, 1: 50.0, 2: 1.0}, **PLAIN).fit(X, y)
    factor = np.array([1.0, 50.0, 1.0])
    rows = groups(in_range(X), y)
    expected = reference.linear_omega(rows, odd.components_.T, factor=factor)
    assert odd.criterion_ == pytest.approx(expected, rel=1e-9)
    plain = ODDClassifier(**PLAIN).fit(X, y).components_.T
    criterion = LinearCriterion(
        np.stack([g.mean(axis=0) for g in rows]), np.stack([np.cov(g.T) for g in rows]), 3,
        class_factor=factor,
    )  # fmt: skip
    assert odd.criterion_ < np.exp(criterion.value(criterion.scale(plain)))
    balanced = ODDClassifier(class_weight="balanced", **PLAIN).fit(X, y)
    assert balanced.priors_ == pytest.approx([1 / 3] * 3)


def test_tanh_is_no_worse_than_any_single_start():
    X, y = blobs(3)
    odd = ODDClassifier(2, activation="tanh", **PLAIN).fit(X, y)
    assert set(odd.history_["start"]) == set(range(6))
    ends = [odd.history_["criterion"][odd.history_["start"] == start][-1] for start in range(6)]
    assert odd.criterion_ == pytest.approx(min(ends), rel=1e-9)
    projected = groups(odd.transform(X), y)
    assert reference.omega(projected) == pytest.approx(odd.criterion_, rel=1e-9)


def test_stopping_early_looks_at_rows_set_aside():
    X, y = blobs(4, counts=(60, 50, 40), apart=0.7)
    stopped = ODDClassifier(activation="tanh", early_stopping=True, **PLAIN).fit(X, y)
    whole = ODDClassifier(activation="tanh", **PLAIN).fit(X, y)
    assert stopped.n_iter_ < whole.n_iter_
    again = ODDClassifier(activation="tanh", early_stopping=True, **PLAIN).fit(X, y)
    np.testing.assert_array_equal(stopped.components_, again.components_)
    with pytest.raises(InvalidInputError, match="class 1 has one row"):
        ODDClassifier(activation="tanh", early_stopping=True).fit(X[:61], y[:61])


class Softsign:
    """x / (1 + |x|), as a user would write it."""

    def value(self, z):
        return z / (1 + np.abs(z))

    def derivative(self, z, y):
        return (1 - np.abs(y)) ** 2


def test_an_activation_of_ones_own():
    X, y = blobs()
    odd = ODDClassifier(2, activation=Softsign(), **PLAIN).fit(X, y)
    landed = odd.transform(X)
    assert np.abs(landed).max() < 1
    assert reference.omega(groups(landed, y)) == pytest.approx(odd.criterion_, rel=1e-9)

    class Sum(Softsign):
        def value(self, z):
            return z.sum(axis=1)

    with pytest.raises(InvalidInputError, match=r"elementwise.*Got \(3,\)"):
        ODDClassifier(activation=Sum()).fit(X, y)


def test_the_schedule_is_checked():
    X, y = blobs()
    with pytest.raises(InvalidInputError, match="'iterations' parameter of PaperSchedule"):
        ODDClassifier(solver=PaperSchedule(iterations=0)).fit(X, y)


def test_a_start_at_zero_does_not_stop_the_search():
    X, y = blobs()
    for p in (1, 2, 3):
        usual = ODDClassifier(p, **PLAIN).fit(X, y)
        zero = ODDClassifier(p, init=np.zeros((4, p)), **PLAIN).fit(X, y)
        assert zero.criterion_ == pytest.approx(usual.criterion_, rel=1e-6)


@pytest.mark.parametrize("name", ["iris", "crabs", "wine"])
def test_tanh_makes_use_of_every_component(name):
    # A column of zeros is a point without slope, from which no descent comes away.
    X, y = real(name)
    alone = ODDClassifier(activation="tanh", n_restarts=0, **PLAIN).fit(X, y)
    starts = alone.history_["start"]
    ends = [alone.history_["criterion"][starts == start][-1] for start in np.unique(starts)]
    drawn = ODDClassifier(activation="tanh", init="random", n_restarts=19, **PLAIN).fit(X, y)
    assert min(ends) <= drawn.criterion_ * 1.05
    assert np.abs(alone.components_).max(axis=1).min() > 1e-3


def test_the_result_hangs_on_the_seed_alone():
    X, y = blobs(5, counts=(15, 12, 10, 14))
    for how in ({"n_components": 1}, {"activation": "tanh", "n_components": 2}):
        one, two = (ODDClassifier(random_state=7, **how).fit(X, y) for _ in range(2))
        np.testing.assert_array_equal(one.components_, two.components_)
        seeded = ODDClassifier(random_state=np.random.default_rng(7), **how).fit(X, y)
        assert np.isfinite(seeded.criterion_)


def test_columns_are_added_until_the_minimum_is_that_of_all_widths():
    X, y = blobs(2, counts=(14, 20, 9, 16), n_features=5)
    own = groups(in_range(X), y)
    criterion = LinearCriterion(
        np.stack([g.mean(axis=0) for g in own]), np.stack([np.cov(g.T) for g in own]), 4
    )
    within = criterion.seen_through(whitening(criterion), 4)
    how = {"max_iter": 1000, "tol": 1e-12}
    usual = global_minimum(within, None, **how)
    narrow = np.random.default_rng(0).normal(size=(5, 1))
    single = descend(within.shape_value_and_gradient, narrow, **how).value
    found = global_minimum(within, narrow, **how)
    assert single > usual.value + 1e-3
    assert found.value == pytest.approx(usual.value, abs=1e-8)
    assert usual.M.shape[1] <= 3


def test_two_classes_whose_spreads_weigh_differently():
    X, y = blobs(counts=(30, 11))
    first, second = groups(in_range(X), y)
    odd = ODDClassifier(1, class_weight={0: 0.2, 1: 7.0}, **PLAIN).fit(X, y)
    within = 0.2 * np.cov(first.T) + 7.0 * np.cov(second.T)
    best = np.linalg.solve(within, first.mean(axis=0) - second.mean(axis=0))
    assert parallel(odd.components_[0], best) == pytest.approx(1, abs=1e-12)


def test_tanh_spreads_are_shrunk_after_the_transform():
    X, y = blobs()
    how = {"activation": "tanh", "max_iter": 30, "random_state": 0}
    odd = ODDClassifier(2, shrinkage=0.4, **how).fit(X, y)
    projected = groups(odd.transform(X), y)
    expected = reference.omega(projected, shrinkage=[0.4] * 3)
    assert odd.criterion_ == pytest.approx(expected, rel=1e-9)
    for rows, C in zip(projected, odd.covariances_, strict=True):
        np.testing.assert_allclose(C, reference.covariance(rows, shrinkage=0.4), atol=1e-12)


def test_a_descent_that_is_stopped_ends_where_held_out_rows_fare_best():
    X, y = blobs(4, counts=(60, 50, 40), apart=0.7)
    X, held = in_range(X), np.arange(len(X)) % 3 == 0
    (X_seen, y_seen), (X_held, y_held) = (X[~held], y[~held]), (X[held], y[held])
    priors, patience = np.bincount(y_seen) / len(y_seen), 5
    held_rows, seen_rows = (
        Rows(table, codes, np.ones(len(codes)), np.arange(3))
        for table, codes in ((X_held, y_held), (X_seen, y_seen))
    )
    held_out = HeldOut(held_rows, seen_rows, Tanh(), priors, patience)

    def loss(W):
        seen = groups(np.tanh(X_seen @ W[:-1] + W[-1]), y_seen)
        centers, covariances = [g.mean(axis=0) for g in seen], [np.cov(g.T) for g in seen]
        landed = np.tanh(X_held @ W[:-1] + W[-1])
        found = reference.posteriors(landed, centers, covariances, np.bincount(y_seen), priors)
        return -np.log(found[np.arange(len(y_held)), y_held]).mean()

    criterion = ActivationCriterion(X_seen, y_seen, 3, 2, Tanh())
    start = np.random.default_rng(0).uniform(-1, 1, (5, 2))
    points = [start]
    how = {"max_iter": 200, "tol": 1e-10}
    descend(criterion.value_and_gradient, start, watch=lambda W: points.append(W.copy()), **how)
    losses = [loss(W) for W in points]
    best = next(i for i, each in enumerate(losses) if each < min(losses[i + 1 : i + 1 + patience]))
    assert 0 < best < len(points) - patience - 1
    [stopped] = descend_from([start], criterion, held_out, SerialBackend(), **how)
    np.testing.assert_array_equal(stopped.minimum.point, points[best])
    assert stopped.loss == pytest.approx(losses[best], rel=1e-9)
    assert held_out.loss(start) == pytest.approx(losses[0], rel=1e-9)


def test_the_first_of_equal_entries_decides_the_sign():
    M = np.array([[0.5, -2.0], [-0.5 - 1e-13, 1.0], [0.1, 2.0 + 1e-12]])
    np.testing.assert_array_equal(signed(M), [1, -1])
    np.testing.assert_array_equal(signed(np.zeros((2, 1))), [1])
