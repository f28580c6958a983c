import numpy as np
import pytest
from sweep.toys import BASE, IRIS, KNN, NB, SPHERICAL, WINE, setting, study

from distsearch.errors import InvalidInputError, SpecError
from distsearch.sweep import Only, _cost, _plan, estimate, make_plan
from distsearch.sweep.spec import Data, Limits, Protocol, Setting


def hashes(spec):
    return [unit.hash for unit in make_plan(spec).study.units]


def test_units_are_data_by_estimators_by_methods_by_splits():
    plan = make_plan(study(data=(IRIS, WINE), estimators=(KNN, NB)))
    units = plan.study.units
    assert len(units) == 2 * 2 * 2 * 5
    assert [unit.position for unit in units] == list(range(40))
    labels = [(unit.data, unit.estimator, unit.method, unit.fold) for unit in units]
    assert labels[:6] == [("iris", "KNN", "base", fold) for fold in range(5)] + [
        ("iris", "KNN", "spherical", 0)
    ]
    assert labels[-1] == ("wine", "NB", "spherical", 4)
    assert len({unit.hash for unit in units}) == 40


class TestMemory:
    def test_little_is_not_asked_for(self):
        plan = make_plan(study())
        assert {plan.unit(place).memory for place in range(10)} == {0}

    def test_three_tables_of_its_rows_are(self, monkeypatch):
        monkeypatch.setattr(_plan, "_LITTLE", 1000)
        plan = make_plan(study(protocol=Protocol(kind="hold-out", test_size=0.2)))
        assert plan.unit(0).memory == 3 * 150 * 4 * 8

    def test_what_the_study_says_is(self):
        spec = study(limits=Limits(unit_gib=1.5))
        assert make_plan(spec).unit(3).memory == 1610612736
        assert hashes(spec) == hashes(study())


def test_a_setting_is_used_on_its_data_only():
    only_wine = Setting(label="w", entry="w", name="plain", data=("w*",))
    plan = make_plan(study(data=(IRIS, WINE), methods=(BASE, only_wine)))
    counts = {(unit.data, unit.method) for unit in plan.study.units}
    assert counts == {("iris", "base"), ("wine", "base"), ("wine", "w")}


def test_a_unit_is_the_same_in_another_study():
    one = hashes(study())
    other = study(
        "another",
        data=(WINE, Data(label="flowers", source="iris")),
        estimators=(setting("neighbours", "KNeighborsClassifier", n_neighbors=3, p=2),),
        methods=(setting("z", "plain"), SPHERICAL, setting("scaled", "standardize")),
        scorers=("f1_macro",),
    )
    assert set(one) <= set(hashes(other))


def test_every_change_of_what_matters_makes_other_units():
    changes = [
        {"seed": 4},
        {"data": (WINE,)},
        {"estimators": (NB,)},
        {"methods": (setting("base", "plain"),)},
        {"protocol": Protocol(folds=4)},
    ]
    every = [set(hashes(study(**change))) for change in changes]
    base = set(hashes(study()))
    assert not any(base & each for each in every)


def test_units_of_a_group_share_their_splits():
    plan = make_plan(study(estimators=(KNN, NB)))
    for unit, (data, split, _, _) in zip(plan.study.units, plan.places, strict=True):
        assert (unit.repeat, unit.fold) == (0, split)
        assert plan.work.data[data].splits[split].fold == unit.fold
    tested = np.concatenate([split.test for split in plan.work.data[0].splits])
    assert sorted(tested) == list(range(150))


def test_the_dearest_come_first():
    plan = make_plan(study(data=(IRIS, WINE)))
    order = [
        (plan.study.units[p].data, plan.study.units[p].method) for p in plan.by_cost(range(20))
    ]
    # The search costs 1 + 2 folds x 3 candidates fits; wine has 178 x 13 cells, iris 150 x 4.
    assert list(dict.fromkeys(order)) == [
        ("wine", "spherical"), ("iris", "spherical"), ("wine", "base"), ("iris", "base"),
    ]  # fmt: skip


def test_every_data_set_that_cannot_be_used_is_named():
    broken = (
        Data(label="a", source="iris", target="nothing", place="toy.toml:3"),
        IRIS,
        Data(label="b", source="diabetes", place="toy.toml:9"),
    )
    with pytest.raises(SpecError) as caught:
        make_plan(study(data=broken))
    first, second = caught.value.problems
    assert first.startswith("toy.toml:3: a: ")
    assert "'nothing'" in first
    assert second.startswith("toy.toml:9: b: ")


def test_only_takes_what_matches_every_kind():
    units = make_plan(study(data=(IRIS, WINE), estimators=(KNN, NB))).study.units
    only = Only.parse(["data=i*", "method=base,spher*", "estimator=NB"])
    taken = [unit for unit in units if only.takes(unit)]
    assert len(taken) == 10
    assert {(unit.data, unit.estimator) for unit in taken} == {("iris", "NB")}
    assert all(Only.parse([]).takes(unit) for unit in units)


@pytest.mark.parametrize("text", ["methd=base", "base", "method=", "method= , "])
def test_only_has_a_kind_and_labels(text):
    with pytest.raises(InvalidInputError, match="only must be data="):
        Only.parse([text])


def test_only_has_to_match_something():
    with pytest.raises(InvalidInputError, match=r"no method is called 'bsae'.*Did you mean 'base'"):
        Only.parse(["method=bsae"]).check(make_plan(study()).study)


def test_the_estimate_counts_units_and_fits():
    plan = make_plan(study(scorers=("accuracy", "f1_macro")))
    first, second, third = (unit.hash for unit in plan.study.units[:3])
    known = {
        first: frozenset({"accuracy", "f1_macro"}),
        second: frozenset({"accuracy", "f1_macro", "recall_macro"}),
        third: frozenset({"accuracy"}),  # not all that is asked for
    }
    base, spherical = estimate(plan, known)
    assert (base.units, base.pending, base.fits) == (5, 3, 1)
    assert (spherical.units, spherical.pending, spherical.fits) == (5, 5, 1 + 2 * 3)
    assert base.seconds > 0
    assert spherical.seconds == pytest.approx(base.seconds / 3 * 5 * 7)
    (none,) = estimate(plan, known, Only.parse(["method=spherical"]))
    assert none.method == "spherical"


def test_an_estimate_gives_up_on_trials_that_take_too_long_together(monkeypatch):
    monkeypatch.setattr(_cost, "_TRIALS_SECONDS", 0.0)
    assert all(np.isnan(group.seconds) for group in estimate(make_plan(study()), {}))


def test_a_metric_that_an_estimator_cannot_serve_is_refused_with_all_else():
    with pytest.raises(SpecError) as caught:
        make_plan(
            study(
                estimators=(KNN, setting("SVC", "svc"), setting("ridge", "RidgeClassifier")),
                scorers=(
                    "accuracy",
                    "neg_log_loss",
                    "roc_auc",
                    "balanced_accuracy_ovr",
                    "fit_seconds",
                ),
                data=(Data(label="b", source="diabetes", place="toy.toml:9"),),
            )
        )
    problems = caught.value.problems
    assert [problem.split(": ")[1] for problem in problems] == ["SVC", "ridge", "b"]
    assert "'neg_log_loss' needs predict_proba, which SVC() does not have" in problems[0]
