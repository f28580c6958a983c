import numpy as np
import pytest
from sklearn import ensemble, tree
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

from distsearch.boxcox import box_cox
from distsearch.boxcox._invariance import is_monotone_invariant, warn_if_invariant
from distsearch.errors import DistsearchWarning

INVARIANT = [
    tree.DecisionTreeClassifier(random_state=0),
    tree.DecisionTreeRegressor(random_state=0),
    ensemble.RandomForestClassifier(10, bootstrap=False, random_state=0),
    ensemble.RandomForestRegressor(10, bootstrap=False, random_state=0),
    ensemble.GradientBoostingClassifier(n_estimators=10, random_state=0),
    ensemble.GradientBoostingRegressor(n_estimators=10, random_state=0),
    ensemble.HistGradientBoostingClassifier(max_iter=2, max_leaf_nodes=4, early_stopping=False),
    ensemble.HistGradientBoostingRegressor(max_iter=2, max_leaf_nodes=4, early_stopping=False),
    ensemble.AdaBoostClassifier(n_estimators=10, random_state=0),
    ensemble.BaggingRegressor(bootstrap=False, max_features=2, random_state=0),
    ensemble.BaggingClassifier(
        tree.DecisionTreeClassifier(max_depth=2), bootstrap=False, random_state=0
    ),
    make_pipeline(tree.DecisionTreeClassifier(random_state=0)),
]
OTHERS = [
    GaussianNB(),
    KNeighborsClassifier(),
    LogisticRegression(),
    SVC(),
    ensemble.ExtraTreesClassifier(10, max_depth=2, random_state=0),
    tree.ExtraTreeClassifier(max_depth=2, random_state=0),
    tree.DecisionTreeClassifier(splitter="random", max_depth=2, random_state=0),
    ensemble.BaggingClassifier(GaussianNB(), random_state=0),
    ensemble.BaggingClassifier(tree.ExtraTreeClassifier(max_depth=2), random_state=0),
    make_pipeline(StandardScaler(), GaussianNB()),
]


@pytest.fixture(scope="module")
def mapped():
    """Data as they are and as a map leaves them, with noise in the target."""
    rng = np.random.default_rng(0)
    scaled = 1 + rng.random((150, 3))
    y = (scaled[:, 0] * scaled[:, 1] + rng.normal(0, 0.4, 150) > 2.2).astype(int)
    lambdas = [-5.0, 0.0, 4.0]
    other = [box_cox(x, lam) for x, lam in zip(scaled.T, lambdas, strict=True)]
    return scaled, np.column_stack(other), y


def answers(estimator, X, y):
    model = estimator.fit(X, y)
    return (model.predict_proba if hasattr(model, "predict_proba") else model.predict)(X)


@pytest.mark.parametrize("estimator", INVARIANT, ids=str)
def test_the_map_changes_nothing_and_a_warning_says_so(estimator, mapped):
    scaled, other, y = mapped
    np.testing.assert_allclose(answers(estimator, scaled, y), answers(estimator, other, y))
    assert is_monotone_invariant(estimator)
    with pytest.warns(DistsearchWarning, match=f"^{type(estimator).__name__} splits on the order"):
        warn_if_invariant(estimator)


@pytest.mark.parametrize("estimator", OTHERS, ids=str)
def test_the_map_matters_and_nothing_is_said(estimator, mapped):
    scaled, other, y = mapped
    if estimator.__module__.startswith(("sklearn.tree", "sklearn.ensemble")):
        assert not np.allclose(answers(estimator, scaled, y), answers(estimator, other, y))
    assert not is_monotone_invariant(estimator)
    warn_if_invariant(estimator)
