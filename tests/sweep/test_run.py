import json

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_iris
from sklearn.metrics import accuracy_score, f1_score
from sklearn.model_selection import RepeatedStratifiedKFold
from sklearn.neighbors import KNeighborsClassifier
from sklearn.preprocessing import StandardScaler
from sweep.toys import BASE, IRIS, KNN, SPHERICAL, WINE, setting, study

from distsearch.backends import ProcessesBackend
from distsearch.errors import InvalidInputError
from distsearch.odd import ODDClassifier
from distsearch.sweep import Only, TooManyFailuresError, export_table, make_plan, run_plan
from distsearch.sweep.spec import Limits, Protocol
from distsearch.sweep.store import StoreReader

BOTH = ("accuracy", "f1_macro")


@pytest.fixture
def store(tmp_path):
    return tmp_path / "store.sqlite"


def run(spec, store, **how):
    return run_plan(make_plan(spec), store, **{"backend": "serial", **how})


def results(store, name=None):
    reader = StoreReader(store)
    return reader.results(reader.study(name))


def test_scores_are_those_of_a_plain_loop(store):
    run(study(methods=(BASE,), scorers=BOTH), store)
    X, y = load_iris(return_X_y=True)
    folds = RepeatedStratifiedKFold(n_splits=5, n_repeats=1, random_state=3)
    expected = []
    for train, test in folds.split(X, y):
        scaler = StandardScaler().fit(X[train])
        model = KNeighborsClassifier(3).fit(scaler.transform(X[train]), y[train])
        predicted = model.predict(scaler.transform(X[test]))
        expected.append(
            (accuracy_score(y[test], predicted), f1_score(y[test], predicted, average="macro"))
        )
    np.testing.assert_array_equal(results(store)[list(BOTH)], expected)


def test_a_second_run_has_nothing_to_do(store):
    assert run(study(), store).done == 10
    again = run(study(), store)
    assert (again.planned, again.known, again.done) == (10, 10, 0)


def test_a_new_metric_is_added_and_the_others_stay(store):
    run(study(), store)
    before = results(store)["accuracy"]
    assert run(study(scorers=("f1_macro",)), store).done == 10
    assert run(study(scorers=BOTH), store).done == 0
    pd.testing.assert_series_equal(results(store)["accuracy"], before)


def test_a_unit_of_another_study_is_known(store):
    run(study(), store)
    summary = run(study("more", data=(IRIS, WINE)), store)
    assert (summary.planned, summary.known, summary.done) == (20, 10, 10)
    assert StoreReader(store).studies() == ["more", "toy"]


def test_one_part_now_and_the_rest_later(store):
    plan = make_plan(study())
    summary = run_plan(plan, store, backend="serial", only=Only.parse(["method=base"]))
    assert (summary.planned, summary.done) == (5, 5)
    assert results(store)["state"].value_counts().to_dict() == {"done": 5, "pending": 5}
    assert run_plan(plan, store, backend="serial").done == 5


def test_only_has_to_match_before_anything_is_written(store):
    with pytest.raises(InvalidInputError, match="no data is called"):
        run_plan(make_plan(study()), store, only=Only.parse(["data=nothing"]))
    assert not store.exists()


def test_equal_units_of_one_study_run_once(store):
    twin = setting("twin", "standardize")
    summary = run(study(methods=(BASE, twin)), store)
    assert summary.done == 5
    found = results(store)
    assert (found["state"] == "done").all()
    np.testing.assert_array_equal(found["accuracy"][:5], found["accuracy"][5:])


def test_few_units_let_the_models_fan_out_with_the_same_result(store, tmp_path):
    spec = study(methods=(SPHERICAL,), protocol=Protocol(kind="hold-out"))  # one unit
    run(spec, store)
    with ProcessesBackend(2) as backend:
        used = []
        share = backend.share
        backend.share = lambda value: used.append(type(value).__name__) or share(value)
        run(spec, tmp_path / "few.sqlite", backend=backend)
    assert used == ["PlainObjective"]
    pd.testing.assert_frame_equal(
        results(store)[["accuracy", "facts"]],
        results(tmp_path / "few.sqlite")[["accuracy", "facts"]],
    )


@pytest.mark.parametrize(
    ("method", "place"),
    [(BASE, "processes"), (SPHERICAL, "serial")],  # the search itself has the workers
)
def test_an_estimator_with_a_backend_gets_the_sweeps(store, tmp_path, monkeypatch, method, place):
    got = []
    fit = ODDClassifier.fit

    def noted(self, X, y, sample_weight=None):
        got.append(self.backend if isinstance(self.backend, str) else self.backend.name)
        return fit(self, X, y, sample_weight)

    odd = setting("ODD", "odd", solver="cmaes+bfgs", max_iter=3, n_restarts=1)
    spec = study(estimators=(odd,), methods=(method,), protocol=Protocol(kind="hold-out"))
    run(spec, store)
    monkeypatch.setattr(ODDClassifier, "fit", noted)
    with ProcessesBackend(2) as backend:
        run(spec, tmp_path / "few.sqlite", backend=backend)
    assert set(got) == {place}
    one, other = results(store), results(tmp_path / "few.sqlite")
    assert (one["state"] == "done").all()
    pd.testing.assert_frame_equal(one[["hash", "accuracy"]], other[["hash", "accuracy"]])


def test_few_units_with_nothing_to_fan_out_run_in_the_workers(store):
    with ProcessesBackend(2) as backend:
        used = []
        share = backend.share
        backend.share = lambda value: used.append(type(value).__name__) or share(value)
        run(study(methods=(BASE,), protocol=Protocol(kind="hold-out")), store, backend=backend)
    assert used == ["Work"]


def test_what_a_search_found_is_kept(store):
    run(study(methods=(SPHERICAL,)), store)
    facts = json.loads(results(store)["facts"][0])
    assert len(facts["lambdas"]) == 4
    assert facts["evaluations"] == 3
    assert 0.9 < facts["search_score"] <= 1.0


def test_an_undefined_metric_is_missing_with_its_reason(store, monkeypatch):
    monkeypatch.setattr("distsearch.sweep._plan.lacking", lambda estimator, names: {})
    svc = setting("SVC", "svc")  # gives no probabilities
    spec = study(estimators=(svc,), methods=(BASE,), scorers=("accuracy", "neg_log_loss"))
    summary = run(spec, store)
    assert (summary.done, summary.failed) == (5, 0)
    found = results(store)
    assert found["neg_log_loss"].isna().all()
    assert (found["accuracy"] >= 0.9).all()
    assert "predict_proba" in json.loads(found["facts"][0])["undefined"]["neg_log_loss"]


def test_a_slow_unit_fails_alone(store):
    slow = setting("slow", "MLPClassifier", max_iter=10**6, tol=0.0, n_iter_no_change=10**6)
    spec = study(
        estimators=(KNN, slow), methods=(BASE,), limits=Limits(unit_seconds=0.3),
        protocol=Protocol(folds=2),
    )  # fmt: skip
    summary = run(spec, store)
    assert (summary.done, summary.failed) == (2, 2)
    found = results(store)
    assert found["state"].tolist() == ["done"] * 2 + ["failed"] * 2
    assert found["error_type"][2] == "distsearch.errors.UnitTimeoutError"


def test_more_failures_than_tolerated_stop_the_run(store):
    slow = setting("slow", "MLPClassifier", max_iter=10**6, tol=0.0, n_iter_no_change=10**6)
    limits = Limits(unit_seconds=0.05, failures=2)
    with pytest.raises(TooManyFailuresError, match="3 units failed, and 2 are tolerated"):
        run(study(estimators=(slow,), methods=(BASE,), limits=limits), store)
    runs = StoreReader(store).runs()
    assert runs["outcome"][0].startswith("failed: TooManyFailuresError")


def test_the_manifest(store):
    import numpy

    run(study(), store, command="a test")
    (row,) = StoreReader(store).runs().to_dict("records")
    assert (row["study"], row["outcome"], row["command"]) == ("toy", "finished", "a test")
    assert (row["spec"], row["backend"]) == ("# toy", "serial:1")
    assert f'"numpy": "{numpy.__version__}"' in row["versions"]
    assert row["ended"] >= row["started"]


def test_the_exported_table(store):
    few, many = setting("few", "knn", "knn", n_neighbors=1), setting("many", "knn", "knn",
                                                                    n_neighbors=9)  # fmt: skip
    nb = setting("NB", "nb")
    run(
        study(estimators=(few, many, nb), methods=(BASE,)),
        store,
        only=Only.parse(["estimator=f*,N*"]),
    )
    reader = StoreReader(store)
    record = reader.study()
    table = export_table(record, reader.results(record))
    assert table.columns.tolist() == [
        "data", "estimator", "estimator.n_neighbors", "method", "repeat", "fold", "state",
        "accuracy", "error_type", "error", "facts", "hash",
    ]  # fmt: skip
    assert table["estimator"].tolist() == ["few"] * 5 + ["NB"] * 5
    assert table["estimator.n_neighbors"].tolist()[:5] == [1] * 5
    assert table["estimator.n_neighbors"].isna().sum() == 5
    assert len(export_table(record, reader.results(record), pending=True)) == 15
    times = export_table(record, reader.results(record), times=True)
    assert {"fit_seconds", "predict_seconds", "attempts"} <= set(times)
    assert "1.0" not in table.to_csv().splitlines()[1].split(",")[3]
