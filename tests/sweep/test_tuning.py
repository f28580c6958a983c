"""Estimators whose parameters each unit chooses from its training rows."""

import json
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_iris
from sklearn.impute import SimpleImputer
from sklearn.linear_model import Ridge
from sklearn.metrics import get_scorer
from sklearn.model_selection import (
    GridSearchCV,
    KFold,
    RepeatedKFold,
    RepeatedStratifiedKFold,
    StratifiedKFold,
)
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler
from sweep.toys import BASE, IRIS, KNN, SPHERICAL, Recorder, setting, study

from distsearch.boxcox import BoxCoxSearchCV, SphericalGrid
from distsearch.encoding import OrderedTargetEncoder
from distsearch.errors import SpecError
from distsearch.sweep import Only, estimate, export_table, make_plan, run_plan
from distsearch.sweep.spec import Data, Protocol, Tuning
from distsearch.sweep.store import StoreReader

SEED = 3  # of the studies of these tests
METRICS = ("accuracy", "neg_log_loss")
PLAIN = setting("plain", "plain")
NEIGHBOURS = {"n_neighbors": (1, 5, 25)}
FEW = Protocol(folds=3)


def tuned(label, name, grid, folds=3, **params):
    return replace(setting(label, name, **params), tuning=Tuning(grid=grid, folds=folds))


TUNED = tuned("tuned", "knn", NEIGHBOURS)


@pytest.fixture
def store(tmp_path):
    return tmp_path / "store.sqlite"


def run(spec, store, backend="serial", **how):
    plan = make_plan(spec)
    run_plan(plan, store, backend=backend, **how)
    reader = StoreReader(store)
    return plan, reader.results(reader.study(spec.study))


def seed_of(plan, number):
    return int(plan.unit(number).seed.generate_state(1)[0])


def facts_of(found):
    return [json.loads(each) for each in found["facts"]]


def check_against_loop(plan, found, X, y, pipeline, grid, cv=3, metrics=METRICS):
    """Compare with a search around the whole pipeline in each training part."""
    classes = metrics == METRICS
    outer = RepeatedStratifiedKFold if classes else RepeatedKFold
    inner = StratifiedKFold if classes else KFold
    repeats = found["repeat"].max() + 1
    splitter = outer(n_splits=len(found) // repeats, n_repeats=repeats, random_state=SEED)
    chosen = []
    for number, (train, test) in enumerate(splitter.split(X, y)):
        seed = seed_of(plan, number)
        search = GridSearchCV(
            pipeline(seed), grid, cv=inner(cv, shuffle=True, random_state=seed), refit=True,
            error_score="raise",
        ).fit(X[train], y[train])  # fmt: skip
        expected = [get_scorer(m)(search, X[test], y[test]) for m in metrics]
        np.testing.assert_array_equal(found[list(metrics)].iloc[number], expected)
        facts = facts_of(found)[number]
        values = {key.rpartition("__")[2]: each for key, each in search.best_params_.items()}
        assert facts["tuned"] == values
        assert facts["tuning_score"] == search.best_score_
        chosen.append(tuple(values.values()))
    return chosen


def test_scores_are_those_of_a_loop_of_searches(store):
    protocol = Protocol(folds=2, repeats=2)
    spec = study(estimators=(TUNED,), methods=(BASE,), scorers=METRICS, protocol=protocol)
    X, y = load_iris(return_X_y=True)
    chosen = check_against_loop(
        *run(spec, store), X, y,
        lambda seed: make_pipeline(StandardScaler(), KNeighborsClassifier()),
        {"kneighborsclassifier__n_neighbors": [1, 5, 25]},
    )  # fmt: skip
    assert len(set(chosen)) > 1


def test_several_parameters_folds_and_what_is_fixed(store):
    grid = {"n_neighbors": (7, 2), "weights": ("uniform", "distance")}
    spec = study(
        estimators=(tuned("two", "knn", grid, folds=5, p=1),), methods=(PLAIN,), scorers=METRICS,
        protocol=FEW,
    )  # fmt: skip
    X, y = load_iris(return_X_y=True)
    check_against_loop(
        *run(spec, store), X, y, lambda seed: KNeighborsClassifier(p=1),
        {key: list(values) for key, values in grid.items()}, cv=5,
    )  # fmt: skip


def noisy_table(kind="classes"):
    rng = np.random.default_rng(5)
    y = np.sort(rng.integers(3, size=120))
    numbers = rng.normal(size=(120, 3)) + y[:, None]
    numbers[rng.uniform(size=numbers.shape) < 0.1] = np.nan
    codes = np.where(rng.uniform(size=120) < 0.6, y, rng.integers(4, size=120))
    target = np.array(["a", "b", "c"])[y] if kind == "classes" else 10.0 * y + rng.normal(size=120)
    frame = pd.DataFrame(numbers, columns=["u", "v", "w"])
    frame.insert(1, "colour", np.array(["blue", "green", "grey", "red"])[codes])
    return frame.assign(target=target), np.column_stack([numbers[:, :1], codes, numbers[:, 1:]])


def data_of(frame, folder, **more):
    frame.to_csv(folder / "made.csv", index=False)
    return Data(label="made", source=str(folder / "made.csv"), target="target", **more)


@pytest.mark.parametrize("kind", ["classes", "numbers"])
def test_what_fills_encodes_and_scales_is_part_of_the_search(store, tmp_path, kind):
    frame, X = noisy_table(kind)
    classes = kind == "classes"
    metrics = METRICS if classes else ("r2",)
    grid = {"n_neighbors": (1, 4, 16)} if classes else {"alpha": (1e-3, 10.0, 300.0)}
    spec = study(
        data=(data_of(frame, tmp_path, impute="mean"),), methods=(BASE,), scorers=metrics,
        estimators=(tuned("t", "knn" if classes else "ridge", grid),), protocol=FEW,
    )  # fmt: skip

    def pipeline(seed):
        encoder = OrderedTargetEncoder([1], order="random", random_state=SEED)
        last = KNeighborsClassifier() if classes else Ridge(random_state=seed)
        return Pipeline([("f", SimpleImputer()), ("e", encoder), ("s", StandardScaler()),
                         ("m", last)])  # fmt: skip

    grid = {f"m__{key}": list(values) for key, values in grid.items()}
    y = frame["target"].to_numpy()
    check_against_loop(*run(spec, store), X, y, pipeline, grid, metrics=metrics)


def test_zeros_and_ones_are_made_within_each_fold(store, tmp_path):
    frame, X = noisy_table()
    spec = study(
        data=(data_of(frame, tmp_path, impute="mean", categories="one-hot"),), methods=(PLAIN,),
        scorers=METRICS, estimators=(TUNED,), protocol=FEW,
    )  # fmt: skip

    def pipeline(seed):
        from sklearn.compose import ColumnTransformer

        one_hot = OneHotEncoder(handle_unknown="ignore", sparse_output=False)
        columns = ColumnTransformer([("n", "passthrough", [0, 2, 3]), ("c", one_hot, [1])])
        return Pipeline([("f", SimpleImputer()), ("e", columns), ("m", KNeighborsClassifier())])

    y = frame["target"].to_numpy()
    check_against_loop(*run(spec, store), X, y, pipeline, {"m__n_neighbors": [1, 5, 25]})


@pytest.mark.parametrize("categories", [False, True])
def test_a_search_of_lambdas_is_searched_anew_for_every_candidate(store, tmp_path, categories):
    frame, X = noisy_table()
    frame, X = frame.dropna(), X[~np.isnan(X).any(axis=1)]
    if not categories:
        frame, X = frame.drop(columns="colour"), np.delete(X, 1, axis=1)
    grid = {"n_neighbors": (1, 9)}
    spec = study(
        data=(data_of(frame, tmp_path),), methods=(SPHERICAL,), scorers=METRICS,
        estimators=(tuned("t", "knn", grid, folds=2),), protocol=Protocol(folds=2),
    )  # fmt: skip

    def pipeline(seed):
        encoder = OrderedTargetEncoder([1], order="random", random_state=SEED)
        inner = KNeighborsClassifier()
        if categories:
            inner = Pipeline([("e", encoder), ("s", StandardScaler()), ("m", inner)])
        return BoxCoxSearchCV(
            inner, SphericalGrid(gridsize=3), passthrough=[1] if categories else None,
            cv=StratifiedKFold(2, shuffle=True, random_state=seed), random_state=seed,
        )  # fmt: skip

    name = "estimator__m__n_neighbors" if categories else "estimator__n_neighbors"
    plan, found = run(spec, store)
    check_against_loop(
        plan, found, X, frame["target"].to_numpy(), pipeline, {name: [1, 9]}, cv=2
    )  # fmt: skip
    assert all({"tuned", "lambdas"} <= set(facts) for facts in facts_of(found))
    assert plan.fits() == {(0, 0, 0): (2 * 2 + 1) * (1 + 2 * 3)}


def test_equally_good_values_are_decided_by_the_order_of_the_file(store):
    # Neither matters: with one neighbour all weights are the same, and leaves of a tree change
    # nothing but the time.
    for weights in (("distance", "uniform"), ("uniform", "distance")):
        for leaves in ((30, 10), (10, 30)):
            grid = {"weights": weights, "leaf_size": leaves}
            spec = study(
                f"{weights[0]}-{leaves[0]}", estimators=(tuned("t", "knn", grid, n_neighbors=1),),
                methods=(BASE,), protocol=Protocol(folds=2),
            )  # fmt: skip
            _, found = run(spec, store)
            for facts in facts_of(found):
                assert facts["tuned"] == {"weights": weights[0], "leaf_size": leaves[0]}


def test_the_last_parameter_of_a_grid_changes_fastest():
    tuning = Tuning(grid={"b": (1, 2), "a": ("x", "y")}, folds=4)
    assert tuning.combinations() == [
        {"b": 1, "a": "x"}, {"b": 1, "a": "y"}, {"b": 2, "a": "x"}, {"b": 2, "a": "y"},
    ]  # fmt: skip
    assert tuning.n_fits == 4 * 4 + 1


def test_values_may_be_lists(store):
    grid = {"hidden_layer_sizes": ([3], [2, 2])}
    spec = study(
        estimators=(tuned("net", "mlp", grid, max_iter=20, folds=2),), methods=(BASE,),
        protocol=Protocol(kind="hold-out"),
    )  # fmt: skip
    _, found = run(spec, store)
    assert facts_of(found)[0]["tuned"]["hidden_layer_sizes"] in grid["hidden_layer_sizes"]


def test_no_fit_sees_a_row_that_it_is_scored_on(store, tmp_path):
    n = 90
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"row": np.arange(n), "noise": rng.normal(size=n)})
    frame.loc[::7, "noise"] = np.nan
    frame["name"] = [f"row-{number}" for number in range(n)]
    frame["target"] = rng.integers(2, size=n)
    recorder = tuned("r", "sweep.toys:Tunable", {"level": (1, 2)}, folds=2)
    spec = study(
        data=(data_of(frame, tmp_path, impute="mean"),), estimators=(recorder,), methods=(PLAIN,),
        trust=("sweep.toys",), scorers=("accuracy",), protocol=Protocol(folds=3),
    )  # fmt: skip
    Recorder.seen.clear()
    plan, _ = run(spec, store)
    data = plan.work.data[0]
    seen = [X for _, X in Recorder.seen]
    whats = [what for what, _ in Recorder.seen]
    assert whats == ["fit", "predict"] * (3 * (2 * 2 + 1))
    for number, split in enumerate(data.splits):
        mine = list(zip(*[iter(seen[number * 10 : number * 10 + 10])] * 2, strict=True))
        for place, (fitted, scored) in enumerate(mine):
            ours, theirs = fitted[:, 0].astype(int), scored[:, 0].astype(int)
            within = set(split.train) if place < 4 else set(range(n))
            assert not set(ours) & set(theirs)
            assert set(ours) | set(theirs) == within
            # What fills and encodes comes from the rows of this very fit.
            mean = np.nanmean(frame["noise"].to_numpy()[ours])
            prior = frame["target"].to_numpy()[ours].mean()
            for X in (fitted, scored):
                missing = np.isnan(frame["noise"].to_numpy()[X[:, 0].astype(int)])
                np.testing.assert_allclose(X[missing, 1], mean, rtol=1e-12)
                np.testing.assert_allclose(X[:, 2], prior, rtol=1e-12)


def test_a_unit_goes_on_as_one_with_the_chosen_values(store, tmp_path):
    frame, _ = noisy_table()
    metrics = ("balanced_accuracy_ovr", "train_balanced_accuracy_ovr", "accuracy")
    spec = study(
        data=(data_of(frame, tmp_path, impute="median"),), methods=(BASE, PLAIN), scorers=metrics,
        estimators=(
            tuned("one", "knn", {"n_neighbors": (5,)}), setting("fixed", "knn", n_neighbors=5),
        ),
        protocol=FEW,
    )  # fmt: skip
    _, found = run(spec, store)
    one, fixed = (found.loc[found["estimator"] == label] for label in ("one", "fixed"))
    np.testing.assert_array_equal(one[list(metrics)], fixed[list(metrics)])


def test_a_random_estimator_is_chosen_and_fitted_with_the_seed_of_the_unit(store):
    from sklearn.tree import DecisionTreeClassifier

    grid = {"max_depth": (1, 3), "splitter": ("random", "best")}
    spec = study(estimators=(tuned("t", "tree", grid),), methods=(PLAIN,), scorers=METRICS)
    X, y = load_iris(return_X_y=True)
    check_against_loop(
        *run(spec, store), X, y, lambda seed: DecisionTreeClassifier(random_state=seed),
        {key: list(values) for key, values in grid.items()},
    )  # fmt: skip


def test_workers_choose_the_same_and_a_stopped_run_goes_on(store, tmp_path):
    few = tuned("few", "knn", {"n_neighbors": (1, 9)}, folds=2)
    spec = study(estimators=(few,), methods=(BASE, PLAIN), protocol=Protocol(folds=2))
    _, serial = run(spec, store)
    other = tmp_path / "other.sqlite"
    plan = make_plan(spec)
    first = run_plan(plan, other, backend="serial", only=Only.parse(["method=base"]))
    rest = run_plan(plan, other, backend="processes:2")
    assert (first.done, rest.known, rest.done) == (2, 2, 2)
    assert run_plan(plan, other, backend="serial").done == 0
    reader = StoreReader(other)
    columns = ["hash", "state", "accuracy", "facts"]
    pd.testing.assert_frame_equal(reader.results(reader.study())[columns], serial[columns])


def test_the_export_has_the_values_and_the_store_the_grid(store):
    run(study(estimators=(TUNED,), methods=(BASE,), protocol=FEW), store)
    reader = StoreReader(store)
    record = reader.study()
    table = export_table(record, reader.results(record))
    assert all(facts["tuned"]["n_neighbors"] in (1, 5, 25) for facts in facts_of(table))
    assert record.settings[0].params == {"tune": {"n_neighbors": [1, 5, 25]}, "tune_cv": 3}


def hashes(*estimators):
    spec = study(estimators=estimators, methods=(BASE,), protocol=FEW)
    return {unit.hash for unit in make_plan(spec).study.units}


def test_the_name_of_a_unit_covers_what_it_tunes():
    others = [
        setting("t", "knn"),
        tuned("t", "knn", {"n_neighbors": (1, 5)}),
        tuned("t", "knn", {"n_neighbors": (5, 1)}),
        tuned("t", "knn", {"n_neighbors": (1, 5)}, folds=4),
        tuned("t", "knn", {"n_neighbors": (1, 5)}, weights="distance"),
        tuned("t", "knn", {"p": (1, 2), "n_neighbors": (1, 5)}),
        tuned("t", "knn", {"n_neighbors": (1, 5), "p": (1, 2)}),  # ties fall otherwise
    ]
    assert len(set().union(*map(hashes, others))) == 3 * len(others)
    assert hashes(tuned("u", "KNeighborsClassifier", {"n_neighbors": (1, 5)})) == hashes(others[1])


def test_the_cost_counts_every_candidate_on_every_fold():
    spec = study(estimators=(KNN, tuned("t", "knn", NEIGHBOURS, folds=4)))
    plan = make_plan(spec)
    groups = {(each.estimator, each.method): each for each in estimate(plan, {})}
    assert groups["KNN", "base"].fits == 1
    assert groups["t", "base"].fits == 3 * 4 + 1
    assert groups["t", "spherical"].fits == (3 * 4 + 1) * (1 + 2 * 3)
    first = plan.places[plan.by_cost(range(len(plan.places)))[0]]
    assert first[2:] == (1, 1)
    assert not any(plan.fans_out(n) for n, place in enumerate(plan.places) if place[2] == 1)


def test_more_folds_than_rows_are_refused_before_any_work():
    spec = study(
        data=(IRIS, Data(label="wine", source="wine")),
        estimators=(replace(tuned("t", "knn", NEIGHBOURS, folds=41), place="toy.toml:7"),),
        methods=(BASE,),
        protocol=Protocol(folds=5),
    )
    with pytest.raises(SpecError) as caught:
        make_plan(spec)
    assert list(caught.value.problems) == [
        "toy.toml:7: t: tune_cv must be at most the 40 rows of the class with the most in a "
        "training part of iris. Got 41 instead. Use fewer folds, or split the data otherwise."
    ]


def test_a_candidate_that_cannot_be_fitted_fails_the_unit(store):
    spec = study(
        estimators=(tuned("t", "knn", {"n_neighbors": (5, 90)}),), methods=(BASE,),
        protocol=Protocol(folds=5),
    )  # fmt: skip
    _, found = run(spec, store)
    assert (found["state"] == "failed").all()
    assert "n_neighbors" in found["error"][0]
