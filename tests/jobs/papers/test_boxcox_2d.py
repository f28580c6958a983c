"""The tables of the job, from a store and from frames made by hand."""

import itertools

import numpy as np
import pandas as pd
import pytest

from distsearch.errors import DataError, InvalidInputError
from distsearch.sweep.store import (
    DataRecord,
    Result,
    RunRecord,
    SettingRecord,
    Store,
    StudyRecord,
    UnitRecord,
)

GRID = [0.0, 1.0, 2.0]
# Percent of a data set and an estimator: the base, then a row for each λ of the first feature.
MEANS = {
    ("half circles", "Bayesian"): (80, [[81, 82, 83], [84, 80, 86], [79, 88, 87]]),
    ("half circles", "KNN"): (90, [[90, 90, 90], [90, 90, 90], [90, 90, 92]]),
    ("random 0", "Bayesian"): (70, [[71, 70, 70], [70, 70, 70], [70, 70, 72]]),
    ("random 7", "Bayesian"): (60, [[60, 60, 60], [60, 60, 64], [60, 62, 61]]),
}


def name(pair):
    return f"map{pair}"


def make_study(means=MEANS, grid=GRID, baseline="Base", scorers=("accuracy",)):
    pairs = list(itertools.product(grid, repeat=2))
    methods = [SettingRecord("method", "Base", "Base", "standardize")]
    for first, second in pairs[::-1]:  # the order in the study does not matter
        params = {"lambda_1": first, "lambda_2": second, "rescale": False}
        methods.append(SettingRecord("method", name((first, second)), "map", "boxcox-map", params))
    cells = itertools.product(means, [each.label for each in methods], range(2), range(2))
    units = [
        UnitRecord(i, f"unit{i}", *cell, method, repeat, fold)
        for i, (cell, method, repeat, fold) in enumerate(cells)
    ]
    data, estimators = dict.fromkeys(d for d, _ in means), dict.fromkeys(e for _, e in means)
    return StudyRecord(
        "toy", "", 0, scorers, baseline,
        tuple(DataRecord(label, "", "", 1, 2, 2) for label in data),
        (*(SettingRecord("estimator", e, e, "nb") for e in estimators), *methods),
        tuple(units),
    )  # fmt: skip


def accuracy_of(unit, means=MEANS):
    base, table = means[unit.data, unit.estimator]
    rows = dict(zip(itertools.product(GRID, repeat=2), np.ravel(table), strict=True))
    mean = base if unit.method == "Base" else {name(p): v for p, v in rows.items()}[unit.method]
    return (mean + [-3, 1, -2, 4][2 * unit.repeat + unit.fold]) / 100  # adds up to nothing


def make_results(study):
    rows = [(u.data, u.estimator, u.method, u.repeat, u.fold, "done") for u in study.units]
    columns = ["data", "estimator", "method", "repeat", "fold", "state"]
    frame = pd.DataFrame(rows, columns=columns)
    frame["accuracy"] = [accuracy_of(unit) for unit in study.units]
    return frame


@pytest.fixture
def summary(tmp_path):
    path = tmp_path / "summary.csv"
    path.write_text(
        "data,estimator,base,best,full,spherical,diagonal,argmax_1,argmax_2\n"
        "half circles,Bayesian,79.50,88.02,8.52,7.00,7.25,2,1\n"
        "half circles,KNN,90,92,2,2,0,2,0\n"
        "elsewhere,KNN,90,92,2,2,0,2,0\n"
    )
    return path


def test_summaries_by_hand(boxcox_2d):
    study = make_study()
    complete, incomplete = boxcox_2d.summaries(study, make_results(study))
    assert list(complete) == list(MEANS)
    assert incomplete == {}
    found = complete["half circles", "Bayesian"]
    # With the other λ at 1: 82, 80, 88 over the first feature, 84, 80, 86 over the second.
    assert (found.argmax, found.spherical_lambda, found.diagonal_lambdas) == ((2, 1), 2, (2, 2))
    figures = [found.base, found.best, found.full, found.spherical, found.diagonal]
    assert figures == pytest.approx([80, 88, 8, 7, 7])
    assert complete["half circles", "KNN"].diagonal == pytest.approx(2)


def test_the_order_of_results_does_not_matter(boxcox_2d):
    study = make_study()
    results = make_results(study).sample(frac=1, random_state=0)
    complete, _ = boxcox_2d.summaries(study, results)
    assert complete["half circles", "Bayesian"].argmax == (2, 1)


@pytest.mark.parametrize("state", ["pending", "failed"])
def test_what_is_incomplete_is_counted(boxcox_2d, state):
    study = make_study()
    results = make_results(study)
    gone = (results["data"] == "random 7") & (results["method"] == "map(2.0, 0.0)")
    results.loc[gone, "state"] = state
    results.loc[gone, "accuracy"] = np.nan
    results.loc[results.index[0], "accuracy"] = np.nan  # done, but without a value
    complete, incomplete = boxcox_2d.summaries(study, results)
    assert incomplete == {("half circles", "Bayesian"): 1, ("random 7", "Bayesian"): 4}
    assert list(complete) == [("half circles", "KNN"), ("random 0", "Bayesian")]


def test_means_over_the_draws(boxcox_2d):
    study = make_study()
    complete, _ = boxcox_2d.summaries(study, make_results(study))
    means = boxcox_2d.mean_gains(complete)
    assert list(means.index) == ["Bayesian"]
    assert means.loc["Bayesian", "sets"] == 2
    # 0: best 72, the same λ twice; all λ tie with the other at 1. 7: best 64, same 61, joined 61.
    row = means.loc["Bayesian", ["base", "best", "full", "spherical", "diagonal"]].to_numpy()
    assert row.astype(float) == pytest.approx([65, 68, 3, 1.5, 1.5])


def test_the_ten_draws_are_counted_without_the_set_of_table_2(boxcox_2d):
    draws = [f"random {number}" for number in range(10)]
    labels = ["random", "random 10", "randomly 1", *draws]
    study = make_study({(label, "NN"): MEANS["random 0", "Bayesian"] for label in labels})
    results = make_results_of(study, MEANS["random 0", "Bayesian"])
    complete, _ = boxcox_2d.summaries(study, results)
    assert boxcox_2d.mean_gains(complete).loc["NN", "sets"] == 10


def make_results_of(study, content):
    frame = pd.DataFrame([(u.data, u.estimator, u.method) for u in study.units])
    frame.columns = ["data", "estimator", "method"]
    means = dict.fromkeys([(u.data, u.estimator) for u in study.units], content)
    accuracies = [accuracy_of(unit, means) for unit in study.units]
    return frame.assign(state="done", accuracy=accuracies)


@pytest.fixture
def store(tmp_path):
    path = tmp_path / "toy.sqlite"
    study = make_study()
    with Store.drive(path, study=study, run=RunRecord("test", "", "serial", {}, {})) as writer:
        for unit in study.units:
            if (unit.data, unit.method) != ("random 7", "Base"):
                writer.record(Result(unit.hash, {"accuracy": accuracy_of(unit)}))
    return path


def test_what_the_job_prints(boxcox_2d, store, summary, capsys):
    boxcox_2d.main([str(store), "--published", str(summary)])
    out = capsys.readouterr().out
    lines = [" ".join(line.split()) for line in out.splitlines()]
    at = lines.index("half circles Bayesian here 80.00 88.00 +8.00 +7.00 +7.00 (2, 1)")
    assert lines[at + 1] == "published 79.50 88.02 +8.52 +7.00 +7.25 (2, 1)"
    assert lines[at + 2] == "difference +0.50 -0.02 -0.52 +0.00 -0.25 same"
    assert lines[at + 5] == "difference +0.00 +0.00 +0.00 +0.00 +2.00 another"
    assert lines[at + 6] == "random 0 Bayesian here 70.00 72.00 +2.00 +2.00 +2.00 (2, 2)"
    assert "Bayesian 1 70.00 72.00 +2.00 +2.00 +2.00" in lines
    assert "random 7: Bayesian 4" in lines
    assert "elsewhere" not in out


def test_errors_are_a_sentence(boxcox_2d, tmp_path, capsys):
    with pytest.raises(SystemExit, match=r"^Error: .*none\.sqlite does not exist"):
        boxcox_2d.main([str(tmp_path / "none.sqlite")])


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"baseline": None}, "no accuracy of a baseline"),
        ({"baseline": "Bayesian"}, "no accuracy of a baseline"),
        ({"scorers": ("f1",)}, "no accuracy of a baseline"),
        ({"grid": []}, "no full grid of lambda_1 and lambda_2"),
    ],
)
def test_other_studies_are_refused(boxcox_2d, changes, words):
    study = make_study(**changes)
    with pytest.raises(InvalidInputError, match=words):
        boxcox_2d.summaries(study, pd.DataFrame())


def test_a_grid_with_a_hole_is_refused(boxcox_2d):
    study = make_study()
    holed = StudyRecord(
        study.name, "", 0, study.scorers, study.baseline, study.data, study.settings[:-1], ()
    )
    with pytest.raises(InvalidInputError, match="no full grid"):
        boxcox_2d.grid_of(holed)


def test_published_figures_that_cannot_be_read(boxcox_2d, tmp_path):
    with pytest.raises(DataError, match="cannot be read"):
        boxcox_2d.read_published(tmp_path / "none.csv")
    path = tmp_path / "other.csv"
    path.write_text("data,estimator,base\na,b,1\n")
    with pytest.raises(DataError, match="lacks the columns best, full"):
        boxcox_2d.read_published(path)


def test_the_published_figures_at_hand(boxcox_2d):
    figures = boxcox_2d.read_published(boxcox_2d.PUBLISHED)
    assert len(figures) == 16
    assert figures["blobs", "Bayesian"] == {
        "base": 76.14, "best": 76.46, "full": 0.32, "spherical": 0, "diagonal": -1,
        "argmax_1": 1, "argmax_2": 4,
    }  # fmt: skip
