"""One label for entries whose data sets never meet."""

import numpy as np
import pytest
from sweep.toys import BASE, IRIS, KNN, WINE, Setting, study

from distsearch.errors import SpecError
from distsearch.sweep import export_table, make_plan, run_plan
from distsearch.sweep.compare import compare
from distsearch.sweep.spec import read_spec
from distsearch.sweep.store import StoreReader

TWO_SETS = "[[data]]\nsource = 'iris'\n[[data]]\nsource = 'wine'\n"


def near(label, data, n_neighbors):
    params = {"n_neighbors": n_neighbors}
    return Setting(label=label, entry=label, name="knn", params=params, data=(data,))


ALIKE = (near("near", "iris", 1), near("near", "wine", 7))
APART = (near("near 1", "iris", 1), near("near 7", "wine", 7))


def of(estimators):
    return study(data=(IRIS, WINE), estimators=estimators, methods=(BASE,))


def spec_of(folder, *entries):
    path = folder / "study.toml"
    path.write_text(TWO_SETS + "".join(f"[[estimators]]\n{entry}\n" for entry in entries))
    return read_spec(path)


def test_labels_are_shared_where_data_sets_never_meet(tmp_path):
    spec = spec_of(
        tmp_path,
        "name = 'knn'\nlabel = 'near'\nparams = { n_neighbors = 1 }\ndata = ['i*']",
        "name = 'knn'\nlabel = 'near'\nparams = { n_neighbors = 7 }\ndata = ['w*']",
    )
    found = [(each.label, each.params["n_neighbors"], each.data) for each in spec.estimators]
    assert found == [("near", 1, ("i*",)), ("near", 7, ("w*",))]


@pytest.mark.parametrize("other", ["", "data = ['*']", "data = ['[ix]*']", "data = ['w*', 'iris']"])
def test_labels_are_not_shared_on_one_data_set(tmp_path, other):
    with pytest.raises(SpecError) as caught:
        spec_of(
            tmp_path,
            "name = 'knn'\nlabel = 'near'\ndata = ['i*', 'wine']",
            f"name = 'nb'\nlabel = 'near'\n{other}",
        )
    assert list(caught.value.problems) == [
        "study.toml:11: estimators[1]: the label 'near' is also that of estimators[0] in "
        "study.toml:7; estimators need labels of their own."
    ]


def test_a_third_may_meet_either(tmp_path):
    with pytest.raises(SpecError, match=r"estimators\[2\].*also that of estimators\[1\]"):
        spec_of(
            tmp_path,
            *(f"name = 'knn'\ndata = ['{data}']" for data in ("iris", "wine", "w*")),
        )


def test_labels_given_to_settings_are_never_shared(tmp_path):
    one, other = (
        f"name = 'knn'\nlabel = '{data}'\ndata = ['{data}']\n"
        f"settings = [ {{ p = {p}, label = 'x' }}, {{ n_neighbors = 2 }} ]"
        for data, p in (("iris", 1), ("wine", 3))
    )
    with pytest.raises(SpecError, match="the label 'x' is also that of"):
        spec_of(tmp_path, one, other)


def test_a_label_is_no_part_of_a_unit():
    alike, apart = (make_plan(of(each)).study.units for each in (ALIKE, APART))
    assert [unit.hash for unit in alike] == [unit.hash for unit in apart]
    assert {(unit.data, unit.estimator) for unit in alike} == {("iris", "near"), ("wine", "near")}


def test_a_shared_label_competes_as_one(tmp_path):
    found = {}
    for name, estimators in (("alike", ALIKE), ("apart", APART)):
        store = tmp_path / f"{name}.sqlite"
        run_plan(make_plan(of((KNN, *estimators))), store, backend="serial")
        reader = StoreReader(store)
        record = reader.study()
        found[name] = (record, reader.results(record))
    record, results = found["alike"]
    assert record.labels("estimator") == ["KNN", "near"]
    np.testing.assert_array_equal(results["accuracy"], found["apart"][1]["accuracy"])
    alike, apart = (compare(*found[name], over="estimators") for name in ("alike", "apart"))
    assert alike.competitors == ("KNN", "near")
    means = results.groupby(["data", "estimator"])["accuracy"].mean()
    cells = alike.cells.set_index(["data", "estimator"])["mean"]
    np.testing.assert_allclose(cells.loc[means.index], means, rtol=1e-12)
    # Ranks need a score of every competitor on every data set.
    assert sorted(alike.across["average_rank"]) != sorted(apart.across["average_rank"])
    assert not alike.across["average_rank"].isna().any()
    assert apart.across["average_rank"].isna().all()
    assert not any("settings" in note for note in alike.notes)


def test_a_parameter_that_a_label_does_not_tell_is_missing(tmp_path):
    few, many = (
        Setting(label=f"k{k}", entry="k", name="knn", params={"n_neighbors": k},
                varied={"n_neighbors": k}) for k in (2, 4)
    )  # fmt: skip
    plan = make_plan(of((*ALIKE, few, many)))
    run_plan(plan, tmp_path / "store.sqlite", backend="serial")
    reader = StoreReader(tmp_path / "store.sqlite")
    record = reader.study()
    table = export_table(record, reader.results(record))
    told = table.groupby("estimator")["estimator.n_neighbors"].agg(lambda each: set(each.dropna()))
    assert told.to_dict() == {"near": set(), "k2": {2}, "k4": {4}}
