"""The named learners, and the perceptron among them."""

import pickle
import warnings

import numpy as np
import pytest
from sklearn.base import clone, is_classifier
from sklearn.datasets import load_breast_cancer, load_iris
from sklearn.linear_model import LogisticRegression
from sklearn.neural_network import MLPClassifier
from sklearn.pipeline import Pipeline
from sklearn.utils.estimator_checks import parametrize_with_checks

from distsearch.boosting import (
    C45TreeClassifier,
    DecisionStumpClassifier,
    PerceptronClassifier,
    RBFNetworkClassifier,
    named_estimator,
)
from distsearch.boosting._named import NAMES
from distsearch.errors import InvalidInputError, UnknownNameError

KINDS = {
    "tree": C45TreeClassifier,
    "svm": Pipeline,
    "mlp": PerceptronClassifier,
    "rbf": RBFNetworkClassifier,
    "stump": DecisionStumpClassifier,
}

QUICK = PerceptronClassifier(n_epochs=20)


def test_names():
    assert NAMES == ("tree", "svm", "mlp", "rbf", "stump")
    for name in NAMES:
        one, another = named_estimator(name), named_estimator(name)
        assert type(one) is KINDS[name]
        assert is_classifier(one)
        assert one is not another
        assert not hasattr(one, "classes_")


@pytest.mark.parametrize("name", NAMES)
def test_all_learn_and_can_be_copied(name):
    X, y = load_iris(return_X_y=True)
    y = np.array(["one", "two", "three"])[y]
    model = clone(named_estimator(name)).fit(X, y)
    assert model.score(X, y) > (0.6 if name == "stump" else 0.9)
    again = pickle.loads(pickle.dumps(model))
    np.testing.assert_array_equal(again.predict(X), model.predict(X))


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("trees", "one of tree, svm, mlp, rbf, stump. Got 'trees' instead. Did you mean 'tree'"),
        ("Tree", "Did you mean 'tree'"),
        ("", "Got '' instead."),
        (3, "Got 3 instead."),
    ],
)
def test_unknown_names(name, message):
    with pytest.raises(UnknownNameError) as caught:
        named_estimator(name)
    assert message in str(caught.value)
    assert isinstance(caught.value, InvalidInputError)


def test_the_perceptron_is_scikit_learns_with_wekas_settings():
    X, y = load_iris(return_X_y=True)
    model = PerceptronClassifier(n_epochs=20, random_state=3).fit(X, y)
    scaled = 2 * (X - X.min(axis=0)) / np.ptp(X, axis=0) - 1
    plain = MLPClassifier(
        (3,), activation="logistic", solver="sgd", alpha=0, batch_size=16,
        learning_rate_init=0.3, momentum=0.2, nesterovs_momentum=False, max_iter=20, tol=0,
        n_iter_no_change=20, random_state=3,
    )  # fmt: skip
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        plain.fit(scaled, y)
    np.testing.assert_allclose(model.predict_proba(X), plain.predict_proba(scaled), rtol=1e-6)


@pytest.mark.parametrize(
    ("n_features", "n_classes", "n_hidden"), [(4, 3, 3), (4, 2, 3), (1, 2, 1), (7, 2, 4)]
)
def test_hidden_units(n_features, n_classes, n_hidden):
    X = np.random.default_rng(0).normal(size=(20, n_features))
    y = np.arange(20) % n_classes
    model = PerceptronClassifier(n_epochs=1).fit(X, y)
    assert model.network_[-1].coefs_[0].shape == (n_features, n_hidden)
    wide = PerceptronClassifier(n_hidden=9, n_epochs=1).fit(X, y)
    assert wide.network_[-1].coefs_[0].shape == (n_features, 9)


@pytest.mark.filterwarnings("error")
def test_every_epoch_is_run_without_a_warning():
    X, y = load_iris(return_X_y=True)
    for epochs in (1, 12):
        assert PerceptronClassifier(n_epochs=epochs).fit(X, y).network_[-1].n_iter_ == epochs
    assert QUICK.fit(X[:5], y[:5]).predict(X).tolist() == [0] * len(X)
    assert (QUICK.fit(X[:5], y[:5]).predict_proba(X[:2]) == 1).all()


def test_the_perceptron_is_as_good_as_a_regression():
    X, y = load_breast_cancer(return_X_y=True)
    train, test = np.arange(0, len(y), 2), np.arange(1, len(y), 2)
    accuracy = PerceptronClassifier(n_epochs=100).fit(X[train], y[train]).score(X[test], y[test])
    linear = LogisticRegression(max_iter=1000).fit(X[train] / X.max(axis=0), y[train])
    assert accuracy > linear.score(X[test] / X.max(axis=0), y[test]) - 0.02


def test_the_same_in_every_fit():
    X, y = load_iris(return_X_y=True)
    first, second = (clone(QUICK).fit(X, y).predict_proba(X) for _ in range(2))
    np.testing.assert_array_equal(first, second)
    other = clone(QUICK).set_params(random_state=5).fit(X, y).predict_proba(X)
    assert (other != first).any()


@pytest.mark.parametrize(
    "wrong",
    [
        {"n_hidden": 0}, {"n_epochs": 0}, {"learning_rate": 0}, {"momentum": 1}, {"batch_size": 0},
        {"random_state": -1},
    ],
)  # fmt: skip
def test_parameters_are_checked(wrong):
    (name,) = wrong
    with pytest.raises(ValueError, match=f"'{name}' parameter of PerceptronClassifier"):
        PerceptronClassifier(**wrong).fit([[0.0], [1.0]], [0, 1])


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.SkipTestWarning")
@parametrize_with_checks([QUICK])
def test_scikit_learns_own_checks(estimator, check):
    check(estimator)
