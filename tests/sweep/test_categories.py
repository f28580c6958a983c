import json

import numpy as np
import pandas as pd
import pytest
from sklearn.linear_model import Ridge
from sklearn.metrics import get_scorer
from sklearn.model_selection import KFold, RepeatedKFold, RepeatedStratifiedKFold, StratifiedKFold
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler
from sweep.toys import BASE, KNN, Recorder, setting, study

from distsearch.boxcox import BoxCoxSearchCV, BoxCoxTransformer, SphericalGrid
from distsearch.encoding import OrderedTargetEncoder
from distsearch.errors import InvalidInputError
from distsearch.sweep import _identity, estimate, make_plan, run_plan
from distsearch.sweep._unit import _part, preparation
from distsearch.sweep.spec import Data, Protocol
from distsearch.sweep.store import StoreReader
from distsearch.tables import ReadOptions

SEED = 3  # of the studies of these tests
N = 120
NB = setting("NB", "nb")
RIDGE = setting("ridge", "Ridge")
PLAIN = setting("plain", "plain")
SEARCH = setting("search", "boxcox", strategy="spherical", gridsize=3, cv=2)
METRICS = ("accuracy", "neg_log_loss")
TEXT = ["colour", "shape"]


def table(kind):
    """Return a table sorted by class, with categories that say something of the target."""
    rng = np.random.default_rng(7)
    y = np.sort(rng.integers(3 if kind == "multiclass" else 2, size=N))
    colour = np.where(rng.uniform(size=N) < 0.6, y, rng.integers(5, size=N))
    frame = pd.DataFrame(
        {
            "width": rng.gamma(2.0, size=N) + y,
            "colour": np.array(["red", "blue", "green", "grey", "pink"])[colour],
            "height": rng.gamma(1.0, size=N),
            "shape": np.where(rng.uniform(size=N) < 0.1, None, rng.choice(["disc", "rod"], N)),
            "depth": rng.normal(size=N),
        }
    )
    if kind == "regression":
        frame["target"] = 100.0 * y + 10 * colour + rng.normal(size=N)
    else:
        frame["target"] = np.array(["no", "yes", "maybe"])[y]
    return frame


@pytest.fixture
def write(tmp_path):
    def write(frame, name="made"):
        path = tmp_path / f"{name}.csv"
        frame.to_csv(path, index=False)
        return Data(label=name, source=str(path), target="target")

    return write


@pytest.fixture
def store(tmp_path):
    return tmp_path / "store.sqlite"


def results(spec, store, backend="serial"):
    plan = make_plan(spec)
    run_plan(plan, store, backend=backend)
    reader = StoreReader(store)
    return plan, reader.results(reader.study(spec.study))


def of(data, **more):
    return study(data=(data,), **{"estimators": (NB,), "scorers": METRICS, **more})


def encoder(columns, **more):
    return OrderedTargetEncoder(columns, order="random", random_state=SEED, **more)


def scores_by_hand(model, frame, metrics, splitter):
    X, y = frame.drop(columns="target"), frame["target"].to_numpy()
    return [
        [get_scorer(m)(fitted, X.iloc[test], y[test]) for m in metrics]
        for train, test in splitter.split(X, y)
        for fitted in [model.fit(X.iloc[train], y[train])]
    ]


@pytest.mark.parametrize("kind", ["binary", "multiclass"])
@pytest.mark.parametrize("method", [PLAIN, BASE], ids=lambda each: each.label)
def test_scores_are_those_of_a_loop_over_the_texts(write, store, kind, method):
    frame = table(kind)
    _, found = results(of(write(frame), methods=(method,)), store)
    scaler = [StandardScaler()] if method is BASE else []
    model = make_pipeline(encoder(TEXT), *scaler, GaussianNB())
    expected = scores_by_hand(model, frame, METRICS, RepeatedStratifiedKFold(
        n_splits=5, n_repeats=1, random_state=SEED))  # fmt: skip
    np.testing.assert_array_equal(found[list(METRICS)], expected)


@pytest.mark.parametrize("method", [PLAIN, BASE], ids=lambda each: each.label)
def test_numbers_are_learned_as_in_a_loop(write, store, method):
    frame, metrics = table("regression"), ("r2",)
    spec = of(write(frame), methods=(method,), estimators=(RIDGE,), scorers=metrics)
    _, found = results(spec, store)
    scaler = [StandardScaler()] if method is BASE else []
    model = make_pipeline(encoder(TEXT), *scaler, Ridge(random_state=0))
    splitter = RepeatedKFold(n_splits=5, n_repeats=1, random_state=SEED)
    expected = scores_by_hand(model, frame, metrics, splitter)
    np.testing.assert_array_equal(found[list(metrics)], expected)


@pytest.mark.parametrize("kind", ["binary", "multiclass", "regression"])
def test_a_search_is_that_of_a_loop(write, store, kind):
    frame = table(kind)
    classes = kind != "regression"
    metrics = METRICS if classes else ("r2",)
    estimators = (NB if classes else RIDGE,)
    spec = of(
        write(frame), methods=(SEARCH,), scorers=metrics, estimators=estimators,
        protocol=Protocol(folds=3),
    )  # fmt: skip
    plan, found = results(spec, store)
    X, y = frame.drop(columns="target"), frame["target"].to_numpy()
    for name in TEXT:  # in another order than that of the texts
        X[name] = X[name].map({text: k for k, text in enumerate(X[name].dropna().unique())})
        X[name] = X[name].fillna(77)
    repeated = RepeatedStratifiedKFold if classes else RepeatedKFold
    splitter = repeated(n_splits=3, n_repeats=1, random_state=SEED)
    for number, (train, test) in enumerate(splitter.split(X, y)):
        seed = int(plan.unit(number).seed.generate_state(1)[0])
        inner = (StratifiedKFold if classes else KFold)(2, shuffle=True, random_state=seed)
        last = GaussianNB() if classes else Ridge(random_state=seed)
        model = BoxCoxSearchCV(
            make_pipeline(encoder([1, 3]), StandardScaler(), last),
            SphericalGrid(gridsize=3),
            cv=inner,
            passthrough=TEXT,
            random_state=seed,
        ).fit(X.iloc[train], y[train])
        expected = [get_scorer(m)(model, X.iloc[test], y[test]) for m in metrics]
        np.testing.assert_array_equal(found[list(metrics)].iloc[number], expected)
        facts = json.loads(found["facts"][number])
        assert facts["lambdas"] == model.lambdas_.tolist()
        assert (facts["lambdas"][1], facts["lambdas"][3]) == (1.0, 1.0)
        assert facts["search_score"] == model.best_score_


def test_zeros_and_ones_are_those_of_a_loop(write, store):
    frame = table("multiclass").fillna({"shape": "none"})
    data = write(frame)
    one_hot = Data(label="made", source=data.source, target="target", categories="one-hot")
    _, found = results(of(one_hot, methods=(PLAIN,)), store)
    numbers = frame[["width", "height", "depth"]].to_numpy()
    y = frame["target"].to_numpy()
    splitter = RepeatedStratifiedKFold(n_splits=5, n_repeats=1, random_state=SEED)
    for number, (train, test) in enumerate(splitter.split(numbers, y)):
        made = OneHotEncoder(handle_unknown="ignore", sparse_output=False)
        made.fit(frame[TEXT].iloc[train])
        X = np.column_stack([numbers, made.transform(frame[TEXT])])
        model = GaussianNB().fit(X[train], y[train])
        expected = [get_scorer(m)(model, X[test], y[test]) for m in METRICS]
        np.testing.assert_array_equal(found[list(METRICS)].iloc[number], expected)


def test_the_search_runs_on_zeros_and_ones(write, store):
    data = write(table("binary"))
    one_hot = Data(label="made", source=data.source, target="target", categories="one-hot")
    _, found = results(of(one_hot, methods=(SEARCH,), protocol=Protocol(folds=2)), store)
    assert (found["state"] == "done").all()
    assert len(json.loads(found["facts"][0])["lambdas"]) == 3 + 5 + 3  # 5 colours, 2 shapes, none


def test_workers_find_the_same(write, store, tmp_path):
    methods, protocol = (PLAIN, BASE, SEARCH), Protocol(folds=2)
    spec = of(write(table("multiclass")), methods=methods, protocol=protocol)
    _, serial = results(spec, store)
    _, apart = results(spec, tmp_path / "apart.sqlite", "processes:2")
    assert (serial["state"] == "done").all()
    columns = ["hash", "state", *METRICS, "facts"]
    pd.testing.assert_frame_equal(serial[columns], apart[columns])


def unique(rng_seed=0):
    """Return a table of noise with a text that names the row, and labels drawn at random."""
    rng = np.random.default_rng(rng_seed)
    frame = pd.DataFrame(rng.normal(size=(N, 2)), columns=["a", "b"])
    frame.insert(1, "id", [f"row-{number}" for number in rng.permutation(N)])
    return frame.assign(target=rng.integers(2, size=N))


def test_a_name_of_its_own_for_every_row_becomes_the_prior_of_the_training_part(write):
    data = make_plan(of(write(unique()))).work.data[0]
    for number, split in enumerate(data.splits):
        part = _part(data, number, "plain", {})
        prior = data.y[split.train].sum() / len(split.train)
        np.testing.assert_array_equal(part.X_test[:, 1], prior)
        np.testing.assert_array_equal(part.X_train[:, 1], prior)


def test_a_name_of_its_own_for_every_row_changes_no_score(write, store):
    frame = unique()
    tree = setting("tree", "tree", max_depth=3, min_samples_leaf=20, random_state=0)
    with_id, without = write(frame), write(frame.drop(columns="id"), "without")
    spec = study(data=(with_id, without), estimators=(tree, KNN), methods=(PLAIN, BASE))
    _, found = results(spec, store)
    assert (found["state"] == "done").all()
    one, other = (found.loc[found["data"] == label, "accuracy"] for label in ("made", "without"))
    np.testing.assert_array_equal(one, other)


@pytest.mark.parametrize("method", [BASE, SEARCH], ids=lambda each: each.label)
def test_no_fit_within_a_unit_sees_a_target_of_the_rows_it_is_scored_on(write, store, method):
    rng = np.random.default_rng(0)
    pair = rng.permutation(np.arange(N) // 2)  # rows by two have a name and a label in common
    frame = pd.DataFrame({"pair": pair, "id": [f"pair-{number}" for number in pair]})
    frame = frame.assign(noise=rng.normal(size=N), target=rng.integers(2, size=N // 2)[pair])
    recorder = setting("recorder", "sweep.toys:Recorder")
    spec = of(
        write(frame), estimators=(recorder,), methods=(method,), trust=("sweep.toys",),
        scorers=("accuracy",), protocol=Protocol(folds=2),
    )  # fmt: skip
    Recorder.seen.clear()
    results(spec, store)
    sizes = [len(X) for what, X in Recorder.seen if what == "fit"]
    assert sorted(set(sizes)) == ([60] if method is BASE else [30, 60])
    assert len(sizes) == 2 * (1 if method is BASE else 2 * 3 + 1)
    for what, X in Recorder.seen:
        assert X.shape[1] == 3
        if what == "fit":
            # In training, only the second row of a pair knows more than the prior.
            names, times = np.unique(X[:, 0], return_counts=True)
            at_prior = [X[X[:, 0] == name, 1] for name in names[times == 1]]
            prior = at_prior[0][0]
            np.testing.assert_array_equal(np.concatenate(at_prior), prior)
            for name in names[times == 2]:
                assert (X[X[:, 0] == name, 1] == prior).sum() == 1
            known = names
        else:
            strange = ~np.isin(X[:, 0], known)
            assert 0 < strange.sum() < len(X)
            np.testing.assert_array_equal(X[strange, 1], prior)
            assert (X[~strange, 1] != prior).all()


def test_equal_lambdas_of_the_map_are_the_fit_of_the_search(write, store):
    frame = table("multiclass")
    fixed = {"protocol": Protocol(folds=2), "estimators": (NB,)}
    plan, found = results(of(write(frame), methods=(SEARCH,), **fixed), store)
    facts = json.loads(found["facts"][0])
    lambdas = [facts["lambdas"][j] for j in (0, 2, 4)]
    given = setting("map", "boxcox-map", lambdas=lambdas)
    _, mapped = results(of(write(frame), methods=(given,), **fixed), store)
    for metric in METRICS:
        assert found[metric][0] == mapped[metric][0]
    assert plan.fits() == {(0, 0, 0): 1 + 2 * 3}


@pytest.mark.parametrize("rescale", [True, False])
@pytest.mark.parametrize("encoding", ["target", "one-hot"])
def test_lambdas_are_for_the_other_features(write, encoding, rescale):
    frame = table("binary")
    frame["depth"] += 10  # all numbers are positive
    written = write(frame)
    made = Data(label="made", source=written.source, target="target", categories=encoding)
    data = make_plan(of(made)).work.data[0]
    params = {"lambdas": [2.0, -1.0, 0.5], "rescale": rescale}
    found = preparation(data, "boxcox-map", params).fit_transform(data.X, data.y)
    plain = preparation(data, "plain", {}).fit_transform(data.X, data.y)
    places = [0, 2, 4] if encoding == "target" else [0, 1, 2]
    numbers = frame[["width", "height", "depth"]].to_numpy()
    if rescale:
        mapped = BoxCoxTransformer(params["lambdas"]).fit_transform(numbers)
    else:
        powers = np.array(params["lambdas"])
        mapped = StandardScaler().fit_transform((numbers**powers - 1) / powers)
    np.testing.assert_allclose(found[:, places], mapped, atol=1e-9)
    rest = [j for j in range(plain.shape[1]) if j not in places]
    np.testing.assert_allclose(
        found[:, rest], StandardScaler().fit_transform(plain[:, rest]), atol=1e-9
    )


@pytest.mark.parametrize("lambdas", [[1.0, 2.0], [1.0] * 5])
def test_another_number_of_lambdas_is_refused(write, lambdas):
    data = make_plan(of(write(table("binary")))).work.data[0]
    with pytest.raises(InvalidInputError, match="3 of them, one for each feature that is not cat"):
        preparation(data, "boxcox-map", {"lambdas": lambdas})


def test_a_table_of_categories_alone(write, store):
    frame = table("multiclass")[[*TEXT, "target"]]
    methods = (PLAIN, BASE, SEARCH, setting("map", "boxcox-map", lambdas=2))
    plan, found = results(of(write(frame), methods=methods, protocol=Protocol(folds=3)), store)
    assert (found["state"] == "done").all()
    by_method = [
        found.loc[found["method"] == label, list(METRICS)].to_numpy()
        for label in ("base", "search", "map")
    ]
    np.testing.assert_allclose(by_method[1], by_method[0], rtol=1e-9)
    np.testing.assert_allclose(by_method[2], by_method[0], rtol=1e-9)
    assert all(group.seconds > 0 for group in estimate(plan, {}))


def test_more_than_a_hundred_classes_are_classes(write):
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"x": rng.choice(["u", "v"], 404), "target": np.arange(404) % 101})
    data = make_plan(of(write(frame), protocol=Protocol(folds=2))).work.data[0]
    assert _part(data, 0, "plain", {}).X_test.shape == (202, 101)


def test_parts_are_kept_apart_by_encoding_and_seed(write, tmp_path):
    written = write(table("binary"))
    splits = tmp_path / "splits.csv"
    splits.write_text("split\n" + "train\ntest\n" * (N // 2))
    how = {"source": written.source, "target": "target", "splits": splits}
    both = (Data(label="t", **how), Data(label="o", **how, categories="one-hot"))
    parts = []
    for seed in (SEED, SEED + 1):
        spec = study(data=both, seed=seed, protocol=Protocol(kind="given"))
        target, one_hot = make_plan(spec).work.data
        assert (target.hash, target.splits[0].hash) == (one_hot.hash, one_hot.splits[0].hash)
        parts += [_part(each, 0, "plain", {}) for each in (target, one_hot)]
        assert _part(target, 0, "plain", {}) is parts[-2]
    assert [part.X_train.shape[1] for part in parts] == [5, 3 + 5 + 3, 5, 3 + 5 + 3]
    assert (parts[0].X_train != parts[2].X_train).any()  # another order of rows
    np.testing.assert_array_equal(parts[0].X_test, parts[2].X_test)


def hashes(*data, **more):
    return [unit.hash for unit in make_plan(study(data=data, **more)).study.units]


def test_the_name_of_a_unit_covers_the_encoding_where_there_are_categories(write):
    written = write(table("binary"))
    how = {"label": "made", "source": written.source, "target": "target"}
    target, one_hot = hashes(Data(**how)), hashes(Data(**how, categories="one-hot"))
    assert not set(target) & set(one_hot)
    declared = Data(**how, options=ReadOptions(categorical=tuple(TEXT)))
    assert hashes(declared) == target
    iris = {"label": "iris", "source": "iris"}
    assert hashes(Data(**iris)) == hashes(Data(**iris, categories="one-hot"))


def test_units_without_categories_keep_the_names_of_before(monkeypatch):
    # Found by the last version that knew no categories = "target".
    monkeypatch.setattr(_identity, "__version__", "0")
    iris = Data(label="iris", source="iris")
    assert hashes(iris, protocol=Protocol(folds=2)) == [
        "acc07d2aef1bcad7aef8e96bead9fdf5",
        "1c40588b40a4bee61b11c3d628aa50d7",
        "1d776d81180b05ce350149cf66367da9",
        "0df1e8a5c09a35e83e4c13fa55aea46d",
    ]
    diabetes = Data(label="diabetes", source="diabetes")
    knn = setting("knn", "KNeighborsRegressor")
    assert hashes(diabetes, protocol=Protocol(folds=2), estimators=(knn,)) == [
        "e4673f070bea5ff1ba8bbac6b36bd122",
        "64c369e7159002aaa1800bfcb3d27efe",
        "1c3fdbd44997003877c054953f3e730d",
        "342fdcb0f77a53ffe6173138ad3e07cc",
    ]
