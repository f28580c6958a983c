"""The tables of the CBB paper, from stores made by hand, and its study file."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from scipy import stats

import distsearch
from distsearch.errors import InvalidInputError
from distsearch.sweep.spec import read_spec
from distsearch.sweep.store import (
    DataRecord,
    Result,
    RunRecord,
    SettingRecord,
    Store,
    StudyRecord,
    UnitRecord,
)

JOBS = Path(distsearch.__file__).parents[1] / "jobs"
PAPERS = JOBS / "papers"
SETS = ("bupa", "pima", "sonar")
ESTIMATORS = (
    "AdaBoost tree", "CBB tree", "CBB nested tree", "PruneBoost 0.1 tree", "PruneBoost 0.2 tree",
    "PruneBoost nested tree", "CBB grid tree(delta1=0.1, delta2=0.2)",
    "CBB grid tree(delta1=0.1, delta2=0.3)", "CBB pooled tree", "AdaBoost svm",
)  # fmt: skip
GRID = [each for each in ESTIMATORS if each.startswith("CBB grid")]
FOLDS = 5


@pytest.fixture
def tables(monkeypatch):
    """The job as a module, found as it is when it is run."""
    monkeypatch.syspath_prepend(str(JOBS))
    import cbb_tables

    return cbb_tables


def score(data, estimator, fold):
    """A score of its own for each unit, the same every time."""
    place = [SETS.index(data), ESTIMATORS.index(estimator), fold]
    return 0.6 + 0.02 * np.random.default_rng(place).integers(10)


def scores(data, estimator):
    return 100 * np.array([score(data, estimator, fold) for fold in range(FOLDS)])


def means(estimator):
    return np.array([scores(data, estimator).mean() for data in SETS])


def best(data, among):
    return max(among, key=lambda each: round(scores(data, each).mean(), 9))


def facts(unit):
    if unit.estimator.startswith("CBB"):
        types = {"HES": 1, "HOP": 2 + unit.fold % 2}
        return {"model": {"functions": 21, "types": types, "delta": [0.2, 0.3]}}
    return {"model": {"functions": 8 + unit.fold % 2}}


@pytest.fixture
def store(tmp_path):
    """Make a store of the study, all of it or some units."""

    def make(chosen=lambda unit: True, file="cbb.sqlite", study="cbb"):
        cells = [(d, e, f) for d in SETS for e in ESTIMATORS for f in range(FOLDS)]
        record = StudyRecord(
            study, "", 0, ("accuracy", "balanced_accuracy"), None,
            tuple(DataRecord(label, "", "", 1, 2, 2) for label in SETS),
            (
                *(SettingRecord("estimator", each, each, "cbb") for each in ESTIMATORS),
                SettingRecord("method", "plain", "plain", "plain"),
            ),
            tuple(
                UnitRecord(i, f"u{i}", d, e, "plain", 0, f) for i, (d, e, f) in enumerate(cells)
            ),
        )  # fmt: skip
        run = RunRecord("test", "", "serial", {}, {})
        with Store.drive(tmp_path / file, study=record, run=run) as writer:
            for unit in filter(chosen, record.units):
                value = score(unit.data, unit.estimator, unit.fold)
                both = {"accuracy": value, "balanced_accuracy": value - 0.1}
                writer.record(Result(unit.hash, both, facts=facts(unit)))
        return tmp_path / file

    return make


def printed(tables, capsys, *arguments):
    tables.main([str(each) for each in arguments])
    return capsys.readouterr().out


def row(text, *start):
    """The cells of the first line that begins with some cells, without those."""
    cells = (re.split(r"\s{2,}", line.strip()) for line in text.splitlines())
    return next(each[len(start) :] for each in cells if each[: len(start)] == list(start))


def test_scores_and_their_means(tables, store, capsys):
    out = printed(tables, capsys, store())
    shown = ["AdaBoost tree", "CBB tree", "PruneBoost 0.1 tree", "CBB nested tree",
             "PruneBoost nested tree"]  # fmt: skip
    for data in SETS:
        bests = [best(data, GRID), best(data, ESTIMATORS[3:5])]
        expected = [scores(data, each).mean() for each in (*shown, *bests, "CBB pooled tree")]
        assert row(out, data) == [f"{each:.2f}" for each in expected]
    expected = [means(each).mean() for each in shown]
    assert row(out, "mean of 3")[:5] == [f"{each:.2f}" for each in expected]
    other = printed(tables, capsys, store(), "--metric", "balanced_accuracy")
    assert row(other, "mean of 3")[:5] == [f"{each - 10:.2f}" for each in expected]


@pytest.mark.parametrize("choice", ["default", "nested", "best"])
@pytest.mark.parametrize("other", ["AdaBoost", "PruneBoost"])
def test_wins_by_two_tests_beside_the_papers(tables, store, capsys, choice, other):
    labels = {
        "default": ("CBB tree", "PruneBoost 0.1 tree"),
        "nested": ("CBB nested tree", "PruneBoost nested tree"),
    }
    tally = dict.fromkeys((f"{w}{t}" for w in "+-0" for t in ("", "p", "c")), 0)
    for data in SETS:
        ours, theirs = labels.get(choice, (best(data, GRID), best(data, ESTIMATORS[3:5])))
        theirs = "AdaBoost tree" if other == "AdaBoost" else theirs
        a, b = scores(data, ours), scores(data, theirs)
        apart = np.round(a - b, 9)
        kind = "+" if apart.mean() > 1e-9 else "-" if apart.mean() < -1e-9 else "0"
        tally[kind] += 1
        tally[f"{kind}p"] += stats.ttest_rel(a, b).pvalue <= 0.1
        t = apart.mean() / np.sqrt((1 / FOLDS + 1 / (FOLDS - 1)) * apart.var(ddof=1))
        tally[f"{kind}c"] += 2 * stats.t.sf(abs(t), FOLDS - 1) <= 0.1
    found = row(printed(tables, capsys, store()), "tree", choice, other)
    assert found[:3] == [*(f"{tally[k]} ({tally[k + 'p']}, {tally[k + 'c']})" for k in "+-"),
                         str(tally["0"])]  # fmt: skip
    assert found[3:] == {"AdaBoost": ["11 (4)", "6 (3)", "3"],
                         "PruneBoost": ["10 (5)", "5 (2)", "5"]}[other]  # fmt: skip


def test_ranks_and_wilcoxon_over_sets(tables, store, capsys):
    out = printed(tables, capsys, store())
    variants = ["AdaBoost tree", "CBB tree", "CBB nested tree", "CBB pooled tree"]
    part = out[out.index("tree, variants") :]
    table = np.round(np.column_stack([means(each) for each in variants]), 9)
    ranks = stats.rankdata(-table, axis=1).mean(axis=0)
    p = stats.friedmanchisquare(*table.T).pvalue
    assert f"tree, variants: 3 sets, Friedman p = {p:.3g}" in part
    found = row(part, "CBB pooled")
    assert found[:2] == [f"{table[:, 3].mean():.2f}", f"{ranks[3]:.2f}"]
    expected = stats.wilcoxon(table[:, 0] - table[:, 3], zero_method="pratt").pvalue
    assert found[2] == f"{expected:.3f}"


def test_types_and_functions_beside_the_papers(tables, store, capsys):
    out = printed(tables, capsys, store())
    part = out[out.index("Clusters in %") :]
    # Five folds of 3, 4, 3, 4, 3 clusters, of which one is HES; the paper has 0/100/0/0.
    assert row(part, "bupa") == ["0/100/0/0", *["29/0/0/71", "17", "100"] * 3]
    part = out[out.index("Mean numbers") :]
    assert row(part, "tree", "default") == ["8.40", "21.00", "8.40", "9.56", "1.75"]


def test_adaboost_beside_weka(tables, store, capsys):
    out = printed(tables, capsys, store())
    part = out[out.index("beside Weka's;") :]
    weka = {"tree": [66.38, 72.27, 75.96], "svm": [66.09, 76.43, 81.73]}
    for learner, figures in weka.items():
        apart = means(f"AdaBoost {learner}") - figures
        near = (np.abs(np.round(apart, 9)) <= 3.5).sum()
        assert f"AdaBoost {learner}: {near} of 3 sets within 3.5 points" in part
        assert f"mean difference {apart.mean():+.2f}" in part
        assert f"{apart[0]:+.2f}" in " ".join(row(part, "bupa"))
    assert "rbf" not in part


def test_stores_may_have_parts(tables, store, capsys):
    expected = printed(tables, capsys, store())
    some = store(lambda unit: unit.estimator == "CBB tree", "one.sqlite")
    rest = store(lambda unit: unit.estimator != "CBB tree", "rest.sqlite")
    assert printed(tables, capsys, some, rest) == expected
    lacking = store(lambda unit: unit.data != "sonar" or unit.fold, "lacking.sqlite")
    out = printed(tables, capsys, lacking)
    assert "CBB tree 1," in out
    assert "tree, default: 2 sets" in out


def test_one_setting_that_is_missing_leaves_the_best_out(tables, store):
    path = store(lambda unit: (unit.data, unit.estimator) != ("pima", GRID[1]))
    study = tables.read_study([path])
    assert list(tables.labels_of(study, "tree", "CBB", "best")) == ["bupa", "sonar"]
    assert tables.labels_of(study, "rbf", "CBB", "best") == {}


def test_a_figure(tables, store, tmp_path, monkeypatch):
    path = tmp_path / "ranks.svg"

    def missing(name):
        raise ImportError(name)

    monkeypatch.setattr(tables, "import_module", missing)
    with pytest.raises(SystemExit, match="pip install matplotlib scikit-posthocs"):
        tables.main([str(store()), "--figure", str(path)])
    monkeypatch.undo()
    pytest.importorskip("matplotlib")
    pytest.importorskip("scikit_posthocs")
    tables.draw(tables.read_study([store()]), path)
    assert path.read_text().startswith("<?xml")


def test_what_cannot_be_shown(tables, store):
    with pytest.raises(InvalidInputError, match=r"of one study, cbb or cbb_pooled\. Got other in"):
        tables.read_study([store(study="other")])
    with pytest.raises(SystemExit, match="metric must be one of accuracy, balanced_accuracy"):
        tables.main([str(store(file="whole.sqlite")), "--metric", "recall"])


@pytest.fixture
def spec(tmp_path, monkeypatch):
    """The study; no data set is loaded, so that any file of the name will do."""
    for name in set(re.findall(r"/(\w+\.csv)", (PAPERS / "cbb.toml").read_text())):
        (tmp_path / name).write_text("x,target\n1,a\n")
    monkeypatch.setenv("DISTSEARCH_DATA", str(tmp_path))
    return read_spec(PAPERS / "cbb.toml")


def test_the_study_has_the_papers_sets_protocol_and_learners(spec):
    published = pd.read_csv(PAPERS / "cbb_published.csv", keep_default_na=False)
    assert {each.label for each in spec.data} == set(published["data"]) - {""}
    assert len(spec.data) == 20
    assert (spec.protocol.kind, spec.protocol.folds, spec.protocol.repeats) == ("k-fold", 10, 1)
    assert {each.params["estimator"] for each in spec.estimators} == {"tree", "svm", "mlp", "rbf"}
    for each in spec.estimators:
        assert each.label.split("(")[0].split()[-1] == each.params["estimator"]
    assert {str(each.name) for each in spec.estimators if each.tuning} == {
        "pruneboost", "brownboost", "adaboost-kl", "cbb-pooled",
    }  # fmt: skip


@pytest.mark.parametrize(("learner", "n"), [("tree", 9), ("svm", 9), ("rbf", 9), ("mlp", 0)])
def test_the_tables_find_the_studys_estimators(tables, spec, learner, n):
    means = pd.DataFrame(columns=[each.label for each in spec.estimators])
    study = tables.Study(means, means, means, {}, 10)
    from cbb_study import candidates

    assert len(candidates(study, learner, "CBB", "best")) == n
    for method in ("PruneBoost", "BrownBoost", "AdaBoost_KL"):
        assert len(candidates(study, learner, method, "best")) == (3 if n else 1)
        assert len(candidates(study, learner, method, "default")) == 1
        assert len(candidates(study, learner, method, "nested")) == (1 if n else 0)


def test_the_published_numbers_are_whole(tables):
    numbers = tables.read_numbers(PAPERS / "cbb_published.csv")
    kinds = pd.Series(
        {key: value for key, value in numbers.items() if key[3] in ("HES", "HEP", "HOS", "HOP")}
    )
    totals = kinds.groupby(level=[0, 1]).sum()
    assert len(totals) == 59  # the row of yeast with perceptrons is lost
    assert totals.between(99, 101).all()
    assert numbers["tree", "", "BrownBoost", "wins"] == 15  # Table 8
    weka = pd.read_csv(PAPERS / "cbb_weka.csv")
    assert weka.groupby("estimator").size().to_dict() == {
        "AdaBoost rbf": 16, "AdaBoost svm": 16, "AdaBoost tree": 16,
    }  # fmt: skip
