import numpy as np
import pytest
from sklearn.datasets import load_iris, make_classification
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.metrics import balanced_accuracy_score, f1_score, roc_auc_score, roc_curve
from sklearn.neighbors import KNeighborsClassifier, NearestCentroid
from sklearn.svm import LinearSVC
from sklearn.tree import DecisionTreeClassifier

from distsearch.sweep._scorers import Part, lacking, measure


@pytest.fixture(scope="module")
def part():
    X, y = make_classification(120, 5, random_state=3, flip_y=0.2)
    return Part(X[:80], y[:80], X[80:], y[80:])


def test_thresholds_are_those_of_the_training_roc(part):
    model = LogisticRegression().fit(part.X_train, part.y_train)
    scores = model.decision_function(part.X_train)
    false, true, cuts = roc_curve(part.y_train, scores, drop_intermediate=False)
    cut = cuts[np.argmax(true - false)]  # claimed from this score on
    claimed = model.decision_function(part.X_test) >= cut
    found = measure(model, ["balanced_accuracy_ovr"], part).scores["balanced_accuracy_ovr"]
    # The two classes of a binary model mirror each other.
    assert found == pytest.approx(balanced_accuracy_score(part.y_test, claimed), abs=0.03)


def test_three_classes_are_each_set_against_the_rest():
    X, y = load_iris(return_X_y=True)
    train = np.arange(150) % 3 != 0
    part = Part(X[train], y[train], X[~train], y[~train])
    model = DecisionTreeClassifier(random_state=0).fit(part.X_train, part.y_train)
    predicted = model.predict(part.X_test)  # its training scores are 0 and 1: the threshold is 0.5
    expected = np.mean(
        [balanced_accuracy_score(part.y_test == c, predicted == c) for c in range(3)]
    )
    found = measure(model, ["balanced_accuracy_ovr"], part).scores["balanced_accuracy_ovr"]
    assert found == pytest.approx(expected)


def test_metrics_of_scikit_learn_by_name(part):
    model = KNeighborsClassifier().fit(part.X_train, part.y_train)
    measured = measure(model, ["f1", "roc_auc", "accuracy"], part)
    assert list(measured.scores) == ["f1", "roc_auc", "accuracy"]
    assert measured.scores["f1"] == f1_score(part.y_test, model.predict(part.X_test))
    assert measured.scores["roc_auc"] == pytest.approx(
        roc_auc_score(part.y_test, model.predict_proba(part.X_test)[:, 1])
    )
    assert measured.undefined == {}


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.UndefinedMetricWarning")
def test_an_undefined_metric_is_nan_with_its_reason_and_the_others_stay(part):
    model = KNeighborsClassifier().fit(part.X_train, part.y_train)
    ones = part.y_test == 1
    alone = Part(part.X_train, part.y_train, part.X_test[ones], part.y_test[ones])
    measured = measure(model, ["accuracy", "roc_auc", "balanced_accuracy_ovr"], alone)
    assert measured.scores["accuracy"] == np.mean(model.predict(alone.X_test) == 1)
    assert np.isnan(measured.scores["roc_auc"])
    assert np.isnan(measured.scores["balanced_accuracy_ovr"])
    assert set(measured.undefined) == {"roc_auc", "balanced_accuracy_ovr"}
    assert "all, or none, of class" in measured.undefined["balanced_accuracy_ovr"]


def test_a_model_that_cannot_predict_has_failed(part):
    class Broken(KNeighborsClassifier):
        def predict(self, X):
            raise MemoryError("no room")

    model = Broken().fit(part.X_train, part.y_train)
    for names in (["accuracy"], ["accuracy", "f1"]):
        with pytest.raises(MemoryError, match="no room"):
            measure(model, names, part)
    assert set(measure(model, ["accuracy", "roc_auc"], part).undefined) == {"accuracy"}


def test_one_class_against_the_rest_by_what_is_predicted():
    X, y = load_iris(return_X_y=True)
    train = np.arange(150) % 3 != 0
    part = Part(X[train], y[train], X[~train], y[~train])
    model = KNeighborsClassifier(1).fit(part.X_train, part.y_train)
    predicted = model.predict(part.X_test)
    expected = [balanced_accuracy_score(part.y_test == c, predicted == c) for c in range(3)]
    name = "balanced_accuracy_ovr_predicted"
    assert measure(model, [name], part).scores[name] == pytest.approx(np.mean(expected))


def test_one_class_against_the_rest_by_sign():
    X, y = load_iris(return_X_y=True)
    train = np.arange(150) % 3 != 0
    part = Part(X[train], y[train], X[~train], y[~train])
    model = LinearSVC().fit(part.X_train, part.y_train)
    claimed = model.decision_function(part.X_test) > 0  # several classes may claim a row, or none
    assert (claimed.sum(axis=1) != 1).any()
    expected = [balanced_accuracy_score(part.y_test == c, claimed[:, c]) for c in range(3)]
    name = "balanced_accuracy_ovr_signed"
    assert measure(model, [name], part).scores[name] == pytest.approx(np.mean(expected))


def test_of_two_classes_sign_and_prediction_are_one(part):
    model = LogisticRegression().fit(part.X_train, part.y_train)
    names = ["balanced_accuracy_ovr_predicted", "balanced_accuracy_ovr_signed"]
    expected = balanced_accuracy_score(part.y_test, model.predict(part.X_test))
    for score in measure(model, names, part).scores.values():
        assert score == pytest.approx(expected)


def test_metrics_of_the_training_rows(part):
    model = KNeighborsClassifier(3).fit(part.X_train, part.y_train)
    names = ["train_accuracy", "accuracy", "train_balanced_accuracy_ovr_predicted"]
    found = measure(model, names, part).scores
    assert found["accuracy"] == model.score(part.X_test, part.y_test)
    assert found["train_accuracy"] == model.score(part.X_train, part.y_train)
    assert found["train_balanced_accuracy_ovr_predicted"] == pytest.approx(
        balanced_accuracy_score(part.y_train, model.predict(part.X_train))
    )


def test_what_a_metric_of_our_own_needs():
    names = ["train_balanced_accuracy_ovr_signed", "balanced_accuracy_ovr_predicted"]
    assert lacking(NearestCentroid(), names) == {}
    assert lacking(LinearRegression(), names) == {names[0]: "decision_function or predict_proba"}


def test_a_probability_above_a_half_stands_for_a_sign(part):
    model = KNeighborsClassifier(5).fit(part.X_train, part.y_train)
    name = "balanced_accuracy_ovr_signed"
    expected = balanced_accuracy_score(part.y_test, model.predict(part.X_test))
    assert measure(model, [name], part).scores[name] == pytest.approx(expected)


def test_thresholds_of_three_classes_are_on_what_can_be_compared_between_rows():
    X, y = load_iris(return_X_y=True)
    train = np.arange(150) % 3 != 0
    part = Part(X[train], y[train], X[~train], y[~train])
    model = LinearDiscriminantAnalysis().fit(part.X_train, part.y_train)
    seen, later = model.predict_proba(part.X_train), model.predict_proba(part.X_test)
    expected = []
    for c in range(3):
        false, true, cuts = roc_curve(part.y_train == c, seen[:, c], drop_intermediate=False)
        claimed = later[:, c] >= cuts[np.argmax(true - false)]
        expected.append(balanced_accuracy_score(part.y_test == c, claimed))
    found = measure(model, ["balanced_accuracy_ovr"], part).scores["balanced_accuracy_ovr"]
    assert found == pytest.approx(np.mean(expected), abs=0.02)
    # Its discriminants separate the middle class far worse.
    assert found > 0.95
