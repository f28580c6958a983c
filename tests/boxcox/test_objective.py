import numpy as np
import pytest
from boxcox.reference_program import scaled_to_one_two, training_accuracy
from boxcox.stubs import Recorder, WarnsAndFails
from scipy import special
from sklearn.metrics import get_scorer
from sklearn.model_selection import StratifiedKFold, cross_val_score
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from distsearch.boxcox import _objective as module
from distsearch.boxcox._objective import PlainObjective

ACCURACY = get_scorer("accuracy")


@pytest.fixture
def make(blobs):
    X, y = blobs
    scaled = scaled_to_one_two(X)

    def build(estimator, splits=None, active=(0, 1, 2), scorer=ACCURACY, **more):
        rows = np.arange(len(y))
        splits = [(rows, rows)] if splits is None else splits
        return PlainObjective(scaled, y, np.array(active), estimator, scorer, splits, **more)

    return build


CANDIDATES = np.array([[0.0, 1.0, -2.0], [5.0, -5.0, 0.5], [1.0, 1.0, 1.0]])


@pytest.mark.parametrize("estimator", [GaussianNB(), KNeighborsClassifier()])
def test_resubstitution(make, blobs, estimator):
    slow = training_accuracy(scaled_to_one_two(blobs[0]), blobs[1], estimator)
    scored = make(estimator).score(CANDIDATES, np.array([0]))
    assert scored.values.tolist() == [[slow(lambdas)] for lambdas in CANDIDATES]
    assert scored.warnings == {}


def test_cross_validation_is_scikit_learns_on_the_mapped_data(make, blobs):
    X, y = blobs
    cv = StratifiedKFold(4)
    objective = make(GaussianNB(), list(cv.split(X, y)), scorer=get_scorer("neg_log_loss"))
    scored = objective.score(CANDIDATES, np.arange(4))
    for lambdas, values in zip(CANDIDATES, scored.values, strict=True):
        mapped = special.boxcox(scaled_to_one_two(X), lambdas)
        model = make_pipeline(StandardScaler(), GaussianNB())
        np.testing.assert_allclose(
            values, cross_val_score(model, mapped, y, cv=cv, scoring="neg_log_loss"), rtol=1e-12
        )


def test_whatever_stands_beside_it(make, blobs):
    splits = list(StratifiedKFold(4).split(*blobs))
    together = make(GaussianNB(), splits).score(CANDIDATES, np.arange(4)).values
    for i, lambdas in enumerate(CANDIDATES):
        for part in range(4):
            alone = make(GaussianNB(), splits).score(lambdas[np.newaxis], np.array([part]))
            assert alone.values[0, 0] == together[i, part]


def test_features_that_are_not_searched_keep_lambda_one(make):
    objective = make(GaussianNB(), active=(1,))
    mapped = objective.map(np.array([0.0]))
    np.testing.assert_allclose(mapped[:, [0, 2]], objective.scaled[:, [0, 2]] - 1, atol=1e-15)
    np.testing.assert_allclose(mapped[:, 1], np.log(objective.scaled[:, 1]), atol=1e-15)


def test_the_cache_is_bounded_and_changes_nothing(make, monkeypatch):
    many = np.random.default_rng(0).uniform(-5, 5, (30, 3))
    free, tight = make(GaussianNB()), make(GaussianNB())
    values = free.score(many, np.array([0])).values
    assert len(free._cache) == 90
    monkeypatch.setattr(module, "_CACHE_BYTES", 60 * 8 * 4)
    np.testing.assert_array_equal(tight.score(many, np.array([0])).values, values)
    assert len(tight._cache) <= 4
    assert "_cache" not in free.__getstate__()


def test_parameters_with_one_entry_a_sample_are_cut_to_the_part(make):
    weight = np.arange(60.0)
    seen = []

    def scorer(model, X_test, y_test, sample_weight):
        seen.append((model.sample_weight_, model.note_, sample_weight, len(X_test)))
        return 0.0

    splits = [(np.arange(0, 60, 2), np.arange(1, 60, 4))]
    objective = make(
        Recorder(), splits, scorer=scorer,
        fit_params={"sample_weight": weight, "note": "kept"},
        score_params={"sample_weight": weight},
    )  # fmt: skip
    objective.score(CANDIDATES[:1], np.array([0]))
    ((fitted, note, scored, length),) = seen
    np.testing.assert_array_equal(fitted, np.arange(0, 60, 2))
    np.testing.assert_array_equal(scored, np.arange(1, 60, 4))
    assert (note, length) == ("kept", 15)


def test_warnings_are_counted_not_raised(make):
    scored = make(WarnsAndFails()).score(CANDIDATES, np.array([0]))
    assert scored.warnings == {"RuntimeWarning: did not converge": 3}


def test_errors_are_left_to_the_caller(make):
    with pytest.raises(ArithmeticError):
        make(WarnsAndFails(limit=-np.inf)).score(CANDIDATES, np.array([0]))


def test_the_standardisation_knows_the_training_rows_only(make):
    seen = []

    def scorer(model, X_test, y_test):
        seen.append((model.X_, X_test))
        return 0.0

    train, test = np.arange(0, 40), np.arange(40, 60)
    make(Recorder(), [(train, test)], scorer=scorer).score(CANDIDATES[:1], np.array([0]))
    ((X_train, X_test),) = seen
    np.testing.assert_allclose(X_train.mean(axis=0), 0, atol=1e-12)
    np.testing.assert_allclose(X_train.std(axis=0), 1, atol=1e-12)
    assert np.abs(X_test.mean(axis=0)).min() > 0.01
