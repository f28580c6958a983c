"""Variants: what is done in clusters, with whose rows, and how much the initial function says."""

import numpy as np
import pytest
from boosting import slow
from boosting.data import islands, same
from sklearn.naive_bayes import GaussianNB

from distsearch.backends import derive_seed
from distsearch.boosting import CBBClassifier, DecisionStumpClassifier
from distsearch.boosting._learners import bind
from distsearch.boosting._reading import read_training
from distsearch.boosting._resampling import boost
from distsearch.boosting._steps import KLStep
from distsearch.boosting._types import TYPES
from distsearch.boosting._variants import VARIANTS, Variant, variant_for
from distsearch.errors import InvalidInputError

X, Y, ISLAND = islands()
ASKED = islands(1)[0]


def cbb(estimator="stump", **how):
    how = {"min_clusters": 5, "max_clusters": 5, "random_state": 0, **how}
    return CBBClassifier(estimator, **how).fit(X, Y)


def learned(model):
    return [model.decision_function(ASKED), *model.estimator_votes_]


def test_the_paper_is_the_default():
    explicit = {
        "variant": "paper", "booster": "adaboost", "borrow": 0.0, "max_initial_vote": 1e300,
        "actions": {
            "HES": "boost", "HEP": "boost slowly", "HOS": "one function", "HOP": "nothing"
        },
    }  # fmt: skip
    same(learned(cbb(**explicit)), learned(cbb()))


def test_the_pooled_variant_spelled_out():
    explicit = {
        "booster": "kl", "borrow": 0.3, "max_initial_vote": 1.0,
        "actions": dict.fromkeys(["HES", "HEP", "HOS", "HOP"], "boost"),
    }  # fmt: skip
    same(learned(cbb(**explicit)), learned(cbb(variant="pooled")))
    back = {
        "booster": "adaboost", "borrow": 0.0, "max_initial_vote": 1e300,
        "actions": {"HEP": "boost slowly", "HOS": "one function", "HOP": "nothing"},
    }  # fmt: skip
    same(learned(cbb(variant="pooled", **back)), learned(cbb()))


def test_pooled_boosts_everywhere():
    model = cbb(variant="pooled")
    assert set(model.clusters_["action"]) == {"boost"}
    assert min(model.clusters_["n_functions"]) >= 1
    assert max(model.clusters_["initial_vote"]) == 1.0


@pytest.mark.parametrize("largest", [0.0, 0.4, 1.5])
@pytest.mark.parametrize("initial_vote", ["local", "global"])
def test_the_initial_vote_is_capped(initial_vote, largest):
    how = {"initial_vote": initial_vote}
    free, capped = cbb(**how), cbb(max_initial_vote=largest, **how)
    # Without any vote, and without other functions, the first class would be the answer.
    expected = np.minimum(free.clusters_["initial_vote"], max(largest, 1e-6))
    same(capped.clusters_["initial_vote"], expected)
    same(capped.estimator_votes_, free.estimator_votes_)


@pytest.mark.parametrize("beta", [0.0, 0.6])
@pytest.mark.parametrize("borrow", [0.0, 0.25, 1.0])
def test_runs_borrow_the_rows_of_other_clusters(borrow, beta):
    model = cbb(GaussianNB(), variant="pooled", borrow=borrow, beta=beta)
    rows = read_training(CBBClassifier(), GaussianNB(), X, Y)
    where = model.cluster_of(rows.X)
    runs = derive_seed(derive_seed(np.random.SeedSequence(0), 1), 3)
    for c in range(5):
        weight = np.where(where == c, 1.0, borrow)
        seen = weight > 0
        some = rows.only(np.flatnonzero(seen))
        object.__setattr__(some, "weight", weight[seen])
        run = boost(
            bind(GaussianNB(), some), some, derive_seed(runs, 0, c, 0), n_estimators=10,
            step=KLStep("M1", 2, beta),
        )  # fmt: skip
        same(model.estimator_votes_[c], run.votes)
        # The first error is over all rows seen, by their weights.
        first = model.estimators_[c][0]
        wrong = first.predict(rows.X[seen]) != rows.labels[seen]
        assert run.errors[0] == pytest.approx(weight[seen][wrong].sum() / weight.sum())


def test_where_all_is_borrowed_clusters_only_differ_in_their_draws():
    model = cbb(GaussianNB(), variant="pooled", borrow=1.0, n_estimators=1)
    rows = read_training(CBBClassifier(), GaussianNB(), X, Y)
    runs = derive_seed(derive_seed(np.random.SeedSequence(0), 1), 3)
    for c in range(5):
        functions, votes, _, _ = slow.adaboost(
            GaussianNB(), rows.X, rows.labels, derive_seed(runs, 0, c, 0), 1
        )
        np.testing.assert_allclose(model.estimator_votes_[c], votes, rtol=1e-9)
        same(model.estimators_[c][0].predict(ASKED), functions[0].predict(ASKED))


def test_one_cluster_has_nothing_to_borrow():
    how = {"min_clusters": 1, "max_clusters": 1, "variant": "pooled"}
    one = cbb(borrow=1.0, **how)
    for borrow in (0.0, 0.3):
        same(learned(one), learned(cbb(borrow=borrow, **how)))


def test_one_function_borrows_nothing():
    how = {"actions": dict.fromkeys(VARIANTS["paper"].actions, "one function")}
    same(learned(cbb(**how)), learned(cbb(borrow=0.5, **how)))


def test_boosters():
    everywhere = {"estimator": GaussianNB(), "actions": dict.fromkeys(TYPES, "boost")}
    plain, kl, none = (
        cbb(booster=booster, beta=beta, **everywhere)
        for booster, beta in (("adaboost", 0.75), ("kl", 0.75), ("kl", 0.0))
    )
    boosted = [c for c, why in enumerate(plain.clusters_["stopped"]) if why == "n_estimators"]
    assert boosted
    for c in boosted:
        one, other, same_again = (m.estimator_votes_[c] for m in (plain, kl, none))
        assert one[0] == pytest.approx(other[0])
        assert one[0] == pytest.approx(same_again[0])
    assert any(
        len(plain.estimator_votes_[c]) != len(kl.estimator_votes_[c])
        or not np.allclose(plain.estimator_votes_[c], kl.estimator_votes_[c])
        for c in boosted
    )


def test_actions_may_be_changed_one_by_one():
    model = cbb(actions={"HOP": "one function"})
    for kind, action in zip(model.clusters_["type"], model.clusters_["action"], strict=True):
        assert action == {**VARIANTS["paper"].actions, "HOP": "one function"}[kind]
    free = cbb()
    for c, kind in enumerate(free.clusters_["type"]):
        if kind != "HOP":
            same(free.estimator_votes_[c], model.estimator_votes_[c])


def test_pooled_is_better_here():
    # A stump in each cluster that knows of the others.
    assert cbb(variant="pooled").score(X, Y) >= DecisionStumpClassifier().fit(X, Y).score(X, Y)


def test_variants_do_not_change():
    before = {name: Variant(**vars(variant)) for name, variant in VARIANTS.items()}
    changed = variant_for("paper", {"HOP": "boost"}, "kl", 0.5, 2.0)
    assert changed == Variant(
        {**VARIANTS["paper"].actions, "HOP": "boost"}, "kl", borrow=0.5, max_initial_vote=2.0
    )
    assert before == VARIANTS
    assert variant_for("pooled", None, None, None, None) == VARIANTS["pooled"]
    assert variant_for("pooled", {}, None, 0.0, 0.0).borrow == 0
    with pytest.raises(InvalidInputError, match=r"\{'HOP': 'rest'\} instead"):
        variant_for("paper", {"HOP": "rest"}, None, None, None)
