import numpy as np
import pytest
from scipy.special import boxcox
from sklearn.base import clone
from sklearn.naive_bayes import GaussianNB
from sklearn.preprocessing import StandardScaler

from distsearch.boxcox import BoxCoxSearchCV, BoxCoxTransformer, IterativeGrid
from distsearch.errors import InvalidInputError, UnknownNameError
from distsearch.sweep._methods import METHODS, check_method, get_method, n_fits

X = np.random.default_rng(0).uniform(1.0, 2.0, size=(30, 2))
NB = GaussianNB()


def test_plain_does_nothing():
    assert METHODS["plain"].prepare({}, None) is None
    assert METHODS["plain"].make(NB, {}, 0, "serial", None) is NB


def test_standardize_prepares_and_leaves_the_estimator():
    found = METHODS["standardize"].prepare({}, None).fit_transform(X)
    np.testing.assert_array_equal(found, StandardScaler().fit_transform(X))


def test_the_search_gets_its_parameters_and_the_unit_its_seed():
    params = {"strategy": "iterative", "epochs": 2, "semantics": "reference", "cv": 3}
    model = METHODS["boxcox"].make(NB, params, 7, "serial", None)
    assert isinstance(model, BoxCoxSearchCV)
    assert isinstance(model.strategy, IterativeGrid)
    assert (model.strategy.epochs, model.strategy.semantics) == (2, "reference")
    assert (model.cv.n_splits, model.cv.random_state, model.random_state) == (3, 7, 7)


def test_a_given_random_state_wins():
    model = METHODS["boxcox"].make(
        NB, {"random_state": 42, "cv": "resubstitution"}, 7, "serial", None
    )
    assert (model.random_state, model.cv) == (42, "resubstitution")


@pytest.mark.parametrize("params", [{"lambdas": [2, -1]}, {"lambda_1": 2, "lambda_2": -1}])
def test_given_lambdas_map_positive_features_as_scipy_does(params):
    found = METHODS["boxcox-map"].prepare({**params, "rescale": False}, None).fit_transform(X)
    mapped = np.column_stack([boxcox(X[:, 0], 2.0), boxcox(X[:, 1], -1.0)])
    np.testing.assert_allclose(found, StandardScaler().fit_transform(mapped), rtol=1e-12)


def test_given_lambdas_are_rescaled_to_the_training_range_unless_told():
    found = METHODS["boxcox-map"].prepare({"lambdas": 0.5}, None).fit_transform(X)
    np.testing.assert_array_equal(found, BoxCoxTransformer(0.5).fit_transform(X))


def test_ten_lambdas_are_in_the_order_of_their_numbers():
    params = {f"lambda_{place}": place for place in range(11, 0, -1)}
    prepared = METHODS["boxcox-map"].prepare(params, None)
    assert list(prepared.lambdas) == list(range(1, 12))


@pytest.mark.parametrize(
    ("name", "params", "error", "text"),
    [
        ("bxcox", {}, UnknownNameError, "Did you mean 'boxcox'"),
        ("boxcox", {"epoch": 3}, UnknownNameError, "Did you mean 'epochs'"),
        ("plain", {"x": 3}, UnknownNameError, "It has none"),
        ("boxcox", {"strategy": "spherica"}, UnknownNameError, "Did you mean 'spherical'"),
        ("boxcox", {"strategy": "mle", "epochs": 3}, InvalidInputError, "belongs to iterative"),
        ("boxcox", {"strategy": ["mle"]}, UnknownNameError, "strategy must be one of"),
        ("boxcox", {"scoring": "acuracy"}, InvalidInputError, "acuracy"),
        ("boxcox", {"epochs": 0}, InvalidInputError, "'epochs' parameter of IterativeGrid"),
        ("boxcox", {"out_of_range": "clamp"}, InvalidInputError, "'out_of_range' parameter"),
        ("boxcox-map", {}, InvalidInputError, "needs either lambdas"),
        ("boxcox-map", {"lambdas": 1, "lambda_1": 1}, InvalidInputError, "needs either lambdas"),
        ("boxcox-map", {"lambda_1": 1, "lambda_3": 1}, InvalidInputError, "without a gap"),
    ],
)
def test_what_cannot_work_is_refused_before_any_work(name, params, error, text):
    with pytest.raises(error, match=text):
        check_method(name, params, clone(NB))


def test_what_can_work_is_not_refused():
    for name, params in [
        ("plain", {}),
        ("standardize", {}),
        ("boxcox", {}),
        ("boxcox", {"strategy": "full", "gridsize": 3}),
        ("boxcox-map", {"lambda_1": 0, "lambda_2": 2.5}),
    ]:
        check_method(name, params, NB)


@pytest.mark.parametrize(
    ("params", "features", "fits"),
    [
        ({"cv": "resubstitution"}, 60, 1 + 2641),  # 4 epochs x 60 features x 11 values, the start
        ({"cv": "resubstitution", "strategy": "spherical"}, 60, 1 + 11),
        ({"strategy": "full"}, 2, 1 + 5 * 121),
    ],
)
def test_fits_are_counted_from_the_strategy(params, features, fits):
    assert n_fits("boxcox", params, features) == fits
    assert n_fits("standardize", {}, features) == 1
    assert get_method("plain").fits({}, features) == 1


def test_range_is_that_of_the_training_part():
    transformer = METHODS["range"].prepare({}, None).fit(X)
    later = np.array([[3.0, 1.5]])
    low, high = X.min(axis=0), X.max(axis=0)
    np.testing.assert_allclose(
        transformer.transform(later), 2 * (later - low) / (high - low) - 1, rtol=1e-12
    )


def test_range_after_principal_components():
    wide = np.random.default_rng(1).normal(size=(20, 4)) * [5.0, 3.0, 0.2, 0.1]
    found = METHODS["range"].prepare({"pca": 2}, None).fit_transform(wide)
    centred = wide - wide.mean(axis=0)
    scores = centred @ np.linalg.svd(centred)[2][:2].T
    scaled = 2 * (scores - scores.min(axis=0)) / np.ptp(scores, axis=0) - 1
    np.testing.assert_allclose(np.abs(found), np.abs(scaled), atol=1e-9)


@pytest.mark.parametrize("pca", [0, 2.5, "two", True])
def test_range_with_an_impossible_number_of_components(pca):
    with pytest.raises(InvalidInputError, match="pca must be a number of components"):
        check_method("range", {"pca": pca}, NB)
