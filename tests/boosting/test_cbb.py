"""Cluster-based boosting against a slow and obvious version, and its laws."""

import pickle

import numpy as np
import pandas as pd
import pytest
from boosting import slow
from boosting.data import islands, mixed_frame, overlapping, real, same
from scipy.special import softmax
from scipy.stats import rankdata
from sklearn.base import clone
from sklearn.cluster import HDBSCAN, AgglomerativeClustering
from sklearn.datasets import load_breast_cancer, load_iris
from sklearn.mixture import GaussianMixture
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.svm import SVC
from sklearn.tree import DecisionTreeClassifier

from distsearch.backends import derive_seed
from distsearch.boosting import CBBClassifier, DecisionStumpClassifier
from distsearch.boosting._cluster_runs import ACTIONS
from distsearch.errors import InvalidInputError

X, Y, ISLAND = islands()
ASKED = islands(1)[0]
PAPER = {"HES": "boost", "HEP": "boost slowly", "HOS": "one function", "HOP": "nothing"}


def cbb(estimator="stump", X=X, y=Y, weight=None, groups=None, **how):
    if "clusterer" not in how and groups is None:
        how = {"min_clusters": 5, "max_clusters": 5, "n_init": 8, **how}
    model = CBBClassifier(estimator, **{"random_state": 0, **how})
    return model.fit(X, y, sample_weight=weight, groups=groups)


def cluster_at(model, island):
    """The cluster of an island."""
    (where,) = np.unique(model.cluster_of(X[ISLAND == island]))
    return int(where)


def column(model, name):
    """A column of the table, by island."""
    return [model.clusters_[name][cluster_at(model, island)] for island in range(5)]


def slow_totals(model, asked, voting="restricted"):
    """Totals of votes from what the model has learned, row by row."""
    classes = list(model.classes_)
    found = np.zeros((len(asked), len(classes)))
    for i, c in enumerate(model.cluster_of(asked)):
        row = asked.iloc[[i]] if isinstance(asked, pd.DataFrame) else asked[[i]]
        first = model.initial_.predict(row)[0]
        found[i, classes.index(first)] += model.clusters_["initial_vote"][c]
        for k in [c] if voting == "restricted" else range(len(model.estimators_)):
            found[i] += slow.totals(
                model.estimators_[k], model.estimator_votes_[k], row, model.classes_
            )[0]
    return found


def assert_votes_add_up(model, asked=ASKED, voting="restricted"):
    totals = slow_totals(model, asked, voting)
    scores = totals[:, 1] - totals[:, 0] if totals.shape[1] == 2 else totals
    np.testing.assert_allclose(model.decision_function(asked), scores, atol=1e-9)
    np.testing.assert_allclose(model.predict_proba(asked), softmax(totals, axis=1), atol=1e-9)
    clear = np.sort(totals, axis=1)[:, -1] - np.sort(totals, axis=1)[:, -2] > 1e-9
    same(model.predict(asked)[clear], model.classes_[totals.argmax(axis=1)][clear])


# ------------------------------------------------------------------ the algorithm, step by step


def test_the_islands_are_of_all_types():
    model = cbb()
    assert column(model, "size") == [40, 40, 40, 10, 40]
    assert column(model, "type") == ["HOP", "HES", "HOP", "HOS", "HEP"]
    assert column(model, "action") == [PAPER[kind] for kind in column(model, "type")]
    np.testing.assert_allclose(column(model, "minority")[:4], [0, 0.5, 0.05, 0.1])
    np.testing.assert_allclose(column(model, "accuracy")[:4], [1, 0.5, 0.95, 0.1])
    assert column(model, "n_functions")[0] == column(model, "n_functions")[2] == 0
    assert column(model, "n_functions")[3] == 1


@pytest.mark.parametrize("initial_vote", ["local", "global"])
@pytest.mark.parametrize("base", [DecisionStumpClassifier(), GaussianNB()], ids=["stump", "bayes"])
@pytest.mark.parametrize("seed", range(2))
def test_against_a_slow_version(seed, base, initial_vote):
    # Weights of neighbours differ, as draws of equally likely last rows hang on a last digit.
    weight = rankdata(X[:, 0], method="ordinal") % 3 + 1.0
    model = cbb(base, weight=weight, initial_vote=initial_vote, random_state=seed)
    order = np.lexsort(X.T[::-1])
    rows, labels, w = X[order], Y[order], weight[order]
    where = model.cluster_of(rows)
    np.testing.assert_array_equal(
        model.initial_.predict(rows), clone(base).fit(rows, labels, sample_weight=w).predict(rows)
    )
    wrong = model.initial_.predict(rows) != labels
    n = int(w.sum())
    inner = derive_seed(np.random.SeedSequence(seed), 1)
    for c in range(5):
        inside = where == c
        size = w[inside].sum()
        shares = np.array([w[inside & (labels == label)].sum() for label in "ab"]) / size
        accuracy = 1 - w[inside & wrong].sum() / size
        prospering, homogeneous = accuracy >= 0.8 - 1e-12, 1 - shares.max() < 0.3 - 1e-12
        kind = ("HO" if homogeneous else "HE") + ("P" if prospering else "S")
        table = {name: values[c] for name, values in model.clusters_.items()}
        assert table["size"] == size
        assert table["minority"] == pytest.approx(1 - shares.max())
        assert table["accuracy"] == pytest.approx(accuracy)
        assert (table["type"], table["action"]) == (kind, PAPER[kind])
        first = (
            slow.log_odds(1 - accuracy, size)
            if initial_vote == "local"
            else slow.log_odds(w[wrong].sum() / n, n)
        )
        assert table["initial_vote"] == pytest.approx(first)
        run = derive_seed(derive_seed(inner, 3), 0, c, ACTIONS.index(table["action"]))
        if kind == "HOP":
            votes = []
        elif kind == "HOS":
            f = clone(base).fit(rows[inside], labels[inside], sample_weight=w[inside])
            missed = w[inside][f.predict(rows[inside]) != labels[inside]].sum()
            votes = [slow.log_odds(missed / size, size)]
        else:
            _, votes, _, _ = slow.adaboost(
                base, rows[inside], labels[inside], run, 10, 1.0 if kind == "HES" else 0.5,
                weight=w[inside], draws=int(size),
            )  # fmt: skip
        np.testing.assert_allclose(model.estimator_votes_[c], votes, rtol=1e-9)
        np.testing.assert_allclose(table["votes"], votes, rtol=1e-9)
    assert_votes_add_up(model)


@pytest.mark.parametrize("voting", ["restricted", "unrestricted"])
@pytest.mark.parametrize("load", [islands, lambda: overlapping(0, 150, 3)], ids=["two", "three"])
def test_votes_add_up(load, voting):
    rows, y = load()[:2]
    model = cbb("stump", rows, y, voting=voting, delta1=0.05, delta2=0.1)
    assert_votes_add_up(model, rows[::2], voting)
    assert_votes_add_up(model, rows[1::2] + 0.3, voting)


def test_the_number_of_clusters_has_the_smallest_criterion():
    model = CBBClassifier("stump", max_clusters=7, random_state=0).fit(X, Y)
    assert sorted(model.bic_) == [2, 3, 4, 5, 6, 7]
    assert len(model.clusters_["size"]) == min(model.bic_, key=model.bic_.get)
    three = CBBClassifier("stump", max_clusters=4, random_state=0).fit(*load_iris(return_X_y=True))
    assert sorted(three.bic_) == [3, 4]


def test_the_table_is_a_frame():
    frame = pd.DataFrame(cbb().clusters_)
    assert list(frame) == [
        "size", "minority", "accuracy", "type", "action", "n_functions", "stopped",
        "initial_vote", "votes",
    ]  # fmt: skip
    assert frame["size"].sum() == len(X)
    assert (frame["votes"].map(len) == frame["n_functions"]).all()
    assert set(frame.loc[frame["action"] == "nothing", "stopped"]) == {"nothing to do"}


# ------------------------------------------------------------------ laws


@pytest.mark.filterwarnings("ignore:All 5 clusters are left")
@pytest.mark.parametrize("base", ["stump", GaussianNB(), DecisionTreeClassifier(max_depth=2)])
def test_nothing_to_do_anywhere_leaves_the_base_alone(base):
    model = cbb(base, actions=dict.fromkeys(PAPER, "nothing"))
    same(model.predict(ASKED), model.initial_.predict(ASKED))
    assert all(not functions for functions in model.estimators_)
    if not isinstance(base, DecisionTreeClassifier):
        alone = clone(base) if not isinstance(base, str) else DecisionStumpClassifier()
        same(model.predict(ASKED), alone.fit(X, Y).predict(ASKED))


@pytest.mark.filterwarnings("ignore:All .* left to the initial", "ignore:delta2=1")
def test_prospering_homogeneous_clusters_leave_the_base_alone():
    model = cbb(delta1=1.0, delta2=1.0)
    assert set(model.clusters_["type"]) == {"HOP"}
    same(model.predict(ASKED), DecisionStumpClassifier().fit(X, Y).predict(ASKED))


def test_one_cluster_is_restricted_to_nothing():
    how = {"min_clusters": 1, "max_clusters": 1, "delta1": 0.0, "delta2": 0.0}
    one, other = (cbb(voting=voting, **how) for voting in ("restricted", "unrestricted"))
    assert len(one.clusters_["size"]) == 1
    assert one.clusters_["type"] == ["HES"]
    same(one.decision_function(ASKED), other.decision_function(ASKED))


@pytest.mark.filterwarnings("ignore:All .* left to the initial", "ignore:delta2=")
def test_thresholds_only_choose_among_runs():
    known = {}
    kinds = {}
    for delta1 in (0.0, 0.1, 0.3, 0.6, 0.95):
        for delta2 in (0.0, 0.06, 0.3, 0.6):
            model = cbb(GaussianNB(), delta1=delta1, delta2=delta2)
            for c, action in enumerate(model.clusters_["action"]):
                votes = model.estimator_votes_[c].tolist()
                assert known.setdefault((c, action), votes) == votes
            kinds[delta1, delta2] = model.clusters_["type"]
    assert len({action for _, action in known}) == 4
    for (a1, a2), low in kinds.items():
        for (b1, b2), high in kinds.items():
            if a1 <= b1 and a2 <= b2:
                for one, other in zip(low, high, strict=True):
                    assert (one[2], other[2]) != ("P", "S")
                    assert (one[:2], other[:2]) != ("HO", "HE")


def test_units_of_columns_do_not_matter():
    one = cbb(GaussianNB(var_smoothing=0))
    other = cbb(GaussianNB(var_smoothing=0), X * [4.0, 0.125, 1024.0] + [0.0, 0.0, 512.0])
    same(one.cluster_of(X), other.cluster_of(X * [4.0, 0.125, 1024.0] + [0.0, 0.0, 512.0]))
    for k, value in one.bic_.items():
        assert other.bic_[k] == pytest.approx(value, rel=1e-6)
    assert one.clusters_["type"] == other.clusters_["type"]


@pytest.mark.parametrize("names", [[0, 1], ["no", "yes"], [-3.0, 8.0], [False, True]], ids=str)
def test_names_of_labels_do_not_matter(names):
    codes = (Y == "b").astype(int)
    model = cbb("stump", X, np.array(names)[codes])
    same(model.classes_, names)
    same(model.decision_function(ASKED), cbb().decision_function(ASKED))
    same(model.predict(ASKED), np.array(names)[(cbb().predict(ASKED) == "b").astype(int)])


def test_the_other_order_of_labels_only_turns_signs():
    turned = np.where(Y == "a", "z", "b")
    model = cbb(GaussianNB(), X, turned)
    np.testing.assert_allclose(
        [len(each) for each in model.estimators_],
        [len(each) for each in cbb(GaussianNB()).estimators_],
    )
    same(model.cluster_of(ASKED), cbb(GaussianNB()).cluster_of(ASKED))
    assert model.clusters_["type"] == cbb(GaussianNB()).clusters_["type"]


def test_learning_rates():
    one, other = cbb(), cbb(eta_high=0.25, eta_low=0.125)
    mixed, good = cluster_at(one, 1), cluster_at(one, 4)
    for c, ratio in ((mixed, 0.25), (good, 0.25)):
        assert other.estimator_votes_[c][0] == pytest.approx(ratio * one.estimator_votes_[c][0])
    alone = cluster_at(one, 3)
    same(one.estimator_votes_[alone], other.estimator_votes_[alone])


def test_states():
    same(cbb(random_state=3).decision_function(ASKED), cbb(random_state=3).decision_function(ASKED))
    one, other = cbb(GaussianNB(), random_state=1), cbb(GaussianNB(), random_state=2)
    assert not np.array_equal(one.decision_function(ASKED), other.decision_function(ASKED))


# ------------------------------------------------------------------ clusters


def test_a_cluster_of_one_label_has_a_constant_function():
    how = {"actions": {"HOP": "one function"}}
    model = cbb(SVC(), **how)
    pure = cluster_at(model, 0)
    (function,) = model.estimators_[pure]
    same(function.predict(ASKED), np.full(len(ASKED), "a"))
    assert model.estimator_votes_[pure][0] == pytest.approx(np.log(79))
    boosted = cbb(SVC(), actions=dict.fromkeys(PAPER, "boost"))
    assert boosted.clusters_["stopped"][cluster_at(boosted, 0)] == "perfect"
    assert_votes_add_up(boosted)


def test_small_clusters_are_left_alone():
    model = cbb(min_cluster_size=11)
    assert column(model, "type")[3] == "HOS"
    assert column(model, "action")[3] == "nothing"
    assert column(cbb(min_cluster_size=10), "action")[3] == "one function"


def test_groups_are_clusters():
    names = np.array(["e", "d", "c", "b", "a"])[ISLAND]
    model = cbb(groups=names)
    same(model.cluster_of(X), 4 - ISLAND)
    assert model.bic_ == {}
    assert model.clusters_["type"] == ["HEP", "HOS", "HOP", "HES", "HOP"]
    assert_votes_add_up(model)
    shuffled = np.random.default_rng(0).permutation(len(X))
    again = cbb("stump", X[shuffled], Y[shuffled], groups=names[shuffled])
    same(model.decision_function(ASKED), again.decision_function(ASKED))


def test_groups_may_share_equal_rows():
    rows = np.array([[0.0], [0.0], [1.0], [1.0]] * 5)
    y, groups = np.array([0, 1, 0, 1] * 5), np.arange(20) % 2
    model = CBBClassifier("stump", delta2=0.1, random_state=0).fit(rows, y, groups=groups)
    assert model.clusters_["size"] == [10, 10]


@pytest.mark.parametrize(
    "clusterer",
    [
        GaussianMixture(5, n_init=5),
        AgglomerativeClustering(5),
        HDBSCAN(min_cluster_size=5, copy=True),
        "x-means",
    ],
    ids=lambda each: each if isinstance(each, str) else type(each).__name__,
)
def test_clusterers(clusterer):
    model = cbb(clusterer=clusterer)
    where = model.cluster_of(X)
    same(np.bincount(where), model.clusters_["size"])
    assert_votes_add_up(model)
    again = pickle.loads(pickle.dumps(model))
    same(again.decision_function(ASKED), model.decision_function(ASKED))
    if isinstance(clusterer, AgglomerativeClustering):
        assert column(model, "size") == [40, 40, 40, 10, 40]


def test_a_place_that_no_training_row_is_at():
    class Far(GaussianMixture):
        def predict(self, X):
            return np.where(np.asarray(X)[:, 0] > 5, 77, super().predict(X))

    model = cbb(clusterer=Far(2, random_state=0))
    far = X[:3] + np.array([1000.0, 0, 0])
    same(model.cluster_of(far), [-1, -1, -1])
    same(model.predict(far), model.initial_.predict(far))
    np.testing.assert_allclose(np.abs(model.decision_function(far)), 1)


def test_suspects_are_odd_ones_out():
    model = cbb()
    expected = [*np.flatnonzero((ISLAND == 2) & (Y == "a")), *np.flatnonzero(ISLAND == 3)[:1]]
    same(model.suspects_, sorted(expected))
    weight = np.ones(len(X))
    weight[expected[0]] = 0
    assert expected[0] not in cbb(weight=weight).suspects_
    twice = cbb("stump", np.vstack([X, X[expected[:1]]]), np.append(Y, "a"))
    same(twice.suspects_, [*sorted(expected), len(X)])


def test_weights_count():
    weight = np.where(ISLAND == 0, 3, 1)
    assert column(cbb(weight=weight), "size") == [120, 40, 40, 10, 40]
    half = cbb(weight=np.where(ISLAND == 0, 1.5, 0.5))
    np.testing.assert_allclose(column(half, "size"), np.array([60, 20, 20, 5, 20]) * 170 / 125)


# ------------------------------------------------------------------ warnings and errors


def test_warns_that_nothing_is_learned():
    with pytest.warns(UserWarning, match="All 5 clusters are left to the initial function"):
        cbb(actions=dict.fromkeys(PAPER, "nothing"))
    with pytest.warns(UserWarning, match=r"All 1 cluster.? "):
        cbb(actions=dict.fromkeys(PAPER, "nothing"), min_clusters=1, max_clusters=1)


def test_warns_that_delta2_is_too_large():
    with pytest.warns(UserWarning, match="delta2=0.5 is larger than the share of rows"):
        cbb(delta2=0.5)


@pytest.mark.parametrize(
    "actions", [{"HES": "run"}, {"XXX": "boost"}, {"HOP": None}], ids=str
)  # fmt: skip
def test_unknown_actions(actions):
    with pytest.raises(InvalidInputError, match="'actions' parameter of CBBClassifier must have"):
        cbb(actions=actions)


@pytest.mark.parametrize(
    "grid", [[(0.1,)], [(0.1, 2.0)], [0.1, 0.2], [("a", "b")], [(0.1, np.nan)], []], ids=str
)
def test_grids_that_are_none(grid):
    with pytest.raises(InvalidInputError, match="delta_grid"):
        cbb(delta="auto", delta_grid=grid)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("delta", "best"), ("delta1", -0.1), ("delta2", 1.5), ("delta_folds", 1),
        ("estimate", "oob"), ("variant", "best"), ("booster", "brown"), ("beta", -1),
        ("borrow", 2), ("voting", "all"), ("initial_vote", "none"), ("max_initial_vote", -1),
        ("eta_high", 0), ("eta_low", 0), ("rule", "M3"), ("clusterer", "kmeans"),
        ("criterion", "aic"), ("min_clusters", 0), ("max_clusters", 0), ("n_init", 0),
        ("min_cluster_size", 0), ("backend", 3), ("n_estimators", 0), ("estimator", None),
    ],
)  # fmt: skip
def test_parameters_that_are_refused(name, value):
    with pytest.raises(ValueError, match=f"'{name}' parameter of CBBClassifier"):
        CBBClassifier(**{"estimator": "stump", name: value}).fit(X, Y)


def test_names_of_backends():
    with pytest.raises(ValueError, match="threads"):
        cbb(backend="threads")


def test_other_numbers_of_columns():
    model = cbb()
    for method in (model.predict, model.cluster_of, model.predict_proba):
        with pytest.raises(ValueError, match="2 features, but CBBClassifier is expecting 3"):
            method(X[:, :2])


# ------------------------------------------------------------------ the rest of an estimator


def test_stages():
    model = cbb()
    stages = list(model.staged_predict(X))
    assert len(stages) == 1 + max(map(len, model.estimators_))
    same(stages[0], model.initial_.predict(X))
    same(stages[-1], model.predict(X))
    scores = list(model.staged_score(X, Y))
    assert scores == [pytest.approx((stage == Y).mean()) for stage in stages]
    assert scores[-1] > scores[0] + 0.05


def test_probabilities():
    np.testing.assert_allclose(cbb().predict_proba(ASKED).sum(axis=1), 1)
    iris, y = load_iris(return_X_y=True)
    model = cbb(GaussianNB(), iris, y)
    probabilities = model.predict_proba(iris)
    np.testing.assert_allclose(probabilities.sum(axis=1), 1)
    same(probabilities.argmax(axis=1), model.predict(iris))


@pytest.mark.parametrize("how", [{}, {"variant": "pooled"}, {"delta": "auto"}], ids=str)
def test_copies_give_the_same_bits(how):
    model = cbb(GaussianNB(), **how)
    again = pickle.loads(pickle.dumps(model))
    same(again.decision_function(ASKED), model.decision_function(ASKED))
    same(again.cluster_of(ASKED), model.cluster_of(ASKED))
    assert again.clusters_ == model.clusters_
    refitted = clone(model).fit(X, Y)
    same(refitted.decision_function(ASKED), model.decision_function(ASKED))


def test_parameters():
    model = CBBClassifier(DecisionTreeClassifier(), delta1=0.1)
    assert clone(model).get_params()["delta1"] == 0.1
    model.set_params(estimator__max_depth=2, borrow=0.5)
    assert (model.estimator.max_depth, model.borrow) == (2, 0.5)
    assert repr(CBBClassifier("tree", delta1=0.1)) == "CBBClassifier(delta1=0.1)"


def test_names_of_columns():
    frame = pd.DataFrame(X, columns=["east", "north", "up"])
    model = cbb("stump", frame)
    assert model.feature_names_in_.tolist() == ["east", "north", "up"]
    same(model.predict(frame), cbb().predict(X))
    with pytest.raises(ValueError, match="feature names"):
        model.predict(frame[["north", "east", "up"]])


def test_frames_with_words():
    class Words(KNeighborsClassifier):
        """Sees the words as they are."""

        def fit(self, X, y):
            assert isinstance(X, pd.DataFrame)
            return super().fit(self._coded(X), y)

        def predict(self, X):
            return super().predict(self._coded(X))

        def _coded(self, X):
            return np.column_stack([X["whole"], (X["word"] == "red").to_numpy(bool)])

    frame, y = mixed_frame()
    model = CBBClassifier(Words(3), max_clusters=4, delta2=0.1, random_state=0).fit(frame, y)
    assert_votes_add_up(model, frame)


def test_estimates_by_folds():
    model = cbb(KNeighborsClassifier(1), estimate="out-of-fold", delta2=0.1, n_estimators=3)
    assert max(model.clusters_["accuracy"]) <= 1
    assert min(model.clusters_["accuracy"]) < 1
    same(model.initial_.predict(X), Y)  # on its training rows it is always right
    assert_votes_add_up(model)


def test_more_than_one_of_its_parts_helps():
    rows, y = load_breast_cancer(return_X_y=True)
    model = CBBClassifier("stump", delta1=0.02, random_state=0).fit(rows[:400], y[:400])
    alone = model.initial_.predict(rows[400:])
    assert model.score(rows[400:], y[400:]) >= (alone == y[400:]).mean()


def test_real_data():
    rows, y = real("ionosphere")
    model = CBBClassifier("stump", delta2=0.2, random_state=0).fit(rows[::2], y[::2])
    assert model.score(rows[1::2], y[1::2]) > 0.8
    assert_votes_add_up(model, rows[1::2][:40])
