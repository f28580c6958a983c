"""AdaBoost with a penalty on skewed weights."""

import numpy as np
import pytest
from boosting.data import overlapping, real, same, uneven
from scipy.optimize import minimize_scalar
from scipy.special import expit, softmax
from sklearn.datasets import load_iris
from sklearn.naive_bayes import GaussianNB

from distsearch.backends import derive_seed
from distsearch.boosting import (
    AdaBoostKLClassifier,
    DecisionStumpClassifier,
    ResamplingAdaBoostClassifier,
)
from distsearch.boosting._reading import read_training


def boosted(estimator="stump", X=None, y=None, **how):
    if X is None:
        X, y = overlapping()
    return AdaBoostKLClassifier(estimator, **{"random_state": 0, **how}).fit(X, y)


def slow_kl(base, X, signs, weight, seed, n_rounds, beta):
    """The published loop: α by a minimiser, weights d exp(-αu)."""
    rng = np.random.default_rng(seed)
    start = weight / weight.sum()
    d = start
    functions, votes, errors = [], [], []
    for _ in range(n_rounds):
        for _ in range(10):
            drawn = np.repeat(np.arange(len(d)), rng.multinomial(int(weight.sum()), d))
            rng.integers(2**31 - 1)
            f = base().fit(X[drawn], signs[drawn])
            z = signs * f.predict(X)
            if d[z < 0].sum() > 1e-6:
                break
        error = d[z < 0].sum()
        if (error <= 1e-6 or error >= 0.5) and functions:
            break
        u = z + beta * np.log(d / start)
        alpha = minimize_scalar(
            lambda a, d=d, u=u: (d * np.exp(-a * u)).sum(), bounds=(0, 5), method="bounded",
            options={"xatol": 1e-12},
        ).x  # fmt: skip
        functions.append(f)
        votes.append(2 * alpha)
        errors.append(error)
        d = d * np.exp(-alpha * u)
        d = d / d.sum()
    return functions, np.array(votes), np.array(errors)


@pytest.mark.parametrize("beta", [0.0, 0.25, 0.5, 0.75])
@pytest.mark.parametrize("base", [DecisionStumpClassifier, GaussianNB])
def test_against_a_slow_version(base, beta):
    X, y = uneven(*overlapping(1, 90))
    model = boosted(base(), X, y, beta=beta, n_estimators=6)
    rows = read_training(AdaBoostKLClassifier(), base(), X, y)
    seed = derive_seed(np.random.SeedSequence(0), 0)
    functions, votes, errors = slow_kl(base, rows.X, 2 * rows.codes - 1, rows.weight, seed, 6, beta)
    np.testing.assert_allclose(model.estimator_votes_[0], votes, atol=1e-5)
    np.testing.assert_allclose(model.estimator_errors_[0], errors, atol=1e-6)
    asked = overlapping(2, 50)[0]
    margin = sum(v / 2 * f.predict(asked) for f, v in zip(functions, votes, strict=True))
    np.testing.assert_allclose(model.decision_function(asked), 2 * margin, atol=1e-4)
    np.testing.assert_allclose(model.predict_proba(asked)[:, 1], expit(2 * margin), atol=1e-4)


def test_without_a_penalty_votes_are_log_odds():
    model = boosted(beta=0.0, n_estimators=8)
    errors = model.estimator_errors_[0]
    np.testing.assert_allclose(model.estimator_votes_[0], np.log((1 - errors) / errors), rtol=1e-9)


def test_a_penalty_keeps_weights_flatter():
    # The error of a function after its own step is 1/2 for AdaBoost; a penalty leaves it easier.
    X, y = overlapping(3, 200, apart=0.8)
    plain = boosted("stump", X, y, beta=0.0, n_estimators=10)
    held = boosted("stump", X, y, beta=0.75, n_estimators=10)
    assert held.estimator_errors_[0][2:].mean() < plain.estimator_errors_[0][2:].mean()


def test_each_of_more_classes_against_the_rest():
    X, y = load_iris(return_X_y=True)
    names = np.array(["setosa", "versicolor", "virginica"])
    model = boosted("stump", X, names[y], n_estimators=5)
    assert len(model.estimators_) == len(model.stopped_) == len(model.estimator_votes_) == 3
    scores = np.column_stack([
        sum(v * (2 * f.predict(X) - 1) for f, v in zip(functions, votes, strict=True))
        for functions, votes in zip(model.estimators_, model.estimator_votes_, strict=True)
    ])  # fmt: skip
    np.testing.assert_allclose(model.decision_function(X), scores)
    same(model.predict(X), names[scores.argmax(axis=1)])
    np.testing.assert_allclose(
        model.predict_proba(X), softmax(np.log(expit(scores)), axis=1), rtol=1e-9
    )
    assert model.score(X, names[y]) > 0.9


def test_a_machine_is_the_two_class_run_of_its_seed():
    X, y = uneven(*load_iris(return_X_y=True))
    for k in (1, 2):
        seed = derive_seed(np.random.SeedSequence(0), k)
        rows = read_training(AdaBoostKLClassifier(), DecisionStumpClassifier(), X, y)
        signs = np.where(rows.codes == k, 1, -1)
        _, votes, _ = slow_kl(DecisionStumpClassifier, rows.X, signs, rows.weight, seed, 4, 0.5)
        model = boosted("stump", X, y, n_estimators=4)
        np.testing.assert_allclose(model.estimator_votes_[k], votes, atol=1e-5)


def test_perfect_functions_have_bounded_votes():
    X, y = [[0.0], [1.0], [9.0], [10.0]] * 10, [0, 0, 1, 1] * 10
    for bound in (10.0, 3.0):
        model = boosted("stump", X, y, max_vote=bound)
        assert model.stopped_ == ["perfect"]
        same(model.estimator_votes_[0], [bound])
        assert model.score(X, y) == 1


def test_stages():
    X, y = overlapping()
    model = boosted(n_estimators=6)
    stages = list(model.staged_predict(X))
    assert len(stages) == len(model.estimators_[0])
    same(stages[-1], model.predict(X))
    assert list(model.staged_score(X, y))[-1] == pytest.approx(model.score(X, y))
    three = overlapping(0, 90, 3)
    model = boosted("stump", *three, n_estimators=4)
    same(list(model.staged_predict(three[0]))[-1], model.predict(three[0]))


def test_differs_from_adaboost_after_the_first_round():
    X, y = overlapping()
    kl = boosted("stump", X, y, beta=0.75).estimator_votes_[0]
    seed = derive_seed(np.random.SeedSequence(0), 0)
    plain = ResamplingAdaBoostClassifier("stump", random_state=seed).fit(X, y).estimator_votes_
    assert kl[0] == pytest.approx(plain[0])
    assert kl[1] != pytest.approx(plain[1])


def test_real_data():
    X, y = real("pima")
    assert boosted("stump", X[:500], y[:500]).score(X[500:], y[500:]) > 0.72


@pytest.mark.parametrize("how", [{"beta": -0.1}, {"max_vote": 0.0}, {"n_estimators": 0}])
def test_parameters_that_are_refused(how):
    with pytest.raises(ValueError, match=f"'{next(iter(how))}' parameter of AdaBoostKLClassifier"):
        boosted(**how)
