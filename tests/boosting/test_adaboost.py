"""AdaBoost by resampling."""

import numpy as np
import pytest
from boosting import slow
from boosting.data import overlapping, real, same, uneven
from scipy.special import softmax
from sklearn.datasets import load_breast_cancer
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.tree import DecisionTreeClassifier

from distsearch.boosting import DecisionStumpClassifier, ResamplingAdaBoostClassifier
from distsearch.boosting._adaboost import rule_for
from distsearch.boosting._reading import read_training
from distsearch.errors import InvalidInputError


def boosted(estimator="stump", X=None, y=None, **how):
    if X is None:
        X, y = overlapping()
    how = {"random_state": 0, **how}
    return ResamplingAdaBoostClassifier(estimator, **how).fit(X, y)


@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("base", [DecisionStumpClassifier(), GaussianNB()], ids=["stump", "bayes"])
@pytest.mark.parametrize("eta", [1.0, 0.3])
def test_against_a_slow_version(eta, base, n_classes):
    X, codes = uneven(*overlapping(1, 90, n_classes))
    y = np.array(["no", "perhaps", "yes"])[codes]
    model = boosted(base, X, y, learning_rate=eta, n_estimators=6)
    rows = read_training(ResamplingAdaBoostClassifier(), base, X, y)
    functions, votes, errors, _ = slow.adaboost(
        base, rows.X, rows.labels, np.random.SeedSequence(0), 6, eta,
        rule_for("auto", n_classes), n_classes, rows.weight, rows.draws,
    )  # fmt: skip
    np.testing.assert_allclose(model.estimator_votes_, votes, rtol=1e-9)
    np.testing.assert_allclose(model.estimator_errors_, errors, rtol=1e-9)
    asked = overlapping(2, 40)[0]
    totals = slow.totals(functions, votes, asked, model.classes_)
    same(model.predict(asked), model.classes_[totals.argmax(axis=1)])
    scores = totals[:, 1] - totals[:, 0] if n_classes == 2 else totals
    np.testing.assert_allclose(model.decision_function(asked), scores, rtol=1e-9, atol=1e-9)
    np.testing.assert_allclose(model.predict_proba(asked), softmax(totals, axis=1), rtol=1e-9)


def test_probabilities_are_log_odds_of_votes():
    model = boosted()
    X = overlapping(5, 30)[0]
    probabilities = model.predict_proba(X)
    np.testing.assert_allclose(probabilities.sum(axis=1), 1)
    odds = np.log(probabilities[:, 1] / probabilities[:, 0])
    np.testing.assert_allclose(odds, model.decision_function(X))
    same(probabilities.argmax(axis=1), (model.decision_function(X) > 0).astype(int))


def test_stages():
    X, y = overlapping()
    model = boosted(n_estimators=7)
    stages = list(model.staged_predict(X))
    assert len(stages) == len(model.estimators_)
    same(stages[-1], model.predict(X))
    same(stages[0], model.estimators_[0].predict(X))
    for number, stage in enumerate(stages, 1):
        totals = slow.totals(
            model.estimators_[:number], model.estimator_votes_[:number], X, model.classes_
        )
        same(stage, totals.argmax(axis=1))
    scores = list(model.staged_score(X, y))
    assert scores == [pytest.approx((stage == y).mean()) for stage in stages]
    weight = np.arange(len(y))
    assert list(model.staged_score(X, y, weight))[-1] == pytest.approx(
        model.score(X, y, sample_weight=weight)
    )


def test_a_shorter_run_is_the_beginning_of_a_longer_one():
    long, short = boosted(n_estimators=9), boosted(n_estimators=4)
    same(short.estimator_votes_, long.estimator_votes_[:4])
    X = overlapping(1)[0]
    same(short.predict(X), list(long.staged_predict(X))[3])


def test_equal_votes_go_to_the_first_label():
    model = boosted("stump", [[0.0], [1.0], [2.0], [3.0]], list("baba"))
    model.estimators_ = [
        DecisionStumpClassifier().fit([[0.0], [1.0]], list(pair)) for pair in ("ab", "ba")
    ]
    model.estimator_votes_ = np.array([1.0, 1.0])
    assert model.predict([[0.0], [1.0]]).tolist() == ["a", "a"]
    same(model.decision_function([[0.0], [1.0]]), [0.0, 0.0])


def test_rules():
    assert rule_for("auto", 2) == "M1"
    assert rule_for("auto", 3) == "SAMME"
    assert rule_for("M1", 3) == "M1"
    assert rule_for("SAMME", 2) == "SAMME"
    X, y = overlapping(0, 120, 4)
    assert len(boosted("stump", X, y, rule="M1").estimators_) == 1
    assert len(boosted("stump", X, y).estimators_) > 3
    two = overlapping()
    same(
        boosted("stump", *two, rule="M1").estimator_votes_,
        boosted("stump", *two, rule="SAMME").estimator_votes_,
    )


def test_any_classifier():
    X, y = overlapping(0, 60)
    for base in (
        KNeighborsClassifier(3), LogisticRegression(), "tree", DecisionTreeClassifier(max_depth=1)
    ):  # fmt: skip
        model = boosted(base, X, y, n_estimators=3)
        assert model.score(X, y) > 0.6


def test_why_it_stopped():
    X, _ = overlapping()
    assert boosted().stopped_ == "n_estimators"
    perfect = boosted("stump", [[0.0], [1.0], [9.0], [10.0]] * 10, [0, 0, 1, 1] * 10)
    assert perfect.stopped_ == "perfect"
    assert len(perfect.estimators_) == 1
    labels = np.random.default_rng(0).integers(0, 2, 120)
    assert boosted("stump", X, labels, n_estimators=200).stopped_ in {"chance", "n_estimators"}
    assert boosted("stump", np.zeros((4, 1)), [0, 1, 0, 1]).stopped_ == "chance"


def test_better_than_its_base():
    X, y = load_breast_cancer(return_X_y=True)
    alone = DecisionStumpClassifier().fit(X[:400], y[:400]).score(X[400:], y[400:])
    assert boosted("stump", X[:400], y[:400]).score(X[400:], y[400:]) > alone + 0.03


def test_real_data():
    X, y = real("pima")
    model = boosted("stump", X[:500], y[:500])
    assert model.score(X[500:], y[500:]) > 0.72


def test_states_give_the_same_bits():
    for state in (3, np.random.SeedSequence(3)):
        same(
            boosted(random_state=state).estimator_votes_,
            boosted(random_state=state).estimator_votes_,
        )
    assert not np.array_equal(
        boosted(random_state=1).estimator_votes_, boosted(random_state=2).estimator_votes_
    )


def test_weights_that_are_not_whole():
    X, y = overlapping()
    weight = np.where(X[:, 0] > 0, 0.25, 2.5)
    model = ResamplingAdaBoostClassifier("stump", random_state=0).fit(X, y, sample_weight=weight)
    wrong = model.estimators_[0].predict(X) != y
    assert model.estimator_errors_[0] == pytest.approx(weight[wrong].sum() / weight.sum())


@pytest.mark.parametrize(
    ("how", "match"),
    [
        ({"n_estimators": 0}, "'n_estimators' parameter"),
        ({"learning_rate": 0.0}, "'learning_rate' parameter"),
        ({"rule": "M2"}, "'rule' parameter"),
        ({"first_on_all": "yes"}, "'first_on_all' parameter"),
        ({"random_state": "seed"}, "'random_state' parameter"),
        ({"estimator": 3}, "'estimator' parameter"),
        ({"estimator": Ridge()}, "must be a classifier or one of tree, svm"),
    ],
)
def test_parameters_that_are_refused(how, match):
    X, y = overlapping()
    with pytest.raises(ValueError, match=match):
        ResamplingAdaBoostClassifier(**{"estimator": "stump", **how}).fit(X, y)


def test_names_that_are_refused():
    with pytest.raises(ValueError, match=r"stump.*Got 'stmp' instead"):
        boosted("stmp")


def test_one_class():
    with pytest.raises(InvalidInputError, match="the data have one class, 'a'"):
        boosted("stump", [[0.0], [1.0]], ["a", "a"])
