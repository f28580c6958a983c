"""As parts of scikit-learn: its own checks, pipelines, copies and searches."""

import joblib
import numpy as np
import pytest
from boosting.data import overlapping, same
from sklearn import config_context
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.estimator_checks import parametrize_with_checks

from distsearch.boosting import (
    AdaBoostKLClassifier,
    CBBClassifier,
    DecisionStumpClassifier,
    ResamplingAdaBoostClassifier,
    XMeans,
)

pytestmark = pytest.mark.filterwarnings("ignore::distsearch.errors.DistsearchWarning")

X, Y = overlapping()

CHECKED = [
    ResamplingAdaBoostClassifier(),
    AdaBoostKLClassifier(),
    CBBClassifier(),
    CBBClassifier(n_estimators=2, delta="auto", delta_folds=2, max_clusters=3, n_init=1),
    CBBClassifier(n_estimators=2, variant="pooled", max_clusters=3, n_init=1),
    CBBClassifier(GaussianNB(), n_estimators=3, max_clusters=4),
    DecisionStumpClassifier(),
    XMeans(),
]


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.SkipTestWarning")
@parametrize_with_checks(CHECKED)
def test_scikit_learns_own_checks(estimator, check):
    check(estimator)


BOOSTERS = [
    ResamplingAdaBoostClassifier("stump", random_state=0),
    AdaBoostKLClassifier("stump", random_state=0),
    CBBClassifier("stump", delta1=0.05, delta2=0.1, random_state=0),
    CBBClassifier(GaussianNB(), n_estimators=3, variant="pooled", random_state=0),
]


@pytest.mark.parametrize("model", BOOSTERS, ids=str)
def test_pipelines_and_searches(model):
    both = make_pipeline(StandardScaler(), clone(model))
    assert cross_val_score(both, X, Y, cv=3).mean() > 0.7
    name = both.steps[-1][0]
    search = GridSearchCV(both, {f"{name}__n_estimators": [1, 3]}, cv=2).fit(X, Y)
    assert search.best_params_[f"{name}__n_estimators"] in {1, 3}


@pytest.mark.parametrize("model", BOOSTERS, ids=str)
def test_copies_give_the_same_bits(model, tmp_path):
    model = clone(model).fit(X, Y)
    joblib.dump(model, tmp_path / "model.joblib")
    again = joblib.load(tmp_path / "model.joblib")
    for name in ("predict", "predict_proba", "decision_function"):
        same(getattr(again, name)(X), getattr(model, name)(X))


@pytest.mark.parametrize("model", BOOSTERS, ids=str)
def test_routed_weights(model):
    weight = np.random.default_rng(0).integers(1, 4, len(X)).astype(float)
    scaled = StandardScaler().fit_transform(X)
    expected = clone(model).fit(scaled, Y, sample_weight=weight)
    with config_context(enable_metadata_routing=True):
        routed = make_pipeline(
            StandardScaler().set_fit_request(sample_weight=False),
            clone(model).set_fit_request(sample_weight=True),
        )
        routed.fit(X, Y, sample_weight=weight)
    same(routed[-1].decision_function(scaled), expected.decision_function(scaled))


@pytest.mark.parametrize("model", BOOSTERS, ids=str)
def test_not_fitted(model):
    for name in ("predict", "predict_proba", "decision_function"):
        with pytest.raises(NotFittedError, match="not fitted yet"):
            getattr(clone(model), name)(X)


@pytest.mark.parametrize("model", BOOSTERS, ids=str)
def test_nothing_outside_changes(model):
    np.random.seed(3)
    before, rows, settings = np.random.get_state(), X.copy(), np.geterr()
    locked = X.copy()
    locked.setflags(write=False)
    clone(model).fit(locked, Y).predict(locked)
    same(np.random.get_state()[1], before[1])
    assert np.geterr() == settings
    same(X, rows)


def test_tags():
    assert CBBClassifier("stump").__sklearn_tags__().estimator_type == "classifier"
    assert not CBBClassifier(GaussianNB()).__sklearn_tags__().input_tags.allow_nan
    assert not CBBClassifier("nothing").__sklearn_tags__().input_tags.sparse
