"""The same bits wherever k-means, initial functions and runs are made."""

import pytest
from backends.counting import Counting
from boosting.data import islands, overlapping, same
from sklearn.naive_bayes import GaussianNB
from sklearn.tree import DecisionTreeClassifier

from distsearch.backends import get_backend
from distsearch.boosting import CBBClassifier

X, Y, ISLAND = islands()

SETTINGS = {
    "paper": {},
    "pooled": {"variant": "pooled"},
    "auto": {"delta": "auto", "delta_folds": 2, "delta_grid": [(0.05, 0.1), (0.2, 0.3)]},
    "out of fold": {"estimate": "out-of-fold"},
    "unrestricted": {"voting": "unrestricted", "initial_vote": "global"},
    "random trees": {"estimator": DecisionTreeClassifier(max_depth=2, max_features=1)},
    "bayes": {"estimator": GaussianNB()},
}


@pytest.fixture(scope="module")
def processes():
    with get_backend("processes:2") as backend:
        yield backend


def outcomes(backend, how):
    how = {"estimator": "stump", "max_clusters": 6, "random_state": 7, "n_estimators": 4, **how}
    model = CBBClassifier(backend=backend, **how).fit(X, Y)
    assert model.backend is backend
    return [
        model.decision_function(X), model.cluster_of(X), *model.estimator_votes_,
        list(model.bic_.values()), model.clusters_["type"], model.suspects_,
    ]  # fmt: skip


@pytest.mark.parametrize("how", SETTINGS)
def test_processes(processes, how):
    counting = Counting(processes)
    found = outcomes(counting, SETTINGS[how])
    assert counting.n_units >= 5 + 1 + 1  # five numbers of clusters, the initial function, runs
    same(found, outcomes("serial", SETTINGS[how]))


@pytest.mark.ray
@pytest.mark.parametrize("how", ["paper", "auto"])
def test_ray(own_ray, how):
    same(outcomes(own_ray, SETTINGS[how]), outcomes("serial", SETTINGS[how]))


def test_by_name():
    same(outcomes("processes:2", {}), outcomes("serial", {}))


def test_what_goes_wrong_says_where(processes):
    rows, y = overlapping(0, 60)
    base = Fails()
    for backend in ("serial", processes):
        with pytest.raises(Exception, match="too few rows") as caught:
            CBBClassifier(base, delta1=0.0, delta2=0.0, backend=backend, random_state=0).fit(
                rows, y
            )
        told = str(caught.value) + "".join(getattr(caught.value, "__notes__", []))
        told += str(caught.value.__cause__) + "".join(
            getattr(caught.value.__cause__, "__notes__", [])
        )
        assert "cluster" in told
        assert "min_cluster_size" in told


class Fails(GaussianNB):
    """Does not learn from fewer than 60 rows."""

    def fit(self, X, y, sample_weight=None):
        if len(X) < 60:
            raise ValueError("too few rows")
        return super().fit(X, y)
