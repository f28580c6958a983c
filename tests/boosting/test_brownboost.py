"""BrownBoost: its rounds by hand, its ends, its probabilities, and scikit-learn's own checks."""

import pickle

import numpy as np
import pytest
from scipy.optimize import brentq
from scipy.special import erf, erfinv
from sklearn.base import clone
from sklearn.datasets import load_iris, load_wine, make_classification
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import cross_val_score
from sklearn.tree import DecisionTreeClassifier
from sklearn.utils._param_validation import InvalidParameterError
from sklearn.utils.estimator_checks import parametrize_with_checks

from distsearch.boosting import BrownBoostClassifier
from distsearch.boosting._machines import Machine
from distsearch.errors import DistsearchWarning, InvalidInputError

X, Y = make_classification(150, 5, n_informative=3, flip_y=0.2, random_state=0)
IRIS = load_iris(return_X_y=True)
WINE = load_wine(return_X_y=True)
EIGHT = np.arange(8.0)[:, np.newaxis]

quiet = pytest.mark.filterwarnings("ignore::distsearch.errors.DistsearchWarning")


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.SkipTestWarning")
@parametrize_with_checks([BrownBoostClassifier(random_state=0)])
def test_scikit_learns_own_checks(estimator, check):
    check(estimator)


def margins(model, signs, upto, X):
    """Margins by the functions' own predictions."""
    margin = np.zeros(len(X))
    for function, vote in list(zip(model.estimators_[0], model.estimator_votes_[0], strict=True))[
        :upto
    ]:
        margin += vote * signs * np.where(function.predict(X) == model.classes_[1], 1, -1)
    return margin


@pytest.mark.parametrize("c", [0.5, 1.0, 3.0])
@pytest.mark.parametrize("weighted", [False, True])
def test_each_round_by_hand(c, weighted, monkeypatch):
    seen = []
    draw = Machine.draw

    def noted(machine, log_weight):
        function, correct = draw(machine, log_weight)
        seen.append((function, log_weight, machine.rows))
        return function, correct

    monkeypatch.setattr(Machine, "draw", noted)
    counts = np.random.default_rng(0).uniform(0.5, 2, len(X)) if weighted else np.ones(len(X))
    model = BrownBoostClassifier("stump", 6, total_time=c, random_state=1).fit(X, Y, counts)
    rows = seen[0][2]
    np.testing.assert_allclose(rows.weight[rows.places], counts * (len(X) / counts.sum()))
    signs, left, root = 2 * rows.codes - 1, c, np.sqrt(c)
    assert len(model.estimators_[0]) > 1
    for number, function in enumerate(model.estimators_[0]):
        before = margins(model, signs, number, rows.X) + left
        weight = next(w for f, w, _ in seen if f is function)
        np.testing.assert_allclose(np.exp(weight), rows.weight * np.exp(-(before**2) / c), 1e-9)
        after = margins(model, signs, number + 1, rows.X) + left
        start = rows.weight @ erf(before / root)

        def change(time, after=after, start=start):
            return rows.weight @ erf((after - time) / root) - start

        left -= brentq(change, -5, 5, xtol=1e-14)
    assert model.remaining_time_[0] == pytest.approx(left, abs=1e-9)
    assert (model.stopped_[0] == "time") == (model.remaining_time_[0] == 0)
    np.testing.assert_allclose(model.potential_, 1 - erf(root), rtol=1e-9)
    scores = margins(model, np.ones(len(X)), None, X)
    np.testing.assert_allclose(model.decision_function(X), scores, rtol=1e-12)
    np.testing.assert_allclose(
        model.predict_proba(X)[:, 1], (1 + erf(scores / root)) / 2, rtol=1e-9
    )


@quiet
@pytest.mark.parametrize("data", [(X, Y), IRIS, WINE], ids=["two", "iris", "wine"])
@pytest.mark.parametrize("how", [{"total_time": 0.25}, {"total_time": 2}, {"target_error": 0.1}])
def test_potential_is_the_target(data, how):
    model = BrownBoostClassifier("stump", random_state=0, **how).fit(*data)
    np.testing.assert_allclose(model.potential_, model.target_error_, rtol=1e-9)
    assert model.target_error_ == pytest.approx(1 - erf(np.sqrt(model.total_time_)), rel=1e-12)
    assert (0 <= model.remaining_time_).all()
    assert (model.remaining_time_ <= model.total_time_).all()


def test_where_time_runs_out_the_target_bounds_the_error():
    model = BrownBoostClassifier(total_time=1.5, n_estimators=50, random_state=0).fit(X, Y)
    assert model.stopped_ == ["time"]
    assert model.remaining_time_[0] == 0
    assert np.mean(model.predict(X) != Y) <= model.target_error_


def test_target_error_is_another_way_to_give_the_total_time():
    by_target = BrownBoostClassifier("stump", target_error=0.1, random_state=0).fit(X, Y)
    assert by_target.total_time_ == pytest.approx(erfinv(0.9) ** 2, rel=1e-12)
    assert by_target.target_error_ == pytest.approx(0.1, rel=1e-12)
    by_time = BrownBoostClassifier("stump", total_time=by_target.total_time_, random_state=0)
    np.testing.assert_array_equal(
        by_time.fit(X, Y).estimator_votes_[0], by_target.estimator_votes_[0]
    )
    assert BrownBoostClassifier("stump", random_state=0).fit(X, Y).total_time_ == 3


def test_both_or_values_that_are_not_allowed():
    with pytest.raises(InvalidInputError, match="Only one of total_time and target_error"):
        BrownBoostClassifier(total_time=1.0, target_error=0.1).fit(X, Y)
    for how in [
        {"total_time": 0}, {"total_time": -1.0}, {"total_time": 1e4}, {"total_time": np.nan},
        {"target_error": 0.0}, {"target_error": 1}, {"edge_threshold": 0}, {"n_estimators": 0},
    ]:  # fmt: skip
        with pytest.raises(InvalidParameterError, match=next(iter(how))):
            BrownBoostClassifier(**how).fit(X, Y)
    with pytest.raises(InvalidInputError, match="two classes or more"):
        BrownBoostClassifier().fit(X, np.zeros(len(X)))


def one_cut(share, n=100):
    """Rows of two values, of which a stump gets a share wrong."""
    wrong = round(share * n / 2)
    rows = np.repeat([[0.0], [1.0]], n // 2, axis=0)
    labels = np.repeat([0, 1], n // 2)
    labels[:wrong], labels[-wrong:] = 1, 0
    return rows, labels


@pytest.mark.parametrize(
    ("c", "bound"), [(0.25, 0.2398), (0.5, 0.1587), (0.75, 0.1103), (1.0, 0.0786)]
)
def test_a_good_first_function_ends_it(c, bound):
    below, above = np.floor(bound * 50) / 50, np.ceil(bound * 50) / 50
    model = BrownBoostClassifier("stump", total_time=c, random_state=0)
    with pytest.warns(DistsearchWarning, match="larger total_time") as noted:
        model.fit(*one_cut(below))
    assert f"error, {below:.3g}, is within {(1 - erf(np.sqrt(c))) / 2:.3g}" in str(noted[0].message)
    assert noted[0].filename == __file__
    assert (model.stopped_, len(model.estimators_[0])) == (["time"], 1)
    expected = np.sqrt(c) * erfinv(erf(np.sqrt(c)) / (1 - 2 * below))
    assert model.estimator_votes_[0][0] == pytest.approx(expected, rel=1e-9)
    model.fit(*one_cut(above))
    assert model.stopped_ != ["time"]


@pytest.mark.parametrize("base", ["tree", "stump"])
@pytest.mark.parametrize("labels", [(0, 1), ("no", "yes")])
def test_a_perfect_first_function(base, labels):
    y = np.array(labels)[(EIGHT[:, 0] > 3.5).astype(int)]
    model = BrownBoostClassifier(base, total_time=2.0, random_state=4).fit(EIGHT, y)
    assert model.score(EIGHT, y) == 1
    assert all(np.isfinite(votes).all() for votes in model.estimator_votes_)
    separable = np.repeat([[0.0], [9.0]], 4, axis=0)
    model.fit(separable, y)
    np.testing.assert_array_equal(model.estimator_votes_[0], [2.0])
    assert model.stopped_ == ["time"]


def test_no_function_has_an_edge():
    rows = np.array([[0.0, 0], [0, 1], [1, 0], [1, 1]])
    both = np.concatenate([rows, rows])
    y = np.repeat([0, 1], 4)
    model = BrownBoostClassifier("stump", random_state=0).fit(both, y)
    assert model.stopped_ == ["chance"]
    np.testing.assert_array_equal(model.estimator_votes_[0], [1e-6 * np.sqrt(3.0)])
    assert model.remaining_time_[0] == model.total_time_


def test_ten_draws_without_an_edge_end_it(monkeypatch):
    draws = []

    def useless(machine, log_weight):
        draws.append(log_weight)
        function = machine.learner.fit(machine.rows.copies, 0)
        return function, np.resize([1.0, -1.0], len(machine.rows))

    monkeypatch.setattr(Machine, "draw", useless)
    model = BrownBoostClassifier("stump").fit(X, Y)
    assert (len(draws), model.stopped_) == (10, ["chance"])
    np.testing.assert_array_equal(model.estimator_votes_[0], [1e-6 * np.sqrt(3.0)])
    assert model.remaining_time_[0] == model.total_time_
    np.testing.assert_array_equal(model.predict(X), model.estimators_[0][0].predict(X))


@pytest.mark.parametrize("data", [IRIS, WINE], ids=["iris", "wine"])
def test_one_machine_a_class(data):
    model = BrownBoostClassifier("stump", random_state=0).fit(*data)
    for attribute in ("estimators_", "estimator_votes_", "stopped_", "remaining_time_"):
        assert len(getattr(model, attribute)) == 3
    scores = np.zeros((len(data[0]), 3))
    for code in range(3):
        for function, vote in zip(
            model.estimators_[code], model.estimator_votes_[code], strict=True
        ):
            scores[:, code] += vote * (2 * function.predict(data[0]) - 1)
    np.testing.assert_allclose(model.decision_function(data[0]), scores, rtol=1e-12)
    np.testing.assert_array_equal(model.predict(data[0]), scores.argmax(axis=1))
    confident = (1 + erf(scores / np.sqrt(3))) / 2
    np.testing.assert_allclose(
        model.predict_proba(data[0]), confident / confident.sum(axis=1, keepdims=True), rtol=1e-9
    )
    assert model.score(*data) > 0.95
    *_, last = model.staged_score(*data)
    assert last == model.score(*data)
    assert len(list(model.staged_predict(data[0]))) == max(map(len, model.estimators_))


def test_each_machine_has_draws_of_its_own(monkeypatch):
    seen = []
    draw = Machine.draw

    def noted(machine, log_weight):
        seen.append(machine.rng.bit_generator.state["state"]["state"])
        return draw(machine, log_weight)

    monkeypatch.setattr(Machine, "draw", noted)
    BrownBoostClassifier("stump", 1, random_state=0).fit(*IRIS)
    assert len(set(seen)) == len(seen) == 3


def test_probabilities_where_no_machine_claims_a_row():
    model = BrownBoostClassifier("stump", random_state=0).fit(*IRIS)
    far = model._probabilities(np.full((1, 3), -1e3))
    np.testing.assert_allclose(far, 1 / 3)
    near = model._probabilities(np.array([[-100.0, -101.0, -300.0]]))
    assert near.sum() == pytest.approx(1)
    assert near.argmax() == 0


def test_neither_order_nor_repetition_matters():
    model = BrownBoostClassifier("stump", total_time=2.0, random_state=3)
    expected = clone(model).fit(*IRIS).decision_function(IRIS[0])
    order = np.random.default_rng(0).permutation(len(IRIS[0]))
    again = clone(model).fit(IRIS[0][order], IRIS[1][order])
    np.testing.assert_array_equal(again.decision_function(IRIS[0]), expected)
    counts = np.random.default_rng(1).integers(0, 4, len(X))
    weighted = clone(model).fit(X, Y, sample_weight=counts)
    repeated = clone(model).fit(np.repeat(X, counts, axis=0), np.repeat(Y, counts))
    np.testing.assert_array_equal(repeated.decision_function(X), weighted.decision_function(X))


def test_weights_count_in_the_flow():
    rows, labels = one_cut(0.1)
    weight = np.where(labels == rows[:, 0], 1.0, 3.5)
    model = BrownBoostClassifier("stump", total_time=1.0, n_estimators=1, random_state=0)
    model.fit(rows, labels, sample_weight=weight)
    error = 3.5 * 10 / (3.5 * 10 + 90)
    # the edge is used up when the weights of right and wrong rows are the same
    moved = 1 - model.remaining_time_[0]
    alpha = model.estimator_votes_[0][0]
    right = (1 - error) * np.exp(-((1 + alpha - moved) ** 2))
    wrong = error * np.exp(-((1 - alpha - moved) ** 2))
    assert (right - wrong) / (right + wrong) == pytest.approx(1e-3, abs=1e-8)


@pytest.mark.parametrize(
    "base", [LogisticRegression(), DecisionTreeClassifier(max_depth=2), "svm"], ids=str
)
def test_any_classifier(base):
    model = BrownBoostClassifier(base, 4, random_state=0)
    assert cross_val_score(model, X, Y, cv=3).mean() > 0.6
    copy = pickle.loads(pickle.dumps(model.fit(X, Y)))
    np.testing.assert_array_equal(copy.predict_proba(X), model.predict_proba(X))
    again = clone(model).fit(X, Y)
    np.testing.assert_array_equal(again.predict_proba(X), model.predict_proba(X))


def test_rows_that_cannot_become_right_are_given_up():
    rng = np.random.default_rng(0)
    rows = rng.uniform(-1, 1, (400, 2))
    truth = rows.sum(axis=1) > 0
    wrong = rng.random(400) < 0.2
    model = BrownBoostClassifier("stump", 200, target_error=0.3, random_state=0)
    model.fit(rows, truth ^ wrong)
    margin = model.decision_function(rows) * np.where(truth ^ wrong, 1, -1)
    weight = np.exp(-((margin + model.remaining_time_[0]) ** 2) / model.total_time_)
    worst = margin.argmin()
    assert wrong[worst]
    assert margin[worst] < -2 * model.remaining_time_[0]
    assert weight[worst] < weight.mean()


def test_a_tiny_total_time_leaves_probabilities_near_a_half():
    with pytest.warns(UserWarning, match="used up all the time"):
        model = BrownBoostClassifier("stump", total_time=1e-12, random_state=0).fit(X, Y)
    # All the time is gone at once, with a confidence of erf(√c) / (1 - 2e) at most.
    assert np.abs(model.predict_proba(X) - 0.5).max() < 1e-5


@pytest.mark.parametrize("target", [5e-324, 1e-300])
def test_a_target_that_would_take_too_long(target):
    with pytest.raises(InvalidInputError, match="target_error must be at least"):
        BrownBoostClassifier(target_error=target).fit(X, Y)
