"""As a part of scikit-learn: its own checks, pipelines, copies, files and routed weights."""

import pickle

import joblib
import numpy as np
import pytest
import skops.io
from odd.data import blobs
from sklearn import config_context
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.estimator_checks import parametrize_with_checks

import distsearch
from distsearch.odd import ODDClassifier, PaperSchedule

X, Y = blobs()

BY_THRESHOLD = ODDClassifier(discriminant="distance", threshold="balanced")
TANH = ODDClassifier(activation="tanh", max_iter=20, n_restarts=0)
NARROW = ODDClassifier(1)

_DISTANCE = "what it weighs are spreads; a row goes to the nearest centre whatever the prior"
_FIT = "rows repeated and weighted differ in the last digits, which descents enlarge"

CANNOT = {
    BY_THRESHOLD: {
        "check_class_weight_classifiers": _DISTANCE,
        "check_classifiers_train": "thresholds decide otherwise than probabilities do",
    },
    TANH: {
        "check_class_weight_classifiers": "tanh is so certain that a prior changes nothing",
        "check_sample_weight_equivalence_on_dense_data": _FIT,
    },
    NARROW: {
        "check_classifiers_train": "three classes do not fit on one line",
        "check_sample_weight_equivalence_on_dense_data": _FIT,
        "check_sample_weight_equivalence_on_sparse_data": _FIT,
    },
}


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.SkipTestWarning")
@parametrize_with_checks([ODDClassifier(), ODDClassifier("auto"), BY_THRESHOLD, TANH, NARROW])
def test_scikit_learns_own_checks(estimator, check):
    for each, reasons in CANNOT.items():
        name = getattr(check, "func", check).__name__
        if estimator.get_params() == each.get_params() and name in reasons:
            pytest.skip(reasons[name])
    check(estimator)


def test_pipelines_and_searches():
    model = make_pipeline(StandardScaler(), ODDClassifier())
    assert cross_val_score(model, X, Y, cv=3).mean() > 0.9
    grid = {"odd__n_components": [1, 2], "odd__shrinkage": [0.1, "auto"]}
    search = GridSearchCV(
        make_pipeline(StandardScaler(), ODDClassifier()).set_params(), {
            name.replace("odd__", "oddclassifier__"): values for name, values in grid.items()
        }, cv=3, scoring="neg_log_loss",
    ).fit(X, Y)  # fmt: skip
    assert search.best_params_["oddclassifier__n_components"] in {1, 2}
    before = make_pipeline(ODDClassifier(2), LogisticRegression()).fit(X, Y)
    assert before[-1].coef_.shape == (3, 2)
    assert before.score(X, Y) > 0.9


def test_routed_weights():
    weight = np.random.default_rng(0).integers(1, 4, len(X)).astype(float)
    expected = ODDClassifier().fit(StandardScaler().fit_transform(X), Y, sample_weight=weight)
    plain = make_pipeline(StandardScaler(), ODDClassifier())
    plain.fit(X, Y, oddclassifier__sample_weight=weight)
    np.testing.assert_array_equal(plain[-1].components_, expected.components_)
    with config_context(enable_metadata_routing=True):
        odd = ODDClassifier().set_fit_request(sample_weight=True)
        routed = make_pipeline(StandardScaler().set_fit_request(sample_weight=False), odd)
        routed.fit(X, Y, sample_weight=weight)
    np.testing.assert_array_equal(routed[-1].components_, expected.components_)


SETTINGS = [
    {},
    {"n_components": 1},
    {"activation": "tanh", "max_iter": 10},
    {"discriminant": "distance", "threshold": "balanced"},
    {"pca": 3},
    {"solver": PaperSchedule(iterations=5)},
]


def by_joblib(odd, folder):
    joblib.dump(odd, folder / "odd.joblib")
    return joblib.load(folder / "odd.joblib")


def by_skops(odd, folder):
    skops.io.dump(odd, folder / "odd.skops")
    unknown = skops.io.get_untrusted_types(file=folder / "odd.skops")
    assert set(unknown) <= {
        "distsearch.odd._classifier.ODDClassifier", "distsearch.odd._schedule.PaperSchedule"
    }  # fmt: skip
    return skops.io.load(folder / "odd.skops", trusted=unknown)


COPIES = {
    "pickle": lambda odd, _: pickle.loads(pickle.dumps(odd)),
    "joblib": by_joblib,
    "skops": by_skops,
}


@pytest.mark.parametrize("labels", ["numbers", "text"])
@pytest.mark.parametrize("how", SETTINGS, ids=str)
@pytest.mark.parametrize("by", COPIES)
def test_copies_give_the_same_bits(by, how, labels, tmp_path):
    y = Y if labels == "numbers" else np.array(["one", "two", "three"])[Y]
    odd = ODDClassifier(random_state=0, **how).fit(X, y)
    again = COPIES[by](odd, tmp_path)
    for name in ("predict", "predict_proba", "decision_function", "transform"):
        np.testing.assert_array_equal(getattr(again, name)(X), getattr(odd, name)(X))
    for name in ("classes_", "scalings_", "criterion_", "n_features_in_", "thresholds_"):
        np.testing.assert_array_equal(getattr(again, name), getattr(odd, name))
    for name, column in odd.history_.items():
        np.testing.assert_array_equal(again.history_[name], column)
    if hasattr(odd, "partial_fit"):
        np.testing.assert_array_equal(
            again.partial_fit(X, y).components_, odd.partial_fit(X, y).components_
        )


def test_clone_and_parameters():
    how = {
        "n_components": 2, "activation": "tanh", "gamma": 0.5, "exponent": 0.2, "ddof": 0,
        "shrinkage": 0.1, "class_weight": {0: 2.0}, "pca": 3, "solver": "es", "init": "random",
        "n_restarts": 4, "max_iter": 7, "tol": 1e-6, "early_stopping": True,
        "validation_fraction": 0.3, "n_iter_no_change": 3, "discriminant": "distance",
        "threshold": "balanced", "backend": "processes:2", "random_state": 4,
    }  # fmt: skip
    odd = ODDClassifier(**how)
    assert odd.get_params(deep=False) == how
    assert clone(odd).get_params(deep=False) == how
    assert sorted(ODDClassifier().get_params()) == sorted(how)
    assert repr(ODDClassifier(2, shrinkage=0.0)) == "ODDClassifier(n_components=2, shrinkage=0.0)"
    nested = ODDClassifier(solver=PaperSchedule(iterations=3))
    assert clone(nested).set_params(solver__iterations=9).solver.iterations == 9
    assert nested.solver.iterations == 3
    assert not hasattr(clone(ODDClassifier().fit(X, Y)), "components_")


@pytest.mark.parametrize(
    "use",
    [
        "transform", "predict", "predict_proba", "predict_log_proba", "decision_function",
        "get_feature_names_out",
    ],
)  # fmt: skip
def test_not_fitted(use):
    arguments = [] if use == "get_feature_names_out" else [X]
    with pytest.raises(NotFittedError, match="not fitted yet"):
        getattr(ODDClassifier(), use)(*arguments)


def test_tags():
    assert ODDClassifier().__sklearn_tags__().input_tags.sparse
    assert not ODDClassifier(activation="tanh").__sklearn_tags__().input_tags.sparse
    assert not ODDClassifier(pca=2).__sklearn_tags__().input_tags.sparse
    tags = ODDClassifier().__sklearn_tags__()
    assert tags.estimator_type == "classifier"
    assert tags.transformer_tags is not None
    assert tags.target_tags.required


def test_methods_return_the_estimator_itself():
    odd = ODDClassifier()
    assert odd.fit(X, Y) is odd
    assert odd.partial_fit(X, Y) is odd
    assert odd.merge(clone(odd).fit(X, Y)) is odd


@pytest.mark.parametrize("how", SETTINGS, ids=str)
def test_nothing_outside_changes(how):
    np.random.seed(3)
    before, rows, settings = np.random.get_state(), X.copy(), np.geterr()
    odd = ODDClassifier(**how)
    odd.fit(X, Y).predict_proba(X)
    after = np.random.get_state()
    np.testing.assert_array_equal(after[1], before[1])
    assert after[2:] == before[2:]
    assert np.geterr() == settings
    np.testing.assert_array_equal(X, rows)
    assert odd.get_params(deep=False) == ODDClassifier(**how).get_params(deep=False) | {
        "solver": odd.solver
    }


def test_rows_that_may_not_be_written_to():
    locked = X.copy()
    locked.setflags(write=False)
    for how in SETTINGS:
        ODDClassifier(random_state=0, **how).fit(locked, Y).predict(locked)


def test_on_the_front_page():
    assert distsearch.ODDClassifier is ODDClassifier
    assert "ODDClassifier" in distsearch.__all__
